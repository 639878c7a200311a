// Everybody who may call: nobody, people of every kind, and tokens of every kind, valid and ended.
import type { Product } from '../bench/product.ts';

export interface Caller {
  name: string;
  /** Authorization header. */
  bearer?: string;
  /** `token` in the address. */
  token?: string;
  /** Parameters of /rest. */
  rest: Record<string, string>;
}

const PASSWORD = 'fuzz and more fuzz';

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
    (await send<{ access_token: string }>('POST', '/auth/register', undefined, { username, password: PASSWORD }))
      .access_token;
  const appPassword = (bearer: string): Promise<{ username: string; password: string }> =>
    send('GET', '/users/me/subsonic-password', bearer);

  const listener = await register('fuzz-listener');
  const revoked = await register('fuzz-revoked');
  const before = await appPassword(revoked);
  await send('POST', '/users/me/subsonic-password', revoked);
  await send('PATCH', '/users/me', revoked, { password: `${PASSWORD}!`, current_password: PASSWORD });
  const [ofListener, ofAdmin] = [await appPassword(listener), await appPassword(token)];
  const client = { v: '1.16.1', c: 'fuzz', f: 'json' };
  const clear = ({ username, password }: { username: string; password: string }) => ({
    u: username,
    p: password,
    ...client,
  });
  return [
    { name: 'nobody', rest: client },
    { name: 'revoked', bearer: revoked, rest: clear(before) },
    { name: 'listener', bearer: listener, rest: clear(ofListener) },
    { name: 'listener, token in the address', token: listener, rest: { apiKey: ofListener.password, ...client } },
    { name: 'superuser', bearer: token, rest: clear(ofAdmin) },
    { name: 'app password as a token', bearer: ofListener.password, rest: clear(ofListener) },
  ];
}
