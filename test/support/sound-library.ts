// A library with generated sounds: tracks of a genre are similar, those of an artist more, those of an album most.
import type { AlbumId, TrackId } from '../../server/db/ids.ts';
import type { MainDb } from '../../server/db/client.ts';
import { DIMENSIONS, packCharacter } from '../../server/dsp/character.ts';
import { SOUND_STEPS } from '../../server/dsp/listener.ts';
import { openLibraryServices } from './library-services.ts';
import { seededRandom } from './seeded-random.ts';
import { silence } from './silence.ts';

export const GENRES = ['Ambient', 'Blues', 'Choral', 'Dub', 'Electro', 'Folk', 'Garage'];
const KEYS = ['C', 'Am', 'G', 'Em', 'F#m', 'Eb'];

interface SoundLibraryOptions {
  genres?: readonly string[];
  artists?: number;
  albums?: number;
  tracks?: number;
  seed?: number;
}

/** Adds tracks without analysis results; returns their ids by genre. */
export function addSoundLibrary(
  db: MainDb,
  { genres = GENRES, artists = 6, albums = 3, tracks = 6, seed = 1 }: SoundLibraryOptions = {},
): TrackId[][] {
  const random = seededRandom(seed);
  const services = openLibraryServices(db);
  const tag = db.$client.prepare('UPDATE tracks SET bpm = ?, initial_key = ?, energy = ? WHERE id = ?');
  return db.$client.transaction(() =>
    genres.map((genre, g) => {
      const ids: TrackId[] = [];
      for (let artist = 0; artist < artists; artist++)
        for (let album = 0; album < albums; album++)
          for (let n = 0; n < tracks; n++) {
            const name = `${genre} ${artist}.${album}.${n}`;
            const id = services.tracks.insert({
              source: 'upload',
              sourceId: name,
              identity: {
                title: `Song ${name}`,
                artists: [`${genre} band ${artist}`],
                genres: [genre],
                album: `${genre} record ${artist}.${album}`,
                trackNumber: n + 1,
                year: 1960 + 8 * g + album,
              },
              audio: {
                ...silence,
                sizeBytes: 10,
                format: 'flac',
                storageUri: 'local:audio/x',
                audioHash: `p1:${name}`,
              },
            });
            tag.run(70 + 15 * g + Math.floor(random() * 12), KEYS[Math.floor(random() * KEYS.length)], 1 + g, id);
            ids.push(id);
          }
      return ids;
    }),
  )();
}

/** Stores the results that an analysis would have stored. */
export function analyzeSoundLibrary(db: MainDb, byGenre: readonly TrackId[][], seed = 2): void {
  const random = seededRandom(seed);
  const shift = (size: number): Float64Array =>
    Float64Array.from({ length: DIMENSIONS }, () => size * (random() + random() + random() - 1.5));
  const add = (a: Float64Array, b: Float64Array): Float64Array => a.map((value, i) => value + (b[i] as number));
  const albumOf = db.$client.prepare<[TrackId], AlbumId>('SELECT album_id FROM tracks WHERE id = ?').pluck();
  const store = db.$client.prepare(
    `INSERT INTO audio_analyses (audio_key, character_version, character)
      SELECT audio_hash, ${SOUND_STEPS.character}, ? FROM tracks WHERE id = ?`,
  );
  db.$client.transaction(() => {
    for (const ids of byGenre) {
      const ofGenre = shift(10);
      const albums = new Map<AlbumId | undefined, Float64Array>();
      for (const id of ids) {
        const album = albumOf.get(id);
        const ofAlbum = albums.get(album) ?? add(ofGenre, shift(4));
        albums.set(album, ofAlbum);
        store.run(
          packCharacter({
            mean: add(ofAlbum, shift(2)),
            spread: shift(1).map((spreadValue) => 2 + Math.abs(spreadValue)),
          }),
          id,
        );
      }
    }
  })();
}
