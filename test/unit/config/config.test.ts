import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGE_PATH, settingsPage } from '../../../scripts/settings-page.ts';
import { loadConfig, parseSetting } from '../../../server/config/config.ts';
import { defaultDataDir, SETTING_NAMES, SETTINGS, type SettingName } from '../../../server/config/settings.ts';
import { AppError } from '../../../server/errors.ts';

const load = (file: Record<string, unknown>, env: Record<string, string | undefined> = {}) =>
  loadConfig({ file, env: { DATA_DIR: '/data', ...env } });
const findFault = (file: Record<string, unknown>, env: Record<string, string | undefined> = {}): string => {
  try {
    load(file, env);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('the three layers of settings', () => {
  it('have the documented defaults when nothing is set', () => {
    const { settings, origins } = load({});
    expect(settings).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 4747,
      STORAGE_BACKEND: 'local',
      LOCAL_MEDIA_IMPORT_MODE: 'copy',
      LOCAL_MEDIA_WATCH: true,
      ALLOW_REGISTRATION: true,
      ACCESS_TOKEN_TTL: 604_800,
      FPID_ENABLED: true,
      FPID_BASE_URL: 'https://api.acoustid.org',
      FPID_TRUST_SCORE: 0.85,
      FPID_RATE_PER_SECOND: 3,
      MUSICBRAINZ_ENABLED: true,
      MUSICBRAINZ_BASE_URL: 'https://musicbrainz.org',
      COVERART_ENABLED: true,
      COVERART_BASE_URL: 'https://coverartarchive.org',
      STREAMSRC_ENABLED: false,
      STREAMSRC_PROVIDER: 'ia',
      MAX_UPLOAD_BYTES: 1_073_741_824,
      MIN_FREE_BYTES: 1_000_000_000,
      LOG_LEVEL: 'info',
    });
    expect(settings.LOCAL_MEDIA_IMPORT_PATH).toBeUndefined();
    expect([origins.PORT, origins.DATA_DIR]).toEqual(['default', 'env']);
  });

  it('override each other: default, file, environment', () => {
    const { settings, origins } = load({ port: 1, fpid_trust_score: 0.5 }, { PORT: '2' });
    expect([settings.PORT, settings.FPID_TRUST_SCORE, settings.HOST]).toEqual([2, 0.5, '127.0.0.1']);
    expect([origins.PORT, origins.FPID_TRUST_SCORE, origins.HOST]).toEqual(['env', 'file', 'default']);
  });

  it('accept names in any case', () => {
    for (const name of ['ALLOW_REGISTRATION', 'allow_registration', 'Allow_Registration']) {
      expect(load({ [name]: false }).settings.ALLOW_REGISTRATION).toBe(false);
      expect(load({}, { [name]: 'false' }).settings.ALLOW_REGISTRATION).toBe(false);
    }
  });

  it('treat an empty value as unset', () => {
    expect(load({ port: '', fpid_api_key: null }, { HOST: '', LOG_LEVEL: undefined }).settings).toMatchObject({
      PORT: 4747,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
    });
  });

  it('ignore other environment variables', () => {
    expect(findFault({}, { PATH: '/bin', TERM: 'xterm' })).toBe('accepted');
  });

  it('put files into the data folder, and the storage into its own folder if one is set', () => {
    const { paths } = load({});
    expect(paths).toMatchObject({
      data: resolve('/data'),
      settingsFile: join(resolve('/data'), 'settings.json'),
      secretsFile: join(resolve('/data'), 'secrets.json'),
      storageRoot: join(resolve('/data'), 'library'),
    });
    expect(load({ storage_root: '/disk/music' }).paths.storageRoot).toBe(resolve('/disk/music'));
  });
});

describe('values', () => {
  it.each<[Parameters<typeof parseSetting>[0], unknown, unknown]>([
    ['PORT', '0', 0],
    ['PORT', 65_535, 65_535],
    ['PORT', ' 80 ', 80],
    ['LOCAL_MEDIA_WATCH', 'No', false],
    ['LOCAL_MEDIA_WATCH', '1', true],
    ['LOCAL_MEDIA_WATCH', 'ON', true],
    ['LOCAL_MEDIA_WATCH', false, false],
    ['MAX_UPLOAD_BYTES', '5GB', 5_000_000_000],
    ['MIN_FREE_BYTES', '1.5 GiB', 1_610_612_736],
    ['BACKUP_CHECK_PERCENT', '8%', 8],
    ['ACCESS_TOKEN_TTL', '7d', 604_800],
    ['ACCESS_TOKEN_TTL', '12h', 43_200],
    ['ACCESS_TOKEN_TTL', '30m', 1_800],
    ['ACCESS_TOKEN_TTL', '90s', 90],
    ['FPID_TRUST_SCORE', '0', 0],
    ['FPID_TRUST_SCORE', '1', 1],
    ['FPID_TRUST_SCORE', 0.9, 0.9],
    ['COVERART_BASE_URL', 'https://covers.example/', 'https://covers.example'],
    ['COVERART_BASE_URL', 'http://localhost:1234/a/b//', 'http://localhost:1234/a/b'],
    ['ALLOWED_HOSTS', ' Music.Example , other.example,', ['music.example', 'other.example']],
    ['STREAMSRC_PROVIDER', 'ext', 'ext'],
  ])('%s = %j is %j', (name, value, parsedValue) => {
    expect(parseSetting(name, value)).toEqual(parsedValue);
  });

  it.each<[string, Record<string, unknown>, Record<string, string>, string]>([
    [
      'an unknown name in the file',
      { prot: 1 },
      {},
      'Unknown setting prot in settings.json. Run with --help for the list.',
    ],
    [
      'the same name twice in the file',
      { port: 1, PORT: 2 },
      {},
      'Setting PORT is in settings.json twice: as port and as PORT.',
    ],
    [
      'the same name twice in the environment',
      {},
      { PORT: '1', port: '2' },
      'Setting PORT is in the environment twice: as PORT and as port.',
    ],
    [
      'a port too high',
      {},
      { PORT: '65536' },
      'Setting PORT = "65536": must be a whole number from 0 to 65535; 0 for any free port.',
    ],
    [
      'a port below zero',
      { port: -1 },
      {},
      'Setting PORT = -1: must be a whole number from 0 to 65535; 0 for any free port.',
    ],
    [
      'half a port',
      { port: 80.5 },
      {},
      'Setting PORT = 80.5: must be a whole number from 0 to 65535; 0 for any free port.',
    ],
    [
      'a size in an unknown unit',
      {},
      { MAX_UPLOAD_BYTES: '1e9' },
      'Setting MAX_UPLOAD_BYTES = "1e9": must be a number of bytes, or one with a unit such as 500MB, 1.5g (powers of 1000) or 2GiB (1024), at least 1.',
    ],
    ['a size of half a byte', { min_free_bytes: 0.5 }, {}, 'Setting MIN_FREE_BYTES = 0.5: must be a number of bytes'],
    ['a port that is not a number', {}, { PORT: 'http' }, 'Setting PORT = "http":'],
    [
      'a switch in other words',
      {},
      { ALLOW_REGISTRATION: 'maybe' },
      'Setting ALLOW_REGISTRATION = "maybe": must be true or false.',
    ],
    ['a number as switch', { allow_registration: 2 }, {}, 'Setting ALLOW_REGISTRATION = 2: must be true or false.'],
    [
      'a duration without unit',
      {},
      { ACCESS_TOKEN_TTL: '7' },
      'Setting ACCESS_TOKEN_TTL = "7": must be a number and s, m, h or d, such as 7d.',
    ],
    [
      'a duration of nothing',
      {},
      { ACCESS_TOKEN_TTL: '0d' },
      'Setting ACCESS_TOKEN_TTL = "0d": must be a number and s, m, h or d, such as 7d.',
    ],
    ['a duration as number', { access_token_ttl: 7 }, {}, 'Setting ACCESS_TOKEN_TTL = 7:'],
    [
      'an address of another kind',
      {},
      { COVERART_BASE_URL: 'ftp://covers.example' },
      'Setting COVERART_BASE_URL = "ftp://covers.example": must be an http or https address.',
    ],
    [
      'no address',
      {},
      { FPID_BASE_URL: 'acoustid' },
      'Setting FPID_BASE_URL = "acoustid": must be an http or https address.',
    ],
    [
      'a score above one',
      {},
      { FPID_TRUST_SCORE: '1.01' },
      'Setting FPID_TRUST_SCORE = "1.01": must be a number from 0 to 1.',
    ],
    ['an unknown log level', { log_level: 'loud' }, {}, 'Setting LOG_LEVEL = "loud":'],
    ['a list for a path', { local_media_import_path: ['/a'] }, {}, 'Setting LOCAL_MEDIA_IMPORT_PATH = ["/a"]:'],
    [
      'blanks for a path',
      {},
      { LOCAL_MEDIA_IMPORT_PATH: '  ' },
      'Setting LOCAL_MEDIA_IMPORT_PATH = "  ": must not be empty.',
    ],
  ])('%s stops the start with one line', (_, file, env, line) => {
    const fault = findFault(file, env);
    expect(fault).toContain(line);
    expect(fault).not.toContain('\n');
  });

  it('that are secret do not appear in the message', () => {
    const fault = findFault({}, { BACKUP_PASSPHRASE: 'secret!' });
    expect(fault).toBe('Setting BACKUP_PASSPHRASE = (hidden): must have at least 8 characters.');
  });
});

describe('the table of settings', () => {
  it('has a help text for each, and valid defaults', () => {
    for (const name of SETTING_NAMES) {
      expect(SETTINGS[name].help, name).toMatch(/^.{10,200}\.$/);
      expect(() => parseSetting(name, undefined), name).not.toThrow();
    }
  });

  it.each<[NodeJS.Platform, NodeJS.ProcessEnv, string]>([
    ['linux', {}, join('/home/ann', '.local', 'share', 'tonearm')],
    ['linux', { XDG_DATA_HOME: '/xdg' }, join('/xdg', 'tonearm')],
    ['darwin', {}, join('/home/ann', 'Library', 'Application Support', 'tonearm')],
    ['win32', { APPDATA: '/roaming' }, join('/roaming', 'tonearm')],
    ['win32', {}, join('/home/ann', 'AppData', 'Roaming', 'tonearm')],
  ])('puts data on %s with %j into %s', (platform, env, folder) => {
    expect(defaultDataDir(env, platform, '/home/ann')).toBe(folder);
  });
});

it('a setting that depends on another names that setting and its valid values', () => {
  const namesWithFaults = SETTING_NAMES.flatMap((name) => {
    const { onlyFor } = SETTINGS[name];
    if (!onlyFor) return [];
    const condition = onlyFor.setting as SettingName;
    return onlyFor.values.filter((value) => !SETTINGS[condition]?.schema.safeParse(value).success).map(() => name);
  });
  expect(namesWithFaults).toEqual([]);
});

it('docs/SETTINGS.md is up to date (npm run settings-page)', () =>
  expect(readFileSync(PAGE_PATH, 'utf8')).toBe(settingsPage()));
