// The walking thread: posts what `walk` finds, at most a window of files ahead of the scan.
import { parentPort, workerData } from 'node:worker_threads';
import { openKnownFiles } from './known-files.ts';
import type { FolderBatch } from './compare-folder.ts';
import { walk, type WalkOptions } from './walk.ts';

export interface WalkOrder extends Omit<WalkOptions, 'known'> {
  databasePath: string;
  source: string;
}
export interface WalkWorkerData {
  /** One Int32: 1 ends the walk at its next folder. */ stop: SharedArrayBuffer;
}
/** From the scan: start a walk, so many files were taken, end the thread. */
export type WalkRequest = { order: WalkOrder } | { credit: number } | 'end';
/** To the scan: bundles of folders, then `done` or `failed`. */
export type WalkMessage =
  | { type: 'folders'; batches: FolderBatch[]; files: number; current: string }
  | { type: 'done' }
  | { type: 'failed'; message: string };

const WINDOW_FILES = 2_000;
const BUNDLE_FILES = 400;
const BUNDLE_FOLDERS = 2_000;

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
  } else if ('order' in request) void run(request.order);
  else {
    outstanding -= request.credit;
    if (outstanding <= WINDOW_FILES) wake?.();
  }
});

async function run(order: WalkOrder): Promise<void> {
  try {
    await walkAll(order);
    post({ type: 'done' });
  } catch (error) {
    post({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}

async function walkAll(order: WalkOrder): Promise<void> {
  outstanding = 0;
  const known = openKnownFiles(order.databasePath, order.source);
  try {
    let batches: FolderBatch[] = [];
    let candidates = 0;
    const flush = async (): Promise<void> => {
      const files = batches.reduce(
        (sum, batch) => sum + batch.candidates.length + batch.returned.length + batch.unchanged,
        0,
      );
      post({ type: 'folders', batches, files, current: batches.at(-1)?.path ?? order.folders[0] ?? '' });
      outstanding += candidates;
      [batches, candidates] = [[], 0];
      if (outstanding > WINDOW_FILES && !isStopped())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    };
    for (const batch of walk({ ...order, known })) {
      if (isStopped()) return;
      batches.push(batch);
      candidates += batch.candidates.length;
      if (candidates >= BUNDLE_FILES || batches.length >= BUNDLE_FOLDERS || batch.unchanged > BUNDLE_FOLDERS)
        await flush();
    }
    await flush();
  } finally {
    known.close();
  }
}
