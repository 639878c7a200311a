// Tracks that files or new tracks are compared with, however many there are: by sound where both were heard, else by
// their names and lengths.
import type { TrackId } from '../db/ids.ts';
import { SAME_RECORDING } from '../media/fingerprint-match.ts';
import { eachAtOnce } from '../runtime/concurrency.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import type { GoneTrack } from './gone-candidates.ts';
import { byLength, isAsLong, seemingSame, type ComparedMusic } from './same-music.ts';

/** Tracks that are heard together. */
const AT_ONCE = 8;

/** `hear` makes a fingerprint of each that is as long as one of `music`. */
export async function comparableTracks(
  tracks: readonly GoneTrack[],
  music: readonly Pick<ComparedMusic, 'durationMs'>[],
  hear: (id: TrackId) => Promise<object | undefined>,
) {
  const ofLength = byLength(music);
  const heard = new Map<TrackId, GoneTrack>();
  await eachAtOnce(tracks, AT_ONCE, async (track) => {
    await yieldIfDue();
    const [one] = ofLength(track);
    if (one && (await hear(track.id))) heard.set(track.id, track);
  });
  const heardOfLength = byLength([...heard.values()]);
  const named = seemingSame(tracks);
  return {
    /** One that was heard is as long. */
    hasHeard(music: ComparedMusic, except: TrackId | null): boolean {
      for (const { id } of heardOfLength(music)) if (id !== except) return true;
      return false;
    },

    /** `alike`: what sounds like the music; undefined where that is not known. `isNamed`: names tell. */
    sameAs(
      music: ComparedMusic,
      alike: readonly { id: TrackId; similarity: number }[] | undefined,
      isNamed: () => boolean = () => true,
    ): TrackId[] {
      const bySound = (alike ?? [])
        .filter(({ similarity }) => similarity >= SAME_RECORDING)
        .flatMap(({ id }) => heard.get(id) ?? [])
        .filter((track) => isAsLong(track, music));
      const byName = named(music).filter(({ id }) => !(alike && heard.has(id)));
      return [...bySound, ...(byName.length > 0 && isNamed() ? byName : [])].map(({ id }) => id);
    },
  };
}
