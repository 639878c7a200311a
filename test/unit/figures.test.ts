// Checks that figures on the pages of the documentation are those of the code.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeAppPassword } from '../../server/auth/app-passwords.ts';
import { BACKUP_TASK } from '../../server/backup/tasks.ts';
import { parseSetting } from '../../server/config/config.ts';
import type { SettingName } from '../../server/config/settings.ts';
import { backoffMs, DEFAULT_BACKOFF } from '../../server/jobs/backoff.ts';
import type { Task } from '../../server/jobs/tasks.ts';
import { SCAN_LOCAL_FOLDER } from '../../server/scan/tasks.ts';
import { constantIn, figureOn, readSource, rowsOf, sectionOf } from '../support/manual.ts';

const [KB_BYTES, MB_BYTES, GB_BYTES] = [1 << 10, 1 << 20, 1 << 30];
const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000];
const [BACKUP_PAGE, INSTALL_PAGE, SECURITY_PAGE, STORAGE_PAGE, SUBSONIC_PAGE] = [
  'BACKUP',
  'INSTALL',
  'SECURITY',
  'STORAGE',
  'SUBSONIC',
].map((name) => join('docs', `${name}.md`)) as [string, string, string, string, string];

/** A pattern for a figure on a page, and the file, name and unit of the constant that it must equal. */
type Figure = [pattern: RegExp, file: string, constant: string, unit?: number];

const FIGURES: Record<string, Figure[]> = {
  [SECURITY_PAGE]: [
    [/open connections \| ([\d,]+), and/, 'server/lan/connections.ts', 'total'],
    [/open connections \| [\d,]+, and (\d+) from one address/, 'server/lan/connections.ts', 'perAddress'],
    [/request headers \| (\d+) s/, 'server/lan/connections.ts', 'headMs', SECOND_MS],
    [/request headers \| \d+ s, (\d+) KB/, 'server/lan/listeners.ts', 'MAX_REQUEST_HEAD', KB_BYTES],
    [/a request body that stalls \| (\d+) s/, 'server/lan/connections.ts', 'stallMs', SECOND_MS],
    [/a body that arrives at (\d+) bytes\/s or more/, 'server/lan/connections.ts', 'bytesPerSecond'],
    [/a response that the client does not read \| (\d+) s/, 'server/lan/connections.ts', 'stallMs', SECOND_MS],
    [/and (\d+) s for each KB that was sent/, 'server/lan/connections.ts', 'MS_PER_BYTE'],
    [/that was sent, (\d+) minutes at most/, 'server/lan/connections.ts', 'pauseMs', MINUTE_MS],
    [
      /audio that the client does not read \(paused\) \| (\d+) minutes/,
      'server/lan/connections.ts',
      'pauseMs',
      MINUTE_MS,
    ],
    [/a connection without requests \| (\d+) s/, 'server/lan/listeners.ts', 'keepAliveTimeout', SECOND_MS],
    [/requests waiting on one connection \| (\d+)/, 'server/lan/connections.ts', 'pipelined'],
    [/requests in progress \| (\d+) for an account/, 'server/http/in-flight.ts', 'account'],
    [/(\d+) for an address that is not signed in/, 'server/http/in-flight.ts', 'address'],
    [/long lists that are sent at the same time \| (\d+)/, 'server/http/streamed-lists.ts', 'MAX_LONG_ANSWERS'],
    [/at the same time \| \d+, each for (half) a second/, 'server/http/streamed-lists.ts', 'TURN_MS', SECOND_MS],
    [/reported playbacks of an account \| (\d+)/, 'server/history/now-playing.ts', 'MAX_PLAYERS_PER_USER'],
    [/event streams \| (\d+) for an account/, 'server/events/routes.ts', 'MAX_CONNECTIONS'],
    [/a heartbeat every (\d+) s/, 'server/events/routes.ts', 'HEARTBEAT_MS', SECOND_MS],
    [/failed sign-ins \| (\d+) a minute for a name at an address/, 'server/auth/sign-in-limits.ts', 'pair'],
    [/at an address, (\d+) for an address, \d+ for a name/, 'server/auth/sign-in-limits.ts', 'address'],
    [/at an address, \d+ for an address, (\d+) for a name/, 'server/auth/sign-in-limits.ts', 'name'],
    [/limited per name and address \((\d+) a minute\)/, 'server/auth/sign-in-limits.ts', 'pair'],
    [/a minute\), per address \((\d+)\)/, 'server/auth/sign-in-limits.ts', 'address'],
    [/per address \(\d+\) and per name \((\d+)\)/, 'server/auth/sign-in-limits.ts', 'name'],
    [/new accounts \| (\d+) an hour for an address/, 'server/auth/sign-in-limits.ts', 'accounts'],
    [/new accounts \| \d+ (an) hour/, 'server/auth/sign-in-limits.ts', 'seconds', HOUR_MS / SECOND_MS],
    [/\| JSON \| (\d+) KB/, 'server/http/body.ts', 'MAX_JSON_BYTES', KB_BYTES],
    [/\| JSON \| \d+ KB, ([\d,]+) values/, 'server/http/body.ts', 'MAX_VALUES'],
    [/values and (\d+) levels/, 'server/http/body.ts', 'MAX_DEPTH'],
    [/ids in a queue, [^|]+\| ([\d,]+)/, 'server/playback/queue.ts', 'MAX_QUEUED'],
    [/ids in a playlist request, [^|]+\| ([\d,]+)/, 'server/playlists/wire.ts', 'MAX_TRACKS'],
    [/tracks in a playlist \| ([\d,]+)/, 'server/playlists/change-plans.ts', 'MAX_PLAYLIST_ENTRIES'],
    [/a list of stars \| ([\d,]+)/, 'server/subsonic/params.ts', 'MAX_IDS'],
    [/parameters \| ([\d,]+) in an address/, 'server/http/mount.ts', 'MAX_QUERY_PARAMETERS'],
    [/in an address, ([\d,]+) in a Subsonic form/, 'server/http/params.ts', 'MAX_PARAMETERS'],
    [/in a Subsonic form of (\d+) MB/, 'server/subsonic/router.ts', 'MAX_FORM_BYTES', MB_BYTES],
    [/a sign-in \| ([\d,]+) days/, 'server/config/settings.ts', 'MAX_SIGN_IN_DAYS'],
    [/sessions of an account \| (\d+)/, 'server/auth/sessions.ts', 'MAX_SESSIONS'],
    [/app passwords of an account \| (\d+)/, 'server/auth/named-app-passwords.ts', 'MAX_APP_PASSWORDS'],
    [/There are at most (\d+) of them, each with a name/, 'server/auth/named-app-passwords.ts', 'MAX_APP_PASSWORDS'],
    [/for good in a request \| ([\d,]+)/, 'server/library/trash/trash-routes.ts', 'MAX_IDS'],
    [/\((\d+) GB for a self-registered account\)/, 'server/db/rights.ts', 'SELF_REGISTERED_QUOTA', 1e9],
    [/it works once, for (half) a minute/, 'server/auth/desktop-tickets.ts', 'TICKET_LIFETIME_MS', MINUTE_MS],
    [/are argon2id \((\d+) MiB/, 'server/auth/passwords.ts', 'memoryCost', KB_BYTES],
    [/they are good for (\d+) hours/, 'server/auth/service.ts', 'URL_TOKEN_TTL', HOUR_MS / SECOND_MS],
    [/tracks\*\* stay for (\d+) days in the trash/, 'server/library/trash/trash.ts', 'TRASH_RETENTION_MS', DAY_MS],
    [/keep what they replaced for (\d+) days/, 'server/library/trash/trash.ts', 'TRASH_RETENTION_MS', DAY_MS],
    [/(\d+) MB of it are kept in reserve as a file/, 'server/db/reserve.ts', 'RESERVE_BYTES', MB_BYTES],
    [/in a thread limited to (\d+) s/, 'server/files/reader-pool.ts', 'MAX_PARSE_MS', SECOND_MS],
    [/limited to \d+ s and (\d+) MB of heap/, 'server/files/reader-pool.ts', 'MAX_HEAP_MB'],
    [/`MAX_UPLOAD_BYTES` each and ([\d,]+) in a form/, 'server/uploads/service.ts', 'MAX_FILES'],
  ],
  [INSTALL_PAGE]: [[/scanned every (\d+) minutes/, 'server/watch/music-folder-watch.ts', 'pollMs', MINUTE_MS]],
  [BACKUP_PAGE]: [
    [/every week; (\d+) in a folder/, 'server/backup/service.ts', 'DEFAULT_CHECK_PERCENT'],
    [/In a folder they read (\d+) % of the contents/, 'server/backup/service.ts', 'DEFAULT_CHECK_PERCENT'],
    [/Checks run every week\. .*read once in (three) months/, 'server/backup/check.ts', 'FULL_READ_DAYS', 92 / 3],
    [/a few (\d+) kB pieces of the database/, 'server/backup/back-up.ts', 'LEAF_BYTES', KB_BYTES],
    [/more than (\d+) GB to copy/, 'server/backup/back-up.ts', 'MIN_FIRST_SNAPSHOT_BYTES', 1e9],
    [/it expires after (ten) minutes/, 'server/backup/lease.ts', 'EXPIRES_MS', MINUTE_MS],
    [/blobs of up to (\d+) MB/, 'server/backup/packs.ts', 'PIECE_BYTES', MB_BYTES],
    [/blobs of up to \d+ MB, (\d+) MB to a file/, 'server/backup/packs.ts', 'PACK_BYTES', MB_BYTES],
    [/On a disk this runs every (\d+) days/, 'server/storage/local.ts', 'verifyDays'],
  ],
  [SUBSONIC_PAGE]: [[/AAC goes up to (\d+) kbps/, 'server/media/transcode.ts', 'max']],
  [STORAGE_PAGE]: [
    [/Files over (\d+) MB are uploaded in parts/, 'server/storage/s3.ts', 'PART_BYTES', MB_BYTES],
    [
      /removes parts of interrupted uploads after (a) week/,
      'server/maintenance/garbage-collection.ts',
      'MIN_AGE_MS',
      7 * DAY_MS,
    ],
    [/nothing has referred to for (a) week/, 'server/maintenance/garbage-collection.ts', 'MIN_AGE_MS', 7 * DAY_MS],
    [/gets no answer for (\d+) s/, 'server/storage/s3-client.ts', 'silenceMs', SECOND_MS],
    [/or an error, is tried (\w+) times/, 'server/storage/s3-client.ts', 'attempts'],
    [/on a disk is verified every (\d+) days/, 'server/storage/local.ts', 'verifyDays'],
    [/the download stops after (\w+) seconds/, 'server/streaming/object-cache.ts', 'ABANDON_AFTER_MS', SECOND_MS],
  ],
};

describe.each(Object.entries(FIGURES))('%s', (page, figures) => {
  it.each(figures)('%s', (pattern, file, constantName, unit = 1) => {
    expect(figureOn(page, pattern) * unit).toBe(constantIn(file, constantName));
  });
});

it.each<[string, RegExp, SettingName, number?]>([
  [BACKUP_PAGE, /for how many days \((\d+)\)/, 'BACKUP_KEEP_DAILY'],
  [BACKUP_PAGE, /for how many days \(\d+\) and weeks \((\d+)\)/, 'BACKUP_KEEP_WEEKLY'],
  [STORAGE_PAGE, /`STORE_CACHE_BYTES` \((\d+) GB\)/, 'STORE_CACHE_BYTES', GB_BYTES],
])('%s: %s is the default of %s', (page, pattern, name, unit = 1) => {
  expect(figureOn(page, pattern) * unit).toBe(parseSetting(name, undefined));
});

it('jobs are retried as often, and after as long, as the pages say', () => {
  const listRetryDelays = ({ attempts, backoff = DEFAULT_BACKOFF }: Pick<Task, 'attempts' | 'backoff'>): number[] =>
    Array.from({ length: attempts - 1 }, (_, n) => backoffMs(backoff, n + 1, 0.5));
  expect(listRetryDelays(BACKUP_TASK)).toEqual([
    figureOn(BACKUP_PAGE, /after (a) minute and after ten/) * MINUTE_MS,
    figureOn(BACKUP_PAGE, /after a minute and after (ten)/) * MINUTE_MS,
  ]);
  expect(listRetryDelays(BACKUP_TASK)).toHaveLength(figureOn(BACKUP_PAGE, /is tried again (\w+) times/));
  const days = listRetryDelays(SCAN_LOCAL_FOLDER).reduce((sum, ms) => sum + ms) / DAY_MS;
  expect(Math.round(days)).toBe(figureOn(STORAGE_PAGE, /A scan retries for (a) day/));
});

it('an app password is as long as docs/SECURITY.md says', () => {
  const bits = makeAppPassword().replaceAll('-', '').length * Math.log2(31);
  expect(Math.floor(bits)).toBe(figureOn(SECURITY_PAGE, /are (\d+) random bits/));
});

it('as many folders are watched as docs/INSTALL.md says, on each system', () => {
  const [, onLinux, otherSystems] =
    /isLinux \? ([\d_]+) : ([\d_]+)/.exec(readSource('server/watch/music-folder-watch.ts')) ?? [];
  expect(figureOn(INSTALL_PAGE, /more than ([\d,]+) folders on Linux/)).toBe(Number(onLinux?.replace('_', '')));
  expect(figureOn(INSTALL_PAGE, /folders on Linux and ([\d,]+) elsewhere/)).toBe(
    Number(otherSystems?.replace('_', '')),
  );
});

it('README and docs/SUBSONIC.md name the versions and figures of the code', () => {
  const hertz = /GRAPHIC_HZ = \[([^\]]+)\]/.exec(readSource('renderer/player/equalizer.ts'))?.[1]?.split(', ');
  expect(figureOn('README.md', /a (\w+)-band equalizer/)).toBe(hertz?.length);
  const [, protocol] = /PROTOCOL_VERSION = '([^']+)'/.exec(readSource('server/subsonic/respond.ts')) ?? [];
  expect(readSource(SUBSONIC_PAGE)).toContain(`Subsonic ${protocol} and OpenSubsonic`);
  const { printWidth } = JSON.parse(readSource('.oxfmtrc.json')) as { printWidth: number };
  expect(figureOn('docs/DEVELOPMENT.md', /oxfmt: lines of (\d+)/)).toBe(printWidth);
});

describe('the comparison in README.md', () => {
  const page = readSource(join('docs', 'peers.md'));
  const header =
    page
      .split('\n')
      .find((line) => line.startsWith('| | Tonearm'))
      ?.split('|') ?? [];
  const measuredRows = rowsOf(page).map((cells) => ['', ...cells]);
  const figures = readSource(join('docs', 'BENCHMARKS.md')).match(/\d[\d,]*(?:\.\d+)?/g) ?? [];
  const rows = rowsOf(sectionOf('README.md', 'How it compares'));
  /** Returns the figures of a program in docs/peers.md, as written and in thousands. */
  const listMeasuredFigures = (program: string): number[] =>
    measuredRows
      .flatMap((cells) => cells.filter((_, n) => header[n]?.startsWith(` ${program}`)))
      .map((cell) => Number(/\d[\d,]*(?:\.\d+)?/.exec(cell)?.[0].replaceAll(',', '')))
      .flatMap((value) => [value, value / 1_000]);
  const isMeasured = (figure: string, values: number[]): boolean =>
    values.some((value) => value.toFixed(figure.split('.')[1]?.length ?? 0) === figure);

  it.each(rows)('%s: %s', (_title, ownCell = '', otherCell = '') => {
    const peers = [...otherCell.matchAll(/(Navidrome|gonic|MPD|MiniDLNA) ([\d.]+)/g)];
    for (const [, program = '', figure = ''] of peers)
      expect([program, figure, isMeasured(figure, listMeasuredFigures(program))]).toEqual([program, figure, true]);
    const [figure = ''] = /\d[\d,.]*/.exec(ownCell) ?? [];
    const values =
      peers.length > 0
        ? listMeasuredFigures('Tonearm')
        : figures.map((figureText) => Number(figureText.replaceAll(',', '')));
    if (!otherCell.startsWith('the same'))
      expect([figure, isMeasured(figure.replaceAll(',', ''), values)]).toEqual([figure, true]);
  });
});
