// Decides what to write for each result of a scan. Without side effects, so that the scan, which writes these
// decisions, and the dry run, which lists them, agree.
import type { TrackId } from '../../db/ids.ts';
import { isSameStamp } from '../../files/file-stamp.ts';
import type { ReadResult } from '../../files/reader-worker.ts';
import { sourceIdOf } from '../../files/relative-path.ts';
import type { Section } from '../../files/sections.ts';
import type { Candidate, FolderBatch, ListedFile } from '../walk/compare-folder.ts';

export type ReadSuccess = Extract<ReadResult, { ok: true }>;

/** An operation on a folder; `files` is the number of operations for its files that follow. */
interface FolderOp {
  kind: 'folder';
  batch: Omit<FolderBatch, 'candidates'>;
  files: number;
}
/**
 * A file that was read. Its target is the id of the track that it is, `place` for the track at its place or a new one,
 * or `new` for a new track, whichever track had the place.
 */
export interface FileOp extends ListedFile {
  kind: 'file';
  result: ReadResult;
  target: TrackId | 'place' | 'new';
  /** The track that had the file's place, and whose own audio is elsewhere now. */
  previousHolderId?: TrackId;
  /** True if the file has other music than the track at its place had, and only its path makes it that track. */
  isOtherMusic?: boolean;
}
/** The same file in another place, which is not read. */
interface MovedOp extends ListedFile {
  kind: 'moved';
  trackId: TrackId;
}
/** The former place of the file of deleted tracks, and these tracks. */
export interface DeletedLocation {
  path: string;
  name: string;
  trackIds: TrackId[];
}

/** A file at a new path whose track was deleted when the file was at another path. */
export interface DeletedOp extends ListedFile {
  kind: 'deleted';
  from: DeletedLocation;
  /** True if the file was read, and the next operation restores its track. */
  isRestored: boolean;
}
/** Files that change places with one another: all of them are written at once, or none. */
interface RotationOp {
  kind: 'rotation';
  ops: (FileOp | DeletedOp)[];
}
export type SingleOp = FolderOp | FileOp | MovedOp | DeletedOp;
export type ScanOp = SingleOp | RotationOp;

/** The rows as the previous decisions left them. */
export interface CurrentRows {
  /** Returns whether this scan found the track at another path. */
  isAdopted(id: TrackId): boolean;
  findFile(path: string, name: string): { trackId: TrackId | null; state: string } | undefined;
  findTrackBySourceId(sourceId: string): TrackId | undefined;
  /** Returns whether the track has an existing file in another place. */
  hasOtherFile(id: TrackId, path: string, name: string): boolean;
  /** Returns whether the track plays from its file in the music folder, so that it is missing without the file. */
  isInPlace(id: TrackId): boolean;
  isMissing(id: TrackId): boolean;
}

/** What to write for an operation; `lostIds` are tracks that are missing from now on. */
export type Decision =
  | { kind: 'folder'; op: FolderOp; lostIds: TrackId[]; restoredIds: TrackId[] }
  /** The file is still being written; the next scan finds it new, or changed, again. */
  | { kind: 'changing'; op: FileOp }
  | { kind: 'failed'; op: FileOp; reason: string; trackId: TrackId | null; lostIds: TrackId[] }
  | { kind: 'added'; op: FileOp; result: ReadSuccess; displacedId: TrackId | undefined; lostIds: TrackId[] }
  | { kind: 'updated'; op: FileOp; result: ReadSuccess; trackId: TrackId; hasOnlyLyricsChanged: boolean }
  /** The file has several tracks. `wholeFileTrackId` is the track that the whole file was until now. */
  | {
      kind: 'split';
      op: FileOp;
      result: ReadSuccess;
      sections: Section[];
      wholeFileTrackId: TrackId | undefined;
      wasSplit: boolean;
    }
  | MovedDecision
  /**
   * The file is another name of a file that was already found: a track has one file, so the next scan reads this one.
   */
  | { kind: 'second'; op: MovedOp }
  | { kind: 'deleted'; op: DeletedOp; displacedId: TrackId | undefined; lostIds: TrackId[] };

/**
 * A file that moved. `displacedId` is the track that was at this place before, and whose file is gone, or not written
 * yet in a rotation.
 */
export interface MovedDecision {
  kind: 'moved';
  op: MovedOp | FileOp;
  trackId: TrackId;
  result: ReadSuccess | undefined;
  displacedId: TrackId | undefined;
  lostIds: TrackId[];
}

export function decide(op: SingleOp, rows: CurrentRows): Decision {
  switch (op.kind) {
    case 'folder':
      return decideFolder(op, rows);
    case 'file':
      return decideFile(op, rows);
    case 'moved':
      return rows.isAdopted(op.trackId) ? { kind: 'second', op } : decideMove(op, op.trackId, undefined, rows);
    case 'deleted':
      return decideDeleted(op, rows);
  }
}

function decideDeleted(op: DeletedOp, rows: CurrentRows): Decision {
  const { path, candidate, from } = op;
  const formerFile = rows.findFile(from.path, from.name);
  if (formerFile?.state === 'deleted' && formerFile.trackId !== null) {
    // the track was restored after the file was looked at
    const { trackId } = formerFile;
    return decideMove({ kind: 'moved', path, candidate, trackId }, trackId, undefined, rows);
  }
  const displacedId =
    rows.findFile(path, candidate.name)?.trackId ??
    rows.findTrackBySourceId(sourceIdOf(path, candidate.name)) ??
    undefined;
  return { kind: 'deleted', op, displacedId, lostIds: lostIdsOf(displacedId ?? null, rows) };
}

function decideFolder(op: FolderOp, rows: CurrentRows): Decision {
  const { path, goneFiles, returnedFiles } = op.batch;
  const trackIdsOf = (files: { name: string }[]): TrackId[] =>
    files.flatMap(({ name }) => rows.findFile(path, name)?.trackId ?? []);
  const lostIds = trackIdsOf(goneFiles).filter((id) => rows.isInPlace(id));
  const restoredIds = trackIdsOf(returnedFiles).filter((id) => rows.isMissing(id) || lostIds.includes(id));
  return { kind: 'folder', op, lostIds, restoredIds };
}

function decideFile(op: FileOp, rows: CurrentRows): Decision {
  const { path, candidate, result, target } = op;
  if (!result.ok && result.changing) return { kind: 'changing', op };
  // the row differs from what the walk saw if its track was found elsewhere since
  const currentTrackId = rows.findFile(path, candidate.name)?.trackId ?? null;
  const failWith = (reason: string): Decision => ({
    kind: 'failed',
    op,
    reason,
    trackId: currentTrackId,
    lostIds: lostIdsOf(currentTrackId, rows),
  });
  if (!result.ok) return failWith(result.reason);
  const { sections } = result.split ?? {};
  if (sections) {
    const wholeFileTrackId =
      typeof target === 'number'
        ? target
        : (currentTrackId ?? rows.findTrackBySourceId(sourceIdOf(path, candidate.name)));
    const wasSplit = rows.findFile(path, candidate.name)?.state === 'split';
    return { kind: 'split', op, result, sections, wholeFileTrackId, wasSplit };
  }
  if (typeof target === 'number' && target !== currentTrackId && !rows.isAdopted(target))
    return decideMove(op, target, result, rows);
  const trackId = currentTrackId ?? rows.findTrackBySourceId(sourceIdOf(path, candidate.name));
  if (trackId === undefined || target === 'new')
    return { kind: 'added', op, result, displacedId: trackId, lostIds: lostIdsOf(trackId ?? null, rows) };
  if (rows.hasOtherFile(trackId, path, candidate.name))
    return failWith('another file has the same name but for its Unicode spelling');
  return { kind: 'updated', op, result, trackId, hasOnlyLyricsChanged: hasOnlyOtherLyrics(candidate) };
}

function decideMove(
  op: MovedOp | FileOp,
  trackId: TrackId,
  result: ReadSuccess | undefined,
  rows: CurrentRows,
): MovedDecision {
  const holder = rows.findFile(op.path, op.candidate.name)?.trackId ?? undefined;
  const displacedId = holder === trackId ? undefined : holder;
  return { kind: 'moved', op, trackId, result, displacedId, lostIds: lostIdsOf(displacedId ?? null, rows) };
}

const lostIdsOf = (id: TrackId | null, rows: CurrentRows): TrackId[] => (id !== null && rows.isInPlace(id) ? [id] : []);

/** Returns whether the file itself is the same, and only the lyrics beside it have changed. */
export const hasOnlyOtherLyrics = ({ knownFile, isReread, ...now }: Candidate): boolean =>
  !isReread &&
  knownFile?.state === 'track' &&
  isSameStamp(knownFile, now) &&
  knownFile.sheetsMark === now.sheetsMark &&
  knownFile.reason === null;
