// Says on which tracks of an album somebody is credited.
import type { TrackOut } from '../../../api/routes.ts';

type Place = Pick<TrackOut, 'id' | 'disc_number' | 'track_number'>;

/**
 * Returns the numbers of the tracks, such as `1–3, 7`, with the disc if the album has several discs (`2.1`). Returns
 * undefined if all tracks of the album are among them, or none.
 */
export function placesOf(trackIds: readonly number[], albumTracks: readonly Place[]): string | undefined {
  const ids = new Set(trackIds);
  const isCredited = albumTracks.map(({ id }) => ids.has(id));
  if (isCredited.every(Boolean) || !isCredited.some(Boolean)) return undefined;
  const hasDiscs = new Set(albumTracks.map(({ disc_number }) => disc_number ?? 1)).size > 1;
  const nameOf = (index: number): string => {
    const { disc_number, track_number } = albumTracks[index] as Place;
    return `${hasDiscs ? `${disc_number ?? 1}.` : ''}${track_number ?? '·'}`;
  };
  const ranges: string[] = [];
  for (let first = 0; first < albumTracks.length; first++) {
    if (!isCredited[first]) continue;
    let last = first;
    while (isCredited[last + 1]) last++;
    ranges.push(last === first ? nameOf(first) : `${nameOf(first)}–${nameOf(last)}`);
    first = last;
  }
  return ranges.join(', ');
}
