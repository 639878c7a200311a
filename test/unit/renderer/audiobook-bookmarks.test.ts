// Audiobooks go on where they were left.
import { expect, test } from 'vitest';
import { createPlaceFinder, keepPlaces, placeToGoOn } from '../../../renderer/player/audiobook-bookmarks.ts';
import type { PlayerState, QueueEntry, QueueTrack } from '../../../renderer/player/player.ts';

const HOUR = 3_600_000;
const BOOK = { id: 1, has_chapters: true, duration_ms: HOUR } as QueueTrack;
const OTHER = { id: 2, has_chapters: true, duration_ms: HOUR } as QueueTrack;
/** Its place could not be fetched. */
const UNKNOWN = { id: 4, has_chapters: true, duration_ms: HOUR } as QueueTrack;
const SONG = { id: 3, has_chapters: false, duration_ms: HOUR } as QueueTrack;
const queue: QueueEntry[] = [BOOK, OTHER, SONG, UNKNOWN].map((track, key) => ({ key, order: key, track }));

type Change = Partial<Pick<PlayerState, 'index' | 'status' | 'positionMs'>> & { at?: number };

/** What is saved of these changes; `at` is the time of one. */
function saved(...changes: Change[]): string[] {
  const calls: string[] = [];
  let time = 0;
  let state = { queue, index: 0, status: 'playing', positionMs: 0 } as unknown as PlayerState;
  let tell = () => {};
  const player = {
    getState: () => state,
    subscribe: (listener: () => void) => {
      tell = listener;
      return () => {};
    },
  };
  const stop = keepPlaces(player, {
    save: (id, ms) => Promise.resolve(calls.push(`${id} at ${ms}`)),
    forget: (id) => Promise.reject(new Error(String(calls.push(`${id} heard`)))),
    isUnknown: (id) => id === UNKNOWN.id,
    findAgain: (id) => Promise.resolve(void calls.push(`${id} asked`)),
    now: () => time,
  });
  for (const { at = time, ...change } of changes) {
    time = at;
    state = { ...state, ...change };
    tell();
  }
  stop();
  return calls;
}

test.each<[string, Change[], string[]]>([
  ['when it is paused', [{ positionMs: 60_000.4 }, { status: 'paused' }], ['1 at 60000']],
  ['when another track plays', [{ positionMs: 60_000 }, { index: 1, positionMs: 0 }], ['1 at 60000']],
  ['when the window is closed', [{ positionMs: 60_000 }], ['1 at 60000']],
  [
    'now and then',
    [{ positionMs: 20_000, at: 20_000 }, { positionMs: 21_000, at: 21_000 }, { status: 'paused' }],
    ['1 at 20000', '1 at 21000'],
  ],
  ['not at its very beginning', [{ positionMs: 3_000 }, { status: 'paused' }], []],
  ['not of a song', [{ index: 2, positionMs: 60_000 }, { status: 'paused' }], []],
  [
    'not over one that could not be fetched, which is asked for again',
    [{ index: 3, positionMs: 60_000 }, { status: 'paused' }],
    ['4 asked'],
  ],
  ['not while nothing plays', [{ status: 'paused' }, { positionMs: 60_000, at: HOUR }], []],
  [
    'no more when it was heard to its end',
    [{ positionMs: HOUR - 200 }, { status: 'paused', positionMs: 0 }],
    ['1 heard'],
  ],
])('the place in an audiobook is saved: %s', (_, changes, calls) => {
  expect(saved(...changes)).toEqual(calls);
});

test.each<[string, QueueTrack, number | null, number | null]>([
  ['goes on at its place', BOOK, 60_000, 60_000],
  ['begins where there is none', BOOK, null, null],
  ['begins anew after its end', BOOK, HOUR - 5_000, null],
  ['begins when it has no chapters', SONG, 60_000, null],
])('a track %s', async (_, track, found, to) => {
  expect(await placeToGoOn(track, () => Promise.resolve(found))).toBe(to);
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
