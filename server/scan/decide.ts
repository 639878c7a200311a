// Decides what becomes of what a scan found. Without side effects, so that the scan, which writes these decisions, and
// the dry run, which lists them, agree.
import type { TrackId } from '../db/ids.ts';
import { isSameStamp } from '../files/file-stamp.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { sourceIdOf } from '../files/relative-path.ts';
import type { Section } from '../files/sections.ts';
import type { Candidate, FolderBatch, ListedFile } from './compare-folder.ts';

export type ReadOk = Extract<ReadResult, { ok: true }>;

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
  is: TrackId | 'place' | 'new';
  /** The track that had its place, and has its own audio elsewhere now. */
  was?: TrackId;
  /** Nothing but the path tells that it is the track of its place. */
  isOtherMusic?: boolean;
}
/** The same file in another place, which needs no reading. */
interface MovedOp extends ListedFile {
  kind: 'moved';
  trackId: TrackId;
}
/** Where the file of deleted tracks was, and which these are. */
export interface DeletedFrom {
  path: string;
  name: string;
  trackIds: TrackId[];
}

/** A file whose track was deleted, in another place. */
export interface DeletedOp extends ListedFile {
  kind: 'deleted';
  from: DeletedFrom;
  /** It was read, and comes back by the op after this one. */
  isWanted: boolean;
}
/** Files that change places with one another: all of them at once, or none. */
interface RotationOp {
  kind: 'rotation';
  ops: (FileOp | DeletedOp)[];
}
export type SingleOp = FolderOp | FileOp | MovedOp | DeletedOp;
export type ScanOp = SingleOp | RotationOp;

/** The rows as the decisions before left them. */
export interface Known {
  /** Was found in another place by this scan. */
  isAdopted(id: TrackId): boolean;
  fileAt(path: string, name: string): { trackId: TrackId | null; state: string } | undefined;
  trackNamed(sourceId: string): TrackId | undefined;
  /** Has a file in another place that is there. */
  hasOtherFile(id: TrackId, path: string, name: string): boolean;
  /** Plays from its file in the music folder: without the file it is missing. */
  isInPlace(id: TrackId): boolean;
  isMissing(id: TrackId): boolean;
}

/** `lost`: tracks that are missing from now on. */
export type Decision =
  | { kind: 'folder'; op: FolderOp; lost: TrackId[]; restored: TrackId[] }
  /** Still being written; the next scan finds it new, or changed, again. */
  | { kind: 'changing'; op: FileOp }
  | { kind: 'failed'; op: FileOp; reason: string; trackId: TrackId | null; lost: TrackId[] }
  | { kind: 'added'; op: FileOp; read: ReadOk; displaced: TrackId | undefined; lost: TrackId[] }
  | { kind: 'updated'; op: FileOp; read: ReadOk; trackId: TrackId; onlyLyrics: boolean }
  /** It has several tracks. `whole`: the track that it was until now. */
  | { kind: 'split'; op: FileOp; read: ReadOk; sections: Section[]; whole: TrackId | undefined; isKnown: boolean }
  | MovedDecision
  /** Another name of a file that was found already: one file per track, so the next scan reads it. */
  | { kind: 'second'; op: MovedOp }
  | { kind: 'deleted'; op: DeletedOp; displaced: TrackId | undefined; lost: TrackId[] };

/** `displaced`: the track that was here before, and whose file is gone, or not written yet in a rotation. */
export interface MovedDecision {
  kind: 'moved';
  op: MovedOp | FileOp;
  trackId: TrackId;
  read: ReadOk | undefined;
  displaced: TrackId | undefined;
  lost: TrackId[];
}

export function decide(op: SingleOp, known: Known): Decision {
  switch (op.kind) {
    case 'folder':
      return decideFolder(op, known);
    case 'file':
      return decideFile(op, known);
    case 'moved':
      return known.isAdopted(op.trackId) ? { kind: 'second', op } : decideMove(op, op.trackId, undefined, known);
    case 'deleted':
      return decideDeleted(op, known);
  }
}

function decideDeleted(op: DeletedOp, known: Known): Decision {
  const { path, candidate, from } = op;
  const formerFile = known.fileAt(from.path, from.name);
  if (formerFile?.state === 'deleted' && formerFile.trackId !== null) {
    // the track was restored after the file was looked at
    const { trackId } = formerFile;
    return decideMove({ kind: 'moved', path, candidate, trackId }, trackId, undefined, known);
  }
  const displaced =
    known.fileAt(path, candidate.name)?.trackId ?? known.trackNamed(sourceIdOf(path, candidate.name)) ?? undefined;
  return { kind: 'deleted', op, displaced, lost: lostWith(displaced ?? null, known) };
}

function decideFolder(op: FolderOp, known: Known): Decision {
  const { path, gone, returned } = op.batch;
  const tracksOf = (files: { name: string }[]): TrackId[] =>
    files.flatMap(({ name }) => known.fileAt(path, name)?.trackId ?? []);
  const lost = tracksOf(gone).filter((id) => known.isInPlace(id));
  const restored = tracksOf(returned).filter((id) => known.isMissing(id) || lost.includes(id));
  return { kind: 'folder', op, lost, restored };
}

function decideFile(op: FileOp, known: Known): Decision {
  const { path, candidate, result, is } = op;
  if (!result.ok && result.changing) return { kind: 'changing', op };
  // not what the walk saw: its track may have been found elsewhere since
  const before = known.fileAt(path, candidate.name)?.trackId ?? null;
  const failed = (reason: string): Decision => ({
    kind: 'failed',
    op,
    reason,
    trackId: before,
    lost: lostWith(before, known),
  });
  if (!result.ok) return failed(result.reason);
  const { sections } = result.split ?? {};
  if (sections) {
    const whole = typeof is === 'number' ? is : (before ?? known.trackNamed(sourceIdOf(path, candidate.name)));
    const isKnown = known.fileAt(path, candidate.name)?.state === 'split';
    return { kind: 'split', op, read: result, sections, whole, isKnown };
  }
  if (typeof is === 'number' && is !== before && !known.isAdopted(is)) return decideMove(op, is, result, known);
  const named = before ?? known.trackNamed(sourceIdOf(path, candidate.name));
  if (named === undefined || is === 'new')
    return { kind: 'added', op, read: result, displaced: named, lost: lostWith(named ?? null, known) };
  if (known.hasOtherFile(named, path, candidate.name))
    return failed('another file has the same name but for its Unicode spelling');
  return { kind: 'updated', op, read: result, trackId: named, onlyLyrics: hasOnlyOtherLyrics(candidate) };
}

function decideMove(op: MovedOp | FileOp, trackId: TrackId, read: ReadOk | undefined, known: Known): MovedDecision {
  const holder = known.fileAt(op.path, op.candidate.name)?.trackId ?? undefined;
  const displaced = holder === trackId ? undefined : holder;
  return { kind: 'moved', op, trackId, read, displaced, lost: lostWith(displaced ?? null, known) };
}

const lostWith = (id: TrackId | null, known: Known): TrackId[] => (id !== null && known.isInPlace(id) ? [id] : []);

/** The file itself is the same, and only the lyrics beside it are not. */
export const hasOnlyOtherLyrics = ({ known, isAgain, ...now }: Candidate): boolean =>
  !isAgain &&
  known?.state === 'track' &&
  isSameStamp(known, now) &&
  known.sheetsMark === now.sheetsMark &&
  known.reason === null;
