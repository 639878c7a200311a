// The decision table of a scan: decides which track each file is, if the file's audio or path leaves that open. Pure
// functions, which get all related files at once, so that swaps and rotations need no order. The first row that applies
// counts; each track is assigned once, and only when every one of its files is gone or among the files to be assigned.
//
//   | the file                                             | is                                                |
//   |------------------------------------------------------|---------------------------------------------------|
//   | was seen at another path, as that of a deleted track | `deleted`: it stays deleted                       |
//   | has the audio that a track had before other music    | that track                                        |
//   |   replaced it                                        |                                                   |
//   | is the very file (device, inode, size, time) of one  | that track                                        |
//   |   track                                              |                                                   |
//   | has the audio of free tracks                         | the best of them, see MATCH_RULES: the track at   |
//   |                                                      |   its path, then by names and file name           |
//   | is a copy of another track, at the path of a track   | the track at its path                             |
//   |   that nobody has used                               |                                                   |
//   | is a copy of another track, or the track at its path | `new`                                             |
//   |   is elsewhere, or no track had its path             |                                                   |
//   | has audio that no track has                          | `replaced`: its sound decides (replaced-files.ts) |
//
// Before this, moved-files.ts identifies files whose own stamp or audio leaves no doubt. Afterwards, replaced-files.ts
// compares the remaining files by sound.
import type { TrackId } from '../../db/ids.ts';

export interface FileTraits {
  /** Path of the file, relative to the music folder. */
  filePath: string;
  /** The track that had the file's path. */
  holderId: TrackId | null;
  /** The file's identity, as `fileKey` returns it. */
  key: string;
  /** Hash of the audio without its tags; null if it cannot be compared. */
  audioHash: string | null;
  /** Title and album in the file's tags, to tell files with equal audio apart. */
  nameKey: string;
  /** True if the file belongs to a deleted track, and had another path. */
  isDeleted?: boolean;
}

export interface StoredCopy {
  sha256: string;
  sizeBytes: number;
}

export interface PossibleTrack {
  id: TrackId;
  audioHash: string | null;
  /** Hash of the audio that the track had before other music took its path. */
  formerAudioHash: string | null;
  nameKey: string;
  /** True if nobody has used or edited the track. */
  isUntouched: boolean;
  /** The stored copy of its audio, if there is one. */
  copy: StoredCopy | undefined;
  locations: {
    filePath: string;
    key: string;
    /** `postponed`: its file is among the files to be assigned. `changed`: its file differs, but is not among them. */
    state: 'present' | 'absent' | 'postponed' | 'changed' | 'unknown';
  }[];
}

/**
 * The id of the file's track. `new`: a new track, whichever track had the path before. `replaced`: the track at the
 * path with other audio, because there is no sign of another track. `deleted`: a deleted track.
 */
export type Assignment = TrackId | 'new' | 'replaced' | 'deleted';

/**
 * Returns assignments by path; each track is assigned once. Tracks with ids above `lastOldId` were added by this scan:
 * when only such a track has the audio of a file, both are copies that were added to the folder at the same time.
 * `deletedAudio` are the hashes of deleted tracks.
 */
export function assignTracks(
  files: readonly FileTraits[],
  tracks: readonly PossibleTrack[],
  lastOldId: TrackId,
  deletedAudio: ReadonlySet<string> = new Set(),
): Map<string, Assignment> {
  const assignments = new Map<string, Assignment>();
  const freeTracks = new Map(tracks.filter(isFree).map((track) => [track.id, track]));
  const assignTrack = (file: FileTraits, id: TrackId): void => {
    assignments.set(file.filePath, id);
    freeTracks.delete(id);
  };
  const unassignedFiles = (): FileTraits[] => files.filter(({ filePath }) => !assignments.has(filePath));

  for (const { filePath, isDeleted } of files) if (isDeleted) assignments.set(filePath, 'deleted');

  const filesByAudio = Map.groupBy(files, ({ audioHash }) => audioHash);
  /** Returns whether one of the files has the former audio of the track. */
  const isOwnAudioBack = ({ formerAudioHash }: PossibleTrack): boolean =>
    formerAudioHash !== null && filesByAudio.has(formerAudioHash);

  // a track whose file was replaced by other music is assigned to the file with its own audio
  const currentHashes = new Set(tracks.map(({ audioHash }) => audioHash));
  const returnedHashes = new Set<string | null>();
  for (const track of tracks.filter(isFree)) {
    if (track.formerAudioHash === null) continue;
    const candidates = (filesByAudio.get(track.formerAudioHash) ?? []).filter(
      ({ filePath }) => !assignments.has(filePath),
    );
    const ownFile =
      candidates.find(({ holderId }) => holderId === track.id) ??
      (currentHashes.has(track.formerAudioHash) ? undefined : candidates[0]);
    if (!ownFile) continue;
    assignTrack(ownFile, track.id);
    returnedHashes.add(track.formerAudioHash);
  }

  const locationsByKey = Map.groupBy(
    [...freeTracks.values()].flatMap((track) => track.locations.map(({ key }) => ({ key, track }))),
    ({ key }) => key,
  );
  for (const file of files) {
    const [match, ...otherMatches] = locationsByKey.get(file.key) ?? [];
    if (!assignments.has(file.filePath) && match && otherMatches.length === 0 && freeTracks.has(match.track.id))
      assignTrack(file, match.track.id);
  }

  const unassignedByAudio = Map.groupBy(unassignedFiles(), ({ audioHash }) => audioHash);
  const freeTracksByAudio = Map.groupBy(freeTracks.values(), ({ audioHash }) => audioHash);
  for (const [audioHash, filesOfAudio] of unassignedByAudio) {
    if (audioHash === null) continue;
    const tracksOfAudio = freeTracksByAudio.get(audioHash) ?? [];
    for (const isMatch of MATCH_RULES)
      for (const file of filesOfAudio) {
        if (assignments.has(file.filePath)) continue;
        const track = tracksOfAudio.find((candidate) => freeTracks.has(candidate.id) && isMatch(file, candidate));
        if (track) assignTrack(file, track.id);
      }
  }

  const tracksById = new Map(tracks.map((track) => [track.id, track]));
  const tracksByAudio = Map.groupBy(tracks, (track) => track.audioHash);
  for (const file of unassignedFiles()) {
    const isAudioOfOther =
      file.audioHash !== null &&
      (returnedHashes.has(file.audioHash) ||
        deletedAudio.has(file.audioHash) ||
        (tracksByAudio.get(file.audioHash) ?? []).some(({ id }) => id !== file.holderId && id <= lastOldId));
    const holder = file.holderId === null ? undefined : tracksById.get(file.holderId);
    // a file that was imported while it was being written keeps its track, even if it is a copy
    if (isAudioOfOther && holder?.isUntouched === true && freeTracks.has(holder.id) && !isOwnAudioBack(holder)) {
      assignTrack(file, holder.id);
      continue;
    }
    const isVacant = file.holderId === null || (holder && (!freeTracks.has(holder.id) || isOwnAudioBack(holder)));
    assignments.set(file.filePath, isAudioOfOther || isVacant ? 'new' : 'replaced');
  }
  return assignments;
}

/** Returns whether all files of the track are gone, or replaced by files that are to be assigned. */
const isFree = ({ locations }: PossibleTrack): boolean =>
  locations.every(({ state }) => state === 'absent' || state === 'postponed');

const baseName = (place: string): string => place.slice(place.lastIndexOf('/') + 1);

/** Rules that choose between tracks with equal audio, best first. */
const MATCH_RULES: ((file: FileTraits, track: PossibleTrack) => boolean)[] = [
  ({ holderId }, { id }) => holderId === id,
  ({ nameKey, filePath }, track) =>
    nameKey === track.nameKey && track.locations.some((location) => baseName(location.filePath) === baseName(filePath)),
  ({ nameKey }, track) => nameKey === track.nameKey,
  ({ filePath }, { locations }) => locations.some((location) => baseName(location.filePath) === baseName(filePath)),
  () => true,
];

/** The track that arrives at a path, and the track that leaves it. Deleted tracks are strings instead of ids. */
interface PathMove {
  incomingTrack: TrackId | string;
  outgoingTrack: TrackId | string | null;
}

/**
 * Orders moves so that each track has left its path before another track arrives there. A rotation is a group, which
 * has to be written at once.
 */
export function* orderMoves<M extends PathMove>(moves: readonly M[]): Generator<M[]> {
  const moveByTrack = new Map(moves.map((move) => [move.incomingTrack, move]));
  const visitedMoves = new Set<M>();
  for (const firstMove of moves) {
    const chain: M[] = [];
    let next: M | undefined = firstMove;
    while (next && !visitedMoves.has(next)) {
      visitedMoves.add(next);
      chain.push(next);
      next =
        next.outgoingTrack === null || next.outgoingTrack === next.incomingTrack
          ? undefined
          : moveByTrack.get(next.outgoingTrack);
    }
    // the chain is a rotation: it leads back to its first move
    if (chain.length > 1 && next === firstMove) yield chain.toReversed();
    else for (const move of chain.toReversed()) yield [move];
  }
}
