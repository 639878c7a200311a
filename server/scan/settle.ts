// The files that waited for the end of the walk, with the track that each of them is: by their audio (assign.ts), then,
// where other audio lies in a track's place and neither is known from elsewhere, by what they sound like
// (replaced-files.ts). The path decides last, and never where that would cost the only copy of other music.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { TrackId } from '../db/ids.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { absoluteOf, join } from '../files/relative-path.ts';
import { assignTracks, orderMoves, type Assignment, type PossibleTrack, type StoredCopy } from './assign.ts';
import type { DeletedOp, FileOp, ScanOp } from './decide.ts';
import type { MergedFiles } from './merged-files.ts';
import type { MovedFiles, PostponedFile } from './moved-files.ts';
import { groupRelatedFiles } from './related-files.ts';
import { identifyReplacedFiles, type ReplacedFilesDeps } from './replaced-files.ts';
import type { SeparatedTracks } from './separated-tracks.ts';

const GROUP_FILES = 64;

interface PostponedFilesDeps extends ReplacedFilesDeps {
  /** Nothing is heard, because fingerprints are stored: what has other names in a track's place is other music. */
  dryRun: boolean;
  movedFiles: Pick<MovedFiles, 'findPossibleTracks' | 'listDeletedHashes' | 'forgetListings'>;
  separatedTracks: Pick<SeparatedTracks, 'separateByCurrentAudio'>;
  mergedFiles: MergedFiles;
  onUnusedCopy: (key: string) => void;
  /** Files of deleted and merged tracks are asked for again. */
  restore: boolean;
  /** Reads tags again; audio and hashes are known. */
  readTags: (files: PostponedFile[]) => Promise<ReadResult[]>;
  push: (ops: ScanOp[]) => Promise<void>;
}

/** Hands on the files in an order in which every track has left its place before another one comes there. */
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
      incoming: from ? keyOfDeleted(join(from.path, from.name)) : assignment,
      outgoing: holderId ?? keyOfDeleted(filePath),
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
 * Music that the folder has no more, taken out or written over, lives on in our copy. Other music in its place is a new
 * track, unless it has the same names, or the copy was made while the file was still being written.
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

/** The file is longer than the copy, and begins with its bytes. */
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
    return false; // it cannot be read now; the next scan will tell
  }
  return hash.digest('hex') === sha256;
}

/** The name of a deleted track in the order of the moves: its place tells it from others. */
const keyOfDeleted = (place: string): string => `deleted from ${place}`;

interface AssignedFile {
  file: PostponedFile;
  assignment: Assignment;
  /** `inOrder` goes by these two: the track that comes to the place, and the one that leaves it. */
  incoming: TrackId | string;
  outgoing: TrackId | string;
  hasOtherMusic: boolean;
}

interface AudioAssignments {
  /** Files that cannot be settled yet. */
  changingFiles: PostponedFile[];
  /** All others, by place. */
  assignments: Map<string, Assignment>;
  /** Tracks in whose place other audio lies, and whose own another file has. */
  idsWithAudioElsewhere: Set<TrackId>;
  copiesByTrack: Map<TrackId, CopyOfTrack>;
}

/** A track that has a copy of our own. */
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
      const others = presentTracksByAudio.get(audioHash) ?? [];
      if (audioHash !== null && (hashesOfFiles.has(audioHash) || others.some((other) => other.id !== id)))
        result.idsWithAudioElsewhere.add(id);
    }
    for (const [place, assignment] of assignments) result.assignments.set(place, assignment);
  }
  return result;
}

const isPresent = ({ locations }: PossibleTrack): boolean => locations.some(({ state }) => state === 'present');

/**
 * Tracks that get back the audio that they had before other music lay at their paths leave that music to the tracks
 * that had joined them for it.
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

/** Its audio is that of a track whose file is being written: that file says which of them is the copy. */
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
      const [firstOp, ...others] = rotation.flatMap(toOps) as [FileOp, ...FileOp[]];
      return others.length === 0 ? firstOp : { kind: 'rotation', ops: [firstOp, ...others] };
    }),
  );
}

function toOp({ path, candidate, traits }: PostponedFile, assignment: Assignment, result: ReadResult): FileOp {
  // of a deleted track that is asked for again: its place was given to it before
  const isOfPath = assignment === 'replaced' || assignment === 'deleted';
  const target = isOfPath || (assignment === 'new' && traits.holderId === null) ? 'place' : assignment;
  const { holderId } = traits;
  const previousHolderId = holderId === null || isOfPath || assignment === holderId ? undefined : holderId;
  return { kind: 'file', path, candidate, result, target, ...(previousHolderId !== undefined && { previousHolderId }) };
}
