// A list of any length as the queue, how the queue is listed, and finding by name.
import { describe, expect, test } from 'vitest';
import { releaseKind } from '../../../renderer/features/browse/albums/release-kinds.ts';
import { linesOf } from '../../../renderer/features/playback/queue-lines.ts';
import {
  afterAdded,
  countRest,
  newOf,
  openList,
  orNull,
  queryOf,
  rowsWanted,
  turned,
} from '../../../renderer/player/list-rest.ts';
import type { QueueEntry, QueueTrack } from '../../../renderer/player/player.ts';
import { findNames } from '../../../renderer/ui/comparable.ts';
import type { AlbumOut } from '../../../server/library/wire.ts';

const MILLION = 1_000_000;
const trackOf = (id: number) => ({ id, title: `Track ${id}` }) as QueueTrack;
const entry = (id: number, added?: true): QueueEntry => ({
  key: id,
  order: id,
  track: trackOf(id),
  ...(added && { added }),
});
const entries = (from: number, count: number) => Array.from({ length: count }, (_, i) => entry(from + i));
const source = { name: 'Tracks', query: { sort: 'title', order: 'desc' } };
const opened = (startAt: number, seed: number | null = null) => {
  const list = openList(source, startAt, seed);
  return { ...list, next: list.first + 200, end: MILLION, total: MILLION };
};

describe('a list of a million tracks as the queue', () => {
  test('starts around the row that plays first, and knows how many are left', () => {
    const rest = opened(5_000);
    expect([rest.first, rest.next]).toEqual([4_950, 5_150]);
    expect(countRest(rest)).toBe(MILLION - 200);
    expect(queryOf(rest)).toEqual(source.query);
  });

  test('goes on before its rows in the queue run out, in both directions', () => {
    const rest = opened(5_000);
    const queue = entries(4_950, 200);
    expect(rowsWanted({ queue, index: 50, repeat: 'off' }, rest)).toBeNull();
    expect(rowsWanted({ queue, index: 180, repeat: 'off' }, rest)).toMatchObject({ offset: 5_150, limit: 200 });
    expect(rowsWanted({ queue, index: 10, repeat: 'off' }, rest)).toMatchObject({
      offset: 4_750,
      limit: 200,
      isBefore: true,
    });
    expect(rowsWanted({ queue, index: 50, repeat: 'off' }, rest, true)).toMatchObject({ offset: 5_150 });
  });

  test('ends at its end, and with repeat goes on at its beginning up to where it started', () => {
    const rest = { ...opened(5_000), next: MILLION };
    const queue = entries(MILLION - 100, 100);
    expect(rowsWanted({ queue, index: 99, repeat: 'off' }, rest)).toBeNull();
    const again = rowsWanted({ queue, index: 99, repeat: 'all' }, rest);
    expect(again).toMatchObject({ offset: 0, limit: 200, isBefore: false, rest: { end: 4_950 } });
    expect(orNull({ ...rest, first: 0 })).toBeNull();
  });

  test('is shuffled as a whole by the server, and goes on where it was left afterwards', () => {
    const rest = opened(5_000);
    const queue = [...entries(4_950, 51), entry(7, true), ...entries(5_001, 149)];
    const shuffled = turned(rest, { queue, index: 50 }, 42);
    expect(shuffled).toMatchObject({ first: 0, next: 0, end: MILLION, seed: 42, leftAt: 5_001 });
    expect(queryOf(shuffled)).toEqual({ sort: 'random', seed: 42 });
    expect(orNull({ ...shuffled, next: MILLION })).not.toBeNull();
    expect(turned(shuffled, { queue: [entry(1)], index: 0 }, null)).toMatchObject({ next: 5_001, seed: null });
  });

  test('leaves out what was removed and what is there, but not what was added by hand', () => {
    const rest = { ...opened(0), without: [3] };
    expect(newOf([1, 2, 3, 4].map(trackOf), [entry(1), entry(2, true)], rest).map(({ id }) => id)).toEqual([2, 4]);
  });

  test('keeps a track that a playlist has twice', () => {
    const rest = { ...opened(0), query: { playlist: 7 }, without: [3] };
    expect(newOf([1, 2, 3].map(trackOf), [entry(1)], rest).map(({ id }) => id)).toEqual([1, 2]);
  });

  test('plays what was added by hand before it goes on', () => {
    expect(afterAdded({ queue: [entry(1), entry(2, true), entry(3, true), entry(4)], index: 0 })).toBe(3);
  });
});

test('the queue is listed in parts: played, now, next, the source, and what was added behind it', () => {
  const queue = [entry(1), entry(2), entry(3, true), entry(4), entry(5, true)];
  expect(linesOf({ queue, index: 1 })).toEqual([
    { head: 'played' },
    { at: 0 },
    { head: 'now' },
    { at: 1 },
    { head: 'next' },
    { at: 2 },
    { head: 'from' },
    { at: 3 },
    { head: 'later' },
    { at: 4 },
  ]);
});

test('names are found by all words, without case and accents; those that begin with them come first', () => {
  const names = ['The Évening walk', 'Evening walk', 'Walk', 'Morning'];
  expect(findNames(names, (name) => name, 'evening WALK')).toEqual(['Evening walk', 'The Évening walk']);
  expect(findNames(names, (name) => name, ' ')).toEqual([]);
});

test.each([
  ['Blue', 10, 40, 'albums'],
  ['Blue', 2, 8, 'singles'],
  ['Blue', 5, 20, 'eps'],
  ['Blue', 2, 45, 'albums'],
  ['Blue EP', 8, 45, 'eps'],
  ['Blue (Single)', 5, 20, 'singles'],
  ['Sleep', 5, 31, 'albums'],
])('%s with %i tracks and %i minutes is listed under %s', (title, track_count, minutes, kind) => {
  const album = {
    title,
    track_count,
    duration_ms: minutes * 60_000,
    is_compilation: false,
    release_types: [],
  } as unknown as AlbumOut;
  expect(releaseKind(album)).toBe(kind);
  expect(releaseKind({ ...album, is_compilation: true })).toBe('compilations');
});

test.each([
  [['album'], 'albums'],
  [['ep'], 'eps'],
  [['album', 'live'], 'live'],
  [['single', 'remix'], 'singles'],
  [['album', 'compilation'], 'compilations'],
  [['broadcast'], 'singles'],
])('an album whose files say %j is listed under %s', (release_types, kind) => {
  const album = { title: 'Blue', track_count: 2, duration_ms: 1, is_compilation: false, release_types };
  expect(releaseKind(album as unknown as AlbumOut)).toBe(kind);
});
