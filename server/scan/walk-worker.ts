// A walking thread: posts what `walk` finds, at most a window of files ahead of the scan. Two of them share a large
// walk: one that has nothing left to do gets half of what the other has still to walk.
import { parentPort, workerData } from 'node:worker_threads';
import { openKnownFiles } from './known-files.ts';
import type { FolderBatch } from './compare-folder.ts';
import { goneFolders, walk, type GoneOptions, type NotWalked, type WalkOptions } from './walk.ts';

interface Known {
  databasePath: string;
  source: string;
  /** Of a walk: one byte for each known folder, by id; 1 when it was met. */
  seen: SharedArrayBuffer;
}
export type WalkOrder = Known &
  Omit<WalkOptions, 'known' | 'notWalked' | 'share'> & {
    /** One Int32: 1 when another thread has nothing to do. */
    wanted: SharedArrayBuffer;
  };
export type GoneOrder = Known & Omit<GoneOptions, 'known'>;
export interface WalkWorkerData {
  /** One Int32: 1 ends the walk at its next folder. */ stop: SharedArrayBuffer;
}
/** From the scan: walk folders, tell which are gone, so many files were taken, end the thread. */
export type WalkRequest = { order: WalkOrder } | { gone: GoneOrder } | { credit: number } | 'end';
/** To the scan: bundles of folders, folders that another thread may walk, then `done` or `failed`. */
export type WalkMessage =
  | { type: 'folders'; batches: FolderBatch[]; current: string }
  | { type: 'shared'; folders: string[] }
  | { type: 'done'; notWalked: NotWalked }
  | { type: 'failed'; message: string };

const WINDOW_FILES = 2_000;
const BUNDLE_FILES = 400;
const BUNDLE_FOLDERS = 2_000;
/** Fewer are not worth another thread's time. */
const SHARED_FOLDERS = 16;

const port = parentPort;
if (!port) throw new Error('walk-worker runs as a worker thread');
const post = (message: WalkMessage): void => port.postMessage(message);

const stop = new Int32Array((workerData as WalkWorkerData).stop);
const isStopped = (): boolean => Atomics.load(stop, 0) === 1;
let outstanding = 0;
let wake: (() => void) | undefined;
port.on('message', (request: WalkRequest) => {
  if (request === 'end') {
    wake?.();
    port.close(); // the thread ends when its walk has closed the database
  } else if ('credit' in request) {
    outstanding -= request.credit;
    if (outstanding <= WINDOW_FILES) wake?.();
  } else void run(request);
});

async function run(request: { order: WalkOrder } | { gone: GoneOrder }): Promise<void> {
  try {
    const { databasePath, source, seen } = 'order' in request ? request.order : request.gone;
    const known = openKnownFiles(databasePath, source, seen);
    const notWalked: NotWalked = { keys: [], paths: [] };
    try {
      await send(
        'order' in request
          ? walk({ ...request.order, known, notWalked, share: shareWhen(request.order.wanted) })
          : goneFolders({ ...request.gone, known }),
      );
    } finally {
      known.close();
    }
    post({ type: 'done', notWalked });
  } catch (error) {
    post({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}

function shareWhen(wanted: SharedArrayBuffer): WalkOptions['share'] {
  const flag = new Int32Array(wanted);
  return (pending) => {
    if (pending.length < SHARED_FOLDERS || Atomics.compareExchange(flag, 0, 1, 0) !== 1) return;
    post({ type: 'shared', folders: pending.splice(0, pending.length >> 1).toReversed() });
  };
}

async function send(found: Iterable<FolderBatch>): Promise<void> {
  let batches: FolderBatch[] = [];
  let candidates = 0;
  const flush = async (): Promise<void> => {
    post({ type: 'folders', batches, current: batches.at(-1)?.path ?? '' });
    outstanding += candidates;
    [batches, candidates] = [[], 0];
    if (outstanding > WINDOW_FILES && !isStopped())
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  for (const batch of found) {
    if (isStopped()) return;
    batches.push(batch);
    candidates += batch.candidates.length;
    if (candidates >= BUNDLE_FILES || batches.length >= BUNDLE_FOLDERS || batch.unchanged > BUNDLE_FOLDERS)
      await flush();
  }
  if (batches.length > 0) await flush();
}
