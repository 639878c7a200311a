// The watching thread: hears what changes in the music folder, waits until it is quiet, and says which folders to scan.
// A crawl of many folders and a burst of changes cost the server's own thread nothing here.
import { existsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { END } from '../runtime/stop-worker.ts';
import { messageOf } from '../errors.ts';
import { createChangeBook, type FileLook, type QuietRules } from './changed-folders.ts';
import { foldersToScan } from '../files/folder-set.ts';
import { lookAt, watchFolders, type TreeWatch } from './folder-watch.ts';
import { absoluteOf, join, parentOf } from '../files/relative-path.ts';
import { IGNORE_MARKS } from '../files/music-names.ts';

export interface WatchOrder {
  /** Absolute path without links. */
  root: string;
  quiet: QuietRules;
  maxFolders: number;
  backend: WatchBackend;
}
/** `folders`: a watch of our own on each folder. `chokidar`: what chokidar does on this system. */
export type WatchBackend = 'folders' | 'chokidar';

/** To the server: the whole tree is watched; folders to scan, relative; or why the tree is not watched (any more). */
export type WatchNews =
  | { type: 'watching'; folders: number }
  | { type: 'changed'; scan: string[]; folders: number }
  | { type: 'failed'; code: string; message: string };

/**
 * The system drops news when more than 16,384 wait to be heard (Linux), and does not say so. Long before, everything is
 * looked at again.
 */
const OVERRUN = 4_000;

const port = parentPort;
if (!port) throw new Error('watch-worker runs as a worker thread');
const post = (news: WatchNews): void => port.postMessage(news);

const { root, quiet, maxFolders, backend } = workerData as WatchOrder;
const book = createChangeBook(quiet);
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
  const due = book.dueAt();
  if (tree && due !== undefined) timer ??= setTimeout(ring, Math.max(0, due - now()), tree);
}

function ring(watched: TreeWatch): void {
  timer = undefined;
  const due = book.dueAt();
  if (due !== undefined && due <= now()) take(watched);
  plan();
}

function take(watched: TreeWatch): void {
  const { vanished, present, count } = book.take(now(), (folder, name) => lookAt(root, join(folder, name)));
  if (vanished.length + present.length === 0) return;
  const isOverrun = count > OVERRUN;
  if (isOverrun) watched.refresh();
  const scan = isOverrun
    ? ['']
    : foldersToScan([...vanished, ...present].map(nearestFolder)).filter((folder) => !isHidden(folder));
  if (scan.length > 0) post({ type: 'changed', scan, folders: watched.folders() });
}

/** The folder, or what is left above it: only a folder that is there can prove what is gone. */
function nearestFolder(folder: string): string {
  let path = folder;
  while (path !== '' && !lookAt(root, path)?.isDirectory()) path = parentOf(path);
  return path;
}

/** A scan that begins at a folder does not see a mark above it. */
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
      book.noteFile(folder, name, { size: look.size, mtimeMs: look.mtimeMs }, now()),
    ),
    onGone: noted((folder: string) => book.noteGone(folder, now())),
    onTouched: noted((folder: string) => book.noteTouched(folder, now())),
  };
  tree =
    backend === 'folders'
      ? watchFolders(options)
      : await (await import('./chokidar-watch.ts')).watchWithChokidar(options);
  if (isEnding) void tree.close(); // told so while it was made
  post({ type: 'watching', folders: tree.folders() });
  plan();
} catch (error) {
  fail(error);
}
