// Tests what a scan reports while it runs.
import { expect, test } from 'vitest';
import { createProgress } from '../../../server/scan/progress.ts';
import { createScanRecord, restartRecord, recordRead, recordBatch } from '../../../server/scan/scan-record.ts';
import { emptyBatch, type FolderBatch } from '../../../server/scan/walk/compare-folder.ts';
import type { ScanProgress } from '../../../server/scan/wire.ts';

const MUSIC_FOLDERS = [
  { key: '', name: 'Music' },
  { key: 'vinyl', name: 'Vinyl' },
  { key: 'later', name: 'Later' },
];

/** Returns a batch of `count` files, of which `unchangedCount` are unchanged. */
const makeBatch = (count: number, unchangedCount: number): FolderBatch => ({
  ...emptyBatch(''),
  unchangedCount,
  candidates: Array(count - unchangedCount),
});

function reporting(folders: typeof MUSIC_FOLDERS) {
  const record = createScanRecord();
  const reports: Omit<ScanProgress, 'job_id'>[] = [];
  const progress = createProgress(record, folders, (report) => reports.push(report));
  const report = () => {
    progress.enterPhase('hashing');
    return reports.at(-1)?.music_folders;
  };
  return { record, report };
}

test('each of several music folders has its own counts, once the walk has met it', () => {
  const { record, report } = reporting(MUSIC_FOLDERS);
  recordBatch(record, makeBatch(5, 3), '');
  recordBatch(record, makeBatch(4, 0), 'vinyl');
  recordBatch(record, makeBatch(2, 2), '');
  recordRead(record, ['vinyl', '', 'vinyl']);
  expect(report()).toEqual([
    { name: 'Music', files_seen: 7, files_done: 6 },
    { name: 'Vinyl', files_seen: 4, files_done: 2 },
  ]);
  restartRecord(record); // the whole music folder is walked after a part of it
  recordBatch(record, makeBatch(5, 5), '');
  expect(report()).toEqual([{ name: 'Music', files_seen: 5, files_done: 5 }]);
});

test('a single music folder has the counts of the whole scan', () => {
  const { record, report } = reporting(MUSIC_FOLDERS.slice(0, 1));
  recordBatch(record, makeBatch(5, 3), '');
  expect(report()).toEqual([]);
});
