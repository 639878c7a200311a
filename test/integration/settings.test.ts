import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SettingName } from '../../server/config/settings.ts';
import { SETTING_NAMES } from '../../server/config/settings.ts';
import type { SettingOut } from '../../server/settings/wire.ts';
import { startAuthServer, type AuthServer } from './auth-server.ts';

let server: AuthServer;
let token: string;
const start = async (env: Record<string, string> = {}): Promise<void> => {
  server = await startAuthServer({ env });
  token = await server.setUp();
};
beforeEach(() => start());
afterEach(() => server.close());

const patch = (json: unknown) => server.call('/settings', { method: 'PATCH', token, json });
const readSettings = async (): Promise<SettingOut[]> =>
  (await server.call('/settings', { token })).body['items'] as SettingOut[];
const readSetting = async (key: string): Promise<SettingOut | undefined> =>
  (await readSettings()).find((item) => item.key === key);
const file = (): Record<string, unknown> =>
  JSON.parse(readFileSync(server.config.paths.settingsFile, 'utf8')) as Record<string, unknown>;
const secretsFile = (): Record<string, unknown> =>
  JSON.parse(readFileSync(server.config.paths.secretsFile, 'utf8')) as Record<string, unknown>;
const folder = (...names: string[]): string => {
  const path = join(server.dir, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};
const restart = async (env: Record<string, string> = {}): Promise<void> => {
  await server.close({ keep: true });
  server = await startAuthServer({ dir: server.dir, env });
};

describe('GET /settings', () => {
  it('lists every setting with its origin, group and help', async () => {
    const items = await readSettings();
    expect(items.map((item) => item.key)).toEqual(SETTING_NAMES.map((name) => name.toLowerCase()));
    expect(await readSetting('port')).toEqual({
      key: 'port',
      value: 4747,
      is_set: true,
      origin: 'default',
      group: 'network',
      unit: null,
      advanced: true,
      is_in_use: true,
      help: 'Port to listen on; 0 for any free port.',
      restart_needed: true,
      restart_pending: false,
      secret: false,
    });
    expect(await readSetting('data_dir')).toMatchObject({ origin: 'env', value: server.data });
    expect(await readSetting('local_media_import_path')).toMatchObject({
      value: null,
      is_set: false,
      origin: 'default',
    });
  });

  it('never shows a secret, only whether it is set', async () => {
    const answer = await patch({ fpid_api_key: 'my-key-0815', jwt_secret: 'a-secret-of-many-characters' });
    expect(answer.text).not.toMatch(/0815|a-secret-of/);
    expect(await readSetting('fpid_api_key')).toMatchObject({
      value: null,
      is_set: true,
      secret: true,
      origin: 'file',
    });
    expect(await readSetting('streamsrc_password')).toMatchObject({ value: null, is_set: false, secret: true });
    expect((await server.call('/settings', { token })).text).not.toMatch(/0815|a-secret-of/);
  });

  it('returns values in the form that PATCH accepts', async () => {
    await patch({ access_token_ttl: '90m', allowed_hosts: 'b.example,A.example' });
    expect([(await readSetting('access_token_ttl'))?.value, (await readSetting('allowed_hosts'))?.value]).toEqual([
      '90m',
      'b.example, a.example',
    ]);
    const items = (await readSettings()).filter((item) => !item.secret && item.origin !== 'env' && item.value !== null);
    const sameResponse = await patch(Object.fromEntries(items.map((item) => [item.key, item.value])));
    expect(sameResponse.status).toBe(200);
    expect(
      (sameResponse.body['items'] as SettingOut[])
        .filter((item) => items.some(({ key }) => key === item.key))
        .map((item) => item.value),
    ).toEqual(items.map((item) => item.value));
  });
});

describe('PATCH /settings', () => {
  it('applies at once, is written to settings.json and survives a restart', async () => {
    expect((await patch({ fpid_trust_score: 0.5, allow_registration: 'no' })).status).toBe(200);
    expect([server.settings.get('FPID_TRUST_SCORE'), server.settings.get('ALLOW_REGISTRATION')]).toEqual([0.5, false]);
    expect(file()).toEqual({ fpid_trust_score: 0.5, allow_registration: 'no' });
    expect(await readSetting('fpid_trust_score')).toMatchObject({ value: 0.5, origin: 'file', restart_pending: false });
    await restart();
    expect([server.settings.get('FPID_TRUST_SCORE'), server.settings.get('ALLOW_REGISTRATION')]).toEqual([0.5, false]);
  });

  it('keeps the current value if a restart is required, and says so', async () => {
    await patch({ port: 5000 });
    expect(server.settings.get('PORT')).toBe(4747);
    expect(await readSetting('port')).toMatchObject({
      value: 5000,
      origin: 'file',
      restart_needed: true,
      restart_pending: true,
    });
    await patch({ port: 4747 });
    expect(await readSetting('port')).toMatchObject({ restart_pending: false });
    await patch({ port: 5000 });
    await restart();
    expect(server.settings.get('PORT')).toBe(5000);
    expect(await readSetting('port')).toMatchObject({ restart_pending: false });
  });

  it('resets to the default with null', async () => {
    await patch({ fpid_trust_score: 0.5, contact: 'me@example.org' });
    await patch({ fpid_trust_score: null, contact: null });
    expect(file()).toEqual({});
    expect(await readSetting('fpid_trust_score')).toMatchObject({ value: 0.85, origin: 'default' });
    expect(await readSetting('contact')).toMatchObject({ value: null, is_set: false, origin: 'default' });
  });

  it('keeps what was written by hand, and replaces a name in any case', async () => {
    writeFileSync(server.config.paths.settingsFile, JSON.stringify({ Log_Level: 'debug', FPID_Trust_Score: 0.4 }));
    await patch({ fpid_trust_score: 0.6 });
    expect(file()).toEqual({ Log_Level: 'debug', fpid_trust_score: 0.6 });
  });

  it.each<[string, unknown, string]>([
    ['an unknown name', { prot: 1 }, 'prot'],
    ['an upper-case name', { PORT: 1 }, 'PORT'],
    ['a bad port', { port: 70_000 }, 'port'],
    ['a bad switch', { local_media_watch: 'maybe' }, 'local_media_watch'],
    ['a bad duration', { access_token_ttl: '7 days' }, 'access_token_ttl'],
    ['a bad address', { coverart_base_url: 'covers' }, 'coverart_base_url'],
    ['an empty text', { contact: '' }, 'contact'],
    ['a list', { contact: ['me'] }, 'contact'],
    ['an object', { contact: {} }, 'contact'],
    ['a short secret', { jwt_secret: 'short' }, 'jwt_secret'],
    ['an object store without a bucket', { storage_backend: 's3' }, 'storage_backend'],
    ['a storage that there is not', { storage_backend: 'attic' }, 'storage_backend'],
    ['a host with NUL', { host: 'a\0b' }, 'host'],
    ['a folder with NUL', { local_media_import_path: '/music\0' }, 'local_media_import_path'],
  ])('rejects %s with 422 and the field', async (_, json, field) => {
    const answer = await patch(json);
    expect(answer.status).toBe(422);
    expect((answer.body['errors'] as { field: string }[]).map((error) => error.field)).toEqual([field]);
    expect(readdirSync(server.data)).not.toContain('settings.json');
  });

  it('reports all errors at once and then changes nothing', async () => {
    const answer = await patch({ port: 'x', fpid_trust_score: 2, contact: 'me@example.org' });
    expect((answer.body['errors'] as { field: string }[]).map((error) => error.field)).toEqual([
      'port',
      'fpid_trust_score',
    ]);
    expect(await readSetting('contact')).toMatchObject({ value: null });
  });

  it.each([
    ['no JSON', '{', 400],
    ['a list', '[]', 422],
    ['null', 'null', 422],
    ['a text', '"x"', 422],
  ])('rejects %s', async (_, body, status) => {
    expect(
      (
        await server.call('/settings', {
          method: 'PATCH',
          token,
          body,
          headers: { 'Content-Type': 'application/json' },
        })
      ).status,
    ).toBe(status);
  });

  it('without settings changes nothing', async () => {
    expect((await patch({})).status).toBe(200);
    expect(readdirSync(server.data)).not.toContain('settings.json');
  });

  it('refuses settings of the environment, and the data folder, with 409', async () => {
    await server.close();
    await start({ FPID_TRUST_SCORE: '0.7' });
    const answer = await patch({ fpid_trust_score: 0.5 });
    expect(answer.status).toBe(409);
    expect(answer.body['detail']).toMatch(/environment/);
    expect((await patch({ fpid_trust_score: null })).status).toBe(409);
    expect((await patch({ data_dir: '/elsewhere' })).status).toBe(409);
    expect(server.settings.get('FPID_TRUST_SCORE')).toBe(0.7);
  });

  it('answers 503 without paths when settings.json is damaged, and leaves it as it is', async () => {
    writeFileSync(server.config.paths.settingsFile, '{ broken');
    const answer = await patch({ fpid_trust_score: 0.5 });
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain(server.dir);
    expect(server.settings.get('FPID_TRUST_SCORE')).toBe(0.85);
    expect(readFileSync(server.config.paths.settingsFile, 'utf8')).toBe('{ broken');
  });

  it.skipIf(process.platform === 'win32')(
    'writes files that only their owner can read, and leaves no temporary one',
    async () => {
      await patch({ fpid_api_key: 'my-key-0815', contact: 'me@example.org' });
      for (const path of [server.config.paths.settingsFile, server.config.paths.secretsFile])
        expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readdirSync(server.data).filter((name) => name.includes('tmp'))).toEqual([]);
    },
  );

  it('keeps secrets out of settings.json, also one that was written there by hand', async () => {
    writeFileSync(
      server.config.paths.settingsFile,
      JSON.stringify({ FPID_API_KEY: 'by-hand-0815', contact: 'me@example.org' }),
    );
    await patch({ fpid_api_key: 'my-key-0815', s3_access_key_id: 'id-4711' });
    expect(file()).toEqual({ contact: 'me@example.org' });
    expect(secretsFile()).toMatchObject({
      'setting.fpid_api_key': 'my-key-0815',
      'setting.s3_access_key_id': 'id-4711',
    });
    expect(await readSetting('s3_access_key_id')).toMatchObject({
      is_set: true,
      origin: 'file',
      restart_pending: true,
    });
    await restart();
    expect(server.settings.get('FPID_API_KEY')).toBe('my-key-0815');
    expect(await readSetting('s3_access_key_id')).toMatchObject({
      is_set: true,
      origin: 'file',
      restart_pending: false,
    });
    await patch({ fpid_api_key: null, s3_access_key_id: null });
    expect(secretsFile()).toEqual({});
    expect(await readSetting('fpid_api_key')).toMatchObject({ is_set: false, origin: 'default' });
  });

  it('says where secrets are stored', async () => {
    expect((await server.call('/settings', { token })).body['secret_store']).toEqual({ place: 'file', why_not: null });
  });

  it('answers 503 without paths when the secrets cannot be read, and changes nothing', async () => {
    writeFileSync(server.config.paths.secretsFile, '{ broken');
    const answer = await patch({ fpid_api_key: 'my-key-0815' });
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain(server.dir);
    expect(server.settings.get('FPID_API_KEY')).toBeUndefined();
    expect(readFileSync(server.config.paths.secretsFile, 'utf8')).toBe('{ broken');
  });

  it('refuses an address to listen on that is not this computer’s, because the next start would fail', async () => {
    const answer = await patch({ host: '192.0.2.77' });
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toEqual([
      { field: 'host', message: expect.stringMatching(/not an address of this computer/) as string },
    ]);
    expect((await patch({ host: '0.0.0.0' })).status).toBe(200);
  });

  it('of many at once loses none', async () => {
    const changes = [
      { fpid_trust_score: 0.5 },
      { contact: 'me@example.org' },
      { local_media_watch: false },
      { fpid_rate_per_second: 1 },
    ];
    await Promise.all(changes.map(patch));
    expect(file()).toEqual(Object.assign({}, ...changes) as object);
  });
});

describe('the music folder', () => {
  it('is accepted when it exists and can be read', async () => {
    const music = folder('music');
    expect((await patch({ local_media_import_path: music })).status).toBe(200);
    expect(server.settings.get('LOCAL_MEDIA_IMPORT_PATH')).toBe(music);
  });

  it.each<[string, () => string, RegExp]>([
    ['does not exist', () => join(server.dir, 'none'), /does not exist or is not a folder/],
    [
      'is a file',
      () => {
        const path = join(server.dir, 'file');
        writeFileSync(path, '');
        return path;
      },
      /does not exist or is not a folder/,
    ],
    ['is not given whole', () => 'music', /absolute path/],
    ['is the data folder', () => server.data, /inside Tonearm’s own data folder/],
    ['is inside the data folder', () => folder('data', 'music'), /inside Tonearm’s own data folder/],
    ['holds the data folder', () => server.dir, /contains Tonearm’s own data folder/],
    [
      'leads into the data folder by a link',
      () => {
        const path = join(server.dir, 'link');
        symlinkSync(folder('data', 'cache'), path, 'junction');
        return path;
      },
      /inside Tonearm’s own data folder/,
    ],
    ['is the root of the disk', () => '/', /contains Tonearm’s own data folder/],
    ['is empty text', () => '', /must not be empty/],
  ])('is rejected when it %s', async (_, path, words) => {
    const answer = await patch({ local_media_import_path: path() });
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toEqual([
      { field: 'local_media_import_path', message: expect.stringMatching(words) as string },
    ]);
    expect(server.settings.get('LOCAL_MEDIA_IMPORT_PATH')).toBeUndefined();
  });

  it('is rejected when it contains the stored library', async () => {
    await server.close();
    server = await startAuthServer();
    const storage = folder('disk', 'library');
    await restart({ STORAGE_ROOT: storage });
    token = await server.setUp();
    expect((await patch({ local_media_import_path: join(server.dir, 'disk') })).body['detail']).toMatch(
      /contains Tonearm’s own stored library/,
    );
  });

  it('may have a name that only starts like the data folder’s', async () => {
    expect((await patch({ local_media_import_path: folder('data-of-mine') })).status).toBe(200);
    expect((await patch({ local_media_import_path: folder('..music') })).status).toBe(200);
  });
});

describe('PATCH /settings?dry_run=true', () => {
  const check = (json: unknown) => server.call('/settings?dry_run=true', { method: 'PATCH', token, json });

  it('answers with the errors of the change, and changes nothing', async () => {
    expect((await check({ port: 70_000 })).body['errors']).toEqual([
      { field: 'port', message: 'must be a whole number from 0 to 65535; 0 for any free port' },
    ]);
    expect((await check({ local_media_import_path: '/no/such/folder' })).body['errors']).toEqual([
      { field: 'local_media_import_path', message: 'does not exist or is not a folder' },
    ]);
    expect((await check({ data_dir: '/tmp' })).status).toBe(409);
    expect((await check({ port: 5000, contact: 'me@example.org' })).status).toBe(200);
    expect([await readSetting('port'), await readSetting('contact')]).toMatchObject([
      { value: 4747, origin: 'default' },
      { is_set: false },
    ]);
    expect(existsSync(server.config.paths.settingsFile)).toBe(false);
  });

  it('knows the allowed values of a setting', async () => {
    expect([await readSetting('local_media_import_mode'), await readSetting('contact')]).toMatchObject([
      { choices: ['copy', 'reference'] },
      {},
    ]);
    expect(await readSetting('contact')).not.toHaveProperty('choices');
  });
});

describe('GET /server', () => {
  it('returns the version and tools', async () => {
    const { body } = await server.call('/server', { token });
    expect(body).toEqual({ version: expect.any(String), node: process.version, platform: expect.any(String) });
  });
});

describe('listeners', () => {
  it('are called once with the changed settings, after the change', async () => {
    const changes: [SettingName[], unknown][] = [];
    const stop = server.settings.onChange(
      ['FPID_TRUST_SCORE', 'CONTACT'],
      (names) => void changes.push([names, server.settings.get('FPID_TRUST_SCORE')]),
    );
    await patch({ fpid_trust_score: 0.5, contact: 'me@example.org', local_media_watch: false });
    await patch({ local_media_watch: true });
    await patch({ fpid_trust_score: 0.5 });
    await patch({ port: 5000 });
    expect(changes).toEqual([[['FPID_TRUST_SCORE', 'CONTACT'], 0.5]]);
    stop();
    await patch({ fpid_trust_score: 0.6 });
    expect(changes).toHaveLength(1);
  });

  it('that fail do not undo the change, and others are still called', async () => {
    const changedNames: SettingName[] = [];
    server.settings.onChange(['CONTACT'], () => {
      throw new Error('no');
    });
    server.settings.onChange(['CONTACT'], () => Promise.reject(new Error('later no')));
    server.settings.onChange(['CONTACT'], (names) => void changedNames.push(...names));
    expect((await patch({ contact: 'me@example.org' })).status).toBe(200);
    expect(changedNames).toEqual(['CONTACT']);
  });
});
