// Tests that audiobooks continue where they were left.
import { expect, test } from 'vitest';
import { createPlaceFinder, keepPlaces, placeToGoOn } from '../../../renderer/player/audiobook-bookmarks.ts';
import type { PlayerState, QueueEntry, QueueTrack } from '../../../renderer/player/player.ts';

const HOUR_MS = 3_600_000;
const BOOK_TRACK = { id: 1, has_chapters: true, duration_ms: HOUR_MS } as QueueTrack;
const OTHER_BOOK = { id: 2, has_chapters: true, duration_ms: HOUR_MS } as QueueTrack;
/** A book whose bookmark could not be fetched. */
const UNREACHABLE_BOOK = { id: 4, has_chapters: true, duration_ms: HOUR_MS } as QueueTrack;
const SONG_TRACK = { id: 3, has_chapters: false, duration_ms: HOUR_MS } as QueueTrack;
const queue: QueueEntry[] = [BOOK_TRACK, OTHER_BOOK, SONG_TRACK, UNREACHABLE_BOOK].map((track, key) => ({
  key,
  order: key,
  track,
}));

type Change = Partial<Pick<PlayerState, 'index' | 'status' | 'positionMs'>> & { timeMs?: number };

/** Plays these changes, and returns the bookmarks that are saved. */
function collectSaved(...changes: Change[]): string[] {
  const calls: string[] = [];
  let time = 0;
  let state = { queue, index: 0, status: 'playing', positionMs: 0 } as unknown as PlayerState;
  let notify = () => {};
  const player = {
    getState: () => state,
    subscribe: (listener: () => void) => {
      notify = listener;
      return () => {};
    },
  };
  const stopKeeping = keepPlaces(player, {
    save: (id, ms) => Promise.resolve(calls.push(`${id} at ${ms}`)),
    forget: (id) => Promise.reject(new Error(String(calls.push(`${id} heard`)))),
    isUnknown: (id) => id === UNREACHABLE_BOOK.id,
    findAgain: (id) => Promise.resolve(void calls.push(`${id} asked`)),
    now: () => time,
  });
  for (const { timeMs: changeTime = time, ...change } of changes) {
    time = changeTime;
    state = { ...state, ...change };
    notify();
  }
  stopKeeping();
  return calls;
}

test.each<[string, Change[], string[]]>([
  ['when it is paused', [{ positionMs: 60_000.4 }, { status: 'paused' }], ['1 at 60000']],
  ['when another track plays', [{ positionMs: 60_000 }, { index: 1, positionMs: 0 }], ['1 at 60000']],
  ['when the window is closed', [{ positionMs: 60_000 }], ['1 at 60000']],
  [
    'now and then',
    [{ positionMs: 20_000, timeMs: 20_000 }, { positionMs: 21_000, timeMs: 21_000 }, { status: 'paused' }],
    ['1 at 20000', '1 at 21000'],
  ],
  ['not at its very beginning', [{ positionMs: 3_000 }, { status: 'paused' }], []],
  ['not of a song', [{ index: 2, positionMs: 60_000 }, { status: 'paused' }], []],
  [
    'not over one that could not be fetched, which is asked for again',
    [{ index: 3, positionMs: 60_000 }, { status: 'paused' }],
    ['4 asked'],
  ],
  ['not while nothing plays', [{ status: 'paused' }, { positionMs: 60_000, timeMs: HOUR_MS }], []],
  [
    'no more when it was heard to its end',
    [{ positionMs: HOUR_MS - 200 }, { status: 'paused', positionMs: 0 }],
    ['1 heard'],
  ],
])('the place in an audiobook is saved: %s', (_, changes, calls) => {
  expect(collectSaved(...changes)).toEqual(calls);
});

test.each<[string, QueueTrack, number | null, number | null]>([
  ['goes on at its place', BOOK_TRACK, 60_000, 60_000],
  ['begins where there is none', BOOK_TRACK, null, null],
  ['begins anew after its end', BOOK_TRACK, HOUR_MS - 5_000, null],
  ['begins when it has no chapters', SONG_TRACK, 60_000, null],
])('a track %s', async (_, track, bookmarkMs, expectedMs) => {
  expect(await placeToGoOn(track, () => Promise.resolve(bookmarkMs))).toBe(expectedMs);
});

test('a place that cannot be fetched is unknown until it is', async () => {
  let isReachable = false;
  const places = createPlaceFinder(() => (isReachable ? Promise.resolve(60_000) : Promise.reject(new Error('away'))));
  expect([await places.find(1), places.isUnknown(1), places.isUnknown(2)]).toEqual([null, true, false]);
  isReachable = true;
  expect([await places.find(1), places.isUnknown(1)]).toEqual([60_000, false]);
});

test.each<[string, number | null, boolean]>([
  ['there is none', null, false],
  ['it is behind the listener', 30_000, false],
  ['it is further on', 90_000, true],
])('a place that is asked for again is unknown only if it is further on: %s', async (_, place, isUnknown) => {
  let isReachable = false;
  const places = createPlaceFinder(() => (isReachable ? Promise.resolve(place) : Promise.reject(new Error('away'))));
  await places.find(1);
  await places.findAgain(1, 60_000);
  expect(places.isUnknown(1)).toBe(true);
  isReachable = true;
  await places.findAgain(1, 60_000);
  expect(places.isUnknown(1)).toBe(isUnknown);
});
