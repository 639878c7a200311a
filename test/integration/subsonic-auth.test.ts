// Authentication of the Subsonic API: every kind of credential, right and wrong, in query and form.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../server/auth/sign-in-limits.ts';
import { md5, openPhone, type Phone } from '../support/phone.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let phone: Phone;
beforeEach(async () => {
  server = await startServer();
  phone = await openPhone(server);
});
afterEach(() => server.close());

const CLIENT_QUERY = 'v=1.16.1&c=test&f=json';
async function callEndpoint(
  query: string,
  init?: RequestInit & { endpoint?: string },
): Promise<{ status: number; code: number | 'ok'; headers: Headers; text: string }> {
  const response = await fetch(`${server.url}/rest/${init?.endpoint ?? 'ping'}?${query}`, init);
  const text = await response.text();
  const envelope = (
    JSON.parse(text) as {
      'subsonic-response': {
        status: string;
        error?: { code: number };
        type: string;
        openSubsonic: boolean;
        serverVersion: string;
      };
    }
  )['subsonic-response'];
  expect([envelope.type, envelope.openSubsonic, envelope.serverVersion]).toEqual(['tonearm', true, '0.0.0-test']);
  return {
    status: response.status,
    code: envelope.status === 'ok' ? 'ok' : (envelope.error?.code ?? -1),
    headers: response.headers,
    text,
  };
}
const codeOf = async (query: string, init?: RequestInit): Promise<number | 'ok'> =>
  (await callEndpoint(query, init)).code;
const hex = (text: string): string => Buffer.from(text).toString('hex');

/** Wrong credentials: a name, parameters made from the correct app password, and the expected error code. */
const WRONG_CREDENTIALS: [string, (p: string) => string, number][] = [
  ['nobody', () => '', 10],
  ['a wrong password', (p) => `u=admin&p=${p}x`, 40],
  ['the login password', () => `u=admin&p=${encodeURIComponent(ADMIN.password)}`, 40],
  ['the login password in hexadecimal', () => `u=admin&p=enc:${hex(ADMIN.password)}`, 40],
  ['a token of the login password', () => `u=admin&t=${md5(`${ADMIN.password}abcdef`)}&s=abcdef`, 40],
  ['a token of nothing', () => `u=admin&t=${md5('abcdef')}&s=abcdef`, 40],
  ['an unknown name', (p) => `u=nobody&p=${p}`, 40],
  ['an unknown name with a token of nothing', () => `u=nobody&t=${md5('abcdef')}&s=abcdef`, 40],
  ['a user who never had an app password', () => `u=listener&t=${md5('abcdef')}&s=abcdef`, 40],
  ['an empty password', () => 'u=admin&p=', 10],
  ['an empty token and salt', () => 'u=admin&t=&s=', 10],
  ['a token without its salt', () => 'u=admin&t=abc', 10],
  ['an array for a name', (p) => `u[]=admin&p=${p}`, 10],
  ['a numbered name', (p) => `u[0]=admin&p[0]=${p}`, 10],
  ['two names', (p) => `u=admin&u=listener&p=${p}`, 40],
  ['two passwords', (p) => `u=admin&p=${p}&p=other`, 40],
  ['a key and a name', (p) => `apiKey=${p}&u=admin`, 43],
  ['a key and a password', (p) => `apiKey=${p}&p=${p}`, 43],
  ['a wrong key', (p) => `apiKey=${p}x`, 44],
  ['the login password as a key', () => `apiKey=${encodeURIComponent(ADMIN.password)}`, 44],
  ['two keys', (p) => `apiKey=${p}&apiKey=other`, 44],
  ['a NUL in the name', (p) => `u=admin%00&p=${p}`, 40],
  ['broken encoding', () => 'u=%E0%A4%A&p=%zz', 40],
  ['very long credentials', () => `u=${'a'.repeat(5_000)}&p=${'b'.repeat(5_000)}`, 40],
];
/** Splits the cases into groups below the limit on failed sign-ins. */
const inGroups = (credentials: typeof WRONG_CREDENTIALS) =>
  Array.from({ length: Math.ceil(credentials.length / 8) }, (_, n) => credentials.slice(n * 8, n * 8 + 8)).map(
    (cases) => ({
      cases,
      names: cases.map(([name]) => name).join(', '),
    }),
  );

describe('the Subsonic API', () => {
  it('accepts the app password, in every form', async () => {
    const { username: u, password: p } = phone;
    const forms = [
      `u=${u}&t=${md5(`${p}abcdef`)}&s=abcdef`,
      `u=${u}&t=${md5(`${p}abcdef`).toUpperCase()}&s=abcdef`,
      `u=${u}&p=${p}`,
      `u=${u}&p=enc:${hex(p)}`,
      `u=${u}&p=enc:${hex(p).toUpperCase()}`,
      `apiKey=${p}`,
      `u=${u.toUpperCase()}&p=${p}`,
      `u=${u}&t=${md5(`${p}abcdef`)}&s=abcdef&p=`,
      `apiKey=${p}&u=&p=`,
    ];
    for (const form of forms) {
      expect(await codeOf(`${form}&${CLIENT_QUERY}`), form).toBe('ok');
      expect(
        await codeOf('', { method: 'POST', body: new URLSearchParams(`${form}&${CLIENT_QUERY}`) }).catch(
          (error: unknown) => String(error),
        ),
        form,
      ).toBe('ok');
    }
  });

  it.each(inGroups(WRONG_CREDENTIALS))(
    'answers each of these as documented, with status 200: $names',
    async ({ cases }) => {
      await registerUser(server);
      for (const [name, query, code] of cases)
        expect(await callEndpoint(`${query(phone.password)}&${CLIENT_QUERY}`), name).toMatchObject({
          status: 200,
          code,
        });
    },
  );

  it('answers the same for a wrong name and a wrong password', async () => {
    const [wrongName, wrongPassword] = [
      await callEndpoint(`u=nobody&p=x&${CLIENT_QUERY}`),
      await callEndpoint(`u=admin&p=x&${CLIENT_QUERY}`),
    ];
    expect(wrongName.text).toBe(wrongPassword.text);
  });

  it.each([
    ['u=admin&p=x&c=test', 10],
    ['u=admin&p=x&v=1.16.1', 10],
  ])('requires version and name of clients: %s', async (query, code) => {
    expect(await codeOf(`${query}&f=json`)).toBe(code);
  });

  it('rejects a rotated password, and accepts the new one at once', async () => {
    const { body } = await server.api<{ password: string }>('/users/me/subsonic-password', { method: 'POST' });
    expect(await codeOf(`u=admin&p=${phone.password}&${CLIENT_QUERY}`)).toBe(40);
    expect(await codeOf(`apiKey=${phone.password}&${CLIENT_QUERY}`)).toBe(44);
    expect(await codeOf(`u=admin&p=${body.password}&${CLIENT_QUERY}`)).toBe('ok');
  });

  it('returns its extensions to everybody, with any credentials', async () => {
    for (const query of ['f=json', 'f=json&u=nobody&p=x&t=y&s=z&apiKey=w', 'f=json&v=9&c=x'])
      expect(await callEndpoint(query, { endpoint: 'getOpenSubsonicExtensions' })).toMatchObject({ code: 'ok' });
  });

  it('does not let ordinary users administrate', async () => {
    const otherPhone = await openPhone(server, { token: await registerUser(server) });
    for (const endpoint of [
      'getUsers',
      'startScan',
      'createUser',
      'deleteUser',
      'updateUser',
      'createInternetRadioStation',
    ])
      expect((await otherPhone.get(endpoint, { username: 'admin' })).body.error?.code, endpoint).toBe(50);
    expect((await otherPhone.get('getUser', { username: 'admin' })).body.error?.code).toBe(50);
    expect(
      (await otherPhone.get('changePassword', { username: 'admin', password: 'enough for it' })).body.error?.code,
    ).toBe(50);
    expect((await otherPhone.get('getUser', { username: 'LISTENER' })).body).toMatchObject({
      status: 'ok',
      user: { username: 'listener', adminRole: false },
    });
  });

  it('gives nobody with an administrator’s app password an administrator’s account', async () => {
    expect(
      (
        await phone.get('createUser', {
          username: 'second',
          password: 'enough for it',
          email: 'a@b.c',
          adminRole: true,
        })
      ).body.error?.code,
    ).toBe(50);
    expect((await phone.get('changePassword', { username: 'admin', password: 'enough for it' })).body.error?.code).toBe(
      50,
    );
    expect((await phone.get('deleteUser', { username: 'admin' })).body.error?.code).toBe(50);
    expect((await server.api('/auth/login', { method: 'POST', token: null, body: ADMIN })).status).toBe(200);
  });

  it('limits wrong credentials, but not right ones', async () => {
    for (let n = 0; n < LIMITS.pair; n++) expect(await codeOf(`u=admin&p=wrong${n}&${CLIENT_QUERY}`)).toBe(40);
    const refusal = await callEndpoint(`u=admin&p=wrong&${CLIENT_QUERY}`);
    expect([refusal.status, refusal.code, Number(refusal.headers.get('retry-after')) > 0]).toEqual([429, 40, true]);
    expect(await codeOf(`u=admin&p=${phone.password}&${CLIENT_QUERY}`)).toBe('ok');
  });

  it('answers a first sync, hundreds of calls at a time, without limiting it', async () => {
    const answers = await Promise.all(Array.from({ length: 400 }, () => phone.get('ping')));
    expect(answers.every(({ status, body }) => status === 200 && body.status === 'ok')).toBe(true);
  });

  it('has limits separate from those of signing in', async () => {
    for (let n = 0; n < LIMITS.address + 5; n++) await callEndpoint(`u=admin&p=wrong${n}&${CLIENT_QUERY}`);
    expect((await server.api('/auth/login', { method: 'POST', token: null, body: ADMIN })).status).toBe(200);
  });
});

describe('the endpoints', () => {
  it('are open to web clients of any site, without cookies', async () => {
    const preflight = await fetch(`${server.url}/rest/getAlbum.view`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://music.example', 'Access-Control-Request-Headers': 'content-type' },
    });
    expect([
      preflight.status,
      preflight.headers.get('access-control-allow-origin'),
      preflight.headers.get('access-control-allow-credentials'),
    ]).toEqual([204, '*', null]);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Content-Type');
    const answer = await phone.bytes('ping', {}, { headers: { Origin: 'https://music.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Total-Count');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  });

  it('work with and without .view, with GET, POST and HEAD, and in every format', async () => {
    for (const suffix of ['', '.view'] as const) {
      const appPhone = await openPhone(server, { suffix });
      expect((await appPhone.get('ping')).body.status).toBe('ok');
      expect((await appPhone.post('ping')).body.status).toBe('ok');
      const head = await appPhone.bytes('ping', { f: 'json' }, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
    expect((await phone.bytes('ping')).headers.get('content-type')).toBe('text/xml; charset=utf-8');
    expect((await phone.bytes('ping', { f: 'json' })).headers.get('content-type')).toBe(
      'application/json; charset=utf-8',
    );
    const script = await phone.bytes('ping', { f: 'jsonp', callback: 'app.onAnswer' });
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await script.text()).toMatch(/^app\.onAnswer\(\{.*\}\);$/);
    expect((await phone.bytes('ping', { f: 'jsonp', callback: 'alert(1);x' })).headers.get('content-type')).toBe(
      'application/json; charset=utf-8',
    );
  });

  it('answer unknown names with code 0 and status 200', async () => {
    for (const endpoint of ['getTeapot', 'constructor', '__proto__', 'hasOwnProperty'])
      expect((await phone.get(endpoint)).body, endpoint).toMatchObject({ status: 'failed', error: { code: 0 } });
  });

  it('reject other methods and too large forms', async () => {
    expect((await fetch(`${server.url}/rest/ping`, { method: 'DELETE' })).status).toBe(405);
    const large = await fetch(`${server.url}/rest/ping?f=json`, {
      method: 'POST',
      body: new URLSearchParams({ u: 'x'.repeat(11 << 20) }),
    });
    expect(await large.json()).toMatchObject({ 'subsonic-response': { error: { code: 0 } } });
  });
});
