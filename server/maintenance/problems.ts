// Finds out what keeps the server from working as it should: for /health, for the windows, and for the log at startup.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import type { InPlace } from '../db/removed-database.ts';
import { isDatabaseLocked, isDiskFull, messageOf } from '../errors.ts';
import type { ProblemCode } from '../http/health.ts';
import { isLosingLines, type Log } from '../log/log.ts';
import type { DiskUsage, Storage } from '../storage/storage.ts';
import { diskUsage } from '../storage/local.ts';
import type { TimeForAges } from '../runtime/time-for-ages.ts';
import { finishInSlices } from '../runtime/time-slices.ts';
import { rootPathOf } from '../storage/music-roots.ts';
import { FILE_SCHEME } from '../storage/uri.ts';
import { bindContext } from '../runtime/bind-context.ts';

/** A smaller doubt about the clock is not reported: the library may just not have been used for that long. */
const MAX_CLOCK_DOUBT_MS = 60 * 86_400_000;
/** Space that the next file and the database's log may need. */
const MIN_FREE_DISK_BYTES = 32 << 20;
const PROBE_BYTES = 64 << 10;
/** A storage that takes longer to answer counts as down. The time limit of an object store is shorter. */
const STORAGE_TIMEOUT_MS = 5_000;
/** Results are at least this old before they are checked again. */
const CHECK_INTERVAL_MS = 1_000;
/** Counting tracks takes at most this share of the time. */
const MAX_COUNTING_SHARE = 1 / 50;
/**
 * An outdated result is used for this much longer while a new check runs, because each step of a check waits for its
 * turn.
 */
const MAX_STALE_MS = 10_000;
/** The number of track ids that are counted in one step. */
const IDS_PER_STEP = 1_000;

interface Problem {
  code: ProblemCode;
  /**
   * The number of tracks that the problem makes unplayable; null for a problem that does not concern tracks, or without
   * counts.
   */
  tracks: number | null;
  /** A sentence for the log. */
  reason: string;
}

interface StorageState {
  isUp: boolean;
  usage: DiskUsage | null;
}
const STORAGE_DOWN: StorageState = { isUp: false, usage: null };

export interface ProblemsDeps {
  db: MainDb;
  inPlace: Pick<InPlace, 'check'>;
  paths: { data: string; tmp: string };
  storage: Pick<Storage, 'isUp' | 'diskUsage'>;
  musicFolders: Pick<MusicFolders, 'listAll' | 'offlineReason'>;
  /** Resolves when the music folders have been checked. */
  checkFolders: () => Promise<void>;
  log: Log;
  nowForAges: Pick<TimeForAges, 'doubtMs'>;
}

export type Problems = ReturnType<typeof createProblems>;

export function createProblems(deps: ProblemsDeps) {
  const context = createContext(deps);

  return bindContext(context, { list, listUncounted, report });
}

type Context = ReturnType<typeof createContext>;

function createContext(deps: ProblemsDeps) {
  const { db, inPlace, paths, storage, musicFolders, checkFolders, log, nowForAges } = deps;
  const client = db.$client;
  // indexed files have no hash of the whole file, so the index on content_hash finds them
  const countReferenced = client
    .prepare<[number, number, string, number], number>(
      `SELECT count(*) FROM tracks WHERE id BETWEEN ? AND ? AND content_hash IS NULL
        AND storage_uri LIKE '${FILE_SCHEME}:%' AND availability = 'available'
        AND EXISTS (SELECT 1 FROM json_each(?) r WHERE substr(storage_uri, 1, length(r.value)) = r.value) = ?`,
    )
    .pluck();
  const lastId = client.prepare<[], number | null>('SELECT max(id) FROM tracks').pluck();
  const begin = client.prepare('BEGIN IMMEDIATE');
  const rollback = client.prepare('ROLLBACK');
  const cacheDiskProblem = createResultCache<Problem | undefined>();
  const cacheStorageProblem = createResultCache<Problem | undefined>();
  const cacheTrackCount = createResultCache<number>(MAX_COUNTING_SHARE);
  const cacheAnyTrack = createResultCache<number>(MAX_COUNTING_SHARE);
  return {
    inPlace,
    paths,
    storage,
    musicFolders,
    checkFolders,
    log,
    nowForAges,
    countReferenced,
    lastId,
    begin,
    rollback,
    cacheDiskProblem,
    cacheStorageProblem,
    cacheTrackCount,
    cacheAnyTrack,
    storageProbe: undefined as Promise<StorageState> | undefined,
  };
}

function checkDatabase(context: Context): Problem | undefined {
  if (!context.inPlace.check()) return problem('database_gone', 'the database was removed, replaced or moved');
  try {
    context.begin.run();
    context.rollback.run();
  } catch (error) {
    if (isDatabaseLocked(error)) return problem('database_locked', 'another program has locked the database');
    return problem('database_failing', `the database cannot be used: ${messageOf(error)}`);
  }
  return undefined;
}

const checkLog = ({ log }: Context): Problem | undefined =>
  isLosingLines(log) ? problem('log_failing', 'the log cannot be written: its lines are lost') : undefined;

const checkClock = ({ nowForAges }: Context): Problem | undefined =>
  nowForAges.doubtMs() > MAX_CLOCK_DOUBT_MS
    ? problem('clock_doubted', 'the clock may be wrong: nothing is deleted because of its age until it is confirmed')
    : undefined;

async function readStorageState(context: Context): Promise<StorageState> {
  if (!(await context.storage.isUp())) return STORAGE_DOWN;
  return { isUp: true, usage: await context.storage.diskUsage() };
}

/**
 * Reads the state of the storage. Only one check runs at a time: a network folder that does not answer blocks one of
 * the few threads for files.
 */
function probeStorage(context: Context): Promise<StorageState> {
  context.storageProbe ??= readStorageState(context)
    .catch(() => STORAGE_DOWN)
    .finally(() => (context.storageProbe = undefined));
  const timeout = new Promise<StorageState>((resolve) => {
    setTimeout(() => resolve(STORAGE_DOWN), STORAGE_TIMEOUT_MS).unref();
  });
  return Promise.race([context.storageProbe, timeout]);
}

/**
 * Checks the disk by writing a probe file: a quota, or a disk that became read-only after errors, shows only on a
 * write.
 */
async function checkDisk(context: Context): Promise<Problem | undefined> {
  const probe = join(context.paths.tmp, `probe-${randomBytes(6).toString('hex')}`);
  try {
    const [dataDisk, { usage }] = await Promise.all([diskUsage(context.paths.data), probeStorage(context)]);
    const fullDisk = [dataDisk, usage].find((disk) => disk !== null && disk.freeBytes < MIN_FREE_DISK_BYTES);
    if (fullDisk) return problem('disk_full', `the disk of ${fullDisk.path} has ${fullDisk.freeBytes} bytes left`);
    // not recursive: the data folder itself may be missing
    if (!existsSync(context.paths.tmp)) await mkdir(context.paths.tmp);
    await writeFile(probe, Buffer.alloc(PROBE_BYTES));
    return undefined;
  } catch (error) {
    if (isDiskFull(error))
      return problem('disk_full', `nothing can be written to ${context.paths.tmp}: the disk is full`);
    return problem('data_folder', `nothing can be written to ${context.paths.tmp}: ${messageOf(error)}`);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined); // the probe file may not have been written
  }
}

async function checkStorage(context: Context): Promise<Problem | undefined> {
  const { isUp } = await probeStorage(context);
  return isUp ? undefined : problem('storage_down', 'the storage does not exist, or cannot be reached or written');
}

/** Counts tracks whose files are in one of the paths, or in none of them if `isIn` is 0; stops at `limit`. */
function* countTracksIn(context: Context, paths: string, isIn: 0 | 1, limit: number): Generator<void, number> {
  let tracks = 0;
  for (
    let [id, lastTrackId] = [0, context.lastId.get() ?? 0];
    id <= lastTrackId && tracks < limit;
    id += IDS_PER_STEP
  ) {
    tracks += context.countReferenced.get(id, id + IDS_PER_STEP - 1, paths, isIn) ?? 0;
    yield;
  }
  return tracks;
}

/** Finds music folders that are not set up, or were offline at their last check. */
async function checkMusicFolders(context: Context, withCounts: boolean): Promise<Problem | undefined> {
  const folders = context.musicFolders.listAll().filter(({ removedAt }) => removedAt === null);
  const offlineFolders = folders.filter(
    ({ key, isConfigured }) => !isConfigured || context.musicFolders.offlineReason(key) !== undefined,
  );
  if (offlineFolders.length === 0) return undefined;
  const offlineKeys = offlineFolders.map(({ key }) => key);
  const otherKeys = folders.map(({ key }) => key).filter((key) => key !== '' && !offlineKeys.includes(key));
  // paths that are in no other music folder belong to the first one
  const roots = offlineKeys.includes('') ? otherKeys : offlineKeys;
  const paths = JSON.stringify(roots.map((key) => `${FILE_SCHEME}:${rootPathOf(key)}/`));
  const isIn = offlineKeys.includes('') ? 0 : 1;
  const [cache, limit] = withCounts ? [context.cacheTrackCount, Infinity] : [context.cacheAnyTrack, 1];
  const tracks = await cache(`${isIn} ${paths}`, () => finishInSlices(countTracksIn(context, paths, isIn, limit)));
  if (tracks === 0) return undefined;
  const faults = offlineFolders.map(({ key, name, isConfigured }) =>
    isConfigured ? context.musicFolders.offlineReason(key) : `No place is set for the music folder ${name}.`,
  );
  return {
    code: offlineFolders.some(({ isConfigured }) => isConfigured) ? 'music_folder_away' : 'music_folder_unset',
    tracks: withCounts ? tracks : null,
    reason: `${faults.join(' ')} Tracks that are only there cannot be played`,
  };
}

async function listProblems(context: Context, withCounts: boolean): Promise<Problem[]> {
  const databaseProblem = checkDatabase(context);
  // writing a probe file would create the data folder again
  if (databaseProblem?.code === 'database_gone') return [databaseProblem];
  const problems = [
    databaseProblem,
    checkLog(context),
    checkClock(context),
    ...(await Promise.all([
      context.cacheDiskProblem('', () => checkDisk(context)),
      context.cacheStorageProblem('', () => checkStorage(context)),
      checkMusicFolders(context, withCounts),
    ])),
  ];
  return problems.filter((item) => item !== undefined);
}

/**
 * Lists problems with the number of unplayable tracks, which takes a second for a million tracks in an offline
 * folder.
 */
const list = (context: Context) => listProblems(context, true);

/** Lists problems without numbers of tracks. */
const listUncounted = (context: Context) => listProblems(context, false);

/** Logs all problems; called at startup. */
async function report(context: Context): Promise<void> {
  await context.checkFolders();
  for (const { code, reason } of await listProblems(context, false)) context.log.warn({ problem: code }, reason);
}

const problem = (code: ProblemCode, reason: string): Problem => ({ code, tracks: null, reason });

/**
 * Creates a cache that returns the latest result for the same key while it is fresh, and for MAX_STALE_MS more while a
 * new check runs. `maxShare` limits the share of the time that checks take.
 */
function createResultCache<T>(maxShare = Infinity): (key: string, check: () => Promise<T>) => Promise<T> {
  let latestResult: { key: string; result: Promise<T>; freshUntil: number } | undefined;
  let running: { key: string; result: Promise<T> } | undefined;
  return (key, check) => {
    const startedAt = performance.now();
    const cached = latestResult?.key === key ? latestResult : undefined;
    if (cached && startedAt <= cached.freshUntil) return cached.result;
    if (running?.key !== key) {
      const currentRun = (running = { key, result: check() });
      const onEnd = (hasResult: boolean): void => {
        if (running === currentRun) running = undefined;
        const now = performance.now();
        const freshMs = Math.max(CHECK_INTERVAL_MS, (now - startedAt) / maxShare);
        if (hasResult) latestResult = { ...currentRun, freshUntil: now + freshMs };
      };
      currentRun.result.then(
        () => onEnd(true),
        () => onEnd(false), // the caller gets the error
      );
    }
    return cached && startedAt <= cached.freshUntil + MAX_STALE_MS ? cached.result : running.result;
  };
}
