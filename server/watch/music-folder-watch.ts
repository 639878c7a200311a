// Watches one music folder and requests scans of changed folders. A music folder that cannot be watched is scanned at
// intervals; one that is offline is not scanned.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { MainDb } from '../db/client.ts';
import { stopWorker } from '../runtime/stop-worker.ts';
import type { OwnFolders } from '../runtime/unsuitable-folders.ts';
import { LOCAL_FOLDER } from '../scan/scan-context.ts';
import { listFollowedLinks } from '../files/folder-links.ts';
import { AppError, messageOf } from '../errors.ts';
import { findMusicFolder, type MusicFolder } from '../files/music-folder.ts';
import { keyOfPath, pathInRoot, rootPathOf, type MusicRoot } from '../storage/music-roots.ts';
import { join } from '../files/relative-path.ts';
import type { Log } from '../log/log.ts';
import type { QuietRules } from './changed-folders.ts';
import { findRemoteFileSystem } from './mounts.ts';
import type { ScanRequests } from './scan-requests.ts';
import type { WatchBackend, WatchMessage, WatchOrder } from './watch-worker.ts';

export interface WatchTiming extends QuietRules {
  /** How often to check that the folder still exists and is the same. */
  folderCheckMs: number;
  /** Time between two scans of a folder that cannot be watched. */
  pollMs: number;
  /** How often to check whether a running scan has ended. */
  scanCheckMs: number;
  maxFolders: number;
  backend: WatchBackend;
}

export interface WatchStatus {
  state: 'off' | 'starting' | 'watching' | 'polling';
  /** The reason for the state `off` or `polling`. */
  reason?: string;
  /** Number of watched folders. */
  folders?: number;
}

interface MusicFolderWatchDeps {
  db: MainDb;
  log: Log;
  folder: MusicRoot;
  /** Returns the keys of all music folders. */
  keys: () => string[];
  /** Returns the path of this music folder in lists of folders to scan. */
  scanPath: () => string;
  requests: Pick<ScanRequests, 'request' | 'forget'>;
  workerUrl: URL;
  times: WatchTiming;
  /** LOCAL_MEDIA_IGNORE. */
  ignoredNames: string;
  /** Tonearm's own folders, to which links are not followed. */
  ownFolders: OwnFolders;
}

export type MusicFolderWatch = ReturnType<typeof watchMusicFolder>;

const isLinux = process.platform === 'linux';
export const WATCH_TIMING: WatchTiming = {
  quietMs: 5_000,
  maxWaitMs: 60_000,
  holdMs: 600_000,
  folderCheckMs: 30_000,
  pollMs: 900_000,
  scanCheckMs: 1_000,
  maxFolders: isLinux ? 50_000 : 20_000, // each folder takes 2 KB and a kernel watch, or 10 KB in chokidar
  backend: isLinux ? 'folders' : 'chokidar',
};

export function watchMusicFolder({
  db,
  log,
  folder,
  keys,
  scanPath,
  requests,
  workerUrl,
  times,
  ignoredNames,
  ownFolders,
}: MusicFolderWatchDeps) {
  const toScanPath = (path: string): string => (path === '' ? scanPath() : join(rootPathOf(folder.key), path));
  const requestScan = (folders: string[]): void => requests.request(folders.map(toScanPath));
  let status: WatchStatus = { state: 'starting' };
  let root: MusicFolder | undefined;
  let worker: Worker | undefined;
  let checkTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  // The previous work, after which the next is queued, because a setting may change while the folder is being checked.
  let queue = Promise.resolve();
  function enqueue(work: () => unknown): void {
    queue = queue
      .then(async () => {
        if (!isClosed) await work();
      })
      .catch((error: unknown) => log.error({ err: error }, 'watching the music folder failed'));
  }

  async function end(): Promise<void> {
    clearInterval(checkTimer);
    await stopWatching();
  }

  async function stopWatching(): Promise<void> {
    clearInterval(pollTimer);
    root = undefined;
    const oldWorker = worker;
    worker = undefined;
    if (oldWorker) await stopWorker(oldWorker);
  }

  /** Checks the folder, and starts or stops watching it. Returns whether the folder exists. */
  async function checkFolder(): Promise<boolean> {
    const folderOrProblem = await findMusicFolder(db, folder, keys()).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
      return error.message;
    });
    if (isClosed) return false;
    if (typeof folderOrProblem === 'string') {
      await waitForReturn(folderOrProblem);
      return false;
    }
    if (folderOrProblem.identity !== root?.identity) await startWatching(folderOrProblem);
    return true;
  }

  async function waitForReturn(problem: string): Promise<void> {
    if (status.state === 'polling' && status.reason === problem) return;
    await stopWatching();
    if (isClosed) return;
    requests.forget((path) => path === scanPath() || keyOfPath(keys(), path) === folder.key);
    status = { state: 'polling', reason: problem };
    log.warn(
      { reason: problem, check_every_ms: times.folderCheckMs },
      'music folder offline; waiting until it is back',
    );
  }

  async function startWatching(musicFolder: MusicFolder): Promise<void> {
    await stopWatching();
    if (isClosed) return;
    root = musicFolder;
    status = { state: 'starting' };
    const fileSystem = await findRemoteFileSystem(musicFolder.path);
    if (isClosed) return;
    if (fileSystem !== undefined)
      return poll(
        `The music folder is on a network file system (${fileSystem}), which does not report changes by other ` +
          'machines.',
      );
    const { quietMs, maxWaitMs, holdMs, maxFolders, backend } = times;
    const order: WatchOrder = {
      root: { key: '', path: musicFolder.path, followsLinks: folder.followsLinks ?? false },
      ownFolders,
      lastLinks: listFollowedLinks(db.$client, LOCAL_FOLDER)
        .filter(({ path }) => keyOfPath(keys(), path) === folder.key)
        .map(({ path, target }) => ({ path: pathInRoot(folder.key, path), target })),
      ignoredNames,
      quietRules: { quietMs, maxWaitMs, holdMs },
      maxFolders,
      backend,
    };
    const newWorker = new Worker(workerUrl, { workerData: order });
    worker = newWorker;
    const runIfCurrent = (work: () => Promise<void>): void =>
      enqueue(() => (worker === newWorker ? work() : undefined));
    newWorker.on('message', (message: WatchMessage) => runIfCurrent(() => receive(message, musicFolder)));
    newWorker.on('error', (error) =>
      runIfCurrent(() => poll(`Watching the music folder failed (${messageOf(error)}).`)),
    );
    newWorker.unref();
  }

  async function receive(message: WatchMessage, { path, isEmpty }: MusicFolder): Promise<void> {
    if (message.type === 'failed') return poll(describeWatchProblem(message.code, message.message, times.maxFolders));
    status = { state: 'watching', folders: message.folders };
    if (message.type === 'watching') {
      log.info({ path, folders: message.folders }, 'watching the music folder');
      if (!isEmpty) requestScan(['']); // finds changes from before the watch began
    } else if (await checkFolder()) requestScan(message.scan);
  }

  /** Scans at intervals, until a setting or the disk changes. */
  async function poll(reason: string): Promise<void> {
    const polledRoot = root;
    await stopWatching();
    if (isClosed) return;
    root = polledRoot;
    status = { state: 'polling', reason };
    log.warn(
      { path: polledRoot?.path, reason, scan_every_ms: times.pollMs },
      'music folder not watched; scanned at intervals',
    );
    const scan = async (): Promise<void> => {
      if ((await checkFolder()) && root === polledRoot) requestScan(['']);
    };
    pollTimer = setInterval(() => enqueue(scan), times.pollMs).unref();
    requestScan(['']);
  }

  checkTimer = setInterval(() => enqueue(checkFolder), times.folderCheckMs).unref();
  enqueue(checkFolder);

  return {
    folder,
    ignoredNames,
    status: (): WatchStatus => status,
    async close(): Promise<void> {
      isClosed = true; // running work may hang on a dead disk, so close does not wait for it
      await end();
    },
  };
}

/** Says why a folder cannot be watched, and what to do about it. `code` is an error code of the system. */
export function describeWatchProblem(code: string, message: string, maxFolders: number): string {
  if (code === 'TOO_MANY_FOLDERS') return `The music folder has more than ${maxFolders} folders, too many to watch.`;
  if (code === 'ENOSPC')
    return (
      `The system allows this account to watch ${readInotifyLimit('max_user_watches')} folders, which is not enough. ` +
      'Raise fs.inotify.max_user_watches with sysctl, then switch watching off and on.'
    );
  if (code === 'EMFILE' || code === 'ENFILE')
    return (
      `The system allows this account ${readInotifyLimit('max_user_instances')} watches, and other programs use ` +
      'them all. Raise fs.inotify.max_user_instances with sysctl (or the limit of open files), ' +
      'then switch watching off and on.'
    );
  return `The system cannot watch the music folder (${message}).`;
}

function readInotifyLimit(name: string): string {
  try {
    return readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8').trim();
  } catch {
    return 'no more';
  }
}
