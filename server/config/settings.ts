// All settings, each with its name, rule, default and one line of help. `--help`, the settings page, error messages and
// the documentation are derived from this table. Names are in upper case in the environment, in lower case in
// settings.json and the API. Settings of a single storage backend are declared in its file.
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { MAX_CUSTOM_NAME_CHARACTERS, MAX_CUSTOM_TAGS, parseCustomTags } from '../db/custom-tags.ts';
import { NAMES_OF_FIELDS } from '../db/tag-names.ts';
import { LOG_LEVELS } from '../log/log.ts';
import { bool, bytes, duration, number, path, percent, setting, text, url, type ValuesOf } from '../setting-kinds.ts';
import { ARTIST_SEPARATORS, CREDIT_SEPARATORS, GENRE_SEPARATORS, MOOD_SEPARATORS } from './tag-separators.ts';
import { IGNORED_NAMES } from './ignored-names.ts';
import { BACKENDS } from '../storage/backends.ts';

/** Settings of the storage backends. Their types are left out, because only the backends need them. */
const BACKEND_SETTINGS: object = Object.assign({}, ...BACKENDS.map(({ declaredSettings }) => declaredSettings));

/** The longest allowed sign-in, in days: nobody would trust a longer one. */
const MAX_SIGN_IN_DAYS = 1_000;
const signInTime = duration.refine((seconds) => seconds <= MAX_SIGN_IN_DAYS * 86_400, {
  error: `must be at most ${MAX_SIGN_IN_DAYS}d`,
});

const commaSeparatedList = z.string().transform((v) =>
  v
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter(Boolean),
);
const proxies = commaSeparatedList.refine((networks) => networks.every(isNetwork), {
  error: 'must be addresses or networks such as 127.0.0.1 or 10.0.0.0/8, separated by commas',
});

function isNetwork(text: string): boolean {
  const [address = '', bits, ...extraParts] = text.split('/');
  const family = isIP(address);
  const maxBits = family === 4 ? 32 : 128;
  return (
    family > 0 && extraParts.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  );
}

const separators = z.string().max(200);

const FIELD_NAMES_OF_TAGS = new Set<string>(NAMES_OF_FIELDS.map(([, name]) => name));
const customTags = z
  .string()
  .max(MAX_CUSTOM_TAGS * (MAX_CUSTOM_NAME_CHARACTERS + 10))
  .superRefine((text, ctx) => {
    const fault = faultOfCustomTags(parseCustomTags(text));
    if (fault !== undefined) ctx.addIssue(fault);
  });

/** Returns why tags cannot have these names, as the second part of a sentence. */
function faultOfCustomTags(names: readonly string[]): string | undefined {
  if (names.length > MAX_CUSTOM_TAGS) return `must be at most ${MAX_CUSTOM_TAGS} names`;
  for (const name of names) {
    if (name.length > MAX_CUSTOM_NAME_CHARACTERS)
      return `must be names of at most ${MAX_CUSTOM_NAME_CHARACTERS} characters, unlike ${name.slice(0, 20)}…`;
    if (/[:;=\p{Cc}]/u.test(name)) return `must be names without : ; and =, unlike ${name}`;
    if (FIELD_NAMES_OF_TAGS.has(name)) return `must not contain ${name}, which Tonearm reads already`;
  }
  return undefined;
}

export const SETTINGS = {
  DATA_DIR: setting(
    path.default(() => defaultDataDir()),
    {
      kind: 'place',
      group: 'general',
      restart: true,
      help: 'Folder of the database, settings, stored audio, caches and logs.',
    },
  ),
  LOG_LEVEL: setting(z.enum(LOG_LEVELS).default('info'), {
    kind: 'guard',
    group: 'general',
    restart: true,
    help: 'Minimum level of log messages.',
  }),
  LOG_FILES: setting(z.enum(['auto', 'always', 'never']).default('auto'), {
    kind: 'guard',
    group: 'general',
    advanced: true,
    restart: true,
    help:
      'Also write the log to the folder logs in the data folder: auto does so unless systemd, a container or the ' +
      'desktop app already keeps it.',
  }),
  SECRET_STORE: setting(z.enum(['keep', 'file', 'keychain', 'auto']).default('keep'), {
    kind: 'guard',
    group: 'general',
    restart: true,
    help:
      'Where keys and passwords are stored: file (secrets.json), keychain (the system’s), auto (the keychain ' +
      'if there is one), or keep (where they are; initially the file).',
  }),

  HOST: setting(text.default('127.0.0.1'), {
    kind: 'address',
    group: 'network',
    advanced: true,
    help: 'Address to listen on; 0.0.0.0 allows access from other devices.',
  }),
  PORT: setting(
    number(z.int().min(0).max(65535), 'a whole number from 0 to 65535; 0 for any free port').default(4747),
    {
      kind: 'address',
      group: 'network',
      advanced: true,
      restart: true,
      help: 'Port to listen on; 0 for any free port.',
    },
  ),
  ALLOWED_HOSTS: setting(commaSeparatedList.default([]), {
    kind: 'address',
    group: 'network',
    advanced: true,
    help: 'Additional host names of this server, separated by commas; for use behind a reverse proxy.',
  }),

  TRUSTED_PROXIES: setting(proxies.default([]), {
    kind: 'address',
    group: 'network',
    advanced: true,
    restart: true,
    help:
      'Addresses or networks of reverse proxies, such as 127.0.0.1 or 10.0.0.0/8, separated by commas; their ' +
      'forwarding headers are trusted.',
  }),
  METRICS_TOKEN: setting(z.string().min(16, 'must have at least 16 characters').optional(), {
    kind: 'secret',
    group: 'network',
    advanced: true,
    help: 'Bearer token with which a monitoring program may fetch /metrics, and nothing else.',
  }),
  METRICS_OPEN: setting(bool.default(false), {
    kind: 'guard',
    group: 'network',
    advanced: true,
    help: 'Let everybody who reaches the server fetch /metrics without a token.',
  }),

  STORAGE_BACKEND: setting(text.toLowerCase().default('local'), {
    kind: 'place',
    group: 'storage',
    restart: true,
    help: 'Where audio and covers are stored: local disk or an object store.',
  }),
  STORAGE_ROOT: setting(path.optional(), {
    kind: 'place',
    group: 'storage',
    restart: true,
    help: 'Folder of the local storage; by default library in the data folder.',
  }),
  ...BACKEND_SETTINGS,
  BACKUP_TARGET: setting(path.optional(), {
    kind: 'folder',
    group: 'backup',
    help: 'Where backups are stored: an existing folder, preferably on another disk, or s3 for a bucket.',
  }),
  BACKUP_SCHEDULE: setting(
    z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 03:30')
      .optional(),
    { kind: 'guard', group: 'backup', help: 'Time of the daily backup, such as 03:30; no schedule if empty.' },
  ),
  BACKUP_KEEP_DAILY: setting(number(z.int().min(1).max(366), 'a whole number from 1 to 366').default(7), {
    kind: 'guard',
    group: 'backup',
    advanced: true,
    help: 'Number of daily snapshots to keep.',
  }),
  BACKUP_KEEP_WEEKLY: setting(number(z.int().min(0).max(520), 'a whole number from 0 to 520').default(4), {
    kind: 'guard',
    group: 'backup',
    advanced: true,
    help: 'Number of weekly snapshots to keep.',
  }),
  BACKUP_CHECK_PERCENT: setting(percent.optional(), {
    kind: 'guard',
    group: 'backup',
    advanced: true,
    help:
      'Percentage of the backup’s contents that is read and compared every week. By default 8 in a folder and 0 ' +
      'in an object store. Whether all files of the backup exist is always checked.',
  }),
  BACKUP_PASSPHRASE: setting(z.string().min(8, 'must have at least 8 characters').optional(), {
    kind: 'secret',
    group: 'backup',
    help: 'Encrypts new backups; they cannot be restored without it.',
  }),
  BACKUP_INCLUDE_KEYS: setting(bool.default(false), {
    kind: 'guard',
    group: 'backup',
    advanced: true,
    help: 'Include the keys, so that app passwords work after a restore; requires a passphrase.',
  }),
  BACKUP_INCLUDE_REFERENCED: setting(bool.default(false), {
    kind: 'guard',
    group: 'backup',
    advanced: true,
    help: 'Also back up files in the music folder that are only indexed.',
  }),
  VERIFY_DAYS: setting(number(z.int().min(0).max(3_650), 'a whole number of days; 0 for never').optional(), {
    kind: 'guard',
    group: 'storage',
    advanced: true,
    help:
      'Number of days in which all stored files are verified, a part each day; 0 for never. By default 30 on a ' +
      'disk and 0 in an object store.',
  }),
  MAX_UPLOAD_BYTES: setting(bytes(1).default(1_073_741_824), {
    kind: 'plain',
    group: 'storage',
    advanced: true,
    unit: 'bytes',
    help: 'Size limit of uploaded files.',
  }),
  MIN_FREE_BYTES: setting(bytes().default(1_000_000_000), {
    kind: 'guard',
    group: 'storage',
    advanced: true,
    unit: 'bytes',
    help: 'With less free space, uploads, downloads and restores are refused, and scans copy no more files.',
  }),

  LOCAL_MEDIA_IMPORT_PATH: setting(path.optional(), {
    kind: 'folder',
    group: 'library',
    unit: 'folder',
    help: 'Your music folder.',
  }),
  LOCAL_MEDIA_IMPORT_MODE: setting(z.enum(['copy', 'reference']).default('copy'), {
    kind: 'guard',
    group: 'library',
    help: 'Copy files into the library, or only index them where they are.',
  }),
  LOCAL_MEDIA_WATCH: setting(bool.default(true), {
    kind: 'plain',
    group: 'library',
    help: 'Watch the music folder for changes.',
  }),
  LOCAL_MEDIA_IGNORE: setting(text.max(4_000).default(IGNORED_NAMES.join(', ')).or(z.literal('')), {
    kind: 'plain',
    group: 'library',
    advanced: true,
    help: 'Files and folders that scans leave out: names or patterns as in .gitignore, separated by commas.',
  }),

  PLAYLIST_FILES: setting(bool.default(true), {
    kind: 'plain',
    group: 'library',
    help: 'Make playlists of the playlist files in the music folders (M3U, PLS, XSPF, NSP), and let them follow.',
  }),
  PLAYLIST_FILES_OWNER: setting(text.optional(), {
    kind: 'account',
    group: 'library',
    advanced: true,
    help: 'The account that owns playlists made of files; by default the administrator who set up the server.',
  }),
  PLAYLIST_FILES_PUBLIC: setting(bool.default(true), {
    kind: 'plain',
    group: 'library',
    advanced: true,
    help: 'Show new playlists made of files to everybody, like the music in the same folders.',
  }),

  PLAYLIST_EXPORT_PATH: setting(path.optional(), {
    kind: 'guard',
    group: 'library',
    advanced: true,
    unit: 'folder',
    help:
      'Folder into which all playlists are written as M3U8 files, for other programs: a folder for each account, ' +
      'outside of the music folders.',
  }),

  ARTIST_SEPARATORS: setting(separators.default(ARTIST_SEPARATORS.join('|')), {
    kind: 'plain',
    group: 'library',
    advanced: true,
    help:
      'What separates several artists in one tag; | stands between separators. Names marked "never split", and ' +
      'artists with a MusicBrainz id, stay whole.',
  }),
  GENRE_SEPARATORS: setting(separators.default(GENRE_SEPARATORS.join('|')), {
    kind: 'plain',
    group: 'library',
    advanced: true,
    help: 'What separates several genres in one tag; | stands between separators.',
  }),
  MOOD_SEPARATORS: setting(separators.default(MOOD_SEPARATORS.join('|')), {
    kind: 'plain',
    group: 'library',
    advanced: true,
    help: 'What separates several moods in one tag; | stands between separators.',
  }),
  CREDIT_SEPARATORS: setting(separators.default(CREDIT_SEPARATORS.join('|')), {
    kind: 'plain',
    group: 'library',
    advanced: true,
    help: 'What separates several composers, conductors or other people in one tag; | stands between separators.',
  }),

  CUSTOM_TAGS: setting(customTags.default(''), {
    kind: 'plain',
    group: 'library',
    advanced: true,
    help:
      'Other tags to read, such as OCCASION, SONGWRITER: columns, filters and rules have them. ' +
      '"Rescan everything" reads them from files that are in the library already.',
  }),

  ALLOW_REGISTRATION: setting(bool.default(true), {
    kind: 'account',
    group: 'accounts',
    help: 'Let people create their own accounts.',
  }),
  JWT_SECRET: setting(z.string().min(1).optional(), {
    kind: 'secret',
    group: 'accounts',
    advanced: true,
    restart: true,
    help: 'Signs access tokens; generated if empty. Use at least 16 characters.',
  }),
  ACCESS_TOKEN_TTL: setting(signInTime.default(604_800), {
    kind: 'guard',
    group: 'accounts',
    advanced: true,
    unit: 'duration',
    help: 'How long a sign-in lasts, such as 12h or 7d; 1000d at most.',
  }),
  COMPAT_SECRET_KEY: setting(z.string().min(1).optional(), {
    kind: 'secret',
    group: 'accounts',
    advanced: true,
    restart: true,
    help: 'Encrypts the app passwords of Subsonic clients; generated if empty. Use at least 16 characters.',
  }),
  ADMIN_USERNAME: setting(text.optional(), {
    kind: 'account',
    group: 'accounts',
    advanced: true,
    restart: true,
    help: 'Creates this superuser at startup if there is none (requires ADMIN_PASSWORD).',
  }),
  ADMIN_PASSWORD: setting(z.string().min(8, 'must have at least 8 characters').optional(), {
    kind: 'secret',
    group: 'accounts',
    advanced: true,
    restart: true,
    help: 'Password of ADMIN_USERNAME.',
  }),

  ANALYSIS_ENABLED: setting(bool.default(true), {
    kind: 'plain',
    group: 'metadata',
    help: 'Analyze all tracks in the background: fingerprint, loudness, waveform, tempo, key and timbre.',
  }),
  ANALYSIS_ON_BATTERY: setting(bool.default(false), {
    kind: 'plain',
    group: 'metadata',
    advanced: true,
    help: 'Also analyze audio on battery power.',
  }),
  FPID_ENABLED: setting(bool.default(true), {
    kind: 'plain',
    group: 'metadata',
    help: 'Ask AcoustID about the fingerprints of tracks. Fingerprints are computed on this computer in any case.',
  }),
  FPID_API_KEY: setting(text.optional(), {
    kind: 'secret',
    group: 'metadata',
    help: 'Your AcoustID API key.',
  }),
  FPID_BASE_URL: setting(url.default('https://api.acoustid.org'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of AcoustID.',
  }),
  FPID_TRUST_SCORE: setting(number(z.number().min(0).max(1), 'a number from 0 to 1').default(0.85), {
    kind: 'plain',
    group: 'metadata',
    help: 'Above this score, a fingerprint match takes precedence over tags.',
  }),
  FPID_RATE_PER_SECOND: setting(number(z.number().min(0.1).max(1_000), 'a number from 0.1 to 1000').default(3), {
    kind: 'plain',
    group: 'metadata',
    advanced: true,
    help: 'Maximum lookups per second; the public service allows 3.',
  }),
  MUSICBRAINZ_ENABLED: setting(bool.default(true), {
    kind: 'plain',
    group: 'metadata',
    help: 'Look up year, genre and track number in MusicBrainz.',
  }),
  MUSICBRAINZ_BASE_URL: setting(url.default('https://musicbrainz.org'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of MusicBrainz.',
  }),
  CONTACT: setting(text.optional(), {
    kind: 'plain',
    group: 'metadata',
    help: 'E-mail or web address that is sent to MusicBrainz with each request.',
  }),
  COVERART_ENABLED: setting(bool.default(true), {
    kind: 'plain',
    group: 'metadata',
    help: 'Look up missing covers online.',
  }),
  COVERART_BASE_URL: setting(url.default('https://coverartarchive.org'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of the Cover Art Archive.',
  }),
  TAG_RATINGS_ACCOUNT: setting(text.optional(), {
    kind: 'plain',
    group: 'library',
    help:
      'Account that gets the ratings and play counts in the tags of files; they are not used if empty. Ratings that ' +
      'this account gave itself stay.',
  }),
  LYRICS_ENABLED: setting(bool.default(false), {
    kind: 'plain',
    group: 'metadata',
    help: 'Look up lyrics at LRCLIB, which receives the artist, title, album and length of tracks without lyrics.',
  }),
  LYRICS_BASE_URL: setting(url.default('https://lrclib.net'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of LRCLIB or a compatible server.',
  }),
  LYRICS_WRITE_FILES: setting(bool.default(false), {
    kind: 'guard',
    group: 'metadata',
    help: 'Also write lyrics that were looked up or edited to .lrc files in the music folders, beside indexed files.',
  }),
  ARTIST_INFO_ENABLED: setting(bool.default(false), {
    kind: 'plain',
    group: 'metadata',
    help:
      'Look up artists, albums and labels at MusicBrainz, which receives their names or MusicBrainz ids, and at ' +
      'Wikidata, Wikipedia and Wikimedia Commons.',
  }),
  WIKIDATA_BASE_URL: setting(url.default('https://www.wikidata.org'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of Wikidata.',
  }),
  WIKIPEDIA_BASE_URL: setting(url.default('https://{language}.wikipedia.org'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of Wikipedia, with {language} where the language belongs.',
  }),
  COMMONS_BASE_URL: setting(url.default('https://commons.wikimedia.org'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of Wikimedia Commons.',
  }),
  LISTENBRAINZ_ENABLED: setting(bool.default(true), {
    kind: 'plain',
    group: 'metadata',
    help: 'Let people scrobble to ListenBrainz.',
  }),
  LISTENBRAINZ_BASE_URL: setting(url.default('https://api.listenbrainz.org'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of ListenBrainz or a compatible server.',
  }),
  LASTFM_API_KEY: setting(text.optional(), {
    kind: 'secret',
    group: 'metadata',
    help: 'Your Last.fm API key; with the secret, people can scrobble to Last.fm.',
  }),
  LASTFM_API_SECRET: setting(text.optional(), {
    kind: 'secret',
    group: 'metadata',
    help: 'The shared secret of your Last.fm API key.',
  }),
  LASTFM_BASE_URL: setting(url.default('https://ws.audioscrobbler.com'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of the Last.fm API.',
  }),
  LIBREFM_ENABLED: setting(bool.default(true), {
    kind: 'plain',
    group: 'metadata',
    help: 'Let people scrobble to Libre.fm.',
  }),
  LIBREFM_BASE_URL: setting(url.default('https://libre.fm'), {
    kind: 'address',
    group: 'metadata',
    advanced: true,
    help: 'Address of Libre.fm or another GNU FM server.',
  }),
  MALOJA_ENABLED: setting(bool.default(true), {
    kind: 'plain',
    group: 'metadata',
    help: 'Let people scrobble to their own Maloja servers; only administrators may use one in a private network.',
  }),
  FFMPEG_PATH: setting(path.optional(), {
    kind: 'program',
    group: 'metadata',
    advanced: true,
    help: 'Path of ffmpeg; by default the one on the PATH.',
  }),
  TRANSCODE_PROCESSES: setting(number(z.int().min(1).max(64), 'a whole number from 1 to 64').default(2), {
    kind: 'plain',
    group: 'storage',
    advanced: true,
    help: 'Number of transcodes that work at the same time. More than that take turns.',
  }),
  TRANSCODE_CACHE_BYTES: setting(bytes().default(5_368_709_120), {
    kind: 'plain',
    group: 'storage',
    advanced: true,
    unit: 'bytes',
    help: 'Size limit of the transcode cache.',
  }),
  STORE_CACHE_BYTES: setting(bytes().default(5_368_709_120), {
    kind: 'plain',
    group: 'storage',
    advanced: true,
    unit: 'bytes',
    onlyFor: { setting: 'STORAGE_BACKEND', values: ['s3'] },
    help: 'Size limit of the disk cache of an object store; 0 for none.',
  }),
  FPCALC_PATH: setting(path.optional(), {
    kind: 'program',
    group: 'metadata',
    advanced: true,
    help: 'Path of fpcalc; by default the one on the PATH.',
  }),

  STREAMSRC_ENABLED: setting(bool.default(false), {
    kind: 'program',
    group: 'remote',
    help: 'Search a remote catalogue and save tracks from it.',
  }),
  STREAMSRC_PROVIDER: setting(z.enum(['ia', 'ext', 'sub']).default('ia'), {
    kind: 'program',
    group: 'remote',
    help: 'Catalogue: ia (Internet Archive), ext (an external extractor), or sub (another Subsonic server).',
  }),
  STREAMSRC_BASE_URL: setting(url.optional(), {
    kind: 'address',
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ia', 'sub'] },
    help: 'Address of the other Subsonic server, or of a mirror of the Internet Archive.',
  }),
  STREAMSRC_COOKIES_FILE: setting(path.optional(), {
    kind: 'folder',
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ext'] },
    help: 'Cookies file for the extractor.',
  }),
  STREAMSRC_COMMAND: setting(text.optional(), {
    kind: 'program',
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ext'] },
    help: 'Path of the extractor, yt-dlp or a compatible one; by default yt-dlp on the PATH.',
  }),
  STREAMSRC_SEARCH_TEMPLATE: setting(text.optional(), {
    kind: 'program',
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ext'] },
    help: 'Search template of the extractor; by default ytsearch{limit}:{query}.',
  }),
  STREAMSRC_EXTRACTORS: setting(text.optional(), {
    kind: 'program',
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['ext'] },
    help:
      'Sites that the extractor may use, separated by commas; -generic excludes its generic extractor, which ' +
      'takes any web page.',
  }),
  STREAMSRC_USERNAME: setting(text.optional(), {
    kind: 'address',
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['sub'] },
    help: 'Username on the other Subsonic server.',
  }),
  STREAMSRC_PASSWORD: setting(text.optional(), {
    kind: 'secret',
    group: 'remote',
    onlyFor: { setting: 'STREAMSRC_PROVIDER', values: ['sub'] },
    help: 'Password on the other Subsonic server.',
  }),
  PODCAST_REFRESH_HOURS: setting(number(z.int().min(0).max(720), 'a whole number from 0 to 720').default(6), {
    kind: 'plain',
    group: 'remote',
    help: 'Hours between two refreshes of podcast feeds; 0 to refresh only manually.',
  }),
  PODCAST_DOWNLOAD_NEWEST: setting(number(z.int().min(0).max(100), 'a whole number from 0 to 100').default(1), {
    kind: 'plain',
    group: 'remote',
    help: 'How many of the newest episodes of each podcast are downloaded automatically.',
  }),
  PODCAST_MAX_BYTES: setting(bytes().default(10_000_000_000), {
    kind: 'guard',
    group: 'remote',
    unit: 'bytes',
    help: 'Space for downloaded episodes. When it is full, the ones downloaded first are deleted.',
  }),
  SUBSONIC_REMOTE_TRACKS: setting(bool.default(true), {
    kind: 'plain',
    group: 'remote',
    help: 'Show placeholders to Subsonic clients; playing one fetches its audio.',
  }),
};

export type SettingName = keyof typeof SETTINGS;
export type Settings = ValuesOf<typeof SETTINGS>;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** Returns the default data folder, in the platform's folder for application data. */
export function defaultDataDir(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  if (platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'tonearm');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'tonearm');
  return join(env['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'tonearm');
}
