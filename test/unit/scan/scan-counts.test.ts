// Checks that the counts of a scan add up to the files that it saw.
import { expect, test } from 'vitest';
import { emptyBatch, type Candidate, type FolderBatch } from '../../../server/scan/walk/compare-folder.ts';
import type { Decision } from '../../../server/scan/write/decide.ts';
import {
  toResultCounts,
  createScanRecord,
  restartRecord,
  recordDecision,
  recordBatch,
} from '../../../server/scan/scan-record.ts';

const candidate = (name: string): Candidate => ({ name }) as Candidate;
const makeDecision = (kind: string, fields: object = {}): Decision =>
  ({
    kind,
    op: { path: '', candidate: candidate('a.flac') },
    lostIds: [],
    reason: 'no music',
    ...fields,
  }) as unknown as Decision;

function sumCounts(record: ReturnType<typeof createScanRecord>): [number, number] {
  const { files, added, extra_tracks, updated, moved, unchanged, changing_count, failed_count, failed_folders } =
    toResultCounts(record);
  return [added - extra_tracks + updated + moved + unchanged + changing_count + failed_count - failed_folders, files];
}

function recordWalk(record: ReturnType<typeof createScanRecord>, batch: Partial<FolderBatch>): void {
  const { candidates, ...batchFields } = { ...emptyBatch(''), ...batch };
  recordBatch(record, { ...batchFields, candidates }, '');
  recordDecision(record, makeDecision('folder', { op: { batch: batchFields }, restoredIds: [] }));
}

test('of new, changed, moved, unchanged, unreadable files, of ones with a cue sheet, and folders that fail', () => {
  const record = createScanRecord();
  recordWalk(record, {
    candidates: Array.from({ length: 8 }, (_, i) => candidate(`${i}.flac`)),
    unchangedCount: 3,
    unreadableCount: 1,
    repeatedFailures: [
      { name: 'failed before.mp3', reason: 'no music' },
      { name: 'not readable.mp3', reason: 'the file cannot be looked at (EIO)' },
      { name: '', reason: 'the folder cannot be listed (EACCES)' },
    ],
  });
  recordDecision(record, makeDecision('added'));
  recordDecision(record, makeDecision('split', { sections: [1, 2, 3], wasSplit: false }));
  recordDecision(record, makeDecision('updated'));
  recordDecision(record, makeDecision('moved'));
  recordDecision(record, makeDecision('failed'));
  recordDecision(record, makeDecision('changing'));
  recordDecision(record, makeDecision('deleted'));
  recordDecision(record, makeDecision('second'));
  expect(sumCounts(record)).toEqual([12, 12]);
  expect(toResultCounts(record)).toMatchObject({
    added: 4,
    extra_tracks: 2,
    unchanged: 4,
    failed_count: 4,
    failed_folders: 1,
  });
});

test('of a part that was walked before the whole music folder', () => {
  const record = createScanRecord();
  recordWalk(record, { candidates: [candidate('a.flac'), candidate('b.flac')] });
  recordDecision(record, makeDecision('added'));
  recordDecision(record, makeDecision('split', { sections: [1, 2], wasSplit: false }));
  restartRecord(record);
  recordWalk(record, { unchangedCount: 2, candidates: [candidate('c.flac')] });
  recordDecision(record, makeDecision('updated'));
  expect(sumCounts(record)).toEqual([3, 3]);
  expect(toResultCounts(record)).toMatchObject({ added: 3, updated: 1, unchanged: 0 });
});
