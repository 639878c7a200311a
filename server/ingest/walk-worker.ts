// The walking thread: runs `walk` and posts what it finds, no further ahead of the reader than a window of files.
import { parentPort, workerData } from 'node:worker_threads';
import { openKnownFiles } from './known-files.ts';
import { walk, type FolderBatch } from './walk.ts';

export interface WalkWorkerData { root: string; below: string; restore: boolean; databasePath: string; source: string }
/** To the scan: folders in bundles, then `done` or `failed`. */
export type WalkMessage =
  | { type: 'folders'; batches: FolderBatch[]; files: number; current: string }
  | { type: 'done' }
  | { type: 'failed'; message: string };
/** From the scan: so many files were dealt with. */
export interface WalkCredit { done: number }

const WINDOW_FILES = 100_000;
const BUNDLE_FILES = 400;
const BUNDLE_FOLDERS = 2_000;

const port = parentPort;
if (!port) throw new Error('walk-worker runs as a worker thread');
const data = workerData as WalkWorkerData;

let outstanding = 0;
let wake: (() => void) | undefined;
port.on('message', ({ done }: WalkCredit) => {
  outstanding -= done;
  wake?.();
});

const known = openKnownFiles(data.databasePath, data.source);
try {
  let bundle: FolderBatch[] = [];
  let files = 0;
  let candidates = 0;
  const flush = async (current: string): Promise<void> => {
    port.postMessage({ type: 'folders', batches: bundle, files, current } satisfies WalkMessage);
    outstanding += candidates;
    [bundle, files, candidates] = [[], 0, 0];
    if (outstanding > WINDOW_FILES) await new Promise<void>((resolve) => { wake = () => { if (outstanding <= WINDOW_FILES) resolve(); }; });
  };
  let folders = 0;
  let last = '';
  for (const batch of walk({ root: data.root, below: data.below, restore: data.restore, known })) {
    last = batch.path;
    files += batch.candidates.length + batch.returned.length + batch.unchanged;
    candidates += batch.candidates.length;
    folders++;
    bundle.push(batch);
    if (candidates >= BUNDLE_FILES || folders >= BUNDLE_FOLDERS) {
      folders = 0;
      await flush(last);
    }
  }
  await flush(last);
  port.postMessage({ type: 'done' } satisfies WalkMessage);
} catch (error) {
  port.postMessage({ type: 'failed', message: error instanceof Error ? error.message : String(error) } satisfies WalkMessage);
} finally {
  known.close();
  port.close();
}
