// The watching thread: collects changes in the music folder, and reports which folders to scan. It is a thread of its
// own, so that walking many folders, or a burst of changes, does not block the server.
import { parentPort, workerData } from 'node:worker_threads';
import { END_MESSAGE } from '../runtime/stop-worker.ts';
import { messageOf } from '../errors.ts';
import { createPendingChanges, type FileState, type QuietRules } from './changed-folders.ts';
import { foldersToScan } from '../files/folder-set.ts';
import { createFolderLinks, type FolderLink } from '../files/folder-links.ts';
import type { OwnFolders } from '../runtime/unsuitable-folders.ts';
import { statPath, watchFolders, type TreeWatch, type TreeWatchOptions } from './folder-watch.ts';
import { join, parentOf } from '../files/relative-path.ts';
import { isIgnoredFolder } from '../files/ignore-files.ts';

export interface WatchOrder {
  root: TreeWatchOptions['root'];
  /** Tonearm's own folders, to which links are not followed. */
  ownFolders: OwnFolders;
  /** The links in the music folder that the last scan followed. */
  lastLinks: FolderLink[];
  /** LOCAL_MEDIA_IGNORE. */
  ignoredNames: string;
  quietRules: QuietRules;
  maxFolders: number;
  backend: WatchBackend;
}
/**
 * The way to watch. `folders`: one watch per folder (folder-watch.ts). `chokidar`: what chokidar uses on this system.
 */
export type WatchBackend = 'folders' | 'chokidar';

/**
 * Messages to the server. `watching`: the whole tree is watched. `changed`: these folders have to be scanned. `failed`:
 * the tree cannot be watched.
 */
export type WatchMessage =
  | { type: 'watching'; folders: number }
  | { type: 'changed'; scan: string[]; folders: number }
  | { type: 'failed'; code: string; message: string };

/**
 * After more changes than this, everything is scanned: Linux drops events beyond 16,384 in its queue, and Node does not
 * report that.
 */
const MAX_TRACKED_CHANGES = 4_000;

const port = parentPort;
if (!port) throw new Error('watch-worker runs as a worker thread');
const post = (message: WatchMessage): void => port.postMessage(message);

const order = workerData as WatchOrder;
const { ignoredNames, quietRules, maxFolders, backend } = order;
const root = order.root.path;
const changes = createPendingChanges(quietRules);
let tree: TreeWatch | undefined;
let timer: NodeJS.Timeout | undefined;

let isEnding = false;
port.on('message', (message: typeof END_MESSAGE) => {
  isEnding = message === END_MESSAGE;
  clearTimeout(timer);
  void tree?.close();
  port.close();
});

const now = (): number => performance.now();
function scheduleReport(): void {
  const dueAt = changes.dueAt();
  if (tree && dueAt !== undefined) timer ??= setTimeout(onTimer, Math.max(0, dueAt - now()), tree);
}

function onTimer(treeWatch: TreeWatch): void {
  timer = undefined;
  const dueAt = changes.dueAt();
  if (dueAt !== undefined && dueAt <= now()) reportChanges(treeWatch);
  scheduleReport();
}

function reportChanges(treeWatch: TreeWatch): void {
  const { foldersWithRemovals, foldersWithFiles, count } = changes.take(now(), (folder, name) =>
    statPath(root, join(folder, name)),
  );
  if (foldersWithRemovals.length + foldersWithFiles.length === 0) return;
  const isOverrun = count > MAX_TRACKED_CHANGES;
  if (isOverrun) treeWatch.refresh();
  const scan = isOverrun
    ? ['']
    : foldersToScan([...foldersWithRemovals, ...foldersWithFiles].map(findNearestFolder)).filter(
        (folder) => !isIgnoredFolder(root, folder, ignoredNames),
      );
  if (scan.length > 0) post({ type: 'changed', scan, folders: treeWatch.countFolders() });
}

/**
 * Returns the folder, or the nearest existing folder above it, because a scan of an existing folder finds what is gone.
 */
function findNearestFolder(folder: string): string {
  let path = folder;
  while (path !== '' && !statPath(root, path)?.isDirectory()) path = parentOf(path);
  return path;
}

const reportFailure = (error: unknown): void =>
  post({
    type: 'failed',
    code: error instanceof Error && 'code' in error ? String(error.code) : '',
    message: messageOf(error),
  });

const withTimer =
  <A extends unknown[]>(record: (...args: A) => void) =>
  (...args: A): void => {
    record(...args);
    scheduleReport();
  };

try {
  const options = {
    root: order.root,
    links: createFolderLinks({ roots: [order.root], ownFolders: order.ownFolders, lastLinks: order.lastLinks }),
    ignoredNames,
    maxFolders,
    onError: reportFailure,
    onFile: withTimer((folder: string, name: string, state: FileState) =>
      changes.noteFile(folder, name, { size: state.size, mtimeMs: state.mtimeMs }, now()),
    ),
    onRemoval: withTimer((folder: string) => changes.noteRemoval(folder, now())),
    onUnknownChange: withTimer((folder: string) => changes.noteUnknownChange(folder, now())),
  };
  tree =
    backend === 'folders'
      ? watchFolders(options)
      : await (await import('./chokidar-watch.ts')).watchWithChokidar(options);
  if (isEnding) void tree.close(); // the message END may arrive while the tree is being opened
  post({ type: 'watching', folders: tree.countFolders() });
  scheduleReport();
  // frees the memory of listing all folders: an idle thread collects no garbage by itself (7 MB with 20,000 tracks)
  void globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
} catch (error) {
  reportFailure(error);
}
