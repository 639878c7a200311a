// Generates records for an index of sounds, distributed as in real libraries: albums lie around artists, artists around
// styles.
import { RECORD_BYTES, VECTOR_SIZE, writeRecord } from '../../server/dsp/sound-vector.ts';
import { seededRandom } from './seeded-random.ts';

const STYLES = 60;
const TRACKS_OF_ARTIST = 40;
const TRACKS_OF_ALBUM = 10;

/** Makes records with ids from 1. */
export function madeUpSounds(tracks: number, seed: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(seed);
  const around = (middle: Float64Array | undefined, size: number): Float64Array =>
    Float64Array.from(
      { length: VECTOR_SIZE },
      // the first axes vary most, as in real libraries
      (_, i) => (middle?.[i] ?? 0) + (size * (random() + random() + random() - 1.5)) / (1 + i / 12),
    );
  const styles = Array.from({ length: STYLES }, () => around(undefined, 6));
  const records = new Uint8Array(tracks * RECORD_BYTES);
  const view = new DataView(records.buffer);
  let [artist, album] = [styles[0], styles[0]];
  for (let n = 0; n < tracks; n++) {
    if (n % TRACKS_OF_ARTIST === 0) artist = around(styles[Math.floor(random() * STYLES)], 4);
    if (n % TRACKS_OF_ALBUM === 0) album = around(artist, 2);
    writeRecord(around(album, 2), n + 1, view, n * RECORD_BYTES);
  }
  return records;
}
