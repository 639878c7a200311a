// What a scan says of files adds up to the files that it saw.
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
const decided = (kind: string, more: object = {}): Decision =>
  ({
    kind,
    op: { path: '', candidate: candidate('a.flac') },
    lostIds: [],
    reason: 'no music',
    ...more,
  }) as unknown as Decision;

function sumOf(record: ReturnType<typeof createScanRecord>): [number, number] {
  const { files, added, extra_tracks, updated, moved, unchanged, changing_count, failed_count, failed_folders } =
    toResultCounts(record);
  return [added - extra_tracks + updated + moved + unchanged + changing_count + failed_count - failed_folders, files];
}

function walked(record: ReturnType<typeof createScanRecord>, batch: Partial<FolderBatch>): void {
  const { candidates, ...rest } = { ...emptyBatch(''), ...batch };
  recordBatch(record, { ...rest, candidates }, '');
  recordDecision(record, decided('folder', { op: { batch: rest }, restoredIds: [] }));
}

test('of new, changed, moved, unchanged, unreadable files, of ones with a cue sheet, and folders that fail', () => {
  const record = createScanRecord();
  walked(record, {
    candidates: Array.from({ length: 8 }, (_, i) => candidate(`${i}.flac`)),
    unchangedCount: 3,
    unreadableCount: 1,
    repeatedFailures: [
      { name: 'failed before.mp3', reason: 'no music' },
      { name: 'not readable.mp3', reason: 'the file cannot be looked at (EIO)' },
      { name: '', reason: 'the folder cannot be listed (EACCES)' },
    ],
  });
  recordDecision(record, decided('added'));
  recordDecision(record, decided('split', { sections: [1, 2, 3], wasSplit: false }));
  recordDecision(record, decided('updated'));
  recordDecision(record, decided('moved'));
  recordDecision(record, decided('failed'));
  recordDecision(record, decided('changing'));
  recordDecision(record, decided('deleted'));
  recordDecision(record, decided('second'));
  expect(sumOf(record)).toEqual([12, 12]);
  expect(toResultCounts(record)).toMatchObject({
    added: 4,
    extra_tracks: 2,
    unchanged: 4,
    failed_count: 4,
    failed_folders: 1,
  });
});

test('of a part that was walked before the whole', () => {
  const record = createScanRecord();
  walked(record, { candidates: [candidate('a.flac'), candidate('b.flac')] });
  recordDecision(record, decided('added'));
  recordDecision(record, decided('split', { sections: [1, 2], wasSplit: false }));
  restartRecord(record);
  walked(record, { unchangedCount: 2, candidates: [candidate('c.flac')] });
  recordDecision(record, decided('updated'));
  expect(sumOf(record)).toEqual([3, 3]);
  expect(toResultCounts(record)).toMatchObject({ added: 3, updated: 1, unchanged: 0 });
});
