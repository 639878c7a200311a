// Finds tracks that are the same music as a file or a new track: by fingerprint if both have one, otherwise by names
// and length.
import type { TrackId } from '../../db/ids.ts';
import { SAME_RECORDING } from '../../media/fingerprint-match.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import { yieldIfDue } from '../../runtime/time-slices.ts';
import type { GoneTrack } from './gone-candidates.ts';
import { createLengthIndex, haveSameLength, createNameIndex, type ComparedMusic } from './same-music.ts';

const MAX_CONCURRENT_FINGERPRINTS = 8;

/** Prepares the comparison. `hear` makes the fingerprint of each track that is as long as one of `music`. */
export async function prepareComparison(
  tracks: readonly GoneTrack[],
  music: readonly Pick<ComparedMusic, 'durationMs'>[],
  makeFingerprint: (id: TrackId) => Promise<object | undefined>,
) {
  const findByLength = createLengthIndex(music);
  const fingerprintedTracks = new Map<TrackId, GoneTrack>();
  await forEachConcurrently(tracks, MAX_CONCURRENT_FINGERPRINTS, async (track) => {
    await yieldIfDue();
    const [musicOfLength] = findByLength(track);
    if (musicOfLength && (await makeFingerprint(track.id))) fingerprintedTracks.set(track.id, track);
  });
  const findFingerprintedByLength = createLengthIndex([...fingerprintedTracks.values()]);
  const findByNames = createNameIndex(tracks);
  return {
    /** Returns whether another track with a fingerprint has the same length. */
    hasFingerprintOfLength(music: ComparedMusic, excludedId: TrackId | null): boolean {
      for (const { id } of findFingerprintedByLength(music)) if (id !== excludedId) return true;
      return false;
    },

    /**
     * Returns the tracks that are the same music. `similarTracks` are the tracks with a similar fingerprint; undefined
     * if the music has no fingerprint. `mayMatchNames` says whether equal names count.
     */
    findSameMusic(
      music: ComparedMusic,
      similarTracks: readonly { id: TrackId; similarity: number }[] | undefined,
      mayMatchNames: () => boolean = () => true,
    ): TrackId[] {
      const bySound = (similarTracks ?? [])
        .filter(({ similarity }) => similarity >= SAME_RECORDING)
        .flatMap(({ id }) => fingerprintedTracks.get(id) ?? [])
        .filter((track) => haveSameLength(track, music));
      const byName = findByNames(music).filter(({ id }) => !(similarTracks && fingerprintedTracks.has(id)));
      return [...bySound, ...(byName.length > 0 && mayMatchNames() ? byName : [])].map(({ id }) => id);
    },
  };
}
