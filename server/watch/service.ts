// Watches the music folder while LOCAL_MEDIA_WATCH says so, and asks for scans of what changed. Where it cannot watch
// it scans from time to time instead, and says why; where the folder is not there it waits for its return and asks for
// nothing.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { WatchedSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import { stopWorker } from '../runtime/stop-worker.ts';
import { messageOf } from '../errors.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Log } from '../log/log.ts';
import type { QuietRules } from './changed-folders.ts';
import { findMusicRoot, findRemoteFileSystem, type MusicRoot } from './music-root.ts';
import { createScanRequests } from './scan-requests.ts';
import type { WatchBackend, WatchNews, WatchOrder } from './watch-worker.ts';

export interface WatchTiming extends QuietRules {
  /** How often to see whether the folder is still there, and still the same. */
  lookMs: number;
  /** Between two scans where nothing can be watched. */
  pollMs: number;
  /** How often to see whether a scan that is in the way has ended. */
  checkMs: number;
  maxFolders: number;
  backend: WatchBackend;
}

export interface WatchStatus {
  state: 'off' | 'starting' | 'watching' | 'polling';
  /** Why it is off, or why it polls. */
  reason?: string;
  /** Folders watched. */
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
  let root: MusicRoot | undefined;
  let worker: Worker | undefined;
  let lookTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  let isClosed = false;

  // One thing after the other: a setting may change while the folder is being looked at.
  let line = Promise.resolve();
  function next(work: () => unknown): void {
    line = line
      .then(async () => {
        if (!isClosed) await work();
      })
      .catch((error: unknown) => log.error({ err: error }, 'the watch on the music folder stumbled'));
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

  /** Follows what became of the folder; true when it is there. */
  async function look(): Promise<boolean> {
    const folder = settings.get('LOCAL_MEDIA_IMPORT_PATH');
    if (folder === undefined || status.state === 'off') return false;
    const found = await findMusicRoot(db, folder);
    if (isClosed) return false;
    if ('problem' in found) {
      await waitForReturn(found.problem);
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

  async function open(found: MusicRoot): Promise<void> {
    await letGo();
    if (isClosed) return;
    root = found;
    status = { state: 'starting' };
    const remote = await findRemoteFileSystem(found.path);
    if (isClosed) return;
    if (remote !== undefined)
      return poll(
        `The music folder is not on a disk of this machine (${remote}), so changes that others make are not announced.`,
      );
    const { quietMs, maxWaitMs, holdMs, maxFolders, backend } = times;
    const order: WatchOrder = { root: found.path, quiet: { quietMs, maxWaitMs, holdMs }, maxFolders, backend };
    const started = new Worker(workerUrl, { workerData: order });
    worker = started;
    const ifCurrent = (work: () => Promise<void>): void => next(() => (worker === started ? work() : undefined));
    started.on('message', (news: WatchNews) => ifCurrent(() => hear(news, found)));
    started.on('error', (error) =>
      ifCurrent(() => poll(`The watch on the music folder broke off (${messageOf(error)}).`)),
    );
    started.unref();
  }

  async function hear(news: WatchNews, { path, isEmpty }: MusicRoot): Promise<void> {
    if (news.type === 'failed') return poll(watchProblem(news.code, news.message, times.maxFolders));
    status = { state: 'watching', folders: news.folders };
    if (news.type === 'watching') {
      log.info({ path, folders: news.folders }, 'watching the music folder');
      if (!isEmpty) requests.ask(['']); // what changed before the watch began
    } else if (await look()) requests.ask(news.scan);
  }

  /** Scans from time to time, until a setting or the folder's disk changes. */
  async function poll(reason: string): Promise<void> {
    const polled = root;
    await letGo();
    if (isClosed) return;
    root = polled;
    status = { state: 'polling', reason };
    log.warn(
      { path: polled?.path, reason, scan_every_ms: times.pollMs },
      'music folder not watched; scanning it from time to time',
    );
    const scan = async (): Promise<void> => {
      if ((await look()) && root === polled) requests.ask(['']);
    };
    pollTimer = setInterval(() => next(scan), times.pollMs).unref();
    requests.ask(['']);
  }

  return {
    /** Begins in the background, and follows the settings from then on. */
    start(): void {
      stopListening = settings.onChange(['LOCAL_MEDIA_IMPORT_PATH', 'LOCAL_MEDIA_WATCH'], () => next(begin));
      next(begin);
    },
    status: (): WatchStatus => status,
    async close(): Promise<void> {
      isClosed = true; // what is under way may hang on a dead disk, and is not waited for
      stopListening?.();
      status = { state: 'off', reason: 'The server is stopping.' };
      await Promise.all([end(), requests.close()]);
    },
  };
}

/** Why a folder cannot be watched, and what to do about it. */
export function watchProblem(code: string, message: string, maxFolders: number): string {
  if (code === 'TOO_MANY_FOLDERS')
    return `The music folder holds more than ${maxFolders} folders, which are too many to watch.`;
  if (code === 'ENOSPC')
    return `The system lets this account watch ${limit('max_user_watches')} folders, which are too few. Raise fs.inotify.max_user_watches with sysctl, then switch watching off and on.`;
  if (code === 'EMFILE' || code === 'ENFILE')
    return `The system lets this account open ${limit('max_user_instances')} watches, and others hold them all. Raise fs.inotify.max_user_instances with sysctl (or the limit of open files), then switch watching off and on.`;
  return `The system cannot watch the music folder (${message}).`;
}

function limit(name: string): string {
  try {
    return readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8').trim();
  } catch {
    return 'no more';
  }
}
