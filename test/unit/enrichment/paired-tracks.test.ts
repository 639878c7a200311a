import { expect, test } from 'vitest';
import { pairTracks } from '../../../server/enrichment/paired-tracks.ts';

const own = (id: number, title: string, trackNumber: number | null, durationMs: number | null = null) => ({
  id,
  title,
  discNumber: null,
  trackNumber,
  durationMs,
});
const other = (title: string, number: number, lengthMs: number | null = null, disc = 1) => ({
  title,
  disc,
  number,
  lengthMs,
});

test.each([
  ['by title', [own(1, 'Tide', 2), own(2, 'Shore', 1)], [other('tide', 1), other('Shore', 2)], [1, 2]],
  ['by place', [own(1, 'Track 1', 1), own(2, 'Track 2', 2)], [other('Tide', 1), other('Shore', 2)], [1, 2]],
  ['not by the place on another disc', [own(1, 'Track 1', 1)], [other('Tide', 1, null, 2)], [null]],
  [
    'by length',
    [own(1, 'x', null, 61_000), own(2, 'y', null, 200_000)],
    [other('Shore', 1, 198_000), other('Tide', 2, 60_000)],
    [2, 1],
  ],
  ['once', [own(1, 'Tide', 1)], [other('Tide', 1), other('Tide', 2)], [1, null]],
  [
    'by length among equal titles',
    [own(1, 'Tide', null, 200_000), own(2, 'Tide', null, 100_000)],
    [other('Tide', 1, 101_000), other('Tide', 2, 199_000)],
    [2, 1],
  ],
])('tracks are paired %s', (_, ownTracks, otherTracks, ids) => {
  expect(pairTracks(ownTracks, otherTracks)).toEqual(ids);
});
