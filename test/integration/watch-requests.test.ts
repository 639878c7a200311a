// Scans that have to wait: a real job queue, and a scan that ends when the test says so.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEventHub } from '../../server/events/hub.ts';
import { createScanRequests } from '../../server/watch/scan-requests.ts';
import { createJobs, type Jobs } from '../../server/jobs/service.ts';
import { handledBy } from '../../server/jobs/tasks.ts';
import { SCAN_LOCAL_FOLDER } from '../../server/scan/tasks.ts';
import { quiet as log } from '../support/server.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { PATIENCE_MS } from '../support/until.ts';

let temp: TempDatabase;
let jobs: Jobs;
let requests: ReturnType<typeof createScanRequests>;
/** Folders of the started scans. */
let startedScans: string[][];
/** Ends the running scan. */
let endScan: () => void;

beforeEach(() => {
  temp = openTempDatabase();
  const now = () => new Date();
  jobs = createJobs({ db: temp.db, log, now, events: createEventHub({ now }) });
  startedScans = [];
  jobs.start([
    handledBy(
      SCAN_LOCAL_FOLDER,
      ({ paths = [''] }, { signal }) =>
        new Promise((resolve, reject) => {
          startedScans.push(paths);
          endScan = () => resolve(null);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    ),
  ]);
  requests = createScanRequests({ jobs, log, checkMs: 5 });
});
afterEach(async () => {
  await requests.close();
  await jobs.close({ graceMs: PATIENCE_MS });
  temp.close();
});

const beganScans = (...folders: string[][]) => expect.poll(() => startedScans, { interval: 5 }).toEqual(folders);

test('all folders that are requested at once are one scan', async () => {
  requests.request(['b/c', 'a', 'b']);
  await beganScans(['a', 'b']);
});

test('requests during a scan wait, and become one scan after it', async () => {
  requests.request(['a']);
  await beganScans(['a']);
  requests.request(['b']);
  requests.request(['c/d']);
  requests.request(['c']);
  endScan();
  await beganScans(['a'], ['b', 'c']);
});

test('a folder that changes while a scan of it runs is scanned again after it', async () => {
  requests.request(['a']);
  await beganScans(['a']);
  requests.request(['a']);
  requests.request(['a/b']);
  endScan();
  await beganScans(['a'], ['a']);
});

test('a scan that a user started does not cover later changes: they are scanned after it', async () => {
  await jobs.enqueue(SCAN_LOCAL_FOLDER, {});
  await beganScans(['']);
  requests.request(['a/b']);
  endScan();
  await beganScans([''], ['a/b']);
});

test('the whole folder, while a user scans the whole folder, is scanned again', async () => {
  await jobs.enqueue(SCAN_LOCAL_FOLDER, {});
  await beganScans(['']);
  requests.request(['', 'a']);
  endScan();
  await beganScans([''], ['']);
});

test('discarded requests are not scanned', async () => {
  requests.request(['a']);
  await beganScans(['a']);
  requests.request(['b']);
  requests.forget(() => true);
  requests.request(['c']);
  endScan();
  await beganScans(['a'], ['c']);
});
