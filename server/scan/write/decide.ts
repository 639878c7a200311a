// Decides what becomes of what a scan found. Without side effects, so that the scan, which writes these decisions, and
// the dry run, which lists them, agree.
import type { TrackId } from '../../db/ids.ts';
import { isSameStamp } from '../../files/file-stamp.ts';
import type { ReadResult } from '../../files/reader-worker.ts';
import { sourceIdOf } from '../../files/relative-path.ts';
import type { Section } from '../../files/sections.ts';
import type { Candidate, FolderBatch, ListedFile } from '../walk/compare-folder.ts';

export type ReadSuccess = Extract<ReadResult, { ok: true }>;

/** `files`: how many ops for files of this folder follow. */
interface FolderOp {
  kind: 'folder';
  batch: Omit<FolderBatch, 'candidates'>;
  files: number;
}
/**
 * A file that was read. `is`: the track that it is · `place`: the track of its place, or a new one · `new`: a new one,
 * whichever track had the place.
 */
export interface FileOp extends ListedFile {
  kind: 'file';
  result: ReadResult;
  target: TrackId | 'place' | 'new';
  /** The track that had its place, and has its own audio elsewhere now. */
  previousHolderId?: TrackId;
  /** Nothing but the path tells that it is the track of its place. */
  isOtherMusic?: boolean;
}
/** The same file in another place, which needs no reading. */
interface MovedOp extends ListedFile {
  kind: 'moved';
  trackId: TrackId;
}
/** Where the file of deleted tracks was, and which these are. */
export interface DeletedLocation {
  path: string;
  name: string;
  trackIds: TrackId[];
}

/** A file at a new path whose track was deleted when the file was at another path. */
export interface DeletedOp extends ListedFile {
  kind: 'deleted';
  from: DeletedLocation;
  /** The file was read, and the op after this one restores its track. */
  isRestored: boolean;
}
/** Files that change places with one another: all of them at once, or none. */
interface RotationOp {
  kind: 'rotation';
  ops: (FileOp | DeletedOp)[];
}
export type SingleOp = FolderOp | FileOp | MovedOp | DeletedOp;
export type ScanOp = SingleOp | RotationOp;

/** The rows as the decisions before left them. */
export interface CurrentRows {
  /** This scan found the track at another path. */
  isAdopted(id: TrackId): boolean;
  findFile(path: string, name: string): { trackId: TrackId | null; state: string } | undefined;
  findTrackBySourceId(sourceId: string): TrackId | undefined;
  /** Has a file in another place that is there. */
  hasOtherFile(id: TrackId, path: string, name: string): boolean;
  /** Plays from its file in the music folder: without the file it is missing. */
  isInPlace(id: TrackId): boolean;
  isMissing(id: TrackId): boolean;
}

/** `lost`: tracks that are missing from now on. */
export type Decision =
  | { kind: 'folder'; op: FolderOp; lostIds: TrackId[]; restoredIds: TrackId[] }
  /** Still being written; the next scan finds it new, or changed, again. */
  | { kind: 'changing'; op: FileOp }
  | { kind: 'failed'; op: FileOp; reason: string; trackId: TrackId | null; lostIds: TrackId[] }
  | { kind: 'added'; op: FileOp; result: ReadSuccess; displacedId: TrackId | undefined; lostIds: TrackId[] }
  | { kind: 'updated'; op: FileOp; result: ReadSuccess; trackId: TrackId; hasOnlyLyricsChanged: boolean }
  /** It has several tracks. `wholeFileTrackId`: the track that the whole file was until now. */
  | {
      kind: 'split';
      op: FileOp;
      result: ReadSuccess;
      sections: Section[];
      wholeFileTrackId: TrackId | undefined;
      wasSplit: boolean;
    }
  | MovedDecision
  /** Another name of a file that was found already: one file per track, so the next scan reads it. */
  | { kind: 'second'; op: MovedOp }
  | { kind: 'deleted'; op: DeletedOp; displacedId: TrackId | undefined; lostIds: TrackId[] };

/** `displaced`: the track that was here before, and whose file is gone, or not written yet in a rotation. */
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
  // not what the walk saw: its track may have been found elsewhere since
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

/** The file itself is the same, and only the lyrics beside it are not. */
export const hasOnlyOtherLyrics = ({ knownFile, isReread, ...now }: Candidate): boolean =>
  !isReread &&
  knownFile?.state === 'track' &&
  isSameStamp(knownFile, now) &&
  knownFile.sheetsMark === now.sheetsMark &&
  knownFile.reason === null;
