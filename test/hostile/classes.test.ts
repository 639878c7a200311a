// The known ways of attacking music servers, one test each, against every route or endpoint. docs/SECURITY.md lists
// them with the names of the tests.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { Operation } from '../../server/http/openapi.ts';
import type { TokenResponse } from '../../server/auth/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

let dir: string;
let server: TestServer;
let listener: string;
let phone: Phone;
let operations: { method: string; path: string; operation: Operation }[];
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-classes-'));
  mkdirSync(join(dir, 'data'));
  server = await startServer({ dir: join(dir, 'data') });
  listener = await registerUser(server);
  phone = await openPhone(server, { token: listener });
  const maker = trackMaker(server.app);
  for (let n = 0; n < 5; n++) maker.add({ title: `Song ${n}` });
  operations = Object.entries(server.app.openApi().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const INJECTION_TEXTS = [
  "'",
  '"',
  "' OR 1=1 --",
  '1; DROP TABLE users',
  'NEAR(',
  'a" OR "b',
  '%',
  '\\',
  '__proto__',
  '\u0000',
];
const sendRequest = async (path: string, init: RequestInit = {}, token: string | null = listener): Promise<Response> =>
  fetch(server.url + path, {
    ...init,
    headers: {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(init.headers as Record<string, string>),
    },
  });
const queries = () =>
  operations.filter(
    ({ method, path, operation }) =>
      method === 'GET' &&
      !path.includes('/events') &&
      operation.parameters.some((parameter) => parameter.in === 'query'),
  );
const fillPath = (path: string): string => path.replaceAll(/\{\w+\}/g, '1');

/**
 * Sends all these parameters with one value, and repeats the request without the refused parameters until it is served.
 * Each parameter is then either refused by name or used.
 */
async function askWithAll(path: string, names: string[], value: string): Promise<void> {
  for (let remainingNames = names; remainingNames.length > 0;) {
    const answer = await sendRequest(
      `${fillPath(path)}?${new URLSearchParams(remainingNames.map((name) => [name, value]))}`,
    );
    const text = await answer.text();
    expect(answer.status, `${path} ${remainingNames.join()}=${value}`).toBeLessThan(500);
    expect(text, `${path} ${remainingNames.join()}=${value}`).not.toMatch(/SQLITE|syntax error|no such column/i);
    if (answer.status !== 422) return;
    const { errors } = JSON.parse(text) as { errors: { field: string }[] };
    const refusedNames = new Set(errors.map(({ field }) => field.split('.')[0]));
    const acceptedNames = remainingNames.filter((name) => !refusedNames.has(name));
    // the server refused only names that the request does not have
    if (acceptedNames.length === remainingNames.length) return;
    remainingNames = acceptedNames;
  }
}

test('1: every query parameter with SQL and search syntax in it finds nothing more and breaks nothing', async () => {
  for (const { path, operation } of queries()) {
    const names = operation.parameters.flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : []));
    for (const value of INJECTION_TEXTS) await askWithAll(path, names, value);
    for (const name of names) await askWithAll(path, [name], INJECTION_TEXTS[0] as string);
  }
  expect((await server.api('/users')).status).toBe(200);
});

test('2: no odd, empty, doubled or foreign credential is let in, in either API', async () => {
  const { u = '', t = '', s = '' } = phone.credentials();
  const badCredentials = [
    {},
    { u },
    { u, p: '' },
    { u, p: 'enc:' },
    { u, t: '', s: '' },
    { u, t, s: 'other' },
    { u: 'nobody', t: 'd41d8cd98f00b204e9800998ecf8427e', s: '' },
    { u: ADMIN.username, p: ADMIN.password },
    { apiKey: '' },
    { apiKey: listener },
  ];
  for (const credentials of badCredentials) {
    const body = await (
      await sendRequest(
        `/rest/getUser?${new URLSearchParams({ ...credentials, v: '1.16.1', c: 'x', f: 'json', username: u })}`,
        {},
        null,
      )
    ).text();
    expect(body, JSON.stringify(credentials)).toMatch(/"status":"failed".*"code":(10|40|43|44)/);
  }
  const doubledQuery = `u=${u}&u=${ADMIN.username}&t=${t}&s=${s}&v=1.16.1&c=x&f=json`;
  expect(await (await sendRequest(`/rest/ping?${doubledQuery}`, {}, null)).text()).toContain('"code":40');
  for (const token of [
    '',
    'null',
    'undefined',
    '[object Object]',
    phone.password,
    `${listener}x`,
    listener.slice(0, -2),
  ])
    expect((await sendRequest('/api/v1/users/me', {}, token)).status, token).toBe(401);
});

test('3: nothing in the data folder can be read by another account, and no secret stands there in the clear', () => {
  if (process.platform === 'win32') return;
  const entries = readdirSync(join(dir, 'data'), { recursive: true, encoding: 'utf8' });
  expect(entries.length).toBeGreaterThan(3);
  for (const name of ['', ...entries])
    expect([name, statSync(join(dir, 'data', name)).mode & 0o077]).toEqual([name, 0]);
});

test('4: fields that a body does not have are refused, and no owner is taken from it', async () => {
  const extraFields = { owner_id: 1, user_id: 1, is_superuser: true, id: 1, version: 9, can_edit: true };
  for (const { method, path, operation } of operations) {
    const schema = operation.requestBody?.content['application/json']?.schema;
    if (!schema || path.endsWith('/auth/login')) continue;
    const answer = await sendRequest(
      fillPath(path),
      { method, body: JSON.stringify(extraFields), headers: { 'Content-Type': 'application/json' } },
      server.token,
    );
    expect([422, 409, 404], `${method} ${path}`).toContain(answer.status);
  }
});

test('5: every route for administrators refuses a user before it looks at anything', async () => {
  const guardedOperations = operations.filter(({ operation }) => operation['x-access'] === 'superuser');
  expect(guardedOperations.length).toBeGreaterThan(20);
  for (const { method, path } of guardedOperations)
    expect([(await sendRequest(fillPath(path), { method })).status, `${method} ${path}`]).toEqual([
      403,
      `${method} ${path}`,
    ]);
});

test('6: every id in a path is looked up for the one who asks', async () => {
  const otherToken = await registerUser(server, 'somebody');
  const playlist = await server.api<{ id: number }>('/playlists', {
    method: 'POST',
    token: otherToken,
    body: { name: 'mine' },
  });
  for (const { method, path } of operations.filter(({ path }) => path.includes('/playlists/{id}'))) {
    const answer = await sendRequest(path.replace('{id}', String(playlist.body.id)).replaceAll(/\{\w+\}/g, '1'), {
      method,
    });
    expect([403, 404, 400, 415, 422], `${method} ${path}`).toContain(answer.status);
  }
  expect((await server.api<{ name: string }>(`/playlists/${playlist.body.id}`, { token: otherToken })).body.name).toBe(
    'mine',
  );
});

test('7: no address leads out of the folder of the web interface, and no export into a folder of the system', async () => {
  const upwardPaths = ['../', '..%2f', '%2e%2e/', '%2e%2e%2f', '..%5c', '....//', '%c0%ae%c0%ae/', '/etc/passwd%00.js'];
  for (const step of upwardPaths)
    for (const base of ['/', '/assets/', '/api/v1/', '/rest/', '/share/']) {
      const path = `${base}${step.repeat(6)}etc/passwd`;
      const { status, text } = await rawGet(path);
      expect(text, path).not.toContain('root:');
      expect(status, path).not.toBe(500);
    }
  for (const folder of [
    '/',
    '/etc',
    '/proc/self',
    '/usr/lib',
    '/var/log',
    '/dev/shm',
    join(dir, 'data'),
    dir + '/data/library',
  ]) {
    const answer = await server.api('/exports', { method: 'POST', body: { folder } });
    expect([409, 503], folder).toContain(answer.status);
    const targetTest = await server.api<{ problem: string | null }>('/backups/test', {
      method: 'POST',
      body: { to: folder },
    });
    expect(targetTest.body.problem, folder).not.toBeNull();
  }
  const link = join(dir, 'link');
  await import('node:fs').then(({ symlinkSync }) => symlinkSync('/etc', link));
  expect((await server.api('/exports', { method: 'POST', body: { folder: link } })).status).toBe(409);
  mkdirSync(join(dir, 'out'));
  expect((await server.api<JobOut>('/exports', { method: 'POST', body: { folder: join(dir, 'out') } })).status).toBe(
    202,
  );
  await server.app.drain();
});

test('8: nothing that somebody types becomes an option or a command of a program', async () => {
  const canary = join(dir, 'canary');
  for (const value of [
    `$(touch ${canary})`,
    `\`touch ${canary}\``,
    `; touch ${canary}`,
    `-o ${canary}`,
    `|touch ${canary}`,
  ]) {
    for (const path of ['/search?q=', '/tracks?q=', '/stream/1?format=', '/sources/streamsrc/search?q='])
      await (await sendRequest(`/api/v1${path}${encodeURIComponent(value)}`)).text();
    await phone.get('stream', { id: 'tr-1', format: value, maxBitRate: value });
    await phone.get('search3', { query: value });
  }
  expect(readdirSync(dir)).not.toContain('canary');
});

test('9: names with markup are text in every answer, and no page may run them', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const { body } = await server.api<{ id: number }>('/playlists', { method: 'POST', token: listener, body: { name } });
  const xml = await phone.xml('getPlaylist', { id: `pl-${body.id}` });
  expect(xml).toContain('&lt;img src=x onerror=alert(1)&gt;');
  const shareAnswer = await phone.ask<{ share: { url: string }[] }>(
    'createShare',
    { id: 'tr-1', description: name },
    'shares',
  );
  const page = await fetch(shareAnswer.share[0]?.url ?? '');
  expect(await page.text()).not.toContain('<img src=x');
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
});

test('10: no setting or parameter makes the server ask an address of its own network', async () => {
  for (const url of ['http://127.0.0.1:1/a.jpg', 'http://[::1]/', 'http://169.254.169.254/', 'file:///etc/passwd']) {
    const savedTrack = await server.api('/tracks/remote', {
      method: 'POST',
      body: { source: 'streamsrc', source_id: 'x', title: 'x', artist_name: 'x', cover_url: url },
    });
    expect(savedTrack.status, url).toBeLessThan(500);
    const cover = await server.api(`/sources/streamsrc/cover?source_id=x`);
    expect([404, 409, 422], url).toContain(cover.status);
  }
});

test('11: every count, size and number may be as large as it likes and costs no more', async () => {
  for (const value of ['0', '-1', '201', '999999999999999', '9'.repeat(400), '1e9', 'Infinity', '0x10']) {
    for (const { path, operation } of queries()) {
      const countParameters = operation.parameters.filter(
        (parameter) => parameter.in === 'query' && parameter.schema['type'] === 'integer',
      );
      await askWithAll(
        path,
        countParameters.map(({ name }) => name),
        value,
      );
    }
    for (const endpoint of [
      'getCoverArt',
      'getRandomSongs',
      'getAlbumList2',
      'search3',
      'getSimilarSongs',
      'getTopSongs',
    ])
      expect(
        (
          await phone.get(endpoint, {
            id: 'al-1',
            size: value,
            count: value,
            songCount: value,
            type: 'newest',
            artist: 'x',
            query: '',
          })
        ).status,
        endpoint,
      ).toBe(200);
  }
});

test('12: no audio or picture is served without signing in, whatever its address', async () => {
  const streams = operations.filter(({ operation }) => operation['x-access'] === 'stream');
  expect(streams.length).toBeGreaterThan(5);
  for (const { path } of streams)
    for (const query of [
      '',
      '?token=',
      '?token=null',
      `?token=${phone.password}`,
      `?token=${listener}&token=${listener}`,
    ])
      expect([(await sendRequest(fillPath(path) + query, {}, null)).status, path + query]).toEqual([401, path + query]);
});

test('13: no page of another site can act, no header is injected, and no address leads on to another site', async () => {
  for (const origin of ['http://evil.example', 'null', `${server.url}.evil.example`])
    expect((await sendRequest('/api/v1/users/me', { headers: { Origin: origin } })).status, origin).toBe(403);
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example'])
    expect((await rawGet('/api/v1/auth/status', { Host: host })).status, host).toBe(403);
  expect(await doubleHost()).toMatch(/^HTTP\/1\.1 400 /);
  for (const path of [
    '/sign-in?back=//evil.example',
    '/?back=http://evil.example',
    '//evil.example/%2f..',
    '/api/v1//evil.example',
  ]) {
    const { status, headers } = await rawGet(path);
    expect([status < 300 || status >= 400, headers.location], path).toEqual([true, undefined]);
  }
  const { headers } = await rawGet('/api/v1/playlists?x=%0d%0aSet-Cookie:%20a=b');
  expect(headers['set-cookie']).toBeUndefined();
});

test('14: objects that name a prototype or a constructor are values like any other', async () => {
  for (const body of [
    '{"__proto__":{"is_superuser":true}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '[{"__proto__":null}]',
  ])
    for (const { method, path } of operations.filter(
      ({ operation }) => operation.requestBody?.content['application/json'],
    )) {
      const init = { method, body, headers: { 'Content-Type': 'application/json' } };
      expect((await sendRequest(fillPath(path), init)).status, `${method} ${path}`).toBeLessThan(500);
    }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

/** Headers of a request through an untrusted proxy, so that it does not count as coming from the machine itself. */
const OTHER_MACHINE = { 'X-Forwarded-For': '203.0.113.9' };

test('15: guessing ends, accounts are made slowly, and names and passwords that are easy to guess are refused', async () => {
  const secondServer = await startServer();
  try {
    const register = (username: string, password: string, headers = {}) =>
      secondServer.api<TokenResponse>('/auth/register', {
        method: 'POST',
        token: null,
        body: { username, password },
        headers,
      });
    for (const name of ['аdmin', 'ADMIN', 'ａｄｍｉｎ', 'adrnin'])
      expect((await register(name, 'long enough password')).status, name).toBe(409);
    for (const password of ['        ', 'aaaaaaaaaa', 'password', 'Password', '12345678', 'qwertyuiop', 'somebody1'])
      expect((await register('somebody1', password, OTHER_MACHINE)).status, password).toBe(422);
  } finally {
    await secondServer.close();
  }
  const thirdServer = await startServer();
  try {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const body = { username: `person-${'abcdefghkoqs'[n]}`, password: 'long enough password' };
      statuses.push(
        (await thirdServer.api('/auth/register', { method: 'POST', token: null, body, headers: OTHER_MACHINE })).status,
      );
    }
    expect(statuses).toEqual([...Array(10).fill(201), 429, 429]);
    const guesses: number[] = [];
    for (let n = 0; n < 12; n++)
      guesses.push(
        (await thirdServer.api('/auth/login', { method: 'POST', token: null, body: { ...ADMIN, password: `x${n}` } }))
          .status,
      );
    expect(guesses.at(-1)).toBe(429);
  } finally {
    await thirdServer.close();
  }
});

test('16: a server that is set up cannot be set up again, and one that is not lets nobody else in', async () => {
  const token = server.app.auth.setupToken;
  const body = { ...ADMIN, username: 'second', setup_token: token };
  expect((await server.api('/auth/setup', { method: 'POST', token: null, body })).status).toBe(409);
  const unclaimedServer = await startServer({ setUp: false });
  try {
    const wrongSetup = { ...ADMIN, setup_token: 'guess' };
    expect((await unclaimedServer.api('/auth/setup', { method: 'POST', token: null, body: wrongSetup })).status).toBe(
      403,
    );
    expect((await unclaimedServer.api('/tracks', { token: null })).status).toBe(401);
  } finally {
    await unclaimedServer.close();
  }
});

test('17: no parameter is lost, however many there are, and more than the limit is refused and not cut off', async () => {
  const ids = Array.from({ length: 12_000 }, (_, n) => `tr-${1 + (n % 5)}`);
  expect((await phone.post('savePlayQueue', { id: ids, current: 'tr-1' })).body.status).toBe('ok');
  const { entry } = await phone.ask<{ entry: unknown[] }>('getPlayQueue', {}, 'playQueue');
  expect(entry).toHaveLength(12_000);
  const likeStates = await server.api<unknown[]>(`/likes/state?item_type=track${'&item_id=1'.repeat(1_000)}`);
  expect(likeStates.body).toHaveLength(1_000);
  expect((await server.api(`/likes/state?item_type=track${'&item_id=1'.repeat(1_001)}`)).status).toBe(422);
});

test('no page asks for what is not there and gets an error of ours', async () => {
  for (const path of [
    '/assets/',
    '/assets/old-chunk-1234.js',
    '/favicon.none',
    '/assets/%E0%A4%A',
    '/assets/.hidden',
  ]) {
    const { status } = await rawGet(path);
    expect([400, 404], path).toContain(status);
  }
  writeFileSync(join(dir, 'out', 'x'), '');
  const conditions: Record<string, string>[] = [
    { Range: 'bytes=99999999-' },
    { 'If-Match': '"x"' },
    { 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
  ];
  for (const headers of conditions)
    for (const path of ['/', '/index.html', '/favicon.svg']) {
      const answer = await rawGet(path, headers);
      expect([200, 412, 416, 503], `${path} ${JSON.stringify(headers)}`).toContain(answer.status);
    }
});

test('metrics are for administrators and for the token of the monitoring, which opens nothing else', async () => {
  const token = 'prometheus-prometheus';
  expect((await rawGet('/api/v1/metrics')).status).toBe(401);
  const watched = await startServer({ env: { METRICS_TOKEN: token } });
  try {
    const statusFor = async (path: string, given: string | null) => (await watched.api(path, { token: given })).status;
    expect(await statusFor('/metrics', null)).toBe(401);
    expect(await statusFor('/metrics', `${token}x`)).toBe(401);
    expect(await statusFor('/metrics', watched.token)).toBe(200);
    expect(await statusFor('/metrics', token)).toBe(200);
    for (const path of ['/tracks', '/settings', '/jobs', '/users/me']) expect(await statusFor(path, token)).toBe(401);
  } finally {
    await watched.close();
  }
  const open = await startServer({ env: { METRICS_OPEN: 'true' } });
  try {
    expect((await open.api('/metrics', { token: null })).status).toBe(200);
  } finally {
    await open.close();
  }
});

/** Requests the path unchanged; fetch would normalize it. */
function rawGet(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers, agent: false }, (response) => {
      let text = '';
      response
        .on('data', (chunk: Buffer) => void (text += chunk.toString()))
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    })
      .once('error', reject)
      .end();
  });
}

function doubleHost(): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        'GET /api/v1/auth/status HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      ),
    );
    socket
      .on('data', (chunk) => void (received += chunk.toString()))
      .on('end', () => resolve(received))
      .on('error', reject);
  });
}
