// Makes many pending tracks without generating and fingerprinting as many files: they share one untagged file, and each
// already has its own fingerprint.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MainDb } from '../../server/db/client.ts';
import type { TrackId } from '../../server/db/ids.ts';
import { trackFingerprints } from '../../server/db/schema.ts';
import { FINGERPRINT_VERSION } from '../../server/enrichment/fingerprints.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import { compressFingerprint } from '../../server/media/fingerprint-code.ts';
import { audioKey, keyToPath } from '../../server/storage/local-paths.ts';
import type { Answer, Lookup } from '../fakes/acoustid.ts';
import { randomNumbers } from './damage.ts';
import { silence } from './silence.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/**
 * Inserts the tracks into a database with the storage `<dir>/library`. Returns the function with which AcoustID
 * answers: `Song <n>` by `Artist <n % 20>`.
 */
export function makeHeardTracks(db: MainDb, dir: string, file: string, count: number): (lookup: Lookup) => Answer {
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  const key = audioKey(sha256, 'mp3');
  const path = keyToPath(join(dir, 'library'), key);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(file, path);

  const now = (): Date => new Date();
  const tracks = createTrackWriter({ db, now });
  const songs = new Map<string, number>();
  db.$client
    .transaction(() =>
      tracks.batch(() => {
        for (let n = 1; n <= count; n++) {
          const randomBelow = randomNumbers(n);
          const raw = Uint32Array.from({ length: 90 }, () => randomBelow(0xffffffff));
          const trackId: TrackId = tracks.insert({
            source: 'upload',
            sourceId: `seed-${n}`,
            identity: { title: `file ${n}`, artists: [], genres: [], provenance: { title: 'path' } },
            audio: { ...silence, durationMs: 12_000, storageUri: `local:${key}`, contentHash: sha256 },
          });
          db.insert(trackFingerprints)
            .values({
              trackId,
              version: FINGERPRINT_VERSION,
              durationMs: 12_000,
              raw: Buffer.from(raw.buffer),
              createdAt: now(),
            })
            .run();
          songs.set(compressFingerprint(raw), n);
        }
      }),
    )
    .immediate();

  return ({ fingerprint }) => {
    const number = songs.get(fingerprint);
    return {
      results:
        number === undefined
          ? []
          : [
              {
                id: uuid(number),
                score: 0.95,
                recordings: [
                  {
                    id: uuid(number),
                    title: `Song ${number}`,
                    artists: [{ id: uuid(9_000 + (number % 20)), name: `Artist ${number % 20}` }],
                    releasegroups: [{ id: uuid(8_000 + (number % 50)), title: `Album ${number % 50}`, type: 'Album' }],
                  },
                ],
              },
            ],
    };
  };
}
