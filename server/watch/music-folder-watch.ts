// Watches one music folder and requests scans of what changed. What cannot be watched is scanned from time to time;
// while the folder is not there nothing is scanned.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { MainDb } from '../db/client.ts';
import { stopWorker } from '../runtime/stop-worker.ts';
import { AppError, messageOf } from '../errors.ts';
import { findMusicFolder, type MusicFolder } from '../files/music-folder.ts';
import { keyOfPath, rootPathOf, type MusicRoot } from '../storage/music-roots.ts';
import { join } from '../files/relative-path.ts';
import type { Log } from '../log/log.ts';
import type { QuietRules } from './changed-folders.ts';
import { findRemoteFileSystem } from './mounts.ts';
import type { ScanRequests } from './scan-requests.ts';
import type { WatchBackend, WatchMessage, WatchOrder } from './watch-worker.ts';

export interface WatchTiming extends QuietRules {
  /** How often to check that the folder is still there, and the same. */
  lookMs: number;
  /** Between two scans of a folder that cannot be watched. */
  pollMs: number;
  /** How often to check whether a running scan has ended. */
  checkMs: number;
  maxFolders: number;
  backend: WatchBackend;
}

export interface WatchStatus {
  state: 'off' | 'starting' | 'watching' | 'polling';
  /** Why it is off, or why it polls. */
  reason?: string;
  /** How many folders are watched. */
  folders?: number;
}

interface MusicFolderWatchDeps {
  db: MainDb;
  log: Log;
  folder: MusicRoot;
  /** Of all music folders. */
  keys: () => string[];
  /** The path of the folder in lists of folders to scan. */
  whole: () => string;
  requests: Pick<ScanRequests, 'ask' | 'forget'>;
  workerUrl: URL;
  times: WatchTiming;
}

export type MusicFolderWatch = ReturnType<typeof watchMusicFolder>;

const isLinux = process.platform === 'linux';
export const WATCH_TIMING: WatchTiming = {
  quietMs: 5_000,
  maxWaitMs: 60_000,
  holdMs: 600_000,
  lookMs: 30_000,
  pollMs: 900_000,
  checkMs: 1_000,
  maxFolders: isLinux ? 50_000 : 20_000, // 2 KB and a kernel watch each, or chokidar's 10 KB
  backend: isLinux ? 'folders' : 'chokidar',
};

export function watchMusicFolder({ db, log, folder, keys, whole, requests, workerUrl, times }: MusicFolderWatchDeps) {
  const inTree = (path: string): string => (path === '' ? whole() : join(rootPathOf(folder.key), path));
  const ask = (folders: string[]): void => requests.ask(folders.map(inTree));
  let status: WatchStatus = { state: 'starting' };
  let root: MusicFolder | undefined;
  let worker: Worker | undefined;
  let lookTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  // In sequence: a setting may change while the folder is being checked.
  let last = Promise.resolve();
  function next(work: () => unknown): void {
    last = last
      .then(async () => {
        if (!isClosed) await work();
      })
      .catch((error: unknown) => log.error({ err: error }, 'watching the music folder failed'));
  }

  async function end(): Promise<void> {
    clearInterval(lookTimer);
    await letGo();
  }

  async function letGo(): Promise<void> {
    clearInterval(pollTimer);
    root = undefined;
    const ended = worker;
    worker = undefined;
    if (ended) await stopWorker(ended);
  }

  /** Checks the folder, and starts or stops watching it; true when it is there. */
  async function look(): Promise<boolean> {
    const found = await findMusicFolder(db, folder, keys()).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
      return error.message;
    });
    if (isClosed) return false;
    if (typeof found === 'string') {
      await waitForReturn(found);
      return false;
    }
    if (found.identity !== root?.identity) await open(found);
    return true;
  }

  async function waitForReturn(problem: string): Promise<void> {
    if (status.state === 'polling' && status.reason === problem) return;
    await letGo();
    if (isClosed) return;
    requests.forget((path) => path === whole() || keyOfPath(keys(), path) === folder.key);
    status = { state: 'polling', reason: problem };
    log.warn({ reason: problem, look_every_ms: times.lookMs }, 'music folder not watched; waiting for its return');
  }

  async function open(found: MusicFolder): Promise<void> {
    await letGo();
    if (isClosed) return;
    root = found;
    status = { state: 'starting' };
    const remote = await findRemoteFileSystem(found.path);
    if (isClosed) return;
    if (remote !== undefined)
      return poll(
        `The music folder is on a network file system (${remote}), which does not report changes by other machines.`,
      );
    const { quietMs, maxWaitMs, holdMs, maxFolders, backend } = times;
    const order: WatchOrder = { root: found.path, quiet: { quietMs, maxWaitMs, holdMs }, maxFolders, backend };
    const started = new Worker(workerUrl, { workerData: order });
    worker = started;
    const ifCurrent = (work: () => Promise<void>): void => next(() => (worker === started ? work() : undefined));
    started.on('message', (message: WatchMessage) => ifCurrent(() => receive(message, found)));
    started.on('error', (error) => ifCurrent(() => poll(`Watching the music folder failed (${messageOf(error)}).`)));
    started.unref();
  }

  async function receive(message: WatchMessage, { path, isEmpty }: MusicFolder): Promise<void> {
    if (message.type === 'failed') return poll(watchProblem(message.code, message.message, times.maxFolders));
    status = { state: 'watching', folders: message.folders };
    if (message.type === 'watching') {
      log.info({ path, folders: message.folders }, 'watching the music folder');
      if (!isEmpty) ask(['']); // what changed before the watch began
    } else if (await look()) ask(message.scan);
  }

  /** Scans from time to time, until a setting or the disk changes. */
  async function poll(reason: string): Promise<void> {
    const polled = root;
    await letGo();
    if (isClosed) return;
    root = polled;
    status = { state: 'polling', reason };
    log.warn(
      { path: polled?.path, reason, scan_every_ms: times.pollMs },
      'music folder not watched; scanned from time to time',
    );
    const scan = async (): Promise<void> => {
      if ((await look()) && root === polled) ask(['']);
    };
    pollTimer = setInterval(() => next(scan), times.pollMs).unref();
    ask(['']);
  }

  lookTimer = setInterval(() => next(look), times.lookMs).unref();
  next(look);

  return {
    folder,
    status: (): WatchStatus => status,
    async close(): Promise<void> {
      isClosed = true; // work under way may hang on a dead disk, so it is not waited for
      await end();
    },
  };
}

/** Why a folder cannot be watched, and what to do about it. `code` is the system's. */
export function watchProblem(code: string, message: string, maxFolders: number): string {
  if (code === 'TOO_MANY_FOLDERS') return `The music folder has more than ${maxFolders} folders, too many to watch.`;
  if (code === 'ENOSPC')
    return (
      `The system allows this account to watch ${limit('max_user_watches')} folders, which is not enough. ` +
      'Raise fs.inotify.max_user_watches with sysctl, then switch watching off and on.'
    );
  if (code === 'EMFILE' || code === 'ENFILE')
    return (
      `The system allows this account ${limit('max_user_instances')} watches, and other programs use them all. ` +
      'Raise fs.inotify.max_user_instances with sysctl (or the limit of open files), ' +
      'then switch watching off and on.'
    );
  return `The system cannot watch the music folder (${message}).`;
}

function limit(name: string): string {
  try {
    return readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8').trim();
  } catch {
    return 'no more';
  }
}
