// Tables of the snapshots that retention keeps.
import { describe, expect, it } from 'vitest';
import { snapshotTime, toSnapshotId } from '../../../server/backup/manifest.ts';
import { snapshotsToKeep } from '../../../server/backup/retention.ts';

const snapshotAt = (text: string): string => toSnapshotId(new Date(`${text}:00.000Z`));
/** Returns one snapshot at 03:00 for each of the last `days` days up to Saturday, 2026-11-21. */
const listDailySnapshots = (days: number): string[] =>
  Array.from({ length: days }, (_, n) => toSnapshotId(new Date(Date.UTC(2026, 10, 21 - n, 3))));
const dates = (ids: string[]): string[] => ids.map((id) => snapshotTime(id).toISOString().slice(5, 10));

describe('snapshotsToKeep', () => {
  it.each<[string, string[], string[], { daily: number; weekly: number }]>([
    ['nothing', [], [], { daily: 7, weekly: 4 }],
    [
      'a single one, however old',
      [snapshotAt('2020-01-01T03:00')],
      [snapshotAt('2020-01-01T03:00')],
      { daily: 7, weekly: 4 },
    ],
    ['a week of days', listDailySnapshots(7), listDailySnapshots(7), { daily: 7, weekly: 0 }],
    ['the eighth day goes', listDailySnapshots(8), listDailySnapshots(7), { daily: 7, weekly: 0 }],
    [
      'the last one of a day',
      [snapshotAt('2026-11-20T03:00'), snapshotAt('2026-11-20T18:00'), snapshotAt('2026-11-20T09:00')],
      [snapshotAt('2026-11-20T18:00')],
      { daily: 7, weekly: 4 },
    ],
    [
      'days without any do not count',
      [snapshotAt('2026-11-21T03:00'), snapshotAt('2026-09-01T03:00'), snapshotAt('2026-05-01T03:00')],
      [snapshotAt('2026-11-21T03:00'), snapshotAt('2026-09-01T03:00')],
      { daily: 2, weekly: 0 },
    ],
    [
      'the newest, also when nothing else is to be kept by weeks',
      [snapshotAt('2026-11-21T03:00'), snapshotAt('2026-11-20T03:00')],
      [snapshotAt('2026-11-21T03:00')],
      { daily: 1, weekly: 0 },
    ],
    [
      'a Sunday and the Monday after it are two weeks',
      [snapshotAt('2026-11-15T03:00'), snapshotAt('2026-11-16T03:00')],
      [snapshotAt('2026-11-16T03:00'), snapshotAt('2026-11-15T03:00')],
      { daily: 1, weekly: 2 },
    ],
    [
      'a Monday and the Sunday after it are one',
      [snapshotAt('2026-11-16T03:00'), snapshotAt('2026-11-22T03:00')],
      [snapshotAt('2026-11-22T03:00')],
      { daily: 1, weekly: 2 },
    ],
  ])('keeps %s', (_title, ids, keptIds, rule) => {
    expect(snapshotsToKeep(ids, rule)).toEqual(keptIds);
  });

  it('keeps, of sixty days, the last seven and the Sundays of four weeks', () => {
    expect(dates(snapshotsToKeep(listDailySnapshots(60), { daily: 7, weekly: 4 }))).toEqual([
      '11-21',
      '11-20',
      '11-19',
      '11-18',
      '11-17',
      '11-16',
      '11-15',
      '11-08',
      '11-01',
    ]);
  });

  it('has the same result when run day by day and when run once', () => {
    const rule = { daily: 7, weekly: 4 };
    let keptIds: string[] = [];
    for (const id of listDailySnapshots(60).reverse()) keptIds = snapshotsToKeep([...keptIds, id], rule);
    expect(keptIds).toEqual(snapshotsToKeep(listDailySnapshots(60), rule));
  });
});

it('ids of snapshots are times and sort like them', () => {
  expect(toSnapshotId(new Date('2026-11-21T15:47:00.123Z'))).toBe('20261121T154700123Z');
  expect(snapshotTime('20261121T154700123Z').toISOString()).toBe('2026-11-21T15:47:00.123Z');
});
