import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER, SECRETS, startAuthServer, type AuthServer } from './auth-server.ts';

let server: AuthServer;
let owner: string;
beforeEach(async () => {
  server = await startAuthServer();
  owner = await server.setUp();
});
afterEach(() => server.close());

const me = async (token: string): Promise<number> => (await server.call('/users/me', { token })).status;
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
    const other = tokenOf(await server.call('/auth/login', { json: { username: 'ann', password: 'first-password' } }));
    const changed = await server.call('/users/me', {
      method: 'PATCH',
      token,
      json: { password: 'second-password', current_password: 'first-password' },
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ token_type: 'bearer', user: { username: 'ann' } });
    expect([await me(token), await me(other), await me(tokenOf(changed)), await me(owner)]).toEqual([
      401, 401, 200, 200,
    ]);
    const login = async (password: string) =>
      (await server.call('/auth/login', { json: { username: 'ann', password } })).status;
    expect([await login('first-password'), await login('second-password')]).toEqual([401, 200]);
  });

  it('keeps its password when the current one is wrong, missing or the new one is too short', async () => {
    const { token } = await server.signUp('ann', 'first-password');
    const change = (json: object) => server.call('/users/me', { method: 'PATCH', token, json });
    const wrong = await change({ password: 'second-password', current_password: 'guess' });
    expect(wrong.status).toBe(403);
    expect(wrong.body['errors']).toEqual([{ field: 'current_password', message: 'is wrong' }]);
    expect((await change({ password: 'second-password' })).status).toBe(422);
    expect((await change({ password: 'short', current_password: 'first-password' })).status).toBe(422);
    expect(
      (await change({ password: 'second-password', current_password: 'first-password', is_superuser: true })).status,
    ).toBe(422);
    expect(await me(token)).toBe(200);
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
    expect(await me(winner ? tokenOf(winner) : '')).toBe(200);
  });
});

describe('accounts for superusers', () => {
  it('are listed by name in pages', async () => {
    for (const name of ['dora', 'Bert', 'anna', 'Carl']) await server.signUp(name);
    const page = await server.call('/users?limit=2&offset=1', { token: owner });
    expect(page.body).toMatchObject({
      total: 5,
      limit: 2,
      offset: 1,
      items: [{ username: 'Bert' }, { username: 'Carl' }],
    });
    expect((await server.call('/users?limit=201', { token: owner })).status).toBe(422);
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
    const made = await server.call('/users', { token: owner, json: { username: 'ann', password: 'long-enough' } });
    expect([made.status, made.body['is_superuser']]).toEqual([201, false]);
    const boss = await server.call('/users', {
      token: owner,
      json: { username: 'boss', password: 'long-enough', is_superuser: true },
    });
    expect([boss.status, boss.body['is_superuser']]).toEqual([201, true]);
    expect(
      (await server.call('/users', { token: owner, json: { username: 'ANN', password: 'long-enough' } })).status,
    ).toBe(409);
    expect(
      (await server.call('/users', { token: owner, json: { username: 'a/b', password: 'long-enough' } })).status,
    ).toBe(422);
  });

  it('can be renamed, given a new password, promoted and demoted, each taking effect at once', async () => {
    const { token, id } = await server.signUp('ann');
    const patch = (json: object) => server.call(`/users/${id}`, { method: 'PATCH', token: owner, json });
    expect((await patch({ username: 'ANN' })).body).toMatchObject({ username: 'ANN' });
    expect((await patch({ username: 'owner' })).status).toBe(409);
    expect((await patch({ is_superuser: true })).body).toMatchObject({ is_superuser: true });
    expect((await server.call('/users', { token })).status).toBe(200);
    expect((await patch({ is_superuser: false })).status).toBe(200);
    expect((await server.call('/users', { token })).status).toBe(403);
    expect((await patch({})).status).toBe(200);
    expect(await me(token)).toBe(200);
    expect((await patch({ password: 'a-new-password' })).status).toBe(200);
    expect(await me(token)).toBe(401);
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
    expect((await server.call(path, { method, token: owner, json })).status).toBe(status);
  });

  it('include at least one superuser', async () => {
    const { body } = await server.call('/users/me', { token: owner });
    const ownerPath = `/users/${body['id'] as number}`;
    expect(
      (await server.call(ownerPath, { method: 'PATCH', token: owner, json: { is_superuser: false } })).status,
    ).toBe(409);
    expect((await server.call(ownerPath, { method: 'DELETE', token: owner })).status).toBe(409);
    const second = await server.call('/users', {
      token: owner,
      json: { username: 'second', password: 'long-enough', is_superuser: true },
    });
    expect(
      (await server.call(ownerPath, { method: 'PATCH', token: owner, json: { is_superuser: false } })).status,
    ).toBe(200);
    expect((await server.call('/users', { token: owner })).status).toBe(403);
    expect(second.body).toMatchObject({ is_superuser: true });
  });

  it('include one superuser even when two demote each other at once', async () => {
    const boss = await server.call('/users', {
      token: owner,
      json: { username: 'boss', password: 'long-enough', is_superuser: true },
    });
    const other = tokenOf(await server.call('/auth/login', { json: { username: 'boss', password: 'long-enough' } }));
    const { body } = await server.call('/users/me', { token: owner });
    const demote = (token: string, id: unknown) =>
      server.call(`/users/${String(id)}`, { method: 'PATCH', token, json: { is_superuser: false } });
    await Promise.all([demote(owner, boss.body['id']), demote(other, body['id'])]);
    expect(server.auth.accounts.listAll().filter((user) => user.isSuperuser)).toHaveLength(1);
  });
});

describe('app passwords', () => {
  const own = (token: string, method = 'GET') => server.call('/users/me/subsonic-password', { method, token });

  it('are made when first asked for, stay the same, and are no login password', async () => {
    const { token } = await server.signUp('ann', 'login-password');
    const first = await own(token);
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.body).toEqual({ username: 'ann', password: expect.stringMatching(/^\S{24,}$/) as string });
    expect((await own(token)).body).toEqual(first.body);
    expect(
      (await server.call('/auth/login', { json: { username: 'ann', password: first.body['password'] } })).status,
    ).toBe(401);
  });

  it('are the same for two first requests at once', async () => {
    const { token } = await server.signUp('ann');
    const [one, two] = await Promise.all([own(token), own(token)]);
    expect(one.body).toEqual(two.body);
  });

  it('are rotated by their user, and by a superuser for anyone', async () => {
    const { token, id } = await server.signUp('ann');
    const first = (await own(token)).body['password'];
    const second = (await own(token, 'POST')).body['password'];
    const third = await server.call(`/users/${id}/subsonic-password`, { method: 'POST', token: owner });
    expect(third.body).toMatchObject({ username: 'ann' });
    expect(new Set([first, second, third.body['password']]).size).toBe(3);
    expect((await own(token)).body).toEqual(third.body);
  });

  it('survive a restart, a new login password and a new name', async () => {
    const { token, id } = await server.signUp('ann', 'first-password');
    const {
      body: { password },
    } = await own(token);
    await server.call(`/users/${id}`, {
      method: 'PATCH',
      token: owner,
      json: { username: 'anna', password: 'second-password', revoke_app_passwords: false },
    });
    await server.close({ keep: true });
    server = await startAuthServer({ dir: server.dir });
    const login = await server.call('/auth/login', { json: { username: 'anna', password: 'second-password' } });
    expect((await own(tokenOf(login))).body).toEqual({ username: 'anna', password });
  });

  it('of another COMPAT_SECRET_KEY are a conflict with an explanation until a new one is created', async () => {
    const { token } = await server.signUp('ann');
    await own(token);
    await server.close({ keep: true });
    server = await startAuthServer({
      dir: server.dir,
      secrets: { ...SECRETS, compatSecretKey: 'another-key-of-app-passwords-0123' },
    });
    expect((await own(token)).status).toBe(409);
    const made = await own(token, 'POST');
    expect(made.status).toBe(200);
    expect((await own(token)).body).toEqual(made.body);
  });

  it('and all keys and login passwords stand nowhere in the database files', async () => {
    const { token } = await server.signUp('ann', 'login-password');
    const {
      body: { password },
    } = await own(token);
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
  const make = (token: string, name: string) => server.call(path, { token, json: { name } });
  const list = async (token: string) =>
    JSON.parse((await server.call(path, { token })).text) as Record<string, unknown>[];
  const signIn = (apiKey: string, from = '10.0.0.9', client = 'Symfonium') =>
    server.auth.appSignIn({ apiKey }, { from, client, isHere: false });

  it('each sign in by themselves, and tell when, from where and by which app they were last used', async () => {
    const { token } = await server.signUp('ann');
    const [phone, car] = [await make(token, ' Phone '), await make(token, 'Car')];
    expect([phone.status, phone.headers.get('cache-control')]).toEqual([201, 'no-store']);
    server.wait(5_000);
    expect(await signIn(String(phone.body['password']))).toMatchObject({ username: 'ann' });
    const proves = (given: string) => given === car.body['password'];
    expect(
      await server.auth.appSignIn({ username: 'ann', proves }, { from: '10.0.0.8', client: 'DSub', isHere: false }),
    ).toBeDefined();
    expect(await list(token)).toEqual([
      {
        id: car.body['id'],
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
    const [phone, car] = [await make(token, 'Phone'), await make(token, 'Car')];
    const revoke = (asking: string) =>
      server.call(`${path}/${String(phone.body['id'])}`, { method: 'DELETE', token: asking });
    expect((await revoke(owner)).status).toBe(404);
    expect(await signIn(String(phone.body['password']))).toBeDefined();
    expect([(await revoke(token)).status, (await revoke(token)).status]).toEqual([204, 404]);
    expect(await signIn(String(phone.body['password']))).toBeUndefined();
    expect(await signIn(String(car.body['password']))).toBeDefined();
    expect((await list(owner)).length).toBe(0);
  });

  it('are at most 20 with default, each with a name of its own', async () => {
    const { token } = await server.signUp('ann');
    for (let n = 1; n < 20; n += 1) expect((await make(token, `device ${n}`)).status).toBe(201);
    expect((await make(token, 'one more')).status).toBe(409);
    expect((await server.call('/users/me/subsonic-password', { token })).status).toBe(200);
    expect((await list(token)).length).toBe(20);
    for (const name of ['device 1', 'default']) {
      const refused = await make(token, name);
      expect([refused.status, refused.body['errors']]).toEqual([
        409,
        [{ field: 'name', message: 'is already in use' }],
      ]);
    }
    for (const name of ['', '  ', 'x'.repeat(65), 7]) expect((await make(token, name as string)).status).toBe(422);
  });
});

describe('sessions', () => {
  const list = async (token: string) =>
    JSON.parse((await server.call('/users/me/sessions', { token })).text) as { id: number; is_current: boolean }[];
  const again = async (client: string) =>
    tokenOf(
      await server.call('/auth/login', {
        json: { username: 'ann', password: 'long-enough' },
        headers: { 'User-Agent': client },
      }),
    );

  it('are listed with where they are used, and end one by one', async () => {
    const { token } = await server.signUp('ann');
    server.wait(5_000);
    const phone = await again('Firefox on a phone');
    const [newest, first] = await list(token);
    expect(newest).toEqual({
      id: newest?.id,
      is_current: false,
      created_at: '2026-03-01T12:00:05.000Z',
      last_used_at: '2026-03-01T12:00:05.000Z',
      expires_at: '2026-03-08T12:00:05.000Z',
      address: '127.0.0.1',
      client: 'Firefox on a phone',
    });
    expect(first?.is_current).toBe(true);
    const end = (id: number | undefined, asking: string) =>
      server.call(`/users/me/sessions/${id}`, { method: 'DELETE', token: asking });
    expect((await end(newest?.id, owner)).status).toBe(404);
    expect((await end(newest?.id, token)).status).toBe(204);
    expect([await me(phone), await me(token)]).toEqual([401, 200]);
  });

  it('go on with a new token, and end when signing out', async () => {
    const { token } = await server.signUp('ann');
    server.wait(3_600_000);
    const renewed = tokenOf(await server.call('/auth/refresh', { method: 'POST', token }));
    expect((await list(renewed)).length).toBe(1);
    const { body } = await server.call('/auth/media-token', { token, json: { scope: 'media' } });
    const stream = async () => (await server.call(`/who/stream?token=${String(body['token'])}`)).status;
    expect(await stream()).toBe(200);
    expect((await server.call('/auth/logout', { method: 'POST', token: renewed })).status).toBe(204);
    expect([await me(token), await me(renewed), await stream()]).toEqual([401, 401, 401]);
  });

  it('that expire take their tokens for URLs with them', async () => {
    const { token } = await server.signUp('ann');
    server.wait(604_800_000 - 60_000);
    const { body } = await server.call('/auth/media-token', { token, json: { scope: 'media' } });
    const stream = async () => (await server.call(`/who/stream?token=${String(body['token'])}`)).status;
    expect(await stream()).toBe(200);
    server.wait(60_000);
    expect([await me(token), await stream()]).toEqual([401, 401]);
  });

  it('all but one’s own end at once', async () => {
    const { token } = await server.signUp('ann');
    const others = [await again('one'), await again('two')];
    expect((await server.call('/users/me/sessions', { method: 'DELETE', token })).status).toBe(204);
    expect([await me(token), ...(await Promise.all(others.map(me))), await me(owner)]).toEqual([200, 401, 401, 200]);
    expect((await list(token)).map(({ is_current }) => is_current)).toEqual([true]);
  });

  it('end with a password that an administrator sets', async () => {
    const { token, id } = await server.signUp('ann');
    await server.call(`/users/${id}`, { method: 'PATCH', token: owner, json: { password: 'a-new-password' } });
    expect(await me(token)).toBe(401);
    const login = await server.call('/auth/login', { json: { username: 'ann', password: 'a-new-password' } });
    expect((await list(tokenOf(login))).length).toBe(1);
  });

  it('are at most 100: the one that was not used for longest makes room', async () => {
    const { token } = await server.signUp('ann');
    const { id } = (await list(token))[0] ?? {};
    server.wait(1_000);
    const ann = server.auth.accounts.findByName('ann');
    const start = () => server.auth.sessions.start(ann?.id as never, 3_600, { from: undefined, client: undefined });
    for (let n = 1; n < 100; n += 1) start();
    expect(await me(token)).toBe(200);
    const latest = start();
    expect(await me(token)).toBe(401);
    const left = server.auth.sessions.list(ann?.id as never).map((session) => session.id as number);
    expect([left.length, left.includes(id ?? 0), left.includes(latest)]).toEqual([100, false, true]);
  });
});
