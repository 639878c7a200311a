// Finding equally long or similar music by look-up has the same result as comparing each track with each other track.
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
const pickOne = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;
const library = Array.from({ length: 400 }, (): ComparedMusic => ({
  durationMs: pickOne(null, 0, 60_000, 61_999, 62_000, 62_001, 64_000, 1e6),
  audioHash: pickOne(null, 'hash'),
  format: pickOne(null, 'mp3', 'flac'),
  codec: pickOne('a', 'b'),
  sampleRateHz: pickOne(44_100, 48_000),
  channels: pickOne(null, 2),
  title: pickOne(null, 'Song', 'SONG', 'Söng', ''),
  artist: pickOne(null, 'Ann', 'ann', 'Bob'),
  album: pickOne(null, 'Album', 'album', ''),
  recordingMbid: pickOne(null, null, 'm1', 'm2'),
}));

it('music that is as long', () => {
  const findSameLength = createLengthIndex(library);
  for (const music of library)
    expect(new Set(findSameLength(music))).toEqual(
      new Set(library.filter((candidate) => haveSameLength(music, candidate))),
    );
});

it('music that seems the same', () => {
  const seeming = createNameIndex(library);
  const matches = library.map((music) => seeming(music));
  expect(matches.flat().length).toBeGreaterThan(library.length);
  for (const [i, music] of library.entries())
    expect(new Set(matches[i])).toEqual(new Set(library.filter((candidate) => seemsSame(candidate, music))));
});

it('several files with the same bytes are one, and files that have no hash are not', () => {
  const file = (id: number, audioHash: string | null) => ({ id: id as TrackId, audioHash });
  const certainIds = (...files: ReturnType<typeof file>[]): number[] =>
    filterCertainFiles(files.map((successor) => ({ goneId: 1 as TrackId, successor }))).map(
      ({ successor }) => successor.id,
    );
  expect(certainIds(file(2, 'a'), file(3, 'a'))).toEqual([2]);
  expect(certainIds(file(2, 'a'), file(3, 'b'))).toEqual([]);
  expect(certainIds(file(2, NO_HASH), file(3, NO_HASH))).toEqual([]);
  expect(certainIds(file(2, null), file(3, null))).toEqual([]);
});
