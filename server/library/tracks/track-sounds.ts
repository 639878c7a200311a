// Reads fingerprints of analyzed tracks, for comparing a few of them.
import type { Sqlite } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import { fingerprintFrom, isComparable } from '../../media/fingerprint-match.ts';
import type { SoundOf } from '../albums/releases.ts';

/** Returns a function that creates readers of fingerprints; each reader reads a fingerprint at most once. */
export function createTrackSounds(client: Sqlite): () => SoundOf {
  const findFingerprint = client
    .prepare<[TrackId], Buffer>('SELECT raw FROM track_fingerprints WHERE track_id = ?')
    .pluck();
  return () => {
    const sounds = new Map<TrackId, Uint32Array | undefined>();
    return (id) => {
      if (!sounds.has(id)) {
        const raw = findFingerprint.get(id);
        const sound = raw && fingerprintFrom(raw);
        sounds.set(id, sound && isComparable(sound) ? sound : undefined);
      }
      return sounds.get(id);
    };
  };
}
