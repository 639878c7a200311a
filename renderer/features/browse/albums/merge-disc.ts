// The disc number that the tracks of an album get when they join another album, so that no place has two tracks. Pure.
import type { TrackOut } from '../../../api/routes.ts';

type Place = Pick<TrackOut, 'disc_number' | 'track_number'>;

const discOf = ({ disc_number }: Place): number => disc_number ?? 1;
const DISC_IN_TITLE = /\b(?:disc|disk|cd)\s*(\d{1,2})\b/iu;

/**
 * Returns the disc number for all joining tracks: the one in the title of their album, such as `Ocean (Disc 2)`, or the
 * next one. Returns undefined if every track can stay on its disc, or if they are on several discs.
 */
export function discForMerge(
  title: string,
  joiningTracks: readonly Place[],
  targetTracks: readonly Place[],
): number | undefined {
  const places = new Set(targetTracks.map((track) => `${discOf(track)}.${track.track_number}`));
  const isConflicting = joiningTracks.some(
    (track) => track.track_number !== null && places.has(`${discOf(track)}.${track.track_number}`),
  );
  if (!isConflicting || new Set(joiningTracks.map(discOf)).size > 1) return undefined;
  const takenDiscs = new Set(targetTracks.map(discOf));
  const namedDisc = Number(DISC_IN_TITLE.exec(title)?.[1]);
  return namedDisc > 0 && !takenDiscs.has(namedDisc) ? namedDisc : Math.max(...takenDiscs) + 1;
}
