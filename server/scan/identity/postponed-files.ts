// Assigns tracks to the files that were postponed until the end of the walk: by their audio (assign-tracks.ts), then,
// if other audio replaced that of a track and neither exists elsewhere, by their sound (replaced-files.ts). The path
// decides last, and never if that would lose the only copy of other music.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { TrackId } from '../../db/ids.ts';
import type { ReadResult } from '../../files/reader-worker.ts';
import { absoluteOf, join } from '../../files/relative-path.ts';
import { assignTracks, orderMoves, type Assignment, type PossibleTrack, type StoredCopy } from './assign-tracks.ts';
import type { DeletedOp, FileOp, ScanOp } from '../write/decide.ts';
import type { MovedFiles, PostponedFile } from './moved-files.ts';
import { groupRelatedFiles } from './related-files.ts';
import { identifyReplacedFiles, type MergedFiles, type ReplacedFilesDeps } from './replaced-files.ts';
import type { SeparatedTracks } from '../gone-tracks/separated-tracks.ts';

const GROUP_FILES = 64;

interface PostponedFilesDeps extends ReplacedFilesDeps {
  /**
   * True to make no fingerprints, since they would be stored: a file with other names at a track's path then counts as
   * other music.
   */
  dryRun: boolean;
  movedFiles: Pick<MovedFiles, 'findPossibleTracks' | 'listDeletedHashes' | 'forgetListings'>;
  separatedTracks: Pick<SeparatedTracks, 'separateByCurrentAudio'>;
  mergedFiles: MergedFiles;
  onUnusedCopy: (key: string) => void;
  /** True to restore files of deleted and merged tracks. */
  restore: boolean;
  /** Reads the tags again; audio and hashes were read before. */
  readTags: (files: PostponedFile[]) => Promise<ReadResult[]>;
  push: (ops: ScanOp[]) => Promise<void>;
}

/**
 * Assigns and writes the files, in an order in which each track has left its path before another track arrives there.
 */
export async function assignPostponedFiles(
  postponedFiles: ReadonlyMap<string, PostponedFile>,
  deps: PostponedFilesDeps,
): Promise<void> {
  const { changingFiles, assignments, idsWithAudioElsewhere, copiesByTrack } = await assignByAudio(
    postponedFiles,
    deps,
  );
  const assignedFiles = [...postponedFiles.values()].filter(({ traits }) => assignments.has(traits.filePath));
  const unmergedFiles = deps.restore
    ? assignedFiles
    : await deps.mergedFiles.keepMerged(assignedFiles, assignments, deps);
  const filesWithOtherMusic = deps.dryRun
    ? new Set(unmergedFiles.filter(({ traits }) => assignments.get(traits.filePath) === 'replaced'))
    : await identifyReplacedFiles(unmergedFiles, assignments, idsWithAudioElsewhere, deps);
  await protectStoredCopies(filesWithOtherMusic, assignments, copiesByTrack, deps);
  await deps.push(
    changingFiles.map((file) =>
      toOp(file, 'replaced', { ok: false, reason: 'it is still being written', changing: true }),
    ),
  );
  const moves = unmergedFiles.map((file): AssignedFile => {
    const { filePath, holderId } = file.traits;
    const assignment = assignments.get(filePath) as Assignment;
    const { deletedLocation: from } = file;
    return {
      file,
      assignment,
      incomingTrack: from ? keyOfDeleted(join(from.path, from.name)) : assignment,
      outgoingTrack: holderId ?? keyOfDeleted(filePath),
      hasOtherMusic: filesWithOtherMusic.has(file),
    };
  });
  let batch: (typeof moves)[] = [];
  let fileCount = 0;
  for (const rotation of orderMoves(moves)) {
    batch.push(rotation);
    fileCount += rotation.length;
    if (fileCount < GROUP_FILES) continue;
    await writeMoves(batch, deps);
    batch = [];
    fileCount = 0;
  }
  await writeMoves(batch, deps);
}

/**
 * Keeps stored copies of music that is no longer in the folder. Other music at its path becomes a new track, unless it
 * has the same names, or the copy was made while the file was still being written.
 */
async function protectStoredCopies(
  filesWithOtherMusic: Set<PostponedFile>,
  assignments: Map<string, Assignment>,
  copiesByTrack: ReadonlyMap<TrackId, CopyOfTrack>,
  deps: Pick<PostponedFilesDeps, 'root' | 'signal'>,
): Promise<void> {
  for (const file of filesWithOtherMusic) {
    const { filePath, holderId, nameKey } = file.traits;
    const trackCopy = holderId === null ? undefined : copiesByTrack.get(holderId);
    if (!trackCopy || trackCopy.nameKey === nameKey || (await beginsWithCopy(file, trackCopy.copy, deps))) continue;
    assignments.set(filePath, 'new');
    filesWithOtherMusic.delete(file);
  }
}

/** Returns whether the file is longer than the copy, and begins with its bytes. */
async function beginsWithCopy(
  { path, candidate }: PostponedFile,
  { sha256, sizeBytes }: StoredCopy,
  { root, signal }: Pick<PostponedFilesDeps, 'root' | 'signal'>,
): Promise<boolean> {
  if (sizeBytes === 0 || candidate.sizeBytes <= sizeBytes) return false;
  const hash = createHash('sha256');
  const stream = createReadStream(absoluteOf(root, join(path, candidate.name)), { end: sizeBytes - 1 });
  try {
    await pipeline(stream, hash, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false; // the file cannot be read now; the next scan tries again
  }
  return hash.digest('hex') === sha256;
}

/** Returns the key by which `orderMoves` identifies a deleted track, made from its path. */
const keyOfDeleted = (place: string): string => `deleted from ${place}`;

interface AssignedFile {
  file: PostponedFile;
  assignment: Assignment;
  /** The track that arrives at the path, and the track that leaves it. `orderMoves` uses both. */
  incomingTrack: TrackId | string;
  outgoingTrack: TrackId | string;
  hasOtherMusic: boolean;
}

interface AudioAssignments {
  /** Files that cannot be assigned yet. */
  changingFiles: PostponedFile[];
  /** Assignments of all other files, by path. */
  assignments: Map<string, Assignment>;
  /** Tracks with other audio at their path, while another file has their own audio. */
  idsWithAudioElsewhere: Set<TrackId>;
  copiesByTrack: Map<TrackId, CopyOfTrack>;
}

/** A track and its stored copy. */
interface CopyOfTrack {
  copy: StoredCopy;
  nameKey: string;
}

async function assignByAudio(
  postponedFiles: ReadonlyMap<string, PostponedFile>,
  deps: PostponedFilesDeps,
): Promise<AudioAssignments> {
  const { movedFiles, lastOldId, dryRun, signal } = deps;
  const result: AudioAssignments = {
    changingFiles: [],
    assignments: new Map(),
    idsWithAudioElsewhere: new Set(),
    copiesByTrack: new Map(),
  };
  movedFiles.forgetListings();
  for await (const { files, tracks } of groupRelatedFiles(postponedFiles, movedFiles.findPossibleTracks)) {
    signal.throwIfAborted();
    const isChanging = createChangingCheck(tracks);
    const readyFiles: PostponedFile[] = [];
    for (const file of files) (isChanging(file) ? result.changingFiles : readyFiles).push(file);
    const assignments = assignTracks(
      readyFiles.map(({ traits }) => traits),
      tracks,
      lastOldId,
      movedFiles.listDeletedHashes(readyFiles),
    );
    if (!dryRun) returnAudio(readyFiles, tracks, assignments, deps);
    const hashesOfFiles = new Set(readyFiles.map(({ traits }) => traits.audioHash));
    const presentTracksByAudio = Map.groupBy(tracks.filter(isPresent), ({ audioHash }) => audioHash);
    for (const { id, audioHash, copy, nameKey } of tracks) {
      if (copy) result.copiesByTrack.set(id, { copy, nameKey });
      const presentTracks = presentTracksByAudio.get(audioHash) ?? [];
      if (
        audioHash !== null &&
        (hashesOfFiles.has(audioHash) || presentTracks.some((presentTrack) => presentTrack.id !== id))
      )
        result.idsWithAudioElsewhere.add(id);
    }
    for (const [place, assignment] of assignments) result.assignments.set(place, assignment);
  }
  return result;
}

const isPresent = ({ locations }: PossibleTrack): boolean => locations.some(({ state }) => state === 'present');

/**
 * Handles a track that gets back the audio that it had before other music replaced it. That music returns to the track
 * that had been joined with this track because of the music.
 */
function returnAudio(
  files: readonly PostponedFile[],
  tracks: readonly PossibleTrack[],
  assignments: Map<string, Assignment>,
  { separatedTracks }: PostponedFilesDeps,
): void {
  const tracksWithFormerAudio = new Map(
    tracks.filter(({ formerAudioHash }) => formerAudioHash !== null).map((track) => [track.id, track]),
  );
  if (tracksWithFormerAudio.size === 0) return;
  for (const { traits } of files) {
    const track = tracksWithFormerAudio.get(assignments.get(traits.filePath) as TrackId);
    if (!track || track.formerAudioHash !== traits.audioHash) continue;
    const [separatedId] = separatedTracks.separateByCurrentAudio(track.id);
    const otherFile = files.find(
      (file) => file.traits.holderId === track.id && file.traits.audioHash === track.audioHash,
    );
    if (separatedId !== undefined && otherFile && assignments.get(otherFile.traits.filePath) === 'new')
      assignments.set(otherFile.traits.filePath, separatedId);
  }
}

/**
 * Returns whether a file has the audio of a track whose own file is still being written: only the complete file tells
 * which of them is the copy.
 */
function createChangingCheck(tracks: readonly PossibleTrack[]): (file: PostponedFile) => boolean {
  const changingTracks = tracks.filter(({ locations }) => locations.some(({ state }) => state === 'changed'));
  const hashes = new Set(changingTracks.map(({ audioHash }) => audioHash));
  return ({ traits: { audioHash } }) => audioHash !== null && hashes.has(audioHash);
}

async function writeMoves(rotations: AssignedFile[][], { readTags, push, signal }: PostponedFilesDeps) {
  signal.throwIfAborted();
  const movesOfReadFiles = rotations.flat().filter(({ file }) => file.audio !== undefined);
  const results = await readTags(movesOfReadFiles.map(({ file }) => file));
  const resultByMove = new Map(movesOfReadFiles.map((move, i) => [move, results[i] as ReadResult]));
  const toOps = (move: AssignedFile): (FileOp | DeletedOp)[] => {
    const { path, candidate, deletedLocation } = move.file;
    const result = resultByMove.get(move);
    const op = result && toOp(move.file, move.assignment, result);
    return [
      ...(deletedLocation
        ? [{ kind: 'deleted' as const, path, candidate, from: deletedLocation, isRestored: !!result }]
        : []),
      ...(op ? [move.hasOtherMusic ? { ...op, isOtherMusic: true } : op] : []),
    ];
  };
  await push(
    rotations.map((rotation): ScanOp => {
      const [firstOp, ...otherOps] = rotation.flatMap(toOps) as [FileOp, ...FileOp[]];
      return otherOps.length === 0 ? firstOp : { kind: 'rotation', ops: [firstOp, ...otherOps] };
    }),
  );
}

function toOp({ path, candidate, traits }: PostponedFile, assignment: Assignment, result: ReadResult): FileOp {
  // a restored track already has its path
  const isOfPath = assignment === 'replaced' || assignment === 'deleted';
  const target = isOfPath || (assignment === 'new' && traits.holderId === null) ? 'place' : assignment;
  const { holderId } = traits;
  const previousHolderId = holderId === null || isOfPath || assignment === holderId ? undefined : holderId;
  return { kind: 'file', path, candidate, result, target, ...(previousHolderId !== undefined && { previousHolderId }) };
}
