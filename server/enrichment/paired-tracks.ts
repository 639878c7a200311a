// Pairs the tracks of an album with those of a release: by title, then by place, then by length. Pure.
import { identityKey } from '../library/tracks/sort-and-identity-keys.ts';

interface OwnTrack {
  id: number;
  title: string;
  discNumber: number | null;
  trackNumber: number | null;
  durationMs: number | null;
}

interface OtherTrack {
  title: string;
  disc: number;
  number: number;
  lengthMs: number | null;
}

/** Lengths of one recording on different releases differ by silence at the end. */
const MAX_LENGTH_DIFFERENCE_MS = 5_000;

/** Returns for each track of the release the id of the own track that it is, or null. No track is paired twice. */
export function pairTracks(ownTracks: readonly OwnTrack[], otherTracks: readonly OtherTrack[]): (number | null)[] {
  const pairs = new Map<OtherTrack, OwnTrack>();
  const pairedIds = new Set<number>();
  const pairWhere = (isSame: (own: OwnTrack, other: OtherTrack) => boolean): void => {
    for (const other of otherTracks) {
      if (pairs.has(other)) continue;
      const [nearest] = ownTracks
        .filter((own) => !pairedIds.has(own.id) && isSame(own, other))
        .toSorted((a, b) => differenceOf(a, other) - differenceOf(b, other));
      if (!nearest) continue;
      pairs.set(other, nearest);
      pairedIds.add(nearest.id);
    }
  };
  const isAtPlace = (own: OwnTrack, { disc, number }: OtherTrack): boolean =>
    own.trackNumber === number && (own.discNumber ?? 1) === disc;
  const hasTitle = (own: OwnTrack, { title }: OtherTrack): boolean => identityKey(own.title) === identityKey(title);
  pairWhere((own, other) => hasTitle(own, other) && isAtPlace(own, other));
  pairWhere(hasTitle);
  pairWhere((own, other) => isAtPlace(own, other));
  pairWhere((own, other) => differenceOf(own, other) <= MAX_LENGTH_DIFFERENCE_MS);
  return otherTracks.map((other) => pairs.get(other)?.id ?? null);
}

const differenceOf = ({ durationMs }: OwnTrack, { lengthMs }: OtherTrack): number =>
  durationMs === null || lengthMs === null ? Infinity : Math.abs(durationMs - lengthMs);
