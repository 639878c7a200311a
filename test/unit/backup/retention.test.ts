// Which snapshots are kept, as a table.
import { describe, expect, it } from 'vitest';
import { snapshotTime, toSnapshotId } from '../../../server/backup/manifest.ts';
import { snapshotsToKeep } from '../../../server/backup/retention.ts';

const at = (text: string): string => toSnapshotId(new Date(`${text}:00.000Z`));
/** One at 03:00 on each of so many days up to Saturday, 2026-11-21. */
const daily = (days: number): string[] =>
  Array.from({ length: days }, (_, n) => toSnapshotId(new Date(Date.UTC(2026, 10, 21 - n, 3))));
const dates = (ids: string[]): string[] => ids.map((id) => snapshotTime(id).toISOString().slice(5, 10));

describe('snapshotsToKeep', () => {
  it.each<[string, string[], string[], { daily: number; weekly: number }]>([
    ['nothing', [], [], { daily: 7, weekly: 4 }],
    ['a single one, however old', [at('2020-01-01T03:00')], [at('2020-01-01T03:00')], { daily: 7, weekly: 4 }],
    ['a week of days', daily(7), daily(7), { daily: 7, weekly: 0 }],
    ['the eighth day goes', daily(8), daily(7), { daily: 7, weekly: 0 }],
    [
      'the last one of a day',
      [at('2026-11-20T03:00'), at('2026-11-20T18:00'), at('2026-11-20T09:00')],
      [at('2026-11-20T18:00')],
      { daily: 7, weekly: 4 },
    ],
    [
      'days without any do not count',
      [at('2026-11-21T03:00'), at('2026-09-01T03:00'), at('2026-05-01T03:00')],
      [at('2026-11-21T03:00'), at('2026-09-01T03:00')],
      { daily: 2, weekly: 0 },
    ],
    [
      'the newest, also when nothing else is to be kept by weeks',
      [at('2026-11-21T03:00'), at('2026-11-20T03:00')],
      [at('2026-11-21T03:00')],
      { daily: 1, weekly: 0 },
    ],
    [
      'a Sunday and the Monday after it are two weeks',
      [at('2026-11-15T03:00'), at('2026-11-16T03:00')],
      [at('2026-11-16T03:00'), at('2026-11-15T03:00')],
      { daily: 1, weekly: 2 },
    ],
    [
      'a Monday and the Sunday after it are one',
      [at('2026-11-16T03:00'), at('2026-11-22T03:00')],
      [at('2026-11-22T03:00')],
      { daily: 1, weekly: 2 },
    ],
  ])('keeps %s', (_what, ids, kept, rule) => {
    expect(snapshotsToKeep(ids, rule)).toEqual(kept);
  });

  it('keeps of sixty days seven days and the Sundays of four weeks', () => {
    expect(dates(snapshotsToKeep(daily(60), { daily: 7, weekly: 4 }))).toEqual([
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

  it('has the same result day by day and all at once', () => {
    const rule = { daily: 7, weekly: 4 };
    let kept: string[] = [];
    for (const id of daily(60).reverse()) kept = snapshotsToKeep([...kept, id], rule);
    expect(kept).toEqual(snapshotsToKeep(daily(60), rule));
  });
});

it('ids of snapshots are times and sort like them', () => {
  expect(toSnapshotId(new Date('2026-11-21T15:47:00.123Z'))).toBe('20261121T154700123Z');
  expect(snapshotTime('20261121T154700123Z').toISOString()).toBe('2026-11-21T15:47:00.123Z');
});
