// The rules of the pages: days, plays by day, plots and their tables, changes of a match, input.
import { describe, expect, test } from 'vitest';
import { unfinishedAlbums } from '../../../renderer/features/browse/albums/unfinished-albums.ts';
import { changesOf } from '../../../renderer/features/details/match-changes.ts';
import { toTrackPut, type EditValues } from '../../../renderer/features/details/edit-values.ts';
import { historyRows } from '../../../renderer/features/history/history-rows.ts';
import { bucketDays, fillYears, stepFor, toCsv } from '../../../renderer/features/statistics/plot-data.ts';
import { FIELD_NAMES } from '../../../renderer/music/track-fields.ts';
import { dayOf, parseRangeSearch } from '../../../renderer/ui/day-range.ts';
import { addDays, daysOf } from '../../../renderer/ui/range-days.ts';
import type { MatchOut } from '../../../server/enrichment/wire.ts';
import type { HistoryOut } from '../../../server/history/wire.ts';
import type { AlbumOut, TrackFieldName, TrackOut } from '../../../server/library/wire.ts';

describe('days', () => {
  test('a range includes today', () => {
    expect(daysOf({ range: 'week' }, '2026-03-03')).toEqual({ from: '2026-02-25', to: '2026-03-03' });
    expect(daysOf({ range: 'all' }, '2026-03-03')).toEqual({});
    expect(daysOf({ range: 'custom', from: '2026-01-01' }, '2026-03-03')).toEqual({ from: '2026-01-01' });
  });

  test.each([
    ['this-week', '2026-03-01', '2026-02-23', '2026-03-01'],
    ['this-week', '2026-03-02', '2026-03-02', '2026-03-02'],
    ['last-week', '2026-01-04', '2025-12-22', '2025-12-28'],
    ['this-month', '2026-03-03', '2026-03-01', '2026-03-03'],
    ['last-month', '2024-03-31', '2024-02-01', '2024-02-29'],
    ['last-month', '2026-01-15', '2025-12-01', '2025-12-31'],
    ['this-year', '2026-03-03', '2026-01-01', '2026-03-03'],
    ['last-year', '2026-03-03', '2025-01-01', '2025-12-31'],
  ] as const)('%s on %s is from %s to %s', (range, today, from, to) => {
    expect(daysOf({ range }, today)).toEqual({ from, to });
    expect(parseRangeSearch({ range })).toEqual({ range });
  });

  test('invalid dates in a URL are ignored', () => {
    expect(parseRangeSearch({ range: 'decade', from: '2026-01-01' })).toEqual({});
    expect(parseRangeSearch({ range: 'custom', from: '2026-13-01', to: '2026-02-01' })).toEqual({
      range: 'custom',
      to: '2026-02-01',
    });
  });

  test('are calendar days, across leap days and years', () => {
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
  });
});

describe('history', () => {
  const play = (id: number, playedAt: Date) =>
    ({ id, played_at: playedAt.toISOString(), title: `Song ${id}` }) as HistoryOut;
  const plays = [
    play(3, new Date(2026, 2, 2, 9)),
    play(2, new Date(2026, 2, 1, 23, 59)),
    play(2, new Date(2026, 2, 1, 23, 59)),
    play(1, new Date(2026, 2, 1, 0, 1)),
  ];

  test('has a heading for each local day, and each play once', () => {
    expect(historyRows(plays).map((row) => (row.kind === 'day' ? `${row.day} ${row.plays}` : row.play.id))).toEqual([
      '2026-03-02 1',
      3,
      '2026-03-01 2',
      2,
      1,
    ]);
  });

  test('leaves out a day when its only play is removed', () => {
    expect(historyRows(plays, ({ id }) => id === 3)[0]).toMatchObject({
      kind: 'day',
      day: dayOf(new Date(2026, 2, 1)),
    });
  });
});

describe('plots', () => {
  test('have a resolution that fits their range', () => {
    expect(['2026-01-31', '2026-06-01', '2028-01-01'].map((lastDay) => stepFor('2026-01-01', lastDay))).toEqual([
      'day',
      'week',
      'month',
    ]);
  });

  test('include days without plays', () => {
    const { buckets } = bucketDays([{ day: '2026-03-02', plays: 2, minutes: 7 }], '2026-03-01', '2026-03-03');
    expect(buckets).toEqual([
      { start: '2026-03-01', plays: 0, minutes: 0 },
      { start: '2026-03-02', plays: 2, minutes: 7 },
      { start: '2026-03-03', plays: 0, minutes: 0 },
    ]);
  });

  test('group weeks from Monday, and months from their first day, without losing a play', () => {
    const days = Array.from({ length: 400 }, (_, i) => ({ day: addDays('2025-01-15', i), plays: 1, minutes: 3 }));
    for (const lastDay of ['2025-06-30', '2026-02-18']) {
      const { step, buckets } = bucketDays(days, '2025-01-15', lastDay);
      expect(
        buckets.every(({ start }) => (step === 'week' ? new Date(start).getUTCDay() === 1 : start.endsWith('-01'))),
      ).toBe(true);
      expect(buckets.reduce((sum, { plays }) => sum + plays, 0)).toBe(
        Math.min(
          400,
          (Date.parse(lastDay) - Date.parse('2025-01-15')) / 86_400_000 +
            1 +
            (step === 'week' ? 6 - ((new Date(lastDay).getUTCDay() + 6) % 7) : 0),
        ),
      );
    }
  });

  test('of years have no gaps', () => {
    expect(
      fillYears([
        { year: 1999, albums: 2 },
        { year: 2001, albums: 1 },
      ]),
    ).toEqual([
      { year: 1999, albums: 2 },
      { year: 2000, albums: 0 },
      { year: 2001, albums: 1 },
    ]);
    expect(fillYears([])).toEqual([]);
  });

  test('a saved table is the same in a spreadsheet, and runs no formulas', () => {
    expect(
      toCsv({
        columns: ['Name', 'Plays'],
        rows: [
          ['Say "hi", now', 3],
          ['=HYPERLINK("x")', 1],
          ['-1', -1],
        ],
      }),
    ).toBe('Name,Plays\r\n"Say ""hi"", now",3\r\n"\'=HYPERLINK(""x"")",1\r\n\'-1,-1\r\n');
  });
});

describe('details', () => {
  const track = {
    title: 'Old',
    artist_name: 'Band',
    album_title: null,
    album_artist_name: null,
    year: 2001,
    track_number: 3,
    disc_number: null,
    genres: ['Folk'],
    genre: 'Folk',
  } as unknown as TrackOut;
  const match = {
    title: 'New',
    artist_name: 'Band',
    album_title: 'Album',
    album_artist_name: null,
    year: null,
    track_number: 3,
    disc_number: null,
    genres: [],
  } as unknown as MatchOut;

  test('a match shows only fields that it changes', () => {
    expect(changesOf(track, match)).toEqual([
      { field: 'title', before: 'Old', after: 'New' },
      { field: 'album', before: null, after: 'Album' },
    ]);
  });

  const editValues: EditValues = {
    title: 'T',
    artist: 'A',
    artists: 'A',
    album: 'B',
    album_artist: 'A',
    genre: '',
    ...(Object.fromEntries(FIELD_NAMES.map((name) => [name, ''])) as Record<TrackFieldName, string>),
    track_number: '1',
    composer: 'Satie',
  };
  test('empty fields are cleared, and invalid numbers are sent as entered', () => {
    expect(toTrackPut({ ...editValues, album: ' ', year: '19x9', bpm: '97.5', composer: ' ' }, editValues)).toEqual({
      title: 'T',
      artist: 'A',
      artists: ['A'],
      album: null,
      year: '19x9',
      bpm: 97.5,
      composer: null,
    });
  });

  test('an edited credit of one artist is its name; several names stay separate', () => {
    expect(toTrackPut({ ...editValues, artist: 'C' }, editValues)).not.toHaveProperty('artists');
    expect(toTrackPut({ ...editValues, artist: 'C & D', artists: 'C; D ;' }, editValues).artists).toEqual(['C', 'D']);
  });
});

describe('albums to continue', () => {
  const album = (id: number, track_count: number) => ({ id, track_count }) as AlbumOut;
  const toPlayedTrack = (id: number, album_id: number, last_played_at: string) =>
    ({ id, album_id, last_played_at }) as TrackOut;
  test('were started and not finished', () => {
    const plays = [
      toPlayedTrack(12, 1, '2026-03-02T10:00:00Z'),
      toPlayedTrack(11, 1, '2026-03-02T09:55:00Z'),
      toPlayedTrack(10, 1, '2026-01-01T09:00:00Z'),
      ...[1, 2, 3, 4].map((id) => toPlayedTrack(id, 2, '2026-02-01T10:00:00Z')),
      toPlayedTrack(30, 3, '2026-02-01T10:00:00Z'),
    ];
    expect(unfinishedAlbums([album(1, 9), album(2, 4), album(3, 1)], plays)).toEqual([
      { album: album(1, 9), heardCount: 2, lastTrackId: 12 },
    ]);
  });
});
