// Tests who gets an account, who is locked out, and what only the machine itself may do.
import { afterEach, expect, test } from 'vitest';
import type { TokenResponse } from '../../server/auth/wire.ts';
import {
  ADMIN,
  registerUser,
  startServer,
  type Answer,
  type ServerOptions,
  type TestServer,
} from '../support/server.ts';

let server: TestServer;
afterEach(() => server.close());

const startTestServer = async (options: ServerOptions = {}): Promise<void> =>
  void (server = await startServer(options));
/** Headers of a request through an untrusted proxy, so that it does not count as coming from the machine itself. */
const OTHER_MACHINE = { 'X-Forwarded-For': '203.0.113.9' };
const VALID_PASSWORD = 'long enough password';
type Init = { body: unknown; headers?: Record<string, string> };
const post = <T = TokenResponse>(path: string, { body, headers = {} }: Init): Promise<Answer<T>> =>
  server.api<T>(path, { method: 'POST', token: null, body, headers });
const register = (username: string, password = VALID_PASSWORD, headers = {}) =>
  post('/auth/register', { body: { username, password }, headers });
const login = (username: string, password = VALID_PASSWORD, headers = {}) =>
  post('/auth/login', { body: { username, password }, headers });
const toForm = (fields: Record<string, string>): Init => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
});
const repeat = async <T>(count: number, attempt: (n: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let n = 0; n < count; n++) results.push(await attempt(n));
  return results;
};
/** Settings with a trusted proxy, behind which every caller has its own address. */
const TRUSTED_PROXY = { env: { TRUSTED_PROXIES: '127.0.0.1' } };
const fromAddress = (address: string) => ({ 'X-Forwarded-For': address });

test('the name of ADMIN_USERNAME, registered by somebody, makes nobody an administrator and stops no start', async () => {
  await startTestServer({ setUp: false });
  const registered = await register('boss');
  expect([registered.status, registered.body.user.is_superuser]).toEqual([201, false]);
  const { dir } = server;
  await server.app.close();
  const env = { ADMIN_USERNAME: 'Boss', ADMIN_PASSWORD: 'from-the-environment' };
  await startTestServer({ dir, env, setUp: false });
  expect((await server.api('/auth/status', { token: null })).body).toMatchObject({
    setup_required: true,
    admin_name_taken: true,
  });
  expect((await login('boss', env.ADMIN_PASSWORD)).status).toBe(401);
  expect((await login('boss')).body.user.is_superuser).toBe(false);
  await post('/auth/setup', { body: { ...ADMIN, setup_token: server.app.auth.setupToken } });
  expect((await server.api('/auth/status', { token: null })).body).toMatchObject({ admin_name_taken: false });
});

test('registration: off is said before taken, taken before too short, and the number of accounts at last', async () => {
  await startTestServer();
  for (const headers of [{}, OTHER_MACHINE]) {
    await register('taken', VALID_PASSWORD, headers);
    expect((await register('taken', 'short', headers)).status).toBe(409);
    expect((await register('new', 'short', headers)).status).toBe(422);
  }
  const laterAccounts = await repeat(12, (n) => register(`person ${'abcdefghkoqs'[n]}`, VALID_PASSWORD, OTHER_MACHINE));
  expect(laterAccounts.map(({ status }) => status)).toEqual([...Array(10).fill(201), 429, 429]);
  expect((await register('taken', VALID_PASSWORD, OTHER_MACHINE)).status, 'before the limit of new accounts').toBe(409);
  expect((await register('of this machine')).status, 'has no such limit').toBe(201);
  await server.api('/settings', { method: 'PATCH', body: { allow_registration: false } });
  for (const body of [{ username: 'taken', password: 'x' }, { username: 5 }, {}])
    expect((await post('/auth/register', { body })).status).toBe(403);
});

test('asking which names exist is slow: 30 refusals a minute for an address', async () => {
  await startTestServer();
  const statuses = await repeat(32, async () => (await register(ADMIN.username, VALID_PASSWORD, OTHER_MACHINE)).status);
  expect(statuses).toEqual([...Array(30).fill(409), 429, 429]);
  expect((await login(ADMIN.username, ADMIN.password, OTHER_MACHINE)).status, 'signing in goes on').toBe(200);
  expect(await repeat(32, async () => (await register(ADMIN.username)).status)).toEqual(Array(32).fill(409));
});

test('names of one sign, with blanks and of email addresses, by JSON and by a form', async () => {
  await startTestServer({ setUp: false });
  for (const name of ['x', '.', 'ann@example.org', 'a+b', 'Ann  Lee', 'n'.repeat(64)])
    expect((await register(name)).status, name).toBe(201);
  expect((await register('ann lee')).status, 'one name on every page').toBe(409);
  for (const name of ['', '  ', 'n'.repeat(65), 'a/b', 'a\tb', 'a\u0000', '<b>'])
    expect((await register(name)).status, JSON.stringify(name)).toBe(422);
  expect((await post('/auth/register', toForm({ username: 'form', password: VALID_PASSWORD }))).status).toBe(201);
  const mail = { email: 'me@example.org', password: VALID_PASSWORD };
  expect((await post('/auth/register', { body: mail })).body.user.username).toBe('me@example.org');
  expect((await post('/auth/login', toForm(mail))).status).toBe(200);
  const registeredMail = await post('/auth/register', { body: { ...mail, username: 'me', is_superuser: true } });
  expect(registeredMail.body.user).toMatchObject({ username: 'me', is_superuser: false });
  const owner = toForm({
    email: 'owner@example.org',
    password: VALID_PASSWORD,
    setup_token: server.app.auth.setupToken,
  });
  expect((await post('/auth/setup', owner)).body.user.username).toBe('owner@example.org');
});

test('a common password is refused from another machine, and opens its account on this machine alone', async () => {
  await startTestServer();
  expect((await register('ann', 'password123', OTHER_MACHINE)).status).toBe(422);
  const registered = await register('ann', 'password123');
  expect(registered.status).toBe(201);
  const token = registered.body.access_token;
  const otherSignIn = await login('ann', 'password123', OTHER_MACHINE);
  expect([otherSignIn.status, otherSignIn.text]).toEqual([
    403,
    expect.stringContaining('Choose a better password first'),
  ]);
  const getAccount = (headers = {}) => server.api('/users/me', { token, headers });
  expect([(await getAccount()).status, (await getAccount(OTHER_MACHINE)).status]).toEqual([200, 403]);
  const app = (await server.api<{ password: string }>('/users/me/subsonic-password', { token })).body.password;
  const pingSubsonic = async (headers = {}) =>
    (await fetch(`${server.url}/rest/ping?f=json&v=1.16.1&c=t&u=ann&p=${app}`, { headers })).text();
  expect([await pingSubsonic(), await pingSubsonic(OTHER_MACHINE)]).toEqual([
    expect.stringContaining('"ok"'),
    expect.stringContaining('better password'),
  ]);
  const body = { current_password: 'password123', password: VALID_PASSWORD };
  const changedUser = await server.api<TokenResponse>('/users/me', { method: 'PATCH', token, body });
  expect((await server.api('/users/me', { token: changedUser.body.access_token, headers: OTHER_MACHINE })).status).toBe(
    200,
  );
  expect((await login('ann', VALID_PASSWORD, OTHER_MACHINE)).status).toBe(200);
});

test('a common ADMIN_PASSWORD and short secrets from the environment stop no start', async () => {
  const env = { ADMIN_USERNAME: 'boss', ADMIN_PASSWORD: 'changeme', JWT_SECRET: 'short', COMPAT_SECRET_KEY: 'tiny' };
  await startTestServer({ env, setUp: false });
  expect((await login('boss', 'changeme', OTHER_MACHINE)).status).toBe(200);
});

test.each([
  ['a proxy that is trusted', TRUSTED_PROXY.env, {}],
  ['one that says for whom', {}, { Forwarded: 'for=203.0.113.9' }],
  ['one that says so in its own way', {}, { 'X-Client-IP': '203.0.113.9' }],
  ['a content network', {}, { 'CF-Connecting-IP': '203.0.113.9' }],
  ['one that says its name', {}, { Via: '1.1 proxy' }],
])('%s is not the machine itself', async (_, env, headers) => {
  await startTestServer({ env });
  const guess = async (n: number) => (await login(`name ${n}`, 'wrong', headers)).status;
  expect((await repeat(31, guess)).at(-1)).toBe(429);
});

test('the machine itself has no limit of its address, but that of the name', async () => {
  await startTestServer();
  expect(await repeat(40, async (n) => (await login(`name ${n}`, 'wrong')).status)).toEqual(Array(40).fill(401));
  expect((await repeat(11, async () => (await login(ADMIN.username, 'wrong')).status)).at(-1)).toBe(429);
});

test('strangers who guess at a name do not lock out an address where it is signed in', async () => {
  await startTestServer(TRUSTED_PROXY);
  expect((await login(ADMIN.username, ADMIN.password, fromAddress('198.51.100.7'))).status).toBe(200);
  for (const host of [1, 2, 3, 4, 5, 6])
    await repeat(10, () => login(ADMIN.username, 'wrong', fromAddress(`203.0.113.${host}`)));
  const signInCorrectly = async (address: string) =>
    (await login(ADMIN.username, ADMIN.password, fromAddress(address))).status;
  expect([await signInCorrectly('203.0.113.77'), await signInCorrectly('198.51.100.7')]).toEqual([429, 200]);
});

test('300 sign-ins at once are answered or sent away, and others are answered meanwhile', async () => {
  await startTestServer(TRUSTED_PROXY);
  await registerUser(server, 'ann');
  let finishedCount = 0;
  const guesses = Array.from({ length: 300 }, async (_, n) => {
    const { status } = await login(`name ${n}`, 'wrong', fromAddress(`203.0.${n % 100}.1`));
    finishedCount++;
    return status;
  });
  await server.api('/albums');
  expect(finishedCount).toBeLessThan(300);
  for (const status of await Promise.all(guesses)) expect([401, 429]).toContain(status);
});

test('me, and the app password of an account, by each of their names', async () => {
  await startTestServer();
  const token = await registerUser(server, 'ann@example.org');
  for (const path of ['/users/me', '/me', '/auth/me'])
    expect((await server.api<{ username: string }>(path, { token })).body.username).toBe('ann@example.org');
  const { id } = (await server.api<{ id: number }>('/me', { token })).body;
  const passwords = new Set<string>();
  for (const prefix of ['/users', '/admin/users'])
    for (const userName of [id, 'ann@example.org', encodeURIComponent('ANN@example.org')]) {
      const path = `${prefix}/${userName}/subsonic-password`;
      const answer = await server.api<{ password: string }>(path, { method: 'POST' });
      expect(answer.body, path).toMatchObject({ username: 'ann@example.org' });
      passwords.add(answer.body.password);
      expect((await server.api(path, { method: 'POST', token })).status).toBe(403);
    }
  expect(passwords.size).toBe(6);
  expect((await server.api('/admin/users/me/subsonic-password', { token })).body).toMatchObject({
    username: 'ann@example.org',
  });
  expect((await server.api('/users/99/subsonic-password', { method: 'POST' })).status).toBe(404);
  for (const path of ['/docs', '/openapi.json']) {
    const [root, api] = await Promise.all([fetch(server.url + path), fetch(`${server.url}/api/v1${path}`)]);
    expect([root.status, await root.text()]).toEqual([200, await api.text()]);
  }
  const refusal = await server.api('/tracks', { token: null });
  expect([refusal.status, refusal.headers.get('x-last-event-id')]).toEqual([401, null]);
});
