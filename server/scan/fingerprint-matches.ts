// Which vanished track a new one can be, before and after their fingerprints are compared. Pure.
import type { TrackId } from '../db/ids.ts';
import { identityKey } from '../library/sort-and-identity-keys.ts';

export interface Recording {
  id: TrackId;
  durationMs: number;
  album: string | null;
}

export interface Match<A extends Recording = Recording> {
  gone: TrackId;
  arrived: A;
}

/** Two encodings of one recording differ by their padding. */
const SAME_LENGTH_MS = 2_000;

/**
 * The gone tracks that a new one can be by length and album: the same recording on another album is another track.
 * Undefined when no track is gone.
 */
export function byLengthAndAlbum(gone: readonly Recording[]): ((arrived: Recording) => TrackId[]) | undefined {
  if (gone.length === 0) return undefined;
  const albumOf = ({ album }: Recording): string | null => (album === null ? null : identityKey(album));
  const slotOf = (durationMs: number): number => Math.floor(durationMs / SAME_LENGTH_MS);
  const slots = Map.groupBy(
    gone.map((row) => ({ ...row, album: albumOf(row) })),
    ({ durationMs }) => slotOf(durationMs),
  );
  return (arrived) => {
    const album = albumOf(arrived);
    return [-1, 0, 1]
      .flatMap((near) => slots.get(slotOf(arrived.durationMs) + near) ?? [])
      .filter(
        (row) =>
          Math.abs(row.durationMs - arrived.durationMs) <= SAME_LENGTH_MS &&
          (row.album === null || album === null || row.album === album),
      )
      .map(({ id }) => id);
  };
}

/** Matches whose two tracks match no other. */
export function onlyCertain<A extends Recording>(matches: readonly Match<A>[]): Match<A>[] {
  const gone = Map.groupBy(matches, (match) => match.gone);
  const arrived = Map.groupBy(matches, (match) => match.arrived.id);
  return matches.filter((match) => gone.get(match.gone)?.length === 1 && arrived.get(match.arrived.id)?.length === 1);
}
