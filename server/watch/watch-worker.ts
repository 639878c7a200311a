// The watching thread: collects changes in the music folder, and says which folders to scan. In a thread of its own, so
// that walking many folders, or a burst of changes, does not block the server.
import { existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { END } from '../runtime/stop-worker.ts';
import { messageOf } from '../errors.ts';
import { createPendingChanges, type FileLook, type QuietRules } from './changed-folders.ts';
import { foldersToScan } from '../files/folder-set.ts';
import { lookAt, watchFolders, type TreeWatch } from './folder-watch.ts';
import { absoluteOf, join, parentOf } from '../files/relative-path.ts';
import { IGNORE_MARKS } from '../files/file-kinds.ts';

export interface WatchOrder {
  /** Absolute path without links. */
  root: string;
  quiet: QuietRules;
  maxFolders: number;
  backend: WatchBackend;
}
/** `folders`: a watch of our own on each folder. `chokidar`: what chokidar does on this system. */
export type WatchBackend = 'folders' | 'chokidar';

/** To the server: the whole tree is watched; folders to scan; why the tree is not watched, or not any more. */
export type WatchMessage =
  | { type: 'watching'; folders: number }
  | { type: 'changed'; scan: string[]; folders: number }
  | { type: 'failed'; code: string; message: string };

/**
 * From this many changes on, everything is scanned: Linux drops events beyond 16,384 in its queue, and Node does not
 * say.
 */
const OVERRUN = 4_000;

const port = parentPort;
if (!port) throw new Error('watch-worker runs as a worker thread');
const post = (message: WatchMessage): void => port.postMessage(message);

const { root, quiet, maxFolders, backend } = workerData as WatchOrder;
const changes = createPendingChanges(quiet);
let tree: TreeWatch | undefined;
let timer: NodeJS.Timeout | undefined;

let isEnding = false;
port.on('message', (message: typeof END) => {
  isEnding = message === END;
  clearTimeout(timer);
  void tree?.close();
  port.close();
});

const now = (): number => performance.now();
function plan(): void {
  const due = changes.dueAt();
  if (tree && due !== undefined) timer ??= setTimeout(onTimer, Math.max(0, due - now()), tree);
}

function onTimer(watched: TreeWatch): void {
  timer = undefined;
  const due = changes.dueAt();
  if (due !== undefined && due <= now()) take(watched);
  plan();
}

function take(watched: TreeWatch): void {
  const { vanished, present, count } = changes.take(now(), (folder, name) => lookAt(root, join(folder, name)));
  if (vanished.length + present.length === 0) return;
  const isOverrun = count > OVERRUN;
  if (isOverrun) watched.refresh();
  const scan = isOverrun
    ? ['']
    : foldersToScan([...vanished, ...present].map(nearestFolder)).filter((folder) => !isHidden(folder));
  if (scan.length > 0) post({ type: 'changed', scan, folders: watched.folders() });
}

/** The folder, or the nearest one above that exists: only a folder that is there can prove what is gone. */
function nearestFolder(folder: string): string {
  let path = folder;
  while (path !== '' && !lookAt(root, path)?.isDirectory()) path = parentOf(path);
  return path;
}

/** A scan of a folder does not see an ignore mark above it. */
function isHidden(folder: string): boolean {
  for (let path = folder; path !== ''; path = parentOf(path)) {
    if (IGNORE_MARKS.some((mark) => existsSync(absoluteOf(root, join(parentOf(path), mark))))) return true;
  }
  return false;
}

const fail = (error: unknown): void =>
  post({
    type: 'failed',
    code: error instanceof Error && 'code' in error ? String(error.code) : '',
    message: messageOf(error),
  });

const noted =
  <A extends unknown[]>(note: (...args: A) => void) =>
  (...args: A): void => {
    note(...args);
    plan();
  };

try {
  const options = {
    root,
    maxFolders,
    onError: fail,
    onFile: noted((folder: string, name: string, look: FileLook) =>
      changes.noteFile(folder, name, { size: look.size, mtimeMs: look.mtimeMs }, now()),
    ),
    onGone: noted((folder: string) => changes.noteGone(folder, now())),
    onTouched: noted((folder: string) => changes.noteTouched(folder, now())),
  };
  tree =
    backend === 'folders'
      ? watchFolders(options)
      : await (await import('./chokidar-watch.ts')).watchWithChokidar(options);
  if (isEnding) void tree.close(); // while the tree was opened
  post({ type: 'watching', folders: tree.folders() });
  plan();
  // what listing all folders left behind: an idle thread collects nothing by itself (7 MB with 20,000 tracks)
  void globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' });
} catch (error) {
  fail(error);
}
