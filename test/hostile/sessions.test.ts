// Tests what a sign-in, a token or an app password gives access to, and that this access ends with it.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppPasswordInfo, SessionOut, TokenResponse, UrlTokenOut, UserOut } from '../../server/auth/wire.ts';
import { startRadioHost, type RadioHost } from '../fakes/radio-host.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { registerUser, startServer, type Answer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

let host: RadioHost;
let server: TestServer;
let station: number;
let tracks: number[];
beforeAll(async () => {
  host = await startRadioHost();
  server = await startServer({ stationsFrom: new URL(host.url) });
  const maker = trackMaker(server.app);
  tracks = [1, 2, 3].map((n) => maker.add({ title: `Song ${n}` }));
  const body = { name: 'Harbour', stream_url: `${host.url}/icecast` };
  station = (await server.api<{ id: number }>('/stations', { method: 'POST', body })).body.id;
});
afterAll(async () => {
  await server.close();
  await host.close();
});

const USER_PASSWORD = 'long enough password';
const call = <T>(method: string, path: string, token: string, body?: unknown): Promise<Answer<T>> =>
  server.api<T>(path, { method, token, ...(body !== undefined && { body }) });
const signIn = async (username: string, password = USER_PASSWORD): Promise<string> =>
  (await server.api<TokenResponse>('/auth/login', { method: 'POST', token: null, body: { username, password } })).body
    .access_token;
const fetchUserId = async (token: string): Promise<number> => (await call<UserOut>('GET', '/users/me', token)).body.id;

test('a token for a download opens what was asked for and nothing beside it', async () => {
  const path = `/zip?track_ids=${tracks[0]}&name=Mine`;
  const token = (await call<UrlTokenOut>('POST', '/auth/media-token', server.token, { scope: 'download', path })).body
    .token;
  const canDownload = async (query: string): Promise<boolean> =>
    (await fetch(`${server.url}/api/v1/zip?${query}&token=${token}`, { method: 'HEAD' })).status !== 401;
  expect(await canDownload(`track_ids=${tracks[0]}&name=Mine`)).toBe(true);
  expect(await canDownload(`name=Mine&track_ids=${tracks[0]}`)).toBe(true);
  for (const query of [
    `track_ids=${tracks[1]}&name=Mine`,
    `track_ids=${tracks[0]},${tracks[1]}&name=Mine`,
    `track_ids=${tracks[0]}&name=Mine&track_ids=${tracks[1]}`,
    `track_ids=${tracks[0]}&name=Mine&album_id=1`,
    `track_ids=${tracks[0]}`,
    '',
  ])
    expect(await canDownload(query), query).toBe(false);
});

test('app passwords end with a new password when that is wished, and by default when an administrator sets it', async () => {
  let token = await registerUser(server, 'ann');
  const id = await fetchUserId(token);
  const works = async (phone: Phone): Promise<boolean> => (await phone.get('ping')).body.status === 'ok';
  const changePassword = async (fields: object): Promise<void> => {
    const body = { current_password: USER_PASSWORD, password: USER_PASSWORD, ...fields };
    token = (await call<TokenResponse>('PATCH', '/users/me', token, body)).body.access_token;
  };
  const firstPhone = await openPhone(server, { token });
  await changePassword({});
  expect(await works(firstPhone)).toBe(true);
  await changePassword({ revoke_app_passwords: true });
  expect(await works(firstPhone)).toBe(false);
  const secondPhone = await openPhone(server, { token });
  await server.api(`/users/${id}`, { method: 'PATCH', body: { password: USER_PASSWORD, revoke_app_passwords: false } });
  expect(await works(secondPhone)).toBe(true);
  await server.api(`/users/${id}`, { method: 'PATCH', body: { can_share: false } });
  expect(await works(secondPhone)).toBe(true);
  await server.api(`/users/${id}`, { method: 'PATCH', body: { password: USER_PASSWORD } });
  expect([await works(secondPhone), (await call('GET', '/users/me', token)).status]).toEqual([false, 401]);
});

test('an administrator sees and ends the sessions and app passwords of an account, and nobody else does', async () => {
  const token = await registerUser(server, 'bob');
  const otherToken = await signIn('bob');
  const phone = await openPhone(server, { token });
  const user = `/users/${await fetchUserId(token)}`;
  const sessions = async () => (await server.api<SessionOut[]>(`${user}/sessions`)).body;
  const [newestSession] = await sessions();
  expect(await sessions()).toHaveLength(2);
  for (const [method, path] of [
    ['GET', '/sessions'],
    ['DELETE', '/sessions'],
    ['DELETE', `/sessions/${newestSession!.id}`],
    ['GET', '/app-passwords'],
    ['DELETE', '/app-passwords/1'],
  ] as const)
    expect((await call(method, user + path, token)).status, path).toBe(403);
  await server.api(`${user}/sessions/${newestSession!.id}`, { method: 'DELETE' });
  expect((await server.api(`/users/1/sessions/${(await sessions())[0]!.id}`, { method: 'DELETE' })).status).toBe(404);
  expect(
    await Promise.all([token, otherToken].map(async (sessionToken) => (await call('GET', '/me', sessionToken)).status)),
  ).toContain(401);
  await server.api(`${user}/sessions`, { method: 'DELETE' });
  expect(await sessions()).toEqual([]);
  const { body } = await server.api<AppPasswordInfo[]>(`${user}/app-passwords`);
  expect(body.map(({ name }) => name)).toEqual(['default']);
  await server.api(`${user}/app-passwords/${body[0]!.id}`, { method: 'DELETE' });
  expect((await phone.get('ping')).body.status).toBe('failed');
  expect((await server.api('/users/999/sessions')).status).toBe(404);
});

/** Opens a stream; `ended` resolves when the server ends the stream. */
async function open(url: string): Promise<{ ended: Promise<void> }> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  const readAll = async (): Promise<void> => {
    const reader = answer.body!.getReader();
    while (!(await reader.read()).done);
  };
  return { ended: readAll().catch(() => undefined) };
}

/** Opens a radio station and the event stream with tokens of the session, and the station as a phone. */
async function openAll(token: string) {
  const urlToken = async (scope: string): Promise<string> =>
    (await call<UrlTokenOut>('POST', '/auth/media-token', token, { scope })).body.token;
  const api = `${server.url}/api/v1`;
  const phone = await openPhone(server, { token });
  const [radio, events, app] = await Promise.all([
    open(`${api}/stations/${station}/audio?token=${await urlToken('media')}`),
    open(`${api}/events?token=${await urlToken('events')}`),
    open(phone.address('stream', { id: `ir-${station}` })),
  ]);
  return { bySession: [radio.ended, events.ended], byPhone: app.ended };
}

test.each<[string, (token: string, id: number) => Promise<unknown>, boolean]>([
  ['signing out', (token) => call('POST', '/auth/logout', token), false],
  ['an administrator', (_, id) => server.api(`/users/${id}/sessions`, { method: 'DELETE' }), false],
  [
    'a reset password',
    (_, id) => server.api(`/users/${id}`, { method: 'PATCH', body: { password: USER_PASSWORD } }),
    true,
  ],
  ['the deletion of the account', (_, id) => server.api(`/users/${id}`, { method: 'DELETE' }), true],
])('what is open ends at once with %s', async (name, end, endsPhone) => {
  const token = await registerUser(server, `listener ${name}`);
  const id = await fetchUserId(token);
  const { bySession, byPhone } = await openAll(token);
  await end(token, id);
  await Promise.all(bySession);
  if (!endsPhone) {
    expect(host.listening(), 'the phone goes on').toBe(1);
    const [password] = (await server.api<AppPasswordInfo[]>(`/users/${id}/app-passwords`)).body;
    await server.api(`/users/${id}/app-passwords/${password!.id}`, { method: 'DELETE' });
  }
  await byPhone;
  await until(() => host.listening() === 0);
});

test('who is no administrator any more hears nothing of what administrators hear', async () => {
  const token = await registerUser(server, 'carol');
  const id = await fetchUserId(token);
  await server.api(`/users/${id}`, { method: 'PATCH', body: { is_superuser: true } });
  const { ended } = await open(`${server.url}/api/v1/events?token=${token}`);
  await server.api(`/users/${id}`, { method: 'PATCH', body: { is_superuser: false } });
  await ended;
});

/** Sends the headers of a request and the first byte of its body. */
async function beginRequest(method: string, path: string, token: string) {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('error', () => undefined);
  const requestHead = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n`;
  socket.write(`${requestHead}Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{`);
  return {
    async finish(): Promise<string> {
      if (socket.writable) socket.write('}');
      if (!socket.closed) await once(socket, 'close');
      return answer.slice(0, answer.indexOf('\r\n'));
    },
  };
}

test('what was begun before the account was deleted, or its session ended, is not carried out after it', async () => {
  const routes = server.app.routes.filter(({ spec }) => spec.body && !spec.consumes && spec.access !== 'public');
  expect(routes.length).toBeGreaterThan(40);
  for (const end of ['session', 'account']) {
    const token = await registerUser(server, `mallory ${end}`);
    const id = await fetchUserId(token);
    await server.api(`/users/${id}`, { method: 'PATCH', body: { is_superuser: true } });
    const begunRequests = await Promise.all(
      routes.map(({ spec: { method, path } }) =>
        beginRequest(method.toUpperCase(), `/api/v1${path.replaceAll(/:\w+/g, '1')}`, token),
      ),
    );
    await server.api('/health'); // the server has accepted all requests by now
    await server.api(`/users/${id}${end === 'session' ? '/sessions' : ''}`, { method: 'DELETE' });
    const answers = await Promise.all(begunRequests.map(({ finish }) => finish()));
    expect(answers.filter((answer) => !/^$| 401 /.test(answer))).toEqual([]);
  }
});

test('a request whose caller is demoted while its body comes is forbidden', async () => {
  const token = await registerUser(server, 'dora');
  const id = await fetchUserId(token);
  await server.api(`/users/${id}`, { method: 'PATCH', body: { is_superuser: true } });
  const begunRequest = await beginRequest('PATCH', '/api/v1/settings', token);
  await server.api(`/users/${id}`, { method: 'PATCH', body: { is_superuser: false } });
  expect(await begunRequest.finish()).toMatch(/^$| 403 /);
});

test('taking a right ends what goes on by it, and nothing else', async () => {
  const token = await registerUser(server, 'emil');
  const id = await fetchUserId(token);
  const { bySession } = await openAll(token);
  const sentForm = await upload(token);
  await server.api(`/users/${id}`, { method: 'PATCH', body: { can_upload: false } });
  await sentForm.ended;
  expect(host.listening(), 'radio goes on').toBe(2);
  await server.api(`/users/${id}`, { method: 'DELETE' });
  await Promise.all(bySession);
});

/** Starts an upload that does not end by itself. */
async function upload(token: string): Promise<{ ended: Promise<unknown> }> {
  const { hostname, port, host: name } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  const requestHead = `POST /api/v1/tracks/upload HTTP/1.1\r\nHost: ${name}\r\nAuthorization: Bearer ${token}\r\n`;
  socket.write(`${requestHead}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n--x\r\n`);
  socket.resume();
  await server.api('/health');
  return { ended: once(socket, 'close') };
}
