// Tests queues made of long lists, the lines of the displayed queue, and finding rows by name.
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
  reorderedRest,
} from '../../../renderer/player/list-rest.ts';
import type { QueueEntry, QueueTrack } from '../../../renderer/player/player.ts';
import { findNames } from '../../../renderer/ui/comparable.ts';
import type { AlbumOut } from '../../../server/library/wire.ts';

const LIST_LENGTH = 1_000_000;
const makeTrack = (id: number) => ({ id, title: `Track ${id}` }) as QueueTrack;
const entry = (id: number, isAdded?: true): QueueEntry => ({
  key: id,
  order: id,
  track: makeTrack(id),
  ...(isAdded && { added: isAdded }),
});
const makeEntries = (firstId: number, count: number) => Array.from({ length: count }, (_, i) => entry(firstId + i));
const source = { name: 'Tracks', query: { sort: 'title', order: 'desc' } };
const openListAt = (startAt: number, seed: number | null = null) => {
  const list = openList(source, startAt, seed);
  return { ...list, next: list.first + 200, end: LIST_LENGTH, total: LIST_LENGTH };
};

describe('a list of a million tracks as the queue', () => {
  test('starts around the row that plays first, and knows how many are left', () => {
    const listRest = openListAt(5_000);
    expect([listRest.first, listRest.next]).toEqual([4_950, 5_150]);
    expect(countRest(listRest)).toBe(LIST_LENGTH - 200);
    expect(queryOf(listRest)).toEqual(source.query);
  });

  test('goes on before its rows in the queue run out, in both directions', () => {
    const listRest = openListAt(5_000);
    const queue = makeEntries(4_950, 200);
    expect(rowsWanted({ queue, index: 50, repeat: 'off' }, listRest)).toBeNull();
    expect(rowsWanted({ queue, index: 180, repeat: 'off' }, listRest)).toMatchObject({ offset: 5_150, limit: 200 });
    expect(rowsWanted({ queue, index: 10, repeat: 'off' }, listRest)).toMatchObject({
      offset: 4_750,
      limit: 200,
      isBefore: true,
    });
    expect(rowsWanted({ queue, index: 50, repeat: 'off' }, listRest, true)).toMatchObject({ offset: 5_150 });
  });

  test('ends at its end, and with repeat goes on at its beginning up to where it started', () => {
    const listRest = { ...openListAt(5_000), next: LIST_LENGTH };
    const queue = makeEntries(LIST_LENGTH - 100, 100);
    expect(rowsWanted({ queue, index: 99, repeat: 'off' }, listRest)).toBeNull();
    const wantedAgain = rowsWanted({ queue, index: 99, repeat: 'all' }, listRest);
    expect(wantedAgain).toMatchObject({ offset: 0, limit: 200, isBefore: false, rest: { end: 4_950 } });
    expect(orNull({ ...listRest, first: 0 })).toBeNull();
  });

  test('is shuffled as a whole by the server, and goes on where it was left afterwards', () => {
    const listRest = openListAt(5_000);
    const queue = [...makeEntries(4_950, 51), entry(7, true), ...makeEntries(5_001, 149)];
    const shuffledRest = reorderedRest(listRest, { queue, index: 50 }, 42);
    expect(shuffledRest).toMatchObject({ first: 0, next: 0, end: LIST_LENGTH, seed: 42, leftAt: 5_001 });
    expect(queryOf(shuffledRest)).toEqual({ sort: 'random', seed: 42 });
    expect(orNull({ ...shuffledRest, next: LIST_LENGTH })).not.toBeNull();
    expect(reorderedRest(shuffledRest, { queue: [entry(1)], index: 0 }, null)).toMatchObject({
      next: 5_001,
      seed: null,
    });
  });

  test('leaves out what was removed and what is there, but not what was added by hand', () => {
    const listRest = { ...openListAt(0), without: [3] };
    expect(newOf([1, 2, 3, 4].map(makeTrack), [entry(1), entry(2, true)], listRest).map(({ id }) => id)).toEqual([
      2, 4,
    ]);
  });

  test('keeps a track that a playlist has twice', () => {
    const listRest = { ...openListAt(0), query: { playlist: 7 }, without: [3] };
    expect(newOf([1, 2, 3].map(makeTrack), [entry(1)], listRest).map(({ id }) => id)).toEqual([1, 2]);
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
