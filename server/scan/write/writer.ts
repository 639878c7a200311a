// Writes what a scan found: each operation is decided and carried out on the rows as the previous operations left them.
// Runs on the database thread in short transactions, so that writes by users never wait long.
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import { isDiskFull } from '../../errors.ts';
import type { TrackWriter } from '../../library/tracks/track-writer.ts';
import { sourceIdOf } from '../../files/relative-path.ts';
import type { Relocation } from '../../relocation/service.ts';
import type { Storage } from '../../storage/storage.ts';
import {
  decide,
  type Decision,
  type CurrentRows,
  type MovedDecision,
  type ReadSuccess,
  type ScanOp,
  type SingleOp,
} from './decide.ts';
import { createFileRows } from './file-rows.ts';
import { createFolderRows } from './folder-rows.ts';
import { recordDecision, recordFailure, beginUndo, type ScanRecord } from '../scan-record.ts';
import { createSplitFiles, type SplitFilesDeps } from './split-files.ts';
import { createScannedTrackWriter, type ScannedTracksDeps } from './scanned-tracks.ts';

export interface ScanWriterDeps {
  db: MainDb;
  tracks: TrackWriter;
  trash: ScannedTracksDeps['trash'] & SplitFilesDeps['trash'];
  storage: Pick<Storage, 'backend'>;
  source: string;
  restore: boolean;
  record: ScanRecord;
  now: () => Date;
  divide: Relocation['divide'];
}

/**
 * Applies operations from index `from` on for at most `limitMs`. Returns the number of operations that were applied.
 */
export type WriteBatch = (ops: ScanOp[], from: number, limitMs: number) => number;

export function createScanWriter(deps: ScanWriterDeps): WriteBatch {
  const context = createContext(deps) as Context;
  context.apply = context.client.transaction((op: ScanOp): void => {
    if (op.kind === 'rotation') op.ops.forEach((op) => applySingle(context, op));
    else applySingle(context, op);
  });
  context.writeBatch = context.client.transaction(
    (ops: ScanOp[], from: number, limitMs: number, isCareful: boolean): number =>
      context.tracks.batch(() => {
        const deadline = performance.now() + limitMs;
        let appliedCount = 0;
        if (!isCareful) appliedCount = applyPlain(context, ops, from, deadline);
        while (from + appliedCount < ops.length && (appliedCount === 0 || performance.now() <= deadline))
          applySafely(context, ops[from + appliedCount++] as ScanOp);
        return appliedCount;
      }),
  ).immediate;

  return (ops, from, limitMs) => writeWithRetry(context, ops, from, limitMs);
}

interface Context extends ReturnType<typeof createContext> {
  apply: (op: ScanOp) => void;
  writeBatch: (ops: ScanOp[], from: number, limitMs: number, isCareful: boolean) => number;
}

function createContext({ db, tracks, trash, divide, storage, source, restore, record, now }: ScanWriterDeps) {
  const client = db.$client;
  const folders = createFolderRows(client, source, now);
  const files = createFileRows(client);
  const scannedTracks = createScannedTrackWriter({ db, tracks, trash, storage, source, now });
  const splitFiles = createSplitFiles({ db, files, scannedTracks, trash, source, restore });
  /**
   * Tracks that have their own audio back. The other music that was played as these tracks since then has not been
   * found yet. What people did with that music is kept on a separate track, if there was anything, until that music is
   * found.
   */
  const returnedTracks = new Map<TrackId, { since: Date; otherHash: string | null; displacedId?: TrackId }>();
  const rows: CurrentRows = {
    isAdopted: (id) => record.movedIds.has(id),
    findFile: (path, name) => files.find(folders.idOf(path), name),
    findTrackBySourceId: scannedTracks.findBySourceId,
    hasOtherFile: (id, path, name) => files.hasOther(id, folders.idOf(path), name),
    isInPlace: scannedTracks.isInPlace,
    isMissing: scannedTracks.isMissing,
  };
  return { tracks, divide, record, client, folders, files, scannedTracks, splitFiles, returnedTracks, rows };
}

function carryOut(context: Context, decision: Decision): void {
  if (decision.kind === 'folder') return writeFolder(context, decision);
  if (decision.kind === 'changing') return context.folders.countWrittenFile(decision.op.path, false);
  if (decision.kind === 'moved') return writeMoved(context, decision);
  const { path, candidate } = decision.op;
  const folder = context.folders.idOf(path);
  const { lyricsMark } = candidate;
  switch (decision.kind) {
    case 'failed': {
      const { trackId, reason } = decision;
      decision.lostIds.forEach(context.scannedTracks.setMissing);
      context.splitFiles.lose(folder, candidate.name);
      // with a time that no file can have, the file is read again by the next scan
      const { result } = decision.op;
      const mtimeUs = !result.ok && result.isPassing ? 0 : candidate.mtimeUs;
      context.files.put(folder, { ...candidate, mtimeUs }, { state: 'failed', reason, lyricsMark, trackId });
      break;
    }
    case 'added': {
      decision.lostIds.forEach(context.scannedTracks.setMissing);
      if (decision.displacedId !== undefined)
        context.scannedTracks.displace(decision.displacedId, sourceIdOf(path, candidate.name));
      const { trackId, replacedUri } = context.scannedTracks.insert(
        context.scannedTracks.toDraft(decision.op, decision.result),
        folder,
      );
      returnUserData(context, decision.op, trackId, decision.result);
      noteReplaced(context, replacedUri);
      context.splitFiles.unsplit(folder, decision.op, decision.result);
      context.files.put(folder, candidate, { state: 'track', ...reasonOf(decision.result), lyricsMark, trackId });
      break;
    }
    case 'updated': {
      const { trackId, result: readResult } = decision;
      if (decision.op.isOtherMusic) noteOtherMusic(context, trackId);
      else noteReturn(context, trackId, readResult);
      if (decision.hasOnlyLyricsChanged) context.scannedTracks.setLyrics(trackId, readResult);
      else {
        const fill = candidate.isReread ? context.scannedTracks.retag : context.scannedTracks.refill;
        noteReplaced(context, fill(trackId, context.scannedTracks.toDraft(decision.op, readResult), folder));
      }
      context.files.put(folder, candidate, { state: 'track', ...reasonOf(readResult), lyricsMark, trackId });
      break;
    }
    case 'split': {
      context.splitFiles
        .split(folder, decision.op, decision)
        .forEach((storageUri) => noteReplaced(context, storageUri));
      context.files.put(folder, candidate, { state: 'split', lyricsMark, trackId: null });
      break;
    }
    case 'deleted': {
      const { from } = decision.op;
      decision.lostIds.forEach(context.scannedTracks.setMissing);
      if (decision.displacedId !== undefined)
        context.scannedTracks.displace(decision.displacedId, sourceIdOf(path, candidate.name));
      context.splitFiles.lose(folder, candidate.name);
      context.files.removeIfSame(context.folders.idOf(from.path), from.name, candidate);
      context.scannedTracks.moveDeleted(from.trackIds, { path, name: candidate.name, folder });
      context.files.put(folder, candidate, { state: 'deleted', lyricsMark: null, trackId: null });
    }
  }
  const isTrackWritten = decision.kind === 'added' || decision.kind === 'updated';
  context.folders.countWrittenFile(
    path,
    decision.kind === 'split' || (isTrackWritten && decision.result.split?.fault === undefined),
  );
}

function writeFolder(context: Context, { op, lostIds, restoredIds }: Extract<Decision, { kind: 'folder' }>): void {
  const { path, imageChanged, linkChanged, linkTarget, goneFiles, returnedFiles, renumberedFiles, signature } =
    op.batch;
  if (imageChanged) context.folders.setImages(path, op.batch);
  if (linkChanged) context.folders.setLinkTarget(path, linkTarget);
  for (const file of renumberedFiles) context.files.setNumbers(context.folders.idOf(path), file);
  for (const { name } of goneFiles) context.files.setState(context.folders.idOf(path), name, 'gone');
  // a file whose track went to another file of this scan meanwhile has no row: the next scan finds it
  const withRows = returnedFiles.filter(({ name }) =>
    context.files.setState(context.folders.idOf(path), name, 'track'),
  );
  lostIds.forEach(context.scannedTracks.setMissing);
  restoredIds.forEach(context.scannedTracks.setAvailable);
  if (signature !== null || goneFiles.length + returnedFiles.length + op.files > 0)
    context.folders.setSignature(path, withRows.length === returnedFiles.length ? signature : null, op.files);
}

/**
 * Writes a moved file: the track keeps its row and loses its other places. If the file was read, its audio and tags
 * replace those of the track.
 */
function writeMoved(context: Context, { op, trackId, result, lostIds }: MovedDecision): void {
  const { path, candidate } = op;
  const folder = context.folders.idOf(path);
  lostIds.forEach(context.scannedTracks.setMissing);
  const otherFiles = context.files.removeOthers(trackId, folder, candidate.name);
  for (const { folder_id } of otherFiles) context.folders.clearSignature(folder_id);
  if (result) noteReturn(context, trackId, result);
  context.scannedTracks.move(trackId, path, candidate.name);
  returnUserData(context, op, trackId, result);
  const lyricsMark = result ? candidate.lyricsMark : (otherFiles[0]?.lyrics_mark ?? null);
  context.files.put(folder, candidate, { state: 'track', ...reasonOf(result), lyricsMark, trackId });
  if (result)
    noteReplaced(context, context.scannedTracks.refill(trackId, context.scannedTracks.toDraft(op, result), folder));
  // if the lyrics beside the file changed, the next scan reads them
  context.folders.countWrittenFile(path, lyricsMark === candidate.lyricsMark && result?.split?.fault === undefined);
}

/**
 * Prepares a track for other music that takes the place of its audio, or of other music that was played as this
 * track.
 */
function noteOtherMusic(context: Context, trackId: TrackId): void {
  const since = context.scannedTracks.rememberFormerAudio(trackId);
  if (since) divideToDisplacedMusic(context, trackId, since);
}

/** Prepares a track whose original audio returns in place of other music that was played as this track. */
function noteReturn(context: Context, trackId: TrackId, { audioHash }: ReadSuccess): void {
  const since = context.scannedTracks.findReplacementDate(trackId, audioHash);
  if (!since) return;
  const otherHash = context.scannedTracks.audioHashOf(trackId);
  const copy = context.scannedTracks.findOtherWithAudio(otherHash, trackId);
  if (copy !== undefined) return void context.divide(trackId, copy, since);
  const displacedId = divideToDisplacedMusic(context, trackId, since);
  context.returnedTracks.set(trackId, { since, otherHash, ...(displacedId !== undefined && { displacedId }) });
}

/**
 * Moves what people did with the current music of this track since that moment to a new track; returns undefined if
 * they did nothing.
 */
function divideToDisplacedMusic(context: Context, trackId: TrackId, since: Date): TrackId | undefined {
  const displacedId = context.scannedTracks.insertAside(trackId);
  if (displacedId === undefined || context.divide(trackId, displacedId, since, true)) return displacedId;
  context.scannedTracks.removeTrack(displacedId);
  return undefined;
}

/** Gives to this track what people did while its music was played as another track, whose own audio is back. */
function returnUserData(
  context: Context,
  op: MovedDecision['op'],
  trackId: TrackId,
  readResult: ReadSuccess | undefined,
): void {
  for (const [id, { since, otherHash, displacedId }] of context.returnedTracks) {
    const isMusicOfTrack =
      ('previousHolderId' in op && op.previousHolderId === id) ||
      (otherHash !== null && otherHash === readResult?.audioHash);
    if (!isMusicOfTrack || id === trackId) continue;
    context.divide(displacedId ?? id, trackId, since);
    if (displacedId !== undefined) context.scannedTracks.removeTrack(displacedId);
    context.returnedTracks.delete(id);
  }
}

function noteReplaced(context: Context, storageUri: string | undefined): void {
  if (storageUri !== undefined) context.record.replacedUris.push(storageUri);
}

function applySingle(context: Context, op: SingleOp): void {
  carryOutAndRecord(context, decide(op, context.rows));
}

function carryOutAndRecord(context: Context, decision: Decision): void {
  carryOut(context, decision);
  recordDecision(context.record, decision);
}

/**
 * Applies an operation. If the operation fails, only this one is rolled back and becomes one line of the result; a
 * full disk ends the scan.
 */
function applySafely(context: Context, op: ScanOp): void {
  try {
    context.apply(op); // runs in a savepoint, inside the batch's transaction
  } catch (error) {
    context.tracks.forget();
    context.folders.forgetIds();
    if (isDiskFull(error) || op.kind === 'folder') throw error;
    for (const { path, candidate } of op.kind === 'rotation' ? op.ops : [op]) {
      context.folders.countWrittenFile(path, false);
      recordFailure(context.record, path, candidate.name, `it could not be saved (${codeOf(error)})`);
    }
  }
}

/**
 * Applies operations that need no savepoint: new tracks, and folders without further changes. If one of them fails,
 * the whole batch is rolled back and written again with a savepoint for each operation. Returns the number of
 * operations before the first one of another kind.
 */
function applyPlain(context: Context, ops: ScanOp[], from: number, deadline: number): number {
  const undo = { counts: beginUndo(context.record), folders: context.folders.beginUndo() };
  let appliedCount = 0;
  try {
    for (
      let op = ops[from];
      op && (appliedCount === 0 || performance.now() <= deadline);
      op = ops[from + ++appliedCount]
    ) {
      const decision = op.kind === 'rotation' ? undefined : decide(op, context.rows);
      if (!decision || !isPlain(decision)) break;
      carryOutAndRecord(context, decision);
    }
    return appliedCount;
  } catch (error) {
    undo.counts();
    undo.folders();
    throw new BatchFailed('an op failed', { cause: error });
  }
}

/** Writes a batch in one go. If an operation fails, the batch is written again, with a savepoint for each operation. */
function writeWithRetry({ client, writeBatch }: Context, ops: ScanOp[], from: number, limitMs: number): number {
  // rows lost in a power cut are written again by the next scan; people's writes stay FULL
  client.pragma('synchronous = NORMAL');
  try {
    return writeBatch(ops, from, limitMs, false);
  } catch (error) {
    if (!(error instanceof BatchFailed)) throw error;
    if (isDiskFull(error.cause)) throw error.cause;
    return writeBatch(ops, from, limitMs, true);
  } finally {
    client.pragma('synchronous = FULL');
  }
}

/** Thrown when an operation fails that runs without a savepoint; the batch is rolled back with it. */
class BatchFailed extends Error {}

/** Returns whether a decision changes no more of the scan's own state than `applyPlain` can undo. */
const isPlain = (decision: Decision): boolean =>
  decision.kind === 'added'
    ? decision.lostIds.length === 0 && decision.displacedId === undefined
    : decision.kind === 'folder' &&
      decision.lostIds.length + decision.restoredIds.length + decision.op.batch.repeatedFailures.length === 0;

/** Returns why a file with a cue sheet is stored as one track. */
const reasonOf = (readResult: ReadSuccess | undefined): { reason?: string } =>
  readResult?.split?.fault === undefined ? {} : { reason: readResult.split.fault };

/** Returns only the code of a database error, because its message contains SQL. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'an unexpected error';
