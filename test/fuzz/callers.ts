// Every kind of caller: anonymous, each kind of account, and each kind of token, valid or expired.
import type { Product } from '../bench/product.ts';

export interface Caller {
  name: string;
  /** Token for the Authorization header. */
  bearer?: string;
  /** Token for the query parameter `token`. */
  token?: string;
  /** True for callers that must not end their credentials, because they would be anonymous afterwards. */
  isSignedIn?: boolean;
  /** Parameters that authenticate requests to /rest. */
  rest: Record<string, string>;
}

/**
 * Number of accounts whose passwords no longer work; several are needed, because wrong passwords are limited by name.
 */
const REVOKED_COUNT = 100;
const CALLER_PASSWORD = 'fuzz and more fuzz';

export async function makeCallers({ url, token }: Pick<Product, 'url' | 'token'>): Promise<Caller[]> {
  const send = async <T>(method: string, path: string, bearer?: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        ...(bearer && { Authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const register = async (username: string): Promise<string> =>
    (await send<{ access_token: string }>('POST', '/auth/register', undefined, { username, password: CALLER_PASSWORD }))
      .access_token;
  const appPassword = (bearer: string): Promise<{ username: string; password: string }> =>
    send('GET', '/users/me/subsonic-password', bearer);

  const listener = await register('fuzz-listener');
  const revoke = async (username: string) => {
    // an administrator creates the accounts, because an address may register only a few
    await send('POST', '/users', token, { username, password: CALLER_PASSWORD });
    const { access_token: bearer } = await send<{ access_token: string }>('POST', '/auth/login', undefined, {
      username,
      password: CALLER_PASSWORD,
    });
    const oldPassword = await appPassword(bearer);
    await send('POST', '/users/me/subsonic-password', bearer);
    await send('PATCH', '/users/me', bearer, { password: `${CALLER_PASSWORD}!`, current_password: CALLER_PASSWORD });
    return { bearer, rest: clear(oldPassword) };
  };
  const client = { v: '1.16.1', c: 'fuzz', f: 'json' };
  const clear = ({ username, password }: { username: string; password: string }) => ({
    u: username,
    p: password,
    ...client,
  });
  const revokedCallers: Awaited<ReturnType<typeof revoke>>[] = [];
  for (let n = 0; n < REVOKED_COUNT; n++) revokedCallers.push(await revoke(`fuzz-revoked-${n}`));
  let callNumber = 0;
  const editor = await register('fuzz-editor');
  const { id: editorId } = await send<{ id: number }>('GET', '/users/me', editor);
  await send('PATCH', `/users/${editorId}`, token, { can_edit: true });
  const urlToken = async (scope: string): Promise<string> =>
    (await send<{ token: string }>('POST', '/auth/media-token', listener, { scope })).token;
  const share = await shareOf(url, await appPassword(token));
  const [ofListener, ofAdmin] = [await appPassword(listener), await appPassword(token)];
  return [
    { name: 'nobody', rest: client },
    {
      name: 'revoked',
      bearer: revokedCallers[0]?.bearer ?? '',
      get rest() {
        return revokedCallers[callNumber++ % REVOKED_COUNT]?.rest ?? client;
      },
    },
    { name: 'listener', isSignedIn: true, bearer: listener, rest: clear(ofListener) },
    {
      name: 'listener, token in the address',
      isSignedIn: true,
      token: listener,
      rest: { apiKey: ofListener.password, ...client },
    },
    { name: 'media token', isSignedIn: true, token: await urlToken('media'), rest: client },
    { name: 'event token', isSignedIn: true, token: await urlToken('events'), rest: client },
    { name: 'share', token: share, rest: { apiKey: share, ...client } },
    { name: 'editor', isSignedIn: true, bearer: editor, rest: clear(await appPassword(editor)) },
    { name: 'superuser', isSignedIn: true, bearer: token, rest: clear(ofAdmin) },
    { name: 'app password as a token', isSignedIn: true, bearer: ofListener.password, rest: clear(ofListener) },
  ];
}

/** Creates a share; returns the secret part of its address. */
async function shareOf(url: string, { username, password }: { username: string; password: string }): Promise<string> {
  const client = new URLSearchParams({ u: username, p: password, v: '1.16.1', c: 'fuzz', f: 'json' });
  const callEndpoint = async <T>(endpoint: string): Promise<T> => {
    const answer = (await (await fetch(`${url}/rest/${endpoint}${client.toString()}`)).json()) as {
      'subsonic-response': T;
    };
    return answer['subsonic-response'];
  };
  const { randomSongs } = await callEndpoint<{ randomSongs: { song: { id: string }[] } }>('getRandomSongs?size=1&');
  const { shares } = await callEndpoint<{ shares: { share: { url: string }[] } }>(
    `createShare?id=${randomSongs.song[0]?.id ?? ''}&`,
  );
  const token = /[^/]+$/.exec(shares.share[0]?.url ?? '')?.[0];
  if (token === undefined) throw new Error('nothing could be shared');
  return token;
}
