// Every setting there is: name, rule, default, one line of help. `--help`, the settings window, the error texts and the
// documentation all read this table. Names are the environment's; in settings.json and on the wire they are lower case.
// The settings of one storage backend alone are declared in its file.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { LOG_LEVELS } from '../log/log.ts';
import { bool, duration, number, path, setting, text, url, type ValuesOf } from '../setting.ts';
import { BACKENDS } from '../storage/backends.ts';

/** Without their types, which only the backends need. */
const BACKEND_SETTINGS: object = Object.assign({}, ...BACKENDS.map(({ declares }) => declares));

export const SETTINGS = {
  DATA_DIR: setting(
    path.default(() => defaultDataDir()),
    { group: 'general', restart: true, help: 'Folder of the database, settings, stored audio, caches and logs.' },
  ),
  LOG_LEVEL: setting(z.enum(LOG_LEVELS).default('info'), {
    group: 'general',
    restart: true,
    help: 'How much is logged.',
  }),
  SECRET_STORE: setting(z.enum(['keep', 'file', 'keychain', 'auto']).default('keep'), {
    group: 'general',
    restart: true,
    help:
      'Where keys and passwords are kept: in a file (secrets.json), in the system’s keychain, auto for the ' +
      'keychain where there is one, or keep for where they are (at first the file).',
  }),

  HOST: setting(text.default('127.0.0.1'), {
    group: 'network',
    advanced: true,
    help: 'Address to listen on; 0.0.0.0 lets other devices in.',
  }),
  PORT: setting(
    number(z.int().min(0).max(65535), 'a whole number from 0 to 65535; 0 takes a free port').default(4747),
    { group: 'network', advanced: true, restart: true, help: 'Port to listen on; 0 takes a free one.' },
  ),
  ALLOWED_HOSTS: setting(
    z
      .string()
      .transform((v) =>
        v
          .split(',')
          .map((h) => h.trim().toLowerCase())
          .filter(Boolean),
      )
      .default([]),
    {
      group: 'network',
      advanced: true,
      help: 'Further host names by which browsers may reach this server, separated by commas (for a reverse proxy).',
    },
  ),

  STORAGE_BACKEND: setting(text.default('local'), {
    group: 'storage',
    restart: true,
    help: 'Where audio and covers are kept: local disk or an object store.',
  }),
  STORAGE_ROOT: setting(path.optional(), {
    group: 'storage',
    restart: true,
    help: 'Folder of the local storage; library inside the data folder by default.',
  }),
  ...BACKEND_SETTINGS,
  BACKUP_TARGET: setting(path.optional(), {
    group: 'backup',
    help: 'Where backups go: an existing folder, best on another disk, or s3 for the bucket.',
  }),
  BACKUP_SCHEDULE: setting(
    z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 03:30')
      .optional(),
    { group: 'backup', help: 'When a backup is made every day, such as 03:30; no schedule if empty.' },
  ),
  BACKUP_KEEP_DAILY: setting(number(z.int().min(1).max(366), 'a whole number from 1 to 366').default(7), {
    group: 'backup',
    advanced: true,
    help: 'Of how many days the last snapshot is kept.',
  }),
  BACKUP_KEEP_WEEKLY: setting(number(z.int().min(0).max(520), 'a whole number from 0 to 520').default(4), {
    group: 'backup',
    advanced: true,
    help: 'Of how many weeks the last snapshot is kept.',
  }),
  BACKUP_PASSPHRASE: setting(z.string().min(8, 'must have at least 8 characters').optional(), {
    group: 'backup',
    secret: true,
    help: 'Encrypts backups that are begun from now on; without it nobody can restore them.',
  }),
  BACKUP_INCLUDE_KEYS: setting(bool.default(false), {
    group: 'backup',
    advanced: true,
    help: 'Take the keys along, so that app-passwords work after a restore; needs a passphrase.',
  }),
  BACKUP_INCLUDE_REFERENCED: setting(bool.default(false), {
    group: 'backup',
    advanced: true,
    help: 'Also copy the files of the music folder that are only indexed.',
  }),
  VERIFY_DAYS: setting(number(z.int().min(0).max(3_650), 'a whole number of days; 0 for never').optional(), {
    group: 'storage',
    advanced: true,
    help:
      'In how many days all stored files are verified once, a part every day; 0 for never. 30 on a disk and 0 ' +
      'in an object store by default.',
  }),
  MAX_UPLOAD_BYTES: setting(number(z.int().min(1), 'a whole number of bytes').default(1_073_741_824), {
    group: 'storage',
    advanced: true,
    unit: 'bytes',
    help: 'Largest file that may be uploaded, in bytes.',
  }),
  MIN_FREE_BYTES: setting(number(z.int().min(0), 'a whole number of bytes').default(1_000_000_000), {
    group: 'storage',
    advanced: true,
    unit: 'bytes',
    help: 'With less than this free on the disk, in bytes, uploads and downloads are refused.',
  }),

  LOCAL_MEDIA_IMPORT_PATH: setting(path.optional(), { group: 'library', unit: 'folder', help: 'Your music folder.' }),
  LOCAL_MEDIA_IMPORT_MODE: setting(z.enum(['copy', 'reference']).default('copy'), {
    group: 'library',
    help: 'Copy files into the library, or leave them where they are and only index them.',
  }),
  LOCAL_MEDIA_WATCH: setting(bool.default(true), {
    group: 'library',
    help: 'Notice changes in the music folder at once.',
  }),

  ALLOW_REGISTRATION: setting(bool.default(true), { group: 'accounts', help: 'Let people make their own accounts.' }),
  JWT_SECRET: setting(z.string().min(16, 'must have at least 16 characters').optional(), {
    group: 'accounts',
    advanced: true,
    restart: true,
    secret: true,
    help: 'Signs access tokens; generated when not set.',
  }),
  ACCESS_TOKEN_TTL: setting(duration.default(604_800), {
    group: 'accounts',
    advanced: true,
    unit: 'duration',
    help: 'How long a sign-in lasts: a number and s, m, h or d.',
  }),
  COMPAT_SECRET_KEY: setting(z.string().min(16, 'must have at least 16 characters').optional(), {
    group: 'accounts',
    advanced: true,
    restart: true,
    secret: true,
    help: 'Protects the app-passwords of phone clients; generated when not set.',
  }),
  ADMIN_USERNAME: setting(text.optional(), {
    group: 'accounts',
    advanced: true,
    restart: true,
    help: 'Makes this superuser at the start if there is none (needs ADMIN_PASSWORD).',
  }),
  ADMIN_PASSWORD: setting(z.string().min(8, 'must have at least 8 characters').optional(), {
    group: 'accounts',
    advanced: true,
    restart: true,
    secret: true,
    help: 'Password of ADMIN_USERNAME.',
  }),

  FPID_ENABLED: setting(bool.default(true), { group: 'metadata', help: 'Identify tracks by acoustic fingerprint.' }),
  FPID_API_KEY: setting(text.optional(), {
    group: 'metadata',
    secret: true,
    help: 'Your key for the identification service.',
  }),
  FPID_BASE_URL: setting(url.default('https://api.acoustid.org'), {
    group: 'metadata',
    advanced: true,
    help: 'Address of the identification service.',
  }),
  FPID_TRUST_SCORE: setting(number(z.number().min(0).max(1), 'a number from 0 to 1').default(0.85), {
    group: 'metadata',
    help: 'Above this score a fingerprint match wins over the tags; at or below it the tags win.',
  }),
  FPID_RATE_PER_SECOND: setting(number(z.number().min(0.1).max(1_000), 'a number from 0.1 to 1000').default(3), {
    group: 'metadata',
    advanced: true,
    help: 'Look-ups per second at most; the public service allows 3.',
  }),
  MUSICBRAINZ_ENABLED: setting(bool.default(true), {
    group: 'metadata',
    help: 'Ask MusicBrainz for year, genre and track number.',
  }),
  MUSICBRAINZ_BASE_URL: setting(url.default('https://musicbrainz.org'), {
    group: 'metadata',
    advanced: true,
    help: 'Address of MusicBrainz.',
  }),
  CONTACT: setting(text.optional(), {
    group: 'metadata',
    help: 'Mail or web address that is sent to MusicBrainz with each request.',
  }),
  COVERART_ENABLED: setting(bool.default(true), { group: 'metadata', help: 'Look for missing covers online.' }),
  COVERART_BASE_URL: setting(url.default('https://coverartarchive.org'), {
    group: 'metadata',
    advanced: true,
    help: 'Address of the cover archive.',
  }),
  LISTENBRAINZ_ENABLED: setting(bool.default(true), {
    group: 'metadata',
    help: 'Let people have their plays sent to ListenBrainz.',
  }),
  LISTENBRAINZ_BASE_URL: setting(url.default('https://api.listenbrainz.org'), {
    group: 'metadata',
    advanced: true,
    help: 'Address of ListenBrainz, or of a server that speaks like it.',
  }),
  FFMPEG_PATH: setting(path.optional(), {
    group: 'metadata',
    advanced: true,
    help: 'The ffmpeg program; looked up on PATH by default.',
  }),
  TRANSCODE_PROCESSES: setting(number(z.int().min(1).max(64), 'a whole number from 1 to 64').default(2), {
    group: 'storage',
    advanced: true,
    help: 'How many tracks are transcoded at the same time.',
  }),
  TRANSCODE_CACHE_BYTES: setting(number(z.int().min(0), 'a whole number of bytes').default(5_368_709_120), {
    group: 'storage',
    advanced: true,
    unit: 'bytes',
    help: 'Size limit of the cache of transcoded tracks, in bytes.',
  }),
  FPCALC_PATH: setting(path.optional(), {
    group: 'metadata',
    advanced: true,
    help: 'The fpcalc program; looked up on PATH by default.',
  }),

  STREAMSRC_ENABLED: setting(bool.default(false), {
    group: 'remote',
    help: 'Search a remote catalogue and save tracks from it.',
  }),
  STREAMSRC_PROVIDER: setting(z.enum(['ia', 'ext', 'sub']).default('ia'), {
    group: 'remote',
    help: 'Which catalogue: Internet Archive, an external extractor, or another Subsonic server.',
  }),
  STREAMSRC_BASE_URL: setting(url.optional(), {
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ia', 'sub'] },
    help: 'Address of the catalogue: of the other Subsonic server, or of a mirror of the Internet Archive.',
  }),
  STREAMSRC_COOKIES_FILE: setting(path.optional(), {
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ext'] },
    help: 'Cookies file for the extractor.',
  }),
  STREAMSRC_COMMAND: setting(text.optional(), {
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ext'] },
    help: 'The extractor program, yt-dlp or one like it; looked up on PATH by default.',
  }),
  STREAMSRC_SEARCH_TEMPLATE: setting(text.optional(), {
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ext'] },
    help: 'How a search is put to the extractor; ytsearch{limit}:{query} by default.',
  }),
  STREAMSRC_EXTRACTORS: setting(text.optional(), {
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ext'] },
    help:
      'Names of the extractor’s sites that may be used, separated by commas; -generic leaves out web pages in ' +
      'general.',
  }),
  STREAMSRC_USERNAME: setting(text.optional(), {
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['sub'] },
    help: 'Account at the other Subsonic server.',
  }),
  STREAMSRC_PASSWORD: setting(text.optional(), {
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['sub'] },
    secret: true,
    help: 'Password at the other Subsonic server.',
  }),
  SUBSONIC_REMOTE_TRACKS: setting(bool.default(true), {
    group: 'remote',
    help: 'Show phone clients saved tracks whose audio is not here yet; playing one fetches it.',
  }),
};

export type SettingName = keyof typeof SETTINGS;
export type Settings = ValuesOf<typeof SETTINGS>;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The platform's folder for an application's data. */
export function defaultDataDir(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  if (platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'tonearm');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'tonearm');
  return join(env['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'tonearm');
}
