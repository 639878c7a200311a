// Writes what a scan found: each op is decided and carried out on the rows as the ops before it left them. Runs on the
// database thread in short transactions, so that people's writes never wait long.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { isDiskFull } from '../errors.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import { sourceIdOf } from '../files/relative-path.ts';
import type { Relocation } from '../relocation/service.ts';
import type { Storage } from '../storage/storage.ts';
import {
  decide,
  type Decision,
  type Known,
  type MovedDecision,
  type ReadOk,
  type ScanOp,
  type SingleOp,
} from './decide.ts';
import { createFileRows } from './file-rows.ts';
import { createFolderRows } from './folder-rows.ts';
import { recordDecision, recordFailure, rememberAdded, type ScanRecord } from './scan-record.ts';
import { createSplitFiles, type SplitFilesDeps } from './split-files.ts';
import { createScannedTracks, type ScannedTracksDeps } from './scanned-tracks.ts';

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

/** Takes ops from `from` on for at most `limitMs`; gives how many. */
export type WriteBatch = (ops: ScanOp[], from: number, limitMs: number) => number;

export function createScanWriter({
  db,
  tracks,
  trash,
  divide,
  storage,
  source,
  restore,
  record,
  now,
}: ScanWriterDeps): WriteBatch {
  const client = db.$client;
  const folders = createFolderRows(client, source, now);
  const files = createFileRows(client);
  const scanned = createScannedTracks({ db, tracks, trash, storage, source, now });
  const splitFiles = createSplitFiles({ db, files, scanned, trash, source, restore });

  /**
   * Tracks that have their own audio back; the other music that was heard as them since then is nowhere yet. What
   * people did with it is on a track aside, if anything, until that music is found.
   */
  const returned = new Map<TrackId, { since: Date; otherHash: string | null; aside?: TrackId }>();

  const known: Known = {
    isAdopted: (id) => record.adopted.has(id),
    fileAt: (path, name) => files.find(folders.idOf(path), name),
    trackNamed: scanned.findNamed,
    hasOtherFile: (id, path, name) => files.hasOther(id, folders.idOf(path), name),
    isInPlace: scanned.isInPlace,
    isMissing: scanned.isMissing,
  };

  function carryOut(decision: Decision): void {
    if (decision.kind === 'folder') return writeFolder(decision);
    if (decision.kind === 'changing') return folders.settle(decision.op.path, false);
    if (decision.kind === 'moved') return writeMoved(decision);
    const { path, candidate } = decision.op;
    const folder = folders.idOf(path);
    const { lyricsMark } = candidate;
    switch (decision.kind) {
      case 'failed': {
        const { trackId, reason } = decision;
        decision.lost.forEach(scanned.lose);
        splitFiles.lose(folder, candidate.name);
        // without a time that a file can have, it is read again by the next scan
        const { result } = decision.op;
        const mtimeUs = !result.ok && result.isPassing ? 0 : candidate.mtimeUs;
        files.put(folder, { ...candidate, mtimeUs }, { state: 'failed', reason, lyricsMark, trackId });
        break;
      }
      case 'added': {
        decision.lost.forEach(scanned.lose);
        if (decision.displaced !== undefined) scanned.displace(decision.displaced, sourceIdOf(path, candidate.name));
        const { trackId, replaced } = scanned.insert(scanned.draftOf(decision.op, decision.read), folder);
        giveWhatWasMeant(decision.op, trackId, decision.read);
        noteReplaced(replaced);
        splitFiles.unsplit(folder, decision.op, decision.read);
        files.put(folder, candidate, { state: 'track', ...reasonOf(decision.read), lyricsMark, trackId });
        break;
      }
      case 'updated': {
        const { trackId, read } = decision;
        if (decision.op.isOtherMusic) noteOtherMusic(trackId);
        else noteReturn(trackId, read);
        if (decision.onlyLyrics) scanned.setLyrics(trackId, read);
        else {
          const fill = candidate.isAgain ? scanned.retag : scanned.refill;
          noteReplaced(fill(trackId, scanned.draftOf(decision.op, read), folder));
        }
        files.put(folder, candidate, { state: 'track', ...reasonOf(read), lyricsMark, trackId });
        break;
      }
      case 'split': {
        splitFiles.split(folder, decision.op, decision).forEach(noteReplaced);
        files.put(folder, candidate, { state: 'split', lyricsMark, trackId: null });
        break;
      }
      case 'deleted': {
        const { from } = decision.op;
        decision.lost.forEach(scanned.lose);
        if (decision.displaced !== undefined) scanned.displace(decision.displaced, sourceIdOf(path, candidate.name));
        splitFiles.lose(folder, candidate.name);
        files.removeOf(folders.idOf(from.path), from.name, candidate);
        scanned.moveDeleted(from.trackIds, { path, name: candidate.name, folder });
        files.put(folder, candidate, { state: 'deleted', lyricsMark: null, trackId: null });
      }
    }
    const isTrack = decision.kind === 'added' || decision.kind === 'updated';
    folders.settle(path, decision.kind === 'split' || (isTrack && decision.read.split?.fault === undefined));
  }

  function writeFolder({ op, lost, restored }: Extract<Decision, { kind: 'folder' }>): void {
    const { path, imageChanged, gone, returned, renumbered, signature } = op.batch;
    if (imageChanged) folders.setImages(path, op.batch);
    for (const file of renumbered) files.setNumbers(folders.idOf(path), file);
    for (const { name } of gone) files.setState(folders.idOf(path), name, 'gone');
    // one whose track went to another file of this scan meanwhile has no row: the next scan finds it
    const withRows = returned.filter(({ name }) => files.setState(folders.idOf(path), name, 'track'));
    lost.forEach(scanned.lose);
    restored.forEach(scanned.restore);
    if (signature !== null || gone.length + returned.length + op.files > 0)
      folders.setSignature(path, withRows.length === returned.length ? signature : null, op.files);
  }

  /** The track keeps its row and loses its other places. What was read of the file takes the place of its audio. */
  function writeMoved({ op, trackId, read, lost }: MovedDecision): void {
    const { path, candidate } = op;
    const folder = folders.idOf(path);
    lost.forEach(scanned.lose);
    const before = files.removeOthers(trackId, folder, candidate.name);
    for (const { folder_id } of before) folders.unsettle(folder_id);
    if (read) noteReturn(trackId, read);
    scanned.move(trackId, path, candidate.name);
    giveWhatWasMeant(op, trackId, read);
    const lyricsMark = read ? candidate.lyricsMark : (before[0]?.lyrics_mark ?? null);
    files.put(folder, candidate, { state: 'track', ...reasonOf(read), lyricsMark, trackId });
    if (read) noteReplaced(scanned.refill(trackId, scanned.draftOf(op, read), folder));
    // other lyrics beside it are read by the next scan
    folders.settle(path, lyricsMark === candidate.lyricsMark && read?.split?.fault === undefined);
  }

  /** Before other music takes the place of its audio, or of other music that was heard as it. */
  function noteOtherMusic(trackId: TrackId): void {
    const since = scanned.rememberAudio(trackId);
    if (since) divideAside(trackId, since);
  }

  /** Before the audio that it had first takes the place of the other music that was heard as this track. */
  function noteReturn(trackId: TrackId, { audioHash }: ReadOk): void {
    const since = scanned.hasOtherAudioSince(trackId, audioHash);
    if (!since) return;
    const otherHash = scanned.audioHashOf(trackId);
    const copy = scanned.findOtherWith(otherHash, trackId);
    if (copy !== undefined) return void divide(trackId, copy, since);
    const aside = divideAside(trackId, since);
    returned.set(trackId, { since, otherHash, ...(aside !== undefined && { aside }) });
  }

  /** Undefined if people did nothing with the music that this track has now, since that moment. */
  function divideAside(trackId: TrackId, since: Date): TrackId | undefined {
    const aside = scanned.insertAside(trackId);
    if (aside === undefined || divide(trackId, aside, since, true)) return aside;
    scanned.drop(aside);
    return undefined;
  }

  /** What people did while this music was heard as another track, whose own is back. */
  function giveWhatWasMeant(op: MovedDecision['op'], trackId: TrackId, read: ReadOk | undefined): void {
    for (const [id, { since, otherHash, aside }] of returned) {
      const isIts = ('was' in op && op.was === id) || (otherHash !== null && otherHash === read?.audioHash);
      if (!isIts || id === trackId) continue;
      divide(aside ?? id, trackId, since);
      if (aside !== undefined) scanned.drop(aside);
      returned.delete(id);
    }
  }

  function noteReplaced(storageUri: string | undefined): void {
    if (storageUri !== undefined) record.replaced.push(storageUri);
  }

  function applySingle(op: SingleOp): void {
    carryOutAndRecord(decide(op, known));
  }

  function carryOutAndRecord(decision: Decision): void {
    carryOut(decision);
    recordDecision(record, decision);
  }

  const apply = client.transaction((op: ScanOp): void => {
    if (op.kind === 'rotation') op.ops.forEach(applySingle);
    else applySingle(op);
  });

  /** An op that fails is rolled back alone and becomes one line of the result; a full disk ends the scan. */
  function applyOne(op: ScanOp): void {
    try {
      apply(op); // a savepoint, inside the batch's transaction
    } catch (error) {
      tracks.forget();
      folders.forgetIds();
      if (isDiskFull(error) || op.kind === 'folder') throw error;
      for (const { path, candidate } of op.kind === 'rotation' ? op.ops : [op]) {
        folders.settle(path, false);
        recordFailure(record, path, candidate.name, `it could not be saved (${codeOf(error)})`);
      }
    }
  }

  const writeBatch = client.transaction((ops: ScanOp[], from: number, limitMs: number, isCareful: boolean): number =>
    tracks.batch(() => {
      const until = performance.now() + limitMs;
      let done = 0;
      if (!isCareful) done = applyPlain(ops, from, until);
      while (from + done < ops.length && (done === 0 || performance.now() <= until))
        applyOne(ops[from + done++] as ScanOp);
      return done;
    }),
  ).immediate;

  /**
   * New tracks, and folders of which nothing else is to say, need no savepoint: if one of them fails, the whole batch
   * is rolled back and written again with one for each. Gives how many came before the first other op.
   */
  function applyPlain(ops: ScanOp[], from: number, until: number): number {
    const undo = { counts: rememberAdded(record), folders: folders.remember() };
    let done = 0;
    try {
      for (let op = ops[from]; op && (done === 0 || performance.now() <= until); op = ops[from + ++done]) {
        const decision = op.kind === 'rotation' ? undefined : decide(op, known);
        if (!decision || !isPlain(decision)) break;
        carryOutAndRecord(decision);
      }
      return done;
    } catch (error) {
      undo.counts();
      undo.folders();
      throw new Rejected('an op failed', { cause: error });
    }
  }

  return (ops, from, limitMs) => {
    // rows lost in a power cut are written again by the next scan; people's writes stay FULL
    client.pragma('synchronous = NORMAL');
    try {
      return writeBatch(ops, from, limitMs, false);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      if (isDiskFull(error.cause)) throw error.cause;
      return writeBatch(ops, from, limitMs, true);
    } finally {
      client.pragma('synchronous = FULL');
    }
  };
}

/** An op that was not expected to fail; the batch is rolled back with it. */
class Rejected extends Error {}

/** It changes no more of the scan's own state than `applyPlain` undoes. */
const isPlain = (decision: Decision): boolean =>
  decision.kind === 'added'
    ? decision.lost.length === 0 && decision.displaced === undefined
    : decision.kind === 'folder' &&
      decision.lost.length + decision.restored.length + decision.op.batch.stillFailed.length === 0;

/** Why a file with a sheet is one track. */
const reasonOf = (read: ReadOk | undefined): { reason?: string } =>
  read?.split?.fault === undefined ? {} : { reason: read.split.fault };

/** The database's texts hold SQL, so only its code is shown. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'an unexpected error';
