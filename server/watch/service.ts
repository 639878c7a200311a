// Watches the music folder while LOCAL_MEDIA_WATCH is on, and requests scans of what changed. What cannot be watched is
// scanned from time to time; while the folder is not there nothing is scanned.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { WatchedSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import { stopWorker } from '../runtime/stop-worker.ts';
import { AppError, messageOf } from '../errors.ts';
import { findMusicFolder, type MusicFolder } from '../files/music-folder.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Log } from '../log/log.ts';
import type { QuietRules } from './changed-folders.ts';
import { findRemoteFileSystem } from './mounts.ts';
import { createScanRequests } from './scan-requests.ts';
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

export interface WatcherDeps {
  db: MainDb;
  log: Log;
  settings: WatchedSettings;
  jobs: Pick<Jobs, 'tryEnqueue' | 'get'>;
  workerUrl: URL;
  timing?: Partial<WatchTiming>;
}

export type Watcher = ReturnType<typeof createWatcher>;

const isLinux = process.platform === 'linux';
const TIMING: WatchTiming = {
  quietMs: 5_000,
  maxWaitMs: 60_000,
  holdMs: 600_000,
  lookMs: 30_000,
  pollMs: 900_000,
  checkMs: 1_000,
  maxFolders: isLinux ? 50_000 : 20_000, // 2 KB and a kernel watch each, or chokidar's 10 KB
  backend: isLinux ? 'folders' : 'chokidar',
};

export function createWatcher({ db, log, settings, jobs, workerUrl, timing }: WatcherDeps) {
  const times = { ...TIMING, ...timing };
  const requests = createScanRequests({ jobs, log, checkMs: times.checkMs });
  let status: WatchStatus = { state: 'off', reason: 'The server has not started yet.' };
  let root: MusicFolder | undefined;
  let worker: Worker | undefined;
  let lookTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
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

  async function begin(): Promise<void> {
    await end();
    if (isClosed) return;
    requests.clear();
    if (settings.get('LOCAL_MEDIA_IMPORT_PATH') === undefined)
      status = { state: 'off', reason: 'No music folder is set.' };
    else if (!settings.get('LOCAL_MEDIA_WATCH'))
      status = { state: 'off', reason: 'Watching is switched off (LOCAL_MEDIA_WATCH).' };
    else {
      status = { state: 'starting' };
      lookTimer = setInterval(() => next(look), times.lookMs).unref();
      await look();
    }
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
    const folder = settings.get('LOCAL_MEDIA_IMPORT_PATH');
    if (folder === undefined || status.state === 'off') return false;
    const found = await findMusicFolder(db, folder).catch((error: unknown) => {
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
    requests.clear();
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
      if (!isEmpty) requests.ask(['']); // what changed before the watch began
    } else if (await look()) requests.ask(message.scan);
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
      if ((await look()) && root === polled) requests.ask(['']);
    };
    pollTimer = setInterval(() => next(scan), times.pollMs).unref();
    requests.ask(['']);
  }

  return {
    /** Starts in the background, and again when a setting changes. */
    start(): void {
      stopListening = settings.onChange(['LOCAL_MEDIA_IMPORT_PATH', 'LOCAL_MEDIA_WATCH'], () => next(begin));
      next(begin);
    },
    status: (): WatchStatus => status,
    async close(): Promise<void> {
      isClosed = true; // work under way may hang on a dead disk, so it is not waited for
      stopListening?.();
      status = { state: 'off', reason: 'The server is stopping.' };
      await Promise.all([end(), requests.close()]);
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
