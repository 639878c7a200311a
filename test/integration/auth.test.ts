import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER, SECRETS, startAuthServer, type AuthServer } from './auth-server.ts';

/** Headers of a request through an untrusted proxy, so that it does not count as coming from the machine itself. */
const FORWARDED_HEADERS = { 'X-Forwarded-For': '203.0.113.9' };

let server: AuthServer;
beforeEach(async () => void (server = await startAuthServer()));
afterEach(() => server.close());

const login = (username: string, password: string, headers = {}) =>
  server.call('/auth/login', { json: { username, password }, headers });
const tokenOf = (response: { body: Record<string, unknown> }) => response.body['access_token'] as string;
const getMeStatus = async (token: string): Promise<number> => (await server.call('/users/me', { token })).status;

describe('set-up of the first superuser', () => {
  it('creates a superuser with the printed token, once', async () => {
    expect((await server.call('/auth/status')).body).toEqual({
      setup_required: true,
      registration_allowed: true,
      admin_name_taken: false,
      version: '1.2.3',
    });
    const creationResponse = await server.call('/auth/setup', {
      json: { setup_token: server.auth.setupToken, ...OWNER },
    });
    expect(creationResponse.status).toBe(201);
    expect(creationResponse.body).toMatchObject({
      token_type: 'bearer',
      expires_in: 604_800,
      user: { username: 'Owner', is_superuser: true, last_seen_at: null },
    });
    expect(creationResponse.headers.get('cache-control')).toBe('no-store');
    expect(await getMeStatus(tokenOf(creationResponse))).toBe(200);

    const secondResponse = await server.call('/auth/setup', {
      json: { setup_token: server.auth.setupToken, username: 'second', password: 'long-enough' },
    });
    expect(secondResponse.status).toBe(409);
    expect((await server.call('/auth/status')).body).toMatchObject({ setup_required: false });
  });

  it('refuses a wrong token with 403, and invalid names and passwords with 422', async () => {
    const setUp = (body: object) =>
      server.call('/auth/setup', { json: { setup_token: server.auth.setupToken, ...OWNER, ...body } });
    expect((await setUp({ setup_token: 'guess' })).status).toBe(403);
    expect((await setUp({ setup_token: '' })).status).toBe(403);
    expect((await setUp({ username: 'a/b' })).status).toBe(422);
    expect((await setUp({ password: 'short' })).status).toBe(422);
    expect(server.auth.isSetupRequired()).toBe(true);
  });

  it('succeeds once for several simultaneous requests', async () => {
    const answers = await Promise.all(
      ['first', 'second', 'third'].map((username) =>
        server.call('/auth/setup', {
          json: { setup_token: server.auth.setupToken, username, password: 'long-enough' },
        }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([201, 409, 409]);
    expect(server.auth.accounts.listAll()).toHaveLength(1);
  });

  it('cannot take over the name of an ordinary account', async () => {
    await server.signUp('owner');
    expect((await server.call('/auth/setup', { json: { setup_token: server.auth.setupToken, ...OWNER } })).status).toBe(
      409,
    );
    expect(server.auth.isSetupRequired()).toBe(true);
  });

  it('slows down guessing of the token', async () => {
    const guess = () =>
      server.call('/auth/setup', { json: { setup_token: 'guess', ...OWNER }, headers: FORWARDED_HEADERS });
    for (let i = 0; i < 30; i += 1) expect((await guess()).status).toBe(403);
    const blockedResponse = await guess();
    expect(blockedResponse.status).toBe(429);
    expect(Number(blockedResponse.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('login', () => {
  beforeEach(() => server.setUp());

  it('takes JSON and forms, and the name in any case', async () => {
    expect((await login('Owner', OWNER.password)).status).toBe(200);
    expect((await login('oWNER', OWNER.password)).status).toBe(200);
    expect((await login(' owner ', OWNER.password)).status).toBe(200);
    const formResponse = await server.call('/auth/login', {
      form: { grant_type: 'password', username: 'owner', password: OWNER.password },
    });
    expect(formResponse.status).toBe(200);
    expect(await getMeStatus(tokenOf(formResponse))).toBe(200);
    expect(formResponse.headers.get('cache-control')).toBe('no-store');
  });

  it('gives an unknown user exactly the response of a wrong password', async () => {
    const [unknownUserResponse, wrongPasswordResponse] = [
      await login('nobody', 'whatever-it-is'),
      await login('owner', 'whatever-it-is'),
    ];
    expect([unknownUserResponse.status, wrongPasswordResponse.status]).toEqual([401, 401]);
    expect(unknownUserResponse.text).toBe(wrongPasswordResponse.text);
    const listComparableHeaders = (headers: Headers) =>
      [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
    expect(listComparableHeaders(unknownUserResponse.headers)).toEqual(
      listComparableHeaders(wrongPasswordResponse.headers),
    );
    expect(unknownUserResponse.headers.get('www-authenticate')).toBe('Bearer');
    expect(unknownUserResponse.headers.get('content-type')).toMatch('application/problem+json');
  });

  it.each([
    ['no password', { username: 'owner' }, 422],
    ['an empty password', { username: 'owner', password: '' }, 401],
    ['a number as name', { username: 1, password: 'x' }, 422],
    ['a list', [], 422],
    ['null', null, 422],
    ['SQL', { username: "owner' --", password: "' OR '1'='1" }, 401],
  ])('with %s is refused', async (_, json, status) => {
    expect((await server.call('/auth/login', { json })).status).toBe(status);
  });

  it('responds with 429 after ten wrong passwords, also to the correct one', async () => {
    for (let i = 0; i < 10; i += 1) expect((await login('owner', `wrong-${i}`)).status).toBe(401);
    const blockedResponse = await login('owner', OWNER.password);
    expect(blockedResponse.status).toBe(429);
    expect(Number(blockedResponse.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await login('OWNER', 'wrong')).status).toBe(429);
  });

  it('is not limited for somebody who signs in often', async () => {
    for (let i = 0; i < 15; i += 1) expect((await login('owner', OWNER.password)).status).toBe(200);
  });
});

describe('registration', () => {
  it('creates an ordinary account and signs it in', async () => {
    const creationResponse = await server.call('/auth/register', {
      json: { username: 'Zoë', password: 'long-enough' },
    });
    expect(creationResponse.status).toBe(201);
    expect(creationResponse.body).toMatchObject({
      token_type: 'bearer',
      user: { username: 'Zoë', is_superuser: false },
    });
    expect(await getMeStatus(tokenOf(creationResponse))).toBe(200);
    expect(server.auth.isSetupRequired(), 'also for the very first account').toBe(true);
  });

  it.each([
    ['a short password', { username: 'ann', password: '1234567' }, 422],
    ['a password of 257 signs', { username: 'ann', password: 'x'.repeat(257) }, 422],
    ['an empty name', { username: ' ', password: 'long-enough' }, 422],
    ['a name of 65 signs', { username: 'a'.repeat(65), password: 'long-enough' }, 422],
    ['a line break in the name', { username: 'an\nn', password: 'long-enough' }, 422],
    ['markup in the name', { username: '<b>ann', password: 'long-enough' }, 422],
    ['no name', { password: 'long-enough' }, 422],
  ])('with %s is refused', async (_, json, status) => {
    const response = await server.call('/auth/register', { json });
    expect(response.status).toBe(status);
    expect(response.body['errors']).toBeInstanceOf(Array);
    expect(server.auth.accounts.listAll()).toEqual([]);
  });

  it('accepts a name once, whatever its case and width', async () => {
    await server.signUp('Ann-Lee');
    for (const username of ['Ann-Lee', 'ANN-LEE', 'ａｎｎ-lee']) {
      expect((await server.call('/auth/register', { json: { username, password: 'long-enough' } })).status).toBe(409);
    }
  });

  it('succeeds once if many requests use one name at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        server.call('/auth/register', { json: { username: i % 2 ? 'ann' : 'ANN', password: 'long-enough' } }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('is 403 as soon as it is switched off, and possible as soon as it is switched on', async () => {
    const token = await server.setUp();
    const setRegistrationAllowed = (value: boolean) =>
      server.call('/settings', { method: 'PATCH', token, json: { allow_registration: value } });
    const register = async (username: string) =>
      (await server.call('/auth/register', { json: { username, password: 'long-enough' } })).status;
    await setRegistrationAllowed(false);
    expect(await register('ann')).toBe(403);
    expect((await server.call('/auth/status')).body).toMatchObject({ registration_allowed: false });
    await setRegistrationAllowed(true);
    expect(await register('ann')).toBe(201);
  });
});

describe('a token', () => {
  it('is required: none, a wrong one, two, and malformed ones are 401', async () => {
    const { token } = await server.signUp('ann');
    const getStatus = async (path: string, headers: Record<string, string> = {}) =>
      (await server.call(path, { headers })).status;
    expect(await getStatus('/users/me')).toBe(401);
    expect(await getStatus('/users/me', { Authorization: `Bearer ${token}` })).toBe(200);
    expect(await getStatus('/users/me', { Authorization: `bearer  ${token}` })).toBe(200);
    for (const malformedHeader of [
      token,
      `Bearer`,
      `Bearer ${token} ${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Basic ${token}`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer "${token}"`,
      'Bearer null',
    ]) {
      expect(await getStatus('/users/me', { Authorization: malformedHeader }), malformedHeader).toBe(401);
    }
    expect(await getStatus(`/users/me?token=${token}`), 'the parameter is for streams').toBe(401);
  });

  it('may be a query parameter where headers cannot be sent, but only one', async () => {
    const { token } = await server.signUp('ann');
    const getStatus = async (path: string, headers: Record<string, string> = {}) =>
      (await server.call(path, { headers })).status;
    expect(await getStatus(`/who/stream?token=${token}`)).toBe(200);
    expect(await getStatus('/who/stream', { Authorization: `Bearer ${token}` })).toBe(200);
    expect(
      await getStatus(`/who/stream?token=${token}`, { Authorization: 'Basic cHJveHk6cHJveHk=' }),
      'a proxy’s own scheme',
    ).toBe(200);
    expect(await getStatus(`/who/stream?token=${token}&token=${token}`)).toBe(401);
    expect(await getStatus('/who/stream?token=wrong', { Authorization: `Bearer ${token}` }), 'the header counts').toBe(
      200,
    );
    expect(await getStatus(`/who/stream?token=&token=${token}`)).toBe(200);
    expect(await getStatus(`/who/stream?token=${token}`, { Authorization: 'Bearer wrong' })).toBe(401);
    expect(await getStatus('/who/stream?token=')).toBe(401);
    expect(await getStatus('/who/stream')).toBe(401);
    expect(await getStatus(`/who/stream?%74oken=${token}`), 'spelled so that the log would not see it').toBe(401);
  });

  it('in two headers is invalid', async () => {
    const { token } = await server.signUp('ann');
    const { request } = await import('node:http');
    const status = await new Promise<number>((resolve, reject) => {
      const req = request(
        `${server.url}/users/me`,
        {
          headers: [
            'Host',
            new URL(server.url).host,
            'Authorization',
            `Bearer ${token}`,
            'Authorization',
            `Bearer ${token}`,
          ],
        },
        (res) => {
          res.resume();
          resolve(res.statusCode ?? 0);
        },
      );
      req.on('error', reject).end();
    });
    expect(status).toBe(401);
  });

  it('expires', async () => {
    const { token } = await server.signUp('ann');
    server.wait(7 * 86_400_000 - 1_000);
    expect(await getMeStatus(token)).toBe(200);
    server.wait(1_000);
    expect(await getMeStatus(token)).toBe(401);
  });

  it('is valid for ACCESS_TOKEN_TTL, from the next sign-in on', async () => {
    const owner = await server.setUp();
    await server.call('/settings', { method: 'PATCH', token: owner, json: { access_token_ttl: '30m' } });
    const response = await login('owner', OWNER.password);
    expect(response.body['expires_in']).toBe(1_800);
    server.wait(1_800_000);
    expect(await getMeStatus(tokenOf(response))).toBe(401);
    expect(await getMeStatus(owner)).toBe(200);
  });

  it('ends when its user is deleted, even if the name is created again', async () => {
    const owner = await server.setUp();
    const { token, id } = await server.signUp('ann');
    expect(await getMeStatus(token)).toBe(200);
    expect((await server.call(`/users/${id}`, { method: 'DELETE', token: owner })).status).toBe(204);
    expect(await getMeStatus(token)).toBe(401);
    await server.signUp('ann');
    expect(await getMeStatus(token)).toBe(401);
  });

  it('of another version, another user or another key is 401', async () => {
    const { id, token } = await server.signUp('ann');
    const { sid } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sid: number };
    const iat = server.clock.now.getTime() / 1_000;
    const makeToken = (payload: object, key = SECRETS.jwtSecret) => {
      const text = [
        { alg: 'HS256', typ: 'JWT' },
        { sub: String(id), iat, exp: iat + 60, ver: 1, sid, ...payload },
      ]
        .map((content) => Buffer.from(JSON.stringify(content)).toString('base64url'))
        .join('.');
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    };
    expect(await getMeStatus(makeToken({}))).toBe(200);
    expect(await getMeStatus(makeToken({ ver: 2 }))).toBe(401);
    expect(await getMeStatus(makeToken({ ver: 0 }))).toBe(401);
    expect(await getMeStatus(makeToken({ sub: '999' }))).toBe(401);
    expect(await getMeStatus(makeToken({ sid: sid + 1 }))).toBe(401);
    expect(await getMeStatus(makeToken({ exp: iat - 1 }))).toBe(401);
    expect(await getMeStatus(makeToken({}, 'another-key-of-sixteen-characters'))).toBe(401);
  });

  it('can be exchanged for a new token', async () => {
    const { token } = await server.signUp('ann');
    server.wait(6 * 86_400_000);
    const refreshResponse = await server.call('/auth/refresh', { method: 'POST', token });
    expect(refreshResponse.status).toBe(200);
    server.wait(6 * 86_400_000);
    expect([await getMeStatus(token), await getMeStatus(tokenOf(refreshResponse))]).toEqual([401, 200]);
    expect((await server.call('/auth/refresh', { method: 'POST' })).status).toBe(401);
  });

  it('survives a restart with the same secret, and not with another', async () => {
    const { token } = await server.signUp('ann');
    await server.close({ keep: true });
    server = await startAuthServer({ dir: server.dir });
    expect(await getMeStatus(token)).toBe(200);
    await server.close({ keep: true });
    server = await startAuthServer({
      dir: server.dir,
      secrets: { ...SECRETS, jwtSecret: 'another-secret-of-tokens-012345' },
    });
    expect(await getMeStatus(token)).toBe(401);
  });

  it('on a public route may be wrong', async () => {
    expect((await server.call('/auth/status', { token: 'wrong' })).status).toBe(200);
  });

  it('stores the time of its user at most once a minute', async () => {
    const { token } = await server.signUp('ann');
    const lastSeenAt = () => server.auth.accounts.findByName('ann')?.lastSeenAt?.toISOString();
    await getMeStatus(token);
    expect(lastSeenAt()).toBe('2026-03-01T12:00:00.000Z');
    server.wait(59_000);
    await getMeStatus(token);
    expect(lastSeenAt()).toBe('2026-03-01T12:00:00.000Z');
    server.wait(1_000);
    await getMeStatus(token);
    expect(lastSeenAt()).toBe('2026-03-01T12:01:00.000Z');
  });
});

describe('unattended set-up', () => {
  it('creates the superuser of ADMIN_USERNAME and ADMIN_PASSWORD once', async () => {
    await server.close();
    const env = { ADMIN_USERNAME: 'boss', ADMIN_PASSWORD: 'from-the-environment' };
    server = await startAuthServer({ env });
    await server.auth.ensureAdmin();
    await server.auth.ensureAdmin();
    expect(server.auth.accounts.listAll().map((user) => [user.username, user.isSuperuser])).toEqual([['boss', true]]);
    expect((await login('boss', env.ADMIN_PASSWORD)).status).toBe(200);
  });

  it('does nothing when there is a superuser, or when one of the two is missing', async () => {
    await server.close();
    server = await startAuthServer({ env: { ADMIN_USERNAME: 'boss' } });
    await server.auth.ensureAdmin();
    expect(server.auth.accounts.listAll()).toEqual([]);
    await server.setUp();
    await server.close({ keep: true });
    server = await startAuthServer({
      dir: server.dir,
      env: { ADMIN_USERNAME: 'boss', ADMIN_PASSWORD: 'from-the-environment' },
    });
    await server.auth.ensureAdmin();
    expect(server.auth.accounts.findByName('boss')).toBeUndefined();
  });

  it('stops with one clear line when the name is not allowed', async () => {
    await server.close();
    server = await startAuthServer({ env: { ADMIN_USERNAME: 'a/b', ADMIN_PASSWORD: 'from-the-environment' } });
    await expect(server.auth.ensureAdmin()).rejects.toThrow(
      'admin_username: may contain only letters, digits, spaces and @ . + _ -',
    );
  });
});
