// What keeps the server from working as it should, found out when somebody asks: for /health, for the windows, and for
// the log at the start.
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

/** A library that nobody used for less is not told that its clock may be wrong. */
const LONG_REST_MS = 60 * 86_400_000;
/** What the next file and the database's log may need. */
const NEARLY_FULL_BYTES = 32 << 20;
const PROBE_BYTES = 64 << 10;
/** A storage that takes longer to answer is down. The time limit of an object store ends before. */
const STORAGE_ANSWER_MS = 5_000;
/** Nothing is looked for more often. */
const KEEP_MS = 1_000;
/** Counting takes at most such a part of the time. */
const COUNTING = 1 / 50;
/** For so much longer what was found is good enough while it is found anew: each step of that waits for its turn. */
const STALE_MS = 10_000;
/** Tracks that are counted in one go. */
const IDS = 1_000;

interface Problem {
  code: ProblemCode;
  /** Tracks that cannot be played because of it; null where it is not about tracks, or they were not counted. */
  tracks: number | null;
  /** For the log. */
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
  musicFolders: Pick<MusicFolders, 'all' | 'whyOffline'>;
  /** Resolves when the music folders have been looked at. */
  lookAtFolders: () => Promise<void>;
  log: Log;
  nowForAges: Pick<TimeForAges, 'doubtMs'>;
}

export type Problems = ReturnType<typeof createProblems>;

export function createProblems(deps: ProblemsDeps) {
  const { db, inPlace, paths, storage, musicFolders, lookAtFolders, log, nowForAges } = deps;
  const client = db.$client;
  // files that are only indexed have no hash of the whole, which is what an index leads to
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

  function ofDatabase(): Problem | undefined {
    if (!inPlace.check()) return problem('database_gone', 'the database was removed, replaced or moved');
    try {
      begin.run();
      rollback.run();
    } catch (error) {
      if (isDatabaseLocked(error)) return problem('database_locked', 'another program has locked the database');
      return problem('database_failing', `the database cannot be used: ${messageOf(error)}`);
    }
    return undefined;
  }

  const ofLog = (): Problem | undefined =>
    isLosingLines(log) ? problem('log_failing', 'the log cannot be written: its lines are lost') : undefined;

  const ofClock = (): Problem | undefined =>
    nowForAges.doubtMs() > LONG_REST_MS
      ? problem('clock_doubted', 'the clock may be wrong: nothing is deleted for its age until it is certain')
      : undefined;

  let storageProbe: Promise<StorageState> | undefined;
  async function askStorage(): Promise<StorageState> {
    if (!(await storage.isUp())) return STORAGE_DOWN;
    return { isUp: true, usage: await storage.diskUsage() };
  }
  /** A network folder that does not answer holds one of the few threads for files, so it is asked once at a time. */
  function probeStorage(): Promise<StorageState> {
    storageProbe ??= askStorage()
      .catch(() => STORAGE_DOWN)
      .finally(() => (storageProbe = undefined));
    const timeIsOver = new Promise<StorageState>((resolve) => {
      setTimeout(() => resolve(STORAGE_DOWN), STORAGE_ANSWER_MS).unref();
    });
    return Promise.race([storageProbe, timeIsOver]);
  }

  /** A quota, or a disk that became read-only after errors, shows only when something is written. */
  async function ofDisk(): Promise<Problem | undefined> {
    const probe = join(paths.tmp, `probe-${randomBytes(6).toString('hex')}`);
    try {
      const [ofData, { usage }] = await Promise.all([diskUsage(paths.data), probeStorage()]);
      const full = [ofData, usage].find((one) => one !== null && one.freeBytes < NEARLY_FULL_BYTES);
      if (full) return problem('disk_full', `the disk of ${full.path} has ${full.freeBytes} bytes left`);
      if (!existsSync(paths.tmp)) await mkdir(paths.tmp); // and not the data folder, which may be gone
      await writeFile(probe, Buffer.alloc(PROBE_BYTES));
      return undefined;
    } catch (error) {
      if (isDiskFull(error)) return problem('disk_full', `nothing can be written to ${paths.tmp}: the disk is full`);
      return problem('data_folder', `nothing can be written to ${paths.tmp}: ${messageOf(error)}`);
    } finally {
      await rm(probe, { force: true }).catch(() => undefined); // there is none
    }
  }

  async function ofStorage(): Promise<Problem | undefined> {
    const { isUp } = await probeStorage();
    return isUp ? undefined : problem('storage_down', 'the storage is not there, or cannot be reached or written');
  }

  /** Tracks whose files are in one of the places, or with `isIn` 0 in none; `enough` of them end it. */
  function* counting(paths: string, isIn: 0 | 1, enough: number): Generator<void, number> {
    let tracks = 0;
    for (let [id, last] = [0, lastId.get() ?? 0]; id <= last && tracks < enough; id += IDS) {
      tracks += countReferenced.get(id, id + IDS - 1, paths, isIn) ?? 0;
      yield;
    }
    return tracks;
  }

  /** Those that are not set, or were not there when they were last looked at. */
  async function ofMusicFolders(isCounted: boolean): Promise<Problem | undefined> {
    const all = musicFolders.all().filter(({ removedAt }) => removedAt === null);
    const away = all.filter(({ key, isSet }) => !isSet || musicFolders.whyOffline(key) !== undefined);
    if (away.length === 0) return undefined;
    const keys = away.map(({ key }) => key);
    const others = all.map(({ key }) => key).filter((key) => key !== '' && !keys.includes(key));
    // the first folder has all paths that are in no other one
    const roots = keys.includes('') ? others : keys;
    const paths = JSON.stringify(roots.map((key) => `${FILE_SCHEME}:${rootPathOf(key)}/`));
    const isIn = keys.includes('') ? 0 : 1;
    const [keep, enough] = isCounted ? [referenced, Infinity] : [anyReferenced, 1];
    const tracks = await keep(`${isIn} ${paths}`, () => finishInSlices(counting(paths, isIn, enough)));
    if (tracks === 0) return undefined;
    const faults = away.map(({ key, name, isSet }) =>
      isSet ? musicFolders.whyOffline(key) : `No place is set for the music folder ${name}.`,
    );
    return {
      code: away.some(({ isSet }) => isSet) ? 'music_folder_away' : 'music_folder_unset',
      tracks: isCounted ? tracks : null,
      reason: `${faults.join(' ')} Tracks that are only there cannot be played`,
    };
  }

  const disk = keeping<Problem | undefined>();
  const store = keeping<Problem | undefined>();
  const referenced = keeping<number>(COUNTING);
  const anyReferenced = keeping<number>(COUNTING);

  async function listProblems(isCounted: boolean): Promise<Problem[]> {
    const ofDb = ofDatabase();
    // with the data folder gone, a probe would make it anew
    if (ofDb?.code === 'database_gone') return [ofDb];
    const found = [
      ofDb,
      ofLog(),
      ofClock(),
      ...(await Promise.all([disk('', ofDisk), store('', ofStorage), ofMusicFolders(isCounted)])),
    ];
    return found.filter((one) => one !== undefined);
  }

  return {
    /** With the number of tracks that cannot be played: a second for a million in a music folder that is away. */
    list: () => listProblems(true),
    /** Without. */
    listUncounted: () => listProblems(false),
    /** What does not work is told at the start, and not only to those who ask. */
    async report(): Promise<void> {
      await lookAtFolders();
      for (const { code, reason } of await listProblems(false)) log.warn({ problem: code }, reason);
    },
  };
}

const problem = (code: ProblemCode, reason: string): Problem => ({ code, tracks: null, reason });

/** What was found a moment ago about the same; a little later that too, while it is found anew. */
function keeping<T>(share = Infinity): (about: string, find: () => Promise<T>) => Promise<T> {
  let last: { about: string; found: Promise<T>; keepUntil: number } | undefined;
  let running: { about: string; found: Promise<T> } | undefined;
  return (about, find) => {
    const started = performance.now();
    const known = last?.about === about ? last : undefined;
    if (known && started <= known.keepUntil) return known.found;
    if (running?.about !== about) {
      const one = (running = { about, found: find() });
      const end = (isFound: boolean): void => {
        if (running === one) running = undefined;
        const now = performance.now();
        if (isFound) last = { ...one, keepUntil: now + Math.max(KEEP_MS, (now - started) / share) };
      };
      one.found.then(
        () => end(true),
        () => end(false), // whoever asked is told
      );
    }
    return known && started <= known.keepUntil + STALE_MS ? known.found : running.found;
  };
}
