// Which track each file of a scan is, where its path does not settle it: files whose audio is not that of the track at
// their path, and files whose audio is that of a track which may have moved. The audio decides, the path comes last.
// Pure, and sees all files at once that have to do with each other, so that swaps and rotations need no order.
import type { TrackId } from '../db/ids.ts';

export interface UnsettledFile {
  /** Relative path. */
  place: string;
  /** The track that had this place. */
  known: TrackId | null;
  /** `fileKey`. */
  key: string;
  /** Hash of the audio without its tags; null where there is none to compare. */
  audioHash: string | null;
  /** What its tags call it, to tell equal audio apart. */
  called: string;
  /** It is the very file of a deleted track, which was elsewhere. */
  isDeleted?: boolean;
}

export interface StoredCopy {
  sha256: string;
  sizeBytes: number;
}

export interface PossibleTrack {
  id: TrackId;
  audioHash: string | null;
  /** The audio that it had before other music lay at its path. */
  formerHash: string | null;
  called: string;
  /** Nobody has done anything with it. */
  isBare: boolean;
  /** Its audio is a copy of our own, and is there. */
  copy: StoredCopy | undefined;
  places: {
    place: string;
    key: string;
    /** `unsettled`: the file there is one of those to be assigned · `changed`: it is not, but is not the same. */
    state: 'here' | 'away' | 'unsettled' | 'changed' | 'unknown';
  }[];
}

/**
 * A track that it is · `new`: a track of its own, whichever track had the place before · `replaced`: nothing says that
 * it is not the track at its place with other audio · `deleted`: a deleted track, whichever track had the place before.
 */
export type Assigned = TrackId | 'new' | 'replaced' | 'deleted';

/**
 * By place. Each track is given once. A track with an id above `after` was added by this scan: audio that only it has
 * came into the folder together with the file, as a copy of it. `deletedAudio`: hashes of deleted tracks.
 */
export function assign(
  files: readonly UnsettledFile[],
  tracks: readonly PossibleTrack[],
  after: TrackId,
  deletedAudio: ReadonlySet<string> = new Set(),
): Map<string, Assigned> {
  const assigned = new Map<string, Assigned>();
  const free = new Map(tracks.filter(isFree).map((track) => [track.id, track]));
  const give = (file: UnsettledFile, id: TrackId): void => {
    assigned.set(file.place, id);
    free.delete(id);
  };
  const left = (): UnsettledFile[] => files.filter(({ place }) => !assigned.has(place));

  for (const { place, isDeleted } of files) if (isDeleted) assigned.set(place, 'deleted');

  const filesWith = Map.groupBy(files, ({ audioHash }) => audioHash);
  /** Its own audio is among the files, in another track's place or as one. */
  const isBack = ({ formerHash }: PossibleTrack): boolean => formerHash !== null && filesWith.has(formerHash);

  // a track whose place other music has taken is where its own audio is now
  const current = new Set(tracks.map(({ audioHash }) => audioHash));
  const takenBack = new Set<string | null>();
  for (const track of tracks.filter(isFree)) {
    if (track.formerHash === null) continue;
    const same = (filesWith.get(track.formerHash) ?? []).filter(({ place }) => !assigned.has(place));
    const back = same.find(({ known }) => known === track.id) ?? (current.has(track.formerHash) ? undefined : same[0]);
    if (!back) continue;
    give(back, track.id);
    takenBack.add(track.formerHash);
  }

  const byKey = Map.groupBy(
    [...free.values()].flatMap((track) => track.places.map(({ key }) => ({ key, track }))),
    ({ key }) => key,
  );
  for (const file of files) {
    const [one, ...others] = byKey.get(file.key) ?? [];
    if (!assigned.has(file.place) && one && others.length === 0 && free.has(one.track.id)) give(file, one.track.id);
  }

  const withAudio = Map.groupBy(left(), ({ audioHash }) => audioHash);
  const freeWith = Map.groupBy(free.values(), ({ audioHash }) => audioHash);
  for (const [audioHash, some] of withAudio) {
    if (audioHash === null) continue;
    const same = freeWith.get(audioHash) ?? [];
    for (const rank of RANKS)
      for (const file of some) {
        if (assigned.has(file.place)) continue;
        const track = same.find((one) => free.has(one.id) && rank(file, one));
        if (track) give(file, track.id);
      }
  }

  const holders = new Map(tracks.map((track) => [track.id, track]));
  const audioOf = Map.groupBy(tracks, (track) => track.audioHash);
  for (const file of left()) {
    const isOthers =
      file.audioHash !== null &&
      (takenBack.has(file.audioHash) ||
        deletedAudio.has(file.audioHash) ||
        (audioOf.get(file.audioHash) ?? []).some(({ id }) => id !== file.known && id <= after));
    const holder = file.known === null ? undefined : holders.get(file.known);
    // a copy of something that was seen when it was half written keeps its track
    if (isOthers && holder?.isBare === true && free.has(holder.id) && !isBack(holder)) {
      give(file, holder.id);
      continue;
    }
    const isVacant = file.known === null || (holder && (!free.has(holder.id) || isBack(holder)));
    assigned.set(file.place, isOthers || isVacant ? 'new' : 'replaced');
  }
  return assigned;
}

/** Its file is gone from where it was, or another one is there. */
const isFree = ({ places }: PossibleTrack): boolean =>
  places.every(({ state }) => state === 'away' || state === 'unsettled');

const baseName = (place: string): string => place.slice(place.lastIndexOf('/') + 1);

/** Between equal audio, best first. */
const RANKS: ((file: UnsettledFile, track: PossibleTrack) => boolean)[] = [
  ({ known }, { id }) => known === id,
  ({ called, place }, track) =>
    called === track.called && track.places.some((old) => baseName(old.place) === baseName(place)),
  ({ called }, track) => called === track.called,
  ({ place }, { places }) => places.some((old) => baseName(old.place) === baseName(place)),
  () => true,
];

/** A file with the track it is given and the one that had its place; the names of deleted ones are of their own. */
interface Move {
  is: TrackId | string;
  known: TrackId | string | null;
}

/**
 * Files in an order in which every track has left its place before another one comes there. Those that go round in a
 * circle are one group, which has to be written at once.
 */
export function* inOrder<M extends Move>(moves: readonly M[]): Generator<M[]> {
  const leaving = new Map(moves.map((move) => [move.is, move]));
  const done = new Set<M>();
  for (const first of moves) {
    const chain: M[] = [];
    let next: M | undefined = first;
    while (next && !done.has(next)) {
      done.add(next);
      chain.push(next);
      next = next.known === null || next.known === next.is ? undefined : leaving.get(next.known);
    }
    // a chain that came back to its own first file
    if (chain.length > 1 && next === first) yield chain.toReversed();
    else for (const move of chain.toReversed()) yield [move];
  }
}
