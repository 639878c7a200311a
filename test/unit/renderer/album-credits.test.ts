// Where people are credited on an album, and tracks below their works.
import { expect, test } from 'vitest';
import type { TrackOut, WorkOut } from '../../../renderer/api/routes.ts';
import { placesOf } from '../../../renderer/features/browse/albums/credit-places.ts';
import { groupByWork, movementName, toRoman } from '../../../renderer/features/browse/albums/work-groups.ts';

const track = (id: number, track_number: number | null, disc_number: number | null = null) =>
  ({ id, track_number, disc_number }) as TrackOut;
const album = [1, 2, 3, 4, 5].map((id) => track(id, id));
const twoDiscs = [track(1, 1, 1), track(2, 2, 1), track(3, 1, 2), track(4, null, 2)];

test.each([
  [[1, 2, 3, 4, 5], album, undefined],
  [[], album, undefined],
  [[9], album, undefined],
  [[2], album, '2'],
  [[4, 1, 2], album, '1–2, 4'],
  [[1, 2, 3, 5, 99], album, '1–3, 5'],
  [[2, 3], twoDiscs, '1.2–2.1'],
  [[4], twoDiscs, '2.·'],
] as const)('a credit on the tracks %j', (ids, tracks, places) => {
  expect(placesOf(ids, tracks)).toBe(places);
});

const work = (name: string, movements: WorkOut['movements']): WorkOut => ({
  name,
  mbid: null,
  composer: null,
  movements,
});
const sonata = work('Sonata', [
  { track_id: 2, name: 'Adagio', number: 1 },
  { track_id: 3, name: 'II. Presto', number: 2 },
]);
const suite = work('Suite', [
  { track_id: 4, name: null, number: 1 },
  { track_id: 5, name: 'Gigue', number: null },
]);

test('tracks are grouped by work, with other tracks between', () => {
  const groups = groupByWork(album, [sonata, suite]).map(({ work, tracks }) => [
    work?.name,
    tracks.map(({ id }) => id),
  ]);
  expect(groups).toEqual([
    [undefined, [1]],
    ['Sonata', [2, 3]],
    ['Suite', [4, 5]],
  ]);
});

test('a movement has its number once; one without a name is shown by its title', () => {
  expect([2, 3].map((id) => movementName(sonata, id))).toEqual(['I. Adagio', 'II. Presto']);
  expect([4, 5].map((id) => movementName(suite, id))).toEqual([undefined, 'Gigue']);
});

test.each([
  [1, 'I'],
  [4, 'IV'],
  [49, 'XLIX'],
  [399, 'CCCXCIX'],
  [400, '400'],
])('%i is %s', (number, text) => expect(toRoman(number)).toBe(text));
