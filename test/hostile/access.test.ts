// Every route × everybody who may call, generated from the list of routes: docs/ACCESS.md is the result.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route, TokenScope } from '../../server/http/route.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

interface Caller {
  name: string;
  token: string | null;
  /** In the address instead of the header. */
  isInAddress?: boolean;
  /** Of a token for URLs. */
  scope?: TokenScope;
}

let server: TestServer;
let callers: Caller[];
beforeAll(async () => {
  server = await startServer();
  const [listener, revoked] = [await registerUser(server, 'listener'), await registerUser(server, 'revoked')];
  const editor = await registerUser(server, 'editor');
  const { body: made } = await server.api<{ id: number }>('/users/me', { token: editor });
  await server.api(`/users/${made.id}`, { method: 'PATCH', body: { can_edit: true } });
  const { body: app } = await server.api<{ password: string }>('/users/me/subsonic-password', { token: listener });
  const changed = { password: 'another long password', current_password: 'long enough password' };
  await server.api('/users/me', { method: 'PATCH', token: revoked, body: changed });
  const urlToken = async (scope: TokenScope): Promise<string> => {
    const body = { scope };
    return (await server.api<{ token: string }>('/auth/media-token', { method: 'POST', body, token: listener })).body
      .token;
  };
  callers = [
    { name: 'nobody', token: null },
    { name: 'ended token', token: revoked },
    { name: 'app password', token: app.password },
    { name: 'share address', token: 'aB3_-xyz90aB3_-xyz90' },
    { name: 'user', token: listener },
    { name: 'user, token in the address', token: listener, isInAddress: true },
    { name: 'media token', token: await urlToken('media'), isInAddress: true, scope: 'media' },
    { name: 'event token', token: await urlToken('events'), isInAddress: true, scope: 'events' },
    { name: 'editor', token: editor },
    { name: 'administrator', token: server.token },
  ];
});
afterAll(() => server.close());

const NOTHING_HERE = 999_999_999;
const VERDICTS: Record<number, string> = { 401: 'sign in', 403: 'no' };

/** What access and right come to for a caller. People who register may do everything but edit and manage podcasts. */
function verdictOf(spec: Route['spec'], { name, isInAddress = false, scope }: Caller): string {
  const { access, right, orOwn } = spec;
  if (access === 'public') return 'yes';
  if (scope !== undefined) {
    if (access !== 'stream' || (spec.scope ?? 'media') !== scope) return 'sign in';
    return right === 'canEdit' && orOwn !== true ? 'no' : 'yes';
  }
  const isSignedIn = /^(user|editor|administrator)/.test(name) && (!isInAddress || access === 'stream');
  if (!isSignedIn) return 'sign in';
  if (name === 'administrator') return 'yes';
  if (right === 'canEdit' && name !== 'editor') return orOwn === true ? 'own' : 'no';
  return access === 'superuser' || right === 'canPodcast' ? 'no' : 'yes';
}

async function ask({ spec }: Route, { token, isInAddress = false }: Caller): Promise<string> {
  const path = spec.path.replaceAll(/:(\w+)/g, String(NOTHING_HERE));
  const controller = new AbortController();
  const response = await fetch(`${server.url}/api/v1${path}${isInAddress ? `?token=${token}` : ''}`, {
    method: spec.method.toUpperCase(),
    headers: { ...(token !== null && !isInAddress && { Authorization: `Bearer ${token}` }) },
    signal: controller.signal,
  });
  controller.abort(); // event streams do not end
  return VERDICTS[response.status] ?? 'yes';
}

/** Without a body they do nothing for whoever may; these need none. */
const WITHOUT_BODY = new Set(['/auth/refresh', '/users/me/subsonic-password']);
const isHarmless = ({ spec }: Route): boolean =>
  spec.method === 'get' || spec.body !== undefined || spec.params !== undefined || WITHOUT_BODY.has(spec.path);
/** Refused for reasons of their own: a ticket, an address, a setting. */
const OWN_RULES = new Set(['/auth/login', '/auth/register', '/auth/setup', '/auth/desktop', '/metrics']);

test('every route answers every kind of caller as its access says, and docs/ACCESS.md lists it', async () => {
  const rows: string[] = [];
  const wrong: string[] = [];
  for (const route of server.app.routes.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))) {
    const cells: string[] = [];
    for (const caller of callers) {
      const expected = verdictOf(route.spec, caller);
      cells.push(expected);
      if (OWN_RULES.has(route.spec.path) || expected === 'own' || (expected === 'yes' && !isHarmless(route))) continue;
      const found = await ask(route, caller);
      if (found !== expected) wrong.push(`${nameOf(route)}, ${caller.name}: ${found}, not ${expected}`);
    }
    rows.push(`| \`${nameOf(route)}\` | ${cells.join(' | ')} |`);
  }
  expect(wrong).toEqual([]);
  await expect(pageOf(rows)).toMatchFileSnapshot('../../docs/ACCESS.md');
});

const nameOf = ({ spec }: Route): string => `${spec.path} ${spec.method.toUpperCase()}`;

const pageOf = (rows: string[]): string => `# Who may call what

Every route of the REST API (below \`/api/v1\`) and every kind of caller. Generated:
\`npx vitest run --project integration hostile/access -u\`. "yes" is the route's own answer, "sign in" is 401, "no" is
403, "own" is 403 for what others uploaded, or have in playlists or liked. The Subsonic API asks for an app password
with every call. Tokens for URLs are in the address; one for a download opens the path that it names. What is at the root (\`/stream/{id}\`, \`/share/…\`, \`/health\`) is in [SECURITY.md](SECURITY.md).

| route | ${callers.map(({ name }) => name).join(' | ')} |
|---|${callers.map(() => '---|').join('')}
${rows.join('\n')}
`;
