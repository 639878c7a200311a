// Finding what is as long or seems the same by a look-up gives what comparing each with each gives.
import { expect, it } from 'vitest';
import type { TrackId } from '../../../server/db/ids.ts';
import { NO_HASH } from '../../../server/files/read-file.ts';
import {
  createLengthIndex,
  haveSameLength,
  filterCertainFiles,
  createNameIndex,
  seemsSame,
  type ComparedMusic,
} from '../../../server/scan/gone-tracks/same-music.ts';
import { seededRandom } from '../../support/test-random.ts';

const random = seededRandom(1);
const one = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;
const some = Array.from({ length: 400 }, (): ComparedMusic => ({
  durationMs: one(null, 0, 60_000, 61_999, 62_000, 62_001, 64_000, 1e6),
  audioHash: one(null, 'hash'),
  format: one(null, 'mp3', 'flac'),
  codec: one('a', 'b'),
  sampleRateHz: one(44_100, 48_000),
  channels: one(null, 2),
  title: one(null, 'Song', 'SONG', 'Söng', ''),
  artist: one(null, 'Ann', 'ann', 'Bob'),
  album: one(null, 'Album', 'album', ''),
  recordingMbid: one(null, null, 'm1', 'm2'),
}));

it('music that is as long', () => {
  const ofLength = createLengthIndex(some);
  for (const music of some)
    expect(new Set(ofLength(music))).toEqual(new Set(some.filter((other) => haveSameLength(music, other))));
});

it('music that seems the same', () => {
  const seeming = createNameIndex(some);
  const found = some.map((music) => seeming(music));
  expect(found.flat().length).toBeGreaterThan(some.length);
  for (const [i, music] of some.entries())
    expect(new Set(found[i])).toEqual(new Set(some.filter((other) => seemsSame(other, music))));
});

it('several files with the same bytes are one, and files that have no hash are not', () => {
  const file = (id: number, audioHash: string | null) => ({ id: id as TrackId, audioHash });
  const certain = (...files: ReturnType<typeof file>[]): number[] =>
    filterCertainFiles(files.map((successor) => ({ goneId: 1 as TrackId, successor }))).map(
      ({ successor }) => successor.id,
    );
  expect(certain(file(2, 'a'), file(3, 'a'))).toEqual([2]);
  expect(certain(file(2, 'a'), file(3, 'b'))).toEqual([]);
  expect(certain(file(2, NO_HASH), file(3, NO_HASH))).toEqual([]);
  expect(certain(file(2, null), file(3, null))).toEqual([]);
});
