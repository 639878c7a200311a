// Tests every route and every Subsonic endpoint with every kind of caller, generated from their lists; docs/ACCESS.md
// is the result.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route, TokenScope } from '../../server/http/route.ts';
import { createEndpoints, type EndpointDeps } from '../../server/subsonic/endpoints/table.ts';
import type { Endpoint } from '../../server/subsonic/endpoint.ts';
import { fillLibrary } from '../bench/large-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

interface Caller {
  name: string;
  token: string | null;
  /** The token is in the address instead of the header. */
  isInAddress?: boolean;
  /** The scope of a token for URLs. */
  scope?: TokenScope;
}

/** The parameters with which a caller of the Subsonic API signs in. */
interface AppCaller {
  name: string;
  params: Record<string, string>;
  /** The kind of account that the parameters sign in; undefined if they sign nobody in. */
  account?: 'user' | 'editor' | 'administrator';
}

const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });
const ENDPOINTS: Record<string, Endpoint> = createEndpoints(nothing as EndpointDeps);
const USER_PASSWORD = 'long enough password';

let server: TestServer;
let callers: Caller[];
let appCallers: AppCaller[];
beforeAll(async () => {
  server = await startServer();
  fillLibrary(server.app.db.$client, { tracks: 5, userId: 1, likeEvents: 0, plays: 0 });
  const [listener, revoked] = [await registerUser(server, 'listener'), await registerUser(server, 'revoked')];
  const editor = await registerUser(server, 'editor');
  const { body: editorAccount } = await server.api<{ id: number }>('/users/me', { token: editor });
  await server.api(`/users/${editorAccount.id}`, { method: 'PATCH', body: { can_edit: true } });
  const createAppPassword = async (token: string): Promise<{ u: string; p: string }> => {
    const { body } = await server.api<Record<'username' | 'password', string>>('/users/me/subsonic-password', {
      token,
    });
    return { u: body.username, p: body.password };
  };
  const [listenerApp, editorApp, adminApp] = [
    await createAppPassword(listener),
    await createAppPassword(editor),
    await createAppPassword(server.token),
  ];
  const endedApp = await createAppPassword(revoked);
  await server.api('/users/me/subsonic-password', { method: 'POST', token: revoked });
  const newPassword = { password: 'another long password', current_password: USER_PASSWORD };
  await server.api('/users/me', { method: 'PATCH', token: revoked, body: newPassword });
  const urlToken = async (scope: TokenScope): Promise<string> => {
    const body = { scope };
    return (await server.api<{ token: string }>('/auth/media-token', { method: 'POST', body, token: listener })).body
      .token;
  };
  const share = await createShare(adminApp);
  const media = await urlToken('media');
  callers = [
    { name: 'nobody', token: null },
    { name: 'ended token', token: revoked },
    { name: 'app password', token: listenerApp.p },
    { name: 'share address', token: share },
    { name: 'user', token: listener },
    { name: 'user, token in the address', token: listener, isInAddress: true },
    { name: 'media token', token: media, isInAddress: true, scope: 'media' },
    { name: 'event token', token: await urlToken('events'), isInAddress: true, scope: 'events' },
    { name: 'editor', token: editor },
    { name: 'administrator', token: server.token },
  ];
  appCallers = [
    { name: 'nobody', params: {} },
    { name: 'ended app password', params: endedApp },
    { name: 'password for signing in', params: { u: listenerApp.u, p: USER_PASSWORD } },
    { name: 'access token', params: { apiKey: listener } },
    { name: 'media token', params: { apiKey: media } },
    { name: 'share address', params: { apiKey: share } },
    { name: 'user', params: listenerApp, account: 'user' },
    { name: 'user, as API key', params: { apiKey: listenerApp.p }, account: 'user' },
    { name: 'editor', params: editorApp, account: 'editor' },
    { name: 'administrator', params: adminApp, account: 'administrator' },
  ];
});
afterAll(() => server.close());

interface Answer {
  error?: { code: number };
  shares?: { share: { url: string }[] };
}
/** Returns the error code of the response; undefined for pictures and audio. */
async function askApp(endpoint: string, params: Record<string, string>): Promise<Answer | undefined> {
  const query = new URLSearchParams({ ...params, v: '1.16.1', c: 'access', f: 'json' });
  const response = await fetch(`${server.url}/rest/${endpoint}?${query}`);
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('application/json')) return undefined;
  return (JSON.parse(text) as { 'subsonic-response': Answer })['subsonic-response'];
}

/** Creates a share, and returns the secret part of its address. */
async function createShare(credentials: Record<string, string>): Promise<string> {
  const url = (await askApp('createShare', { ...credentials, id: 'tr-1' }))?.shares?.share[0]?.url ?? '';
  expect((await fetch(url)).status).toBe(200);
  return url.replace(/.*\//, '');
}

const UNKNOWN_ID = 999_999_999;
const VERDICT_BY_STATUS: Record<number, string> = { 401: 'sign in', 403: 'no' };

/** Returns what a caller should be allowed. Registered users may do everything but edit and manage podcasts. */
function expectVerdict(spec: Route['spec'], { name, isInAddress = false, scope }: Caller): string {
  const { access, right, orOwn } = spec;
  if (access === 'public') return 'yes';
  if (scope !== undefined) {
    if (access !== 'stream' || (spec.scope ?? 'media') !== scope) return 'sign in';
    if (right === 'canEdit') return orOwn === true ? 'own' : 'no';
    return 'yes';
  }
  const isSignedIn = /^(user|editor|administrator)/.test(name) && (!isInAddress || access === 'stream');
  if (!isSignedIn) return 'sign in';
  if (name === 'administrator') return 'yes';
  if (right === 'canEdit' && name !== 'editor') return orOwn === true ? 'own' : 'no';
  return access === 'superuser' || right === 'canPodcast' ? 'no' : 'yes';
}

function expectAppVerdict({ access, right }: Endpoint, { account }: AppCaller): string {
  if (access === 'public') return 'yes';
  if (account === undefined) return 'sign in';
  if (account === 'administrator') return 'yes';
  return access === 'superuser' || right === 'canPodcast' ? 'no' : 'yes';
}

async function requestVerdict(base: string, { spec }: Route, { token, isInAddress = false }: Caller): Promise<string> {
  const path = spec.path.replaceAll(/:(\w+)/g, String(UNKNOWN_ID));
  const controller = new AbortController();
  const response = await fetch(`${server.url}${base}${path}${isInAddress ? `?token=${token}` : ''}`, {
    method: spec.method.toUpperCase(),
    headers: { ...(token !== null && !isInAddress && { Authorization: `Bearer ${token}` }) },
    signal: controller.signal,
  });
  // event streams do not end; other responses are read, so that the connection serves the next request
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) controller.abort();
  else await response.arrayBuffer();
  return VERDICT_BY_STATUS[response.status] ?? 'yes';
}

/** Routes that have an effect without a body; all others need a body. */
const WITHOUT_BODY = new Set(['/auth/refresh', '/users/me/subsonic-password']);
const isHarmless = ({ spec }: Route): boolean =>
  spec.method === 'get' || spec.body !== undefined || spec.params !== undefined || WITHOUT_BODY.has(spec.path);
/** Routes that refuse callers for other reasons: a ticket, an address, a setting. */
const OWN_RULES = new Set(['/auth/login', '/auth/register', '/auth/setup', '/auth/desktop', '/metrics']);

const mismatches: string[] = [];

async function listRows(base: string, routes: Route[]): Promise<string[]> {
  const rows: string[] = [];
  for (const route of routes.toSorted((a, b) => formatRoute(a).localeCompare(formatRoute(b)))) {
    const cells: string[] = [];
    for (const caller of callers) {
      const expected = expectVerdict(route.spec, caller);
      cells.push(expected);
      if (OWN_RULES.has(route.spec.path) || expected === 'own' || (expected === 'yes' && !isHarmless(route))) continue;
      const actual = await requestVerdict(base, route, caller);
      if (actual !== expected) mismatches.push(`${formatRoute(route)}, ${caller.name}: ${actual}, not ${expected}`);
    }
    rows.push(`| \`${formatRoute(route)}\` | ${cells.join(' | ')} |`);
  }
  return rows;
}

/** Endpoints are called without parameters, so that they change nothing that later calls need. */
async function appRows(): Promise<string[]> {
  const rows: string[] = [];
  for (const [name, endpoint] of Object.entries(ENDPOINTS).toSorted(([a], [b]) => a.localeCompare(b))) {
    const cells: string[] = [];
    for (const caller of appCallers) {
      const expected = expectAppVerdict(endpoint, caller);
      cells.push(expected);
      const code = (await askApp(name, caller.params))?.error?.code ?? 0;
      const isSignedOut = [40, 44].includes(code) || (code === 10 && caller.name === 'nobody' && expected !== 'yes');
      const actual = isSignedOut ? 'sign in' : code === 50 ? 'no' : 'yes';
      if (actual !== expected) mismatches.push(`${name}, ${caller.name}: ${actual} (${code}), not ${expected}`);
    }
    rows.push(`| \`${name}\` | ${cells.join(' | ')} |`);
  }
  return rows;
}

test('every route answers every kind of caller as its access says, and docs/ACCESS.md lists it', async () => {
  const { routes, rootRoutes } = server.app;
  const subsonic = await appRows(); // Subsonic is tested first, because a route replaces the app password
  const page = formatPage(await listRows('/api/v1', routes), await listRows('', rootRoutes), subsonic);
  expect(mismatches).toEqual([]);
  await expect(page).toMatchFileSnapshot('../../docs/ACCESS.md');
});

const formatRoute = ({ spec }: Route): string => `${spec.path} ${spec.method.toUpperCase()}`;

const formatTable = (title: string, columns: { name: string }[], rows: string[]): string =>
  `| ${title} | ${columns.map(({ name }) => name).join(' | ')} |\n|---|${columns.map(() => '---|').join('')}\n${rows.join('\n')}`;

const formatPage = (api: string[], root: string[], subsonic: string[]): string => `# Who may call what

Every route and every kind of caller. Generated: \`npm test -- hostile/access -u\`. "yes" is the
route's own answer, "sign in" is 401, "no" is 403, "own" is 403 for what others uploaded, or have in playlists or liked.
Tokens for URLs are in the address; one for a download opens the address that it names. Accounts have the rights that
somebody who registers has.

## REST API, below \`/api/v1\`

${formatTable('route', callers, api)}

## At the root

What opens a share or a signed picture is in its address.

${formatTable('route', callers, root)}

## Subsonic API, below \`/rest\`

"sign in" is error 40 or 44 (10 without a name), "no" is error 50.

${formatTable('endpoint', appCallers, subsonic)}
`;
