import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER, SECRETS, startAuthServer, type AuthServer } from './auth-server.ts';

let server: AuthServer;
let ownerToken: string;
beforeEach(async () => {
  server = await startAuthServer();
  ownerToken = await server.setUp();
});
afterEach(() => server.close());

const getMeStatus = async (token: string): Promise<number> => (await server.call('/users/me', { token })).status;
const tokenOf = (answer: { body: Record<string, unknown> }) => answer.body['access_token'] as string;

describe('one’s own account', () => {
  it('has the fields of UserOut and no others', async () => {
    const { token, id } = await server.signUp('ann');
    expect((await server.call('/users/me', { token })).body).toEqual({
      id,
      username: 'ann',
      is_superuser: false,
      can_edit: false,
      can_upload: true,
      can_download: true,
      can_share: true,
      can_jukebox: true,
      can_podcast: false,
      max_bitrate_kbps: null,
      quota_bytes: 5_000_000_000,
      hides_playing: false,
      created_at: '2026-03-01T12:00:00.000Z',
      last_seen_at: '2026-03-01T12:00:00.000Z',
    });
  });

  it('gets a new password, which invalidates all tokens but the one in the response', async () => {
    const { token } = await server.signUp('ann', 'first-password');
    const otherToken = tokenOf(
      await server.call('/auth/login', { json: { username: 'ann', password: 'first-password' } }),
    );
    const changeResponse = await server.call('/users/me', {
      method: 'PATCH',
      token,
      json: { password: 'second-password', current_password: 'first-password' },
    });
    expect(changeResponse.status).toBe(200);
    expect(changeResponse.body).toMatchObject({ token_type: 'bearer', user: { username: 'ann' } });
    expect([
      await getMeStatus(token),
      await getMeStatus(otherToken),
      await getMeStatus(tokenOf(changeResponse)),
      await getMeStatus(ownerToken),
    ]).toEqual([401, 401, 200, 200]);
    const login = async (password: string) =>
      (await server.call('/auth/login', { json: { username: 'ann', password } })).status;
    expect([await login('first-password'), await login('second-password')]).toEqual([401, 200]);
  });

  it('keeps its password when the current one is wrong, missing or the new one is too short', async () => {
    const { token } = await server.signUp('ann', 'first-password');
    const change = (json: object) => server.call('/users/me', { method: 'PATCH', token, json });
    const wrongPasswordResponse = await change({ password: 'second-password', current_password: 'guess' });
    expect(wrongPasswordResponse.status).toBe(403);
    expect(wrongPasswordResponse.body['errors']).toEqual([{ field: 'current_password', message: 'is wrong' }]);
    expect((await change({ password: 'second-password' })).status).toBe(422);
    expect((await change({ password: 'short', current_password: 'first-password' })).status).toBe(422);
    expect(
      (await change({ password: 'second-password', current_password: 'first-password', is_superuser: true })).status,
    ).toBe(422);
    expect(await getMeStatus(token)).toBe(200);
  });

  it('limits how often the current password can be guessed with a stolen token', async () => {
    const { token } = await server.signUp('ann');
    const guess = async () =>
      (
        await server.call('/users/me', {
          method: 'PATCH',
          token,
          json: { password: 'second-password', current_password: 'guess' },
        })
      ).status;
    for (let i = 0; i < 10; i += 1) expect(await guess()).toBe(403);
    expect(await guess()).toBe(429);
  });

  it('is changed only once by two requests at once', async () => {
    const { token } = await server.signUp('ann', 'first-password');
    const change = (password: string) =>
      server.call('/users/me', { method: 'PATCH', token, json: { password, current_password: 'first-password' } });
    const answers = await Promise.all([change('second-password'), change('third-password')]);
    expect(answers.map((answer) => answer.status).sort((a, b) => a - b)).toEqual([200, 409]);
    const winner = answers.find((answer) => answer.status === 200);
    expect(await getMeStatus(winner ? tokenOf(winner) : '')).toBe(200);
  });
});

describe('accounts for superusers', () => {
  it('are listed by name in pages', async () => {
    for (const name of ['dora', 'Bert', 'anna', 'Carl']) await server.signUp(name);
    const page = await server.call('/users?limit=2&offset=1', { token: ownerToken });
    expect(page.body).toMatchObject({
      total: 5,
      limit: 2,
      offset: 1,
      items: [{ username: 'Bert' }, { username: 'Carl' }],
    });
    expect((await server.call('/users?limit=201', { token: ownerToken })).status).toBe(422);
    expect(page.text).not.toMatch(/argon2|password/);
  });

  it('are forbidden to everybody else', async () => {
    const { token, id } = await server.signUp('ann');
    const calls: [string, string, unknown][] = [
      ['GET', '/users', undefined],
      ['POST', '/users', { username: 'new', password: 'long-enough' }],
      ['PATCH', `/users/${id}`, { is_superuser: true }],
      ['DELETE', `/users/${id}`, undefined],
      ['POST', `/users/${id}/subsonic-password`, undefined],
      ['GET', '/settings', undefined],
      ['PATCH', '/settings', { log_level: 'debug' }],
    ];
    for (const [method, path, json] of calls) {
      expect((await server.call(path, { method, token, json })).status, `${method} ${path}`).toBe(403);
      expect((await server.call(path, { method, json })).status, `${method} ${path} without a token`).toBe(401);
    }
    expect((await server.call('/users/me', { token })).body).toMatchObject({ is_superuser: false });
  });

  it('can be created, also as superusers', async () => {
    const ordinaryResponse = await server.call('/users', {
      token: ownerToken,
      json: { username: 'ann', password: 'long-enough' },
    });
    expect([ordinaryResponse.status, ordinaryResponse.body['is_superuser']]).toEqual([201, false]);
    const superuserResponse = await server.call('/users', {
      token: ownerToken,
      json: { username: 'boss', password: 'long-enough', is_superuser: true },
    });
    expect([superuserResponse.status, superuserResponse.body['is_superuser']]).toEqual([201, true]);
    expect(
      (await server.call('/users', { token: ownerToken, json: { username: 'ANN', password: 'long-enough' } })).status,
    ).toBe(409);
    expect(
      (await server.call('/users', { token: ownerToken, json: { username: 'a/b', password: 'long-enough' } })).status,
    ).toBe(422);
  });

  it('can be renamed, given a new password, promoted and demoted, each taking effect at once', async () => {
    const { token, id } = await server.signUp('ann');
    const patch = (json: object) => server.call(`/users/${id}`, { method: 'PATCH', token: ownerToken, json });
    expect((await patch({ username: 'ANN' })).body).toMatchObject({ username: 'ANN' });
    expect((await patch({ username: 'owner' })).status).toBe(409);
    expect((await patch({ is_superuser: true })).body).toMatchObject({ is_superuser: true });
    expect((await server.call('/users', { token })).status).toBe(200);
    expect((await patch({ is_superuser: false })).status).toBe(200);
    expect((await server.call('/users', { token })).status).toBe(403);
    expect((await patch({})).status).toBe(200);
    expect(await getMeStatus(token)).toBe(200);
    expect((await patch({ password: 'a-new-password' })).status).toBe(200);
    expect(await getMeStatus(token)).toBe(401);
    expect((await server.call('/auth/login', { json: { username: 'ann', password: 'a-new-password' } })).status).toBe(
      200,
    );
  });

  it.each([
    ['PATCH', '/users/999', { is_superuser: false }, 404],
    ['DELETE', '/users/999', undefined, 404],
    ['POST', '/users/999/subsonic-password', undefined, 404],
    ['PATCH', '/users/0', {}, 422],
    ['DELETE', '/users/abc', undefined, 422],
    ['PATCH', '/users/-1', {}, 422],
    ['PATCH', '/users/1', { superuser: true }, 422],
    ['PATCH', '/users/1', { is_superuser: 'no' }, 422],
    ['DELETE', '/users/me', undefined, 405],
  ])('%s %s with %j is %s', async (method, path, json, status) => {
    expect((await server.call(path, { method, token: ownerToken, json })).status).toBe(status);
  });

  it('include at least one superuser', async () => {
    const { body } = await server.call('/users/me', { token: ownerToken });
    const ownerPath = `/users/${body['id'] as number}`;
    expect(
      (await server.call(ownerPath, { method: 'PATCH', token: ownerToken, json: { is_superuser: false } })).status,
    ).toBe(409);
    expect((await server.call(ownerPath, { method: 'DELETE', token: ownerToken })).status).toBe(409);
    const secondResponse = await server.call('/users', {
      token: ownerToken,
      json: { username: 'second', password: 'long-enough', is_superuser: true },
    });
    expect(
      (await server.call(ownerPath, { method: 'PATCH', token: ownerToken, json: { is_superuser: false } })).status,
    ).toBe(200);
    expect((await server.call('/users', { token: ownerToken })).status).toBe(403);
    expect(secondResponse.body).toMatchObject({ is_superuser: true });
  });

  it('include one superuser even when two demote each other at once', async () => {
    const bossResponse = await server.call('/users', {
      token: ownerToken,
      json: { username: 'boss', password: 'long-enough', is_superuser: true },
    });
    const bossToken = tokenOf(
      await server.call('/auth/login', { json: { username: 'boss', password: 'long-enough' } }),
    );
    const { body } = await server.call('/users/me', { token: ownerToken });
    const demote = (token: string, id: unknown) =>
      server.call(`/users/${String(id)}`, { method: 'PATCH', token, json: { is_superuser: false } });
    await Promise.all([demote(ownerToken, bossResponse.body['id']), demote(bossToken, body['id'])]);
    expect(server.auth.accounts.listAll().filter((user) => user.isSuperuser)).toHaveLength(1);
  });
});

describe('app passwords', () => {
  const getAppPassword = (token: string, method = 'GET') =>
    server.call('/users/me/subsonic-password', { method, token });

  it('are created at the first request, stay the same, and cannot be used to log in', async () => {
    const { token } = await server.signUp('ann', 'login-password');
    const firstResponse = await getAppPassword(token);
    expect(firstResponse.status).toBe(200);
    expect(firstResponse.headers.get('cache-control')).toBe('no-store');
    expect(firstResponse.body).toEqual({ username: 'ann', password: expect.stringMatching(/^\S{24,}$/) as string });
    expect((await getAppPassword(token)).body).toEqual(firstResponse.body);
    expect(
      (await server.call('/auth/login', { json: { username: 'ann', password: firstResponse.body['password'] } }))
        .status,
    ).toBe(401);
  });

  it('are the same for two first requests at once', async () => {
    const { token } = await server.signUp('ann');
    const [firstResponse, secondResponse] = await Promise.all([getAppPassword(token), getAppPassword(token)]);
    expect(firstResponse.body).toEqual(secondResponse.body);
  });

  it('are rotated by their user, and by a superuser for anyone', async () => {
    const { token, id } = await server.signUp('ann');
    const firstPassword = (await getAppPassword(token)).body['password'];
    const secondPassword = (await getAppPassword(token, 'POST')).body['password'];
    const rotationResponse = await server.call(`/users/${id}/subsonic-password`, { method: 'POST', token: ownerToken });
    expect(rotationResponse.body).toMatchObject({ username: 'ann' });
    expect(new Set([firstPassword, secondPassword, rotationResponse.body['password']]).size).toBe(3);
    expect((await getAppPassword(token)).body).toEqual(rotationResponse.body);
  });

  it('survive a restart, a new login password and a new name', async () => {
    const { token, id } = await server.signUp('ann', 'first-password');
    const {
      body: { password },
    } = await getAppPassword(token);
    await server.call(`/users/${id}`, {
      method: 'PATCH',
      token: ownerToken,
      json: { username: 'anna', password: 'second-password', revoke_app_passwords: false },
    });
    await server.close({ keep: true });
    server = await startAuthServer({ dir: server.dir });
    const login = await server.call('/auth/login', { json: { username: 'anna', password: 'second-password' } });
    expect((await getAppPassword(tokenOf(login))).body).toEqual({ username: 'anna', password });
  });

  it('of another COMPAT_SECRET_KEY are a conflict with an explanation until a new one is created', async () => {
    const { token } = await server.signUp('ann');
    await getAppPassword(token);
    await server.close({ keep: true });
    server = await startAuthServer({
      dir: server.dir,
      secrets: { ...SECRETS, compatSecretKey: 'another-key-of-app-passwords-0123' },
    });
    expect((await getAppPassword(token)).status).toBe(409);
    const creationResponse = await getAppPassword(token, 'POST');
    expect(creationResponse.status).toBe(200);
    expect((await getAppPassword(token)).body).toEqual(creationResponse.body);
  });

  it('are in no database file, nor are keys and login passwords', async () => {
    const { token } = await server.signUp('ann', 'login-password');
    const {
      body: { password },
    } = await getAppPassword(token);
    server.db.$client.pragma('wal_checkpoint(TRUNCATE)');
    for (const file of readdirSync(server.data)) {
      const bytes = readFileSync(join(server.data, file));
      for (const secret of [
        SECRETS.compatSecretKey,
        SECRETS.jwtSecret,
        OWNER.password,
        'login-password',
        String(password),
        token,
        server.auth.setupToken,
      ]) {
        expect(bytes.includes(secret), `${file} holds ${secret}`).toBe(false);
      }
    }
  });
});

describe('named app passwords', () => {
  const path = '/users/me/app-passwords';
  const createAppPassword = (token: string, name: string) => server.call(path, { token, json: { name } });
  const listAppPasswords = async (token: string) =>
    JSON.parse((await server.call(path, { token })).text) as Record<string, unknown>[];
  const signIn = (apiKey: string, from = '10.0.0.9', client = 'Symfonium') =>
    server.auth.appSignIn({ apiKey }, { from, client, isFromOwnMachine: false });

  it('sign in without a user name, and show when, from where and by which app they were last used', async () => {
    const { token } = await server.signUp('ann');
    const [phoneResponse, carResponse] = [
      await createAppPassword(token, ' Phone '),
      await createAppPassword(token, 'Car'),
    ];
    expect([phoneResponse.status, phoneResponse.headers.get('cache-control')]).toEqual([201, 'no-store']);
    server.wait(5_000);
    expect(await signIn(String(phoneResponse.body['password']))).toMatchObject({ username: 'ann' });
    const proves = (candidate: string) => candidate === carResponse.body['password'];
    expect(
      await server.auth.appSignIn(
        { username: 'ann', proves },
        { from: '10.0.0.8', client: 'DSub', isFromOwnMachine: false },
      ),
    ).toBeDefined();
    expect(await listAppPasswords(token)).toEqual([
      {
        id: carResponse.body['id'],
        name: 'Car',
        created_at: '2026-03-01T12:00:00.000Z',
        last_used_at: '2026-03-01T12:00:05.000Z',
        address: '10.0.0.8',
        client: 'DSub',
      },
      expect.objectContaining({ name: 'Phone', address: '10.0.0.9', client: 'Symfonium' }) as unknown,
    ]);
  });

  it('are revoked one by one, and by their user alone', async () => {
    const { token } = await server.signUp('ann');
    const [phoneResponse, carResponse] = [
      await createAppPassword(token, 'Phone'),
      await createAppPassword(token, 'Car'),
    ];
    const revoke = (callerToken: string) =>
      server.call(`${path}/${String(phoneResponse.body['id'])}`, { method: 'DELETE', token: callerToken });
    expect((await revoke(ownerToken)).status).toBe(404);
    expect(await signIn(String(phoneResponse.body['password']))).toBeDefined();
    expect([(await revoke(token)).status, (await revoke(token)).status]).toEqual([204, 404]);
    expect(await signIn(String(phoneResponse.body['password']))).toBeUndefined();
    expect(await signIn(String(carResponse.body['password']))).toBeDefined();
    expect((await listAppPasswords(ownerToken)).length).toBe(0);
  });

  it('are at most 20 including the default, each with a unique name', async () => {
    const { token } = await server.signUp('ann');
    for (let n = 1; n < 20; n += 1) expect((await createAppPassword(token, `device ${n}`)).status).toBe(201);
    expect((await createAppPassword(token, 'one more')).status).toBe(409);
    expect((await server.call('/users/me/subsonic-password', { token })).status).toBe(200);
    expect((await listAppPasswords(token)).length).toBe(20);
    for (const name of ['device 1', 'default']) {
      const conflictResponse = await createAppPassword(token, name);
      expect([conflictResponse.status, conflictResponse.body['errors']]).toEqual([
        409,
        [{ field: 'name', message: 'is already in use' }],
      ]);
    }
    for (const name of ['', '  ', 'x'.repeat(65), 7])
      expect((await createAppPassword(token, name as string)).status).toBe(422);
  });
});

describe('sessions', () => {
  const listSessions = async (token: string) =>
    JSON.parse((await server.call('/users/me/sessions', { token })).text) as { id: number; is_current: boolean }[];
  const signInFrom = async (client: string) =>
    tokenOf(
      await server.call('/auth/login', {
        json: { username: 'ann', password: 'long-enough' },
        headers: { 'User-Agent': client },
      }),
    );

  it('are listed with the address and client, and end one by one', async () => {
    const { token } = await server.signUp('ann');
    server.wait(5_000);
    const phoneToken = await signInFrom('Firefox on a phone');
    const [newestSession, firstSession] = await listSessions(token);
    expect(newestSession).toEqual({
      id: newestSession?.id,
      is_current: false,
      created_at: '2026-03-01T12:00:05.000Z',
      last_used_at: '2026-03-01T12:00:05.000Z',
      expires_at: '2026-03-08T12:00:05.000Z',
      address: '127.0.0.1',
      client: 'Firefox on a phone',
    });
    expect(firstSession?.is_current).toBe(true);
    const endSession = (id: number | undefined, callerToken: string) =>
      server.call(`/users/me/sessions/${id}`, { method: 'DELETE', token: callerToken });
    expect((await endSession(newestSession?.id, ownerToken)).status).toBe(404);
    expect((await endSession(newestSession?.id, token)).status).toBe(204);
    expect([await getMeStatus(phoneToken), await getMeStatus(token)]).toEqual([401, 200]);
  });

  it('continue with a new token, and end when signing out', async () => {
    const { token } = await server.signUp('ann');
    server.wait(3_600_000);
    const renewedToken = tokenOf(await server.call('/auth/refresh', { method: 'POST', token }));
    expect((await listSessions(renewedToken)).length).toBe(1);
    const { body } = await server.call('/auth/media-token', { token, json: { scope: 'media' } });
    const getStreamStatus = async () => (await server.call(`/who/stream?token=${String(body['token'])}`)).status;
    expect(await getStreamStatus()).toBe(200);
    expect((await server.call('/auth/logout', { method: 'POST', token: renewedToken })).status).toBe(204);
    expect([await getMeStatus(token), await getMeStatus(renewedToken), await getStreamStatus()]).toEqual([
      401, 401, 401,
    ]);
  });

  it('that expire invalidate their tokens for URLs', async () => {
    const { token } = await server.signUp('ann');
    server.wait(604_800_000 - 60_000);
    const { body } = await server.call('/auth/media-token', { token, json: { scope: 'media' } });
    const getStreamStatus = async () => (await server.call(`/who/stream?token=${String(body['token'])}`)).status;
    expect(await getStreamStatus()).toBe(200);
    server.wait(60_000);
    expect([await getMeStatus(token), await getStreamStatus()]).toEqual([401, 401]);
  });

  it('end at once, except the current session', async () => {
    const { token } = await server.signUp('ann');
    const otherTokens = [await signInFrom('one'), await signInFrom('two')];
    expect((await server.call('/users/me/sessions', { method: 'DELETE', token })).status).toBe(204);
    expect([
      await getMeStatus(token),
      ...(await Promise.all(otherTokens.map(getMeStatus))),
      await getMeStatus(ownerToken),
    ]).toEqual([200, 401, 401, 200]);
    expect((await listSessions(token)).map(({ is_current }) => is_current)).toEqual([true]);
  });

  it('end with a password that an administrator sets', async () => {
    const { token, id } = await server.signUp('ann');
    await server.call(`/users/${id}`, { method: 'PATCH', token: ownerToken, json: { password: 'a-new-password' } });
    expect(await getMeStatus(token)).toBe(401);
    const login = await server.call('/auth/login', { json: { username: 'ann', password: 'a-new-password' } });
    expect((await listSessions(tokenOf(login))).length).toBe(1);
  });

  it('are at most 100: a new session ends the least recently used session', async () => {
    const { token } = await server.signUp('ann');
    const { id } = (await listSessions(token))[0] ?? {};
    server.wait(1_000);
    const ann = server.auth.accounts.findByName('ann');
    const startSession = () =>
      server.auth.sessions.start(ann?.id as never, 3_600, { from: undefined, client: undefined });
    for (let n = 1; n < 100; n += 1) startSession();
    expect(await getMeStatus(token)).toBe(200);
    const latestSessionId = startSession();
    expect(await getMeStatus(token)).toBe(401);
    const sessionIds = server.auth.sessions.list(ann?.id as never).map((session) => session.id as number);
    expect([sessionIds.length, sessionIds.includes(id ?? 0), sessionIds.includes(latestSessionId)]).toEqual([
      100,
      false,
      true,
    ]);
  });
});
