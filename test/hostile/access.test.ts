// Every route and every endpoint of Subsonic × everybody who may call, generated from their lists: docs/ACCESS.md is the
// result.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route, TokenScope } from '../../server/http/route.ts';
import { createEndpoints, type EndpointDeps } from '../../server/subsonic/endpoints/table.ts';
import type { Endpoint } from '../../server/subsonic/endpoint.ts';
import { fillLibrary } from '../bench/large-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

interface Caller {
  name: string;
  token: string | null;
  /** In the address instead of the header. */
  isInAddress?: boolean;
  /** Of a token for URLs. */
  scope?: TokenScope;
}

/** Of the Subsonic API: parameters that sign in. */
interface AppCaller {
  name: string;
  params: Record<string, string>;
  /** `undefined`: nobody is signed in by them. */
  as?: 'user' | 'editor' | 'administrator';
}

const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });
const ENDPOINTS: Record<string, Endpoint> = createEndpoints(nothing as EndpointDeps);
const PASSWORD = 'long enough password';

let server: TestServer;
let callers: Caller[];
let appCallers: AppCaller[];
beforeAll(async () => {
  server = await startServer();
  fillLibrary(server.app.db.$client, { tracks: 5, userId: 1, likeEvents: 0, plays: 0 });
  const [listener, revoked] = [await registerUser(server, 'listener'), await registerUser(server, 'revoked')];
  const editor = await registerUser(server, 'editor');
  const { body: made } = await server.api<{ id: number }>('/users/me', { token: editor });
  await server.api(`/users/${made.id}`, { method: 'PATCH', body: { can_edit: true } });
  const appOf = async (token: string): Promise<{ u: string; p: string }> => {
    const { body } = await server.api<Record<'username' | 'password', string>>('/users/me/subsonic-password', {
      token,
    });
    return { u: body.username, p: body.password };
  };
  const [app, ofEditor, ofAdmin] = [await appOf(listener), await appOf(editor), await appOf(server.token)];
  const ended = await appOf(revoked);
  await server.api('/users/me/subsonic-password', { method: 'POST', token: revoked });
  const changed = { password: 'another long password', current_password: PASSWORD };
  await server.api('/users/me', { method: 'PATCH', token: revoked, body: changed });
  const urlToken = async (scope: TokenScope): Promise<string> => {
    const body = { scope };
    return (await server.api<{ token: string }>('/auth/media-token', { method: 'POST', body, token: listener })).body
      .token;
  };
  const share = await shareWith(ofAdmin);
  const media = await urlToken('media');
  callers = [
    { name: 'nobody', token: null },
    { name: 'ended token', token: revoked },
    { name: 'app password', token: app.p },
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
    { name: 'ended app password', params: ended },
    { name: 'password for signing in', params: { u: app.u, p: PASSWORD } },
    { name: 'access token', params: { apiKey: listener } },
    { name: 'media token', params: { apiKey: media } },
    { name: 'share address', params: { apiKey: share } },
    { name: 'user', params: app, as: 'user' },
    { name: 'user, as API key', params: { apiKey: app.p }, as: 'user' },
    { name: 'editor', params: ofEditor, as: 'editor' },
    { name: 'administrator', params: ofAdmin, as: 'administrator' },
  ];
});
afterAll(() => server.close());

interface Answer {
  error?: { code: number };
  shares?: { share: { url: string }[] };
}
/** Undefined for pictures and audio. */
async function askApp(endpoint: string, params: Record<string, string>): Promise<Answer | undefined> {
  const query = new URLSearchParams({ ...params, v: '1.16.1', c: 'access', f: 'json' });
  const response = await fetch(`${server.url}/rest/${endpoint}?${query}`);
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('application/json')) return undefined;
  return (JSON.parse(text) as { 'subsonic-response': Answer })['subsonic-response'];
}

/** The secret part of the address of a share that is open. */
async function shareWith(credentials: Record<string, string>): Promise<string> {
  const url = (await askApp('createShare', { ...credentials, id: 'tr-1' }))?.shares?.share[0]?.url ?? '';
  expect((await fetch(url)).status).toBe(200);
  return url.replace(/.*\//, '');
}

const NOTHING_HERE = 999_999_999;
const VERDICTS: Record<number, string> = { 401: 'sign in', 403: 'no' };

/** What access and right come to for a caller. People who register may do everything but edit and manage podcasts. */
function verdictOf(spec: Route['spec'], { name, isInAddress = false, scope }: Caller): string {
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

function appVerdictOf({ access, right }: Endpoint, { as }: AppCaller): string {
  if (access === 'public') return 'yes';
  if (as === undefined) return 'sign in';
  if (as === 'administrator') return 'yes';
  return access === 'superuser' || right === 'canPodcast' ? 'no' : 'yes';
}

async function ask(base: string, { spec }: Route, { token, isInAddress = false }: Caller): Promise<string> {
  const path = spec.path.replaceAll(/:(\w+)/g, String(NOTHING_HERE));
  const controller = new AbortController();
  const response = await fetch(`${server.url}${base}${path}${isInAddress ? `?token=${token}` : ''}`, {
    method: spec.method.toUpperCase(),
    headers: { ...(token !== null && !isInAddress && { Authorization: `Bearer ${token}` }) },
    signal: controller.signal,
  });
  // event streams do not end; all else is read, so that the connection serves the next one
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) controller.abort();
  else await response.arrayBuffer();
  return VERDICTS[response.status] ?? 'yes';
}

/** Without a body they do nothing for whoever may; these need none. */
const WITHOUT_BODY = new Set(['/auth/refresh', '/users/me/subsonic-password']);
const isHarmless = ({ spec }: Route): boolean =>
  spec.method === 'get' || spec.body !== undefined || spec.params !== undefined || WITHOUT_BODY.has(spec.path);
/** Refused for reasons of their own: a ticket, an address, a setting. */
const OWN_RULES = new Set(['/auth/login', '/auth/register', '/auth/setup', '/auth/desktop', '/metrics']);

const wrong: string[] = [];

async function rowsOf(base: string, routes: Route[]): Promise<string[]> {
  const rows: string[] = [];
  for (const route of routes.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))) {
    const cells: string[] = [];
    for (const caller of callers) {
      const expected = verdictOf(route.spec, caller);
      cells.push(expected);
      if (OWN_RULES.has(route.spec.path) || expected === 'own' || (expected === 'yes' && !isHarmless(route))) continue;
      const found = await ask(base, route, caller);
      if (found !== expected) wrong.push(`${nameOf(route)}, ${caller.name}: ${found}, not ${expected}`);
    }
    rows.push(`| \`${nameOf(route)}\` | ${cells.join(' | ')} |`);
  }
  return rows;
}

/** Without parameters they do nothing to what the next ones need. */
async function appRows(): Promise<string[]> {
  const rows: string[] = [];
  for (const [name, endpoint] of Object.entries(ENDPOINTS).toSorted(([a], [b]) => a.localeCompare(b))) {
    const cells: string[] = [];
    for (const caller of appCallers) {
      const expected = appVerdictOf(endpoint, caller);
      cells.push(expected);
      const code = (await askApp(name, caller.params))?.error?.code ?? 0;
      const isOut = [40, 44].includes(code) || (code === 10 && caller.name === 'nobody' && expected !== 'yes');
      const found = isOut ? 'sign in' : code === 50 ? 'no' : 'yes';
      if (found !== expected) wrong.push(`${name}, ${caller.name}: ${found} (${code}), not ${expected}`);
    }
    rows.push(`| \`${name}\` | ${cells.join(' | ')} |`);
  }
  return rows;
}

test('every route answers every kind of caller as its access says, and docs/ACCESS.md lists it', async () => {
  const { routes, rootRoutes } = server.app;
  const subsonic = await appRows(); // first: a route makes a new app password
  const page = pageOf(await rowsOf('/api/v1', routes), await rowsOf('', rootRoutes), subsonic);
  expect(wrong).toEqual([]);
  await expect(page).toMatchFileSnapshot('../../docs/ACCESS.md');
});

const nameOf = ({ spec }: Route): string => `${spec.path} ${spec.method.toUpperCase()}`;

const tableOf = (what: string, all: { name: string }[], rows: string[]): string =>
  `| ${what} | ${all.map(({ name }) => name).join(' | ')} |\n|---|${all.map(() => '---|').join('')}\n${rows.join('\n')}`;

const pageOf = (api: string[], root: string[], subsonic: string[]): string => `# Who may call what

Every route and every kind of caller. Generated: \`npm test -- hostile/access -u\`. "yes" is the
route's own answer, "sign in" is 401, "no" is 403, "own" is 403 for what others uploaded, or have in playlists or liked.
Tokens for URLs are in the address; one for a download opens the address that it names. Accounts have the rights that
somebody who registers has.

## REST API, below \`/api/v1\`

${tableOf('route', callers, api)}

## At the root

What opens a share or a signed picture is in its address.

${tableOf('route', callers, root)}

## Subsonic API, below \`/rest\`

"sign in" is error 40 or 44 (10 without a name), "no" is error 50.

${tableOf('endpoint', appCallers, subsonic)}
`;
