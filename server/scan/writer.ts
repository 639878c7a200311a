// Last stage of a scan: rows. Everything here runs on the database thread in short transactions, so that a person's
// write never waits long; an unchanged file comes by here not at all.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { isDiskFull } from '../errors.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { Storage } from '../storage/storage.ts';
import { toAudio, toIdentity } from '../files/track-draft.ts';
import { fileKey, type Displaced } from './identity.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { join } from '../files/relative-path.ts';
import { toUri } from '../storage/uri.ts';
import { type Candidate, type FolderBatch, type KnownFile } from './walk.ts';

/** One thing to write. */
export type ScanOp =
  | {
      kind: 'folder';
      batch: Omit<FolderBatch, 'candidates'> & { /** How many file ops of this folder follow. */ fileCount: number };
    }
  /** `adopt`: the track whose file this is, found again in another place. */
  | { kind: 'file'; path: string; candidate: Candidate; result: ReadResult; adopt?: TrackId | undefined }
  /** The same file in another place: there is nothing to read. */
  | { kind: 'moved'; path: string; candidate: Candidate; trackId: TrackId }
  /** A file whose track a person deleted, in another place. */
  | { kind: 'deleted'; path: string; candidate: Candidate; from: { path: string; name: string } };

export interface ScanTally {
  added: number;
  updated: number;
  moved: number;
  /** Tracks that went missing in this scan; one that is found again in it is taken out. */
  missing: Set<TrackId>;
  restored: number;
  failed: { source_id: string; reason: string }[];
  failedCount: number;
  /** Files that were still being written. */
  changing: string[];
  changingCount: number;
  /** Objects that no longer belong to the track they were replaced on. */
  replaced: string[];
}

/** The id under which a file is known outside: `/` between parts, NFC (decisions 6). */
export const sourceIdOf = (path: string, name: string): string => join(path, name).normalize('NFC');

const LISTED = 10_000;

interface TrackAt {
  id: TrackId;
  storage_uri: string | null;
}
interface FileRow {
  dev: number;
  ino: number;
  size_bytes: number;
  mtime_us: number;
  track_id: TrackId | null;
}

export interface ScanWriterDeps {
  db: MainDb;
  tracks: TrackWriter;
  source: string;
  storage: Pick<Storage, 'backend'>;
}

export function createScanWriter({ db, tracks, source, storage }: ScanWriterDeps) {
  const client = db.$client;
  const upsertFolder = client.prepare<
    [string, string, string | null],
    { id: number }
  >(`INSERT INTO source_folders (source, path, image_name) VALUES (?, ?, ?)
    ON CONFLICT (source, path) DO UPDATE SET image_name = excluded.image_name RETURNING id`);
  const findFolder = client.prepare<[string, string], { id: number }>(
    'SELECT id FROM source_folders WHERE source = ? AND path = ?',
  );
  const upsertFile =
    client.prepare(`INSERT INTO source_files (folder_id, name, size_bytes, mtime_us, dev, ino, state, reason, lyrics_mark, track_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (folder_id, name) DO UPDATE SET size_bytes = excluded.size_bytes, mtime_us = excluded.mtime_us, dev = excluded.dev, ino = excluded.ino,
      state = excluded.state, reason = excluded.reason, lyrics_mark = excluded.lyrics_mark, track_id = excluded.track_id`);
  const setState = client.prepare<[string, number, string], { track_id: TrackId | null }>(
    'UPDATE source_files SET state = ? WHERE folder_id = ? AND name = ? RETURNING track_id',
  );
  const findFile = client.prepare<[number, string], FileRow>(
    'SELECT dev, ino, size_bytes, mtime_us, track_id FROM source_files WHERE folder_id = ? AND name = ?',
  );
  const deleteFile = client.prepare('DELETE FROM source_files WHERE folder_id = ? AND name = ?');
  const deletePlaces = client.prepare<[TrackId, number, string], { folder_id: number; lyrics_mark: string | null }>(
    'DELETE FROM source_files WHERE track_id = ? AND NOT (folder_id = ? AND name = ?) RETURNING folder_id, lyrics_mark',
  );
  const setSourceId = client.prepare('UPDATE tracks SET source_id = ?, updated_at = ? WHERE id = ?');
  const setPlace = client.prepare(
    "UPDATE tracks SET storage_uri = CASE WHEN storage_uri LIKE 'file:%' THEN ? ELSE storage_uri END, availability = 'available', updated_at = ? WHERE id = ?",
  );
  const findTrack = client.prepare<[string, string], TrackAt>(
    'SELECT id, storage_uri FROM tracks WHERE source = ? AND source_id = ?',
  );
  const findTrackById = client.prepare<[TrackId], TrackAt>('SELECT id, storage_uri FROM tracks WHERE id = ?');
  const findRival = client.prepare<[TrackId, number, string], { name: string }>(
    "SELECT name FROM source_files WHERE track_id = ? AND state = 'track' AND NOT (folder_id = ? AND name = ?)",
  );
  const setAvailability = client.prepare<[string, TrackId, string]>(
    'UPDATE tracks SET availability = ? WHERE id = ? AND availability = ?',
  );
  const setMissing = client.prepare<[TrackId]>(
    "UPDATE tracks SET availability = 'missing' WHERE id = ? AND availability = 'available' AND storage_uri LIKE 'file:%'",
  );
  const touchAlbumsOf = client.prepare<[number, number]>(`UPDATE albums SET updated_at = ? WHERE id IN
    (SELECT t.album_id FROM source_files f JOIN tracks t ON t.id = f.track_id WHERE f.folder_id = ?)`);

  /** With other tags it is to be identified anew. */
  const setPending = client.prepare(
    "UPDATE tracks SET metadata_status = 'pending', metadata_error = NULL WHERE id = ?",
  );
  const setSignature = client.prepare('UPDATE source_folders SET signature = ? WHERE id = ?');
  /** Folders with files still to come: how many, and what to store when all went well. */
  const unsettled = new Map<string, { left: number; signature: string }>();
  const folderIds = new Map<string, number>(); // of this scan; a folder's files come close together
  const displaced = new Map<string, TrackId>();
  const adopted = new Set<TrackId>(); // one file per track: of two that look like it, the second is a track of its own
  const tally: ScanTally = {
    added: 0,
    updated: 0,
    moved: 0,
    missing: new Set(),
    restored: 0,
    failed: [],
    failedCount: 0,
    changing: [],
    changingCount: 0,
    replaced: [],
  };

  function folderId(path: string, imageName: string | null = null): number {
    const known =
      folderIds.get(path) ?? findFolder.get(source, path)?.id ?? upsertFolder.get(source, path, imageName)?.id;
    if (known === undefined) throw new Error('the folder was not written');
    if (folderIds.size > 5_000) folderIds.clear();
    folderIds.set(path, known);
    return known;
  }

  function writeFolder(batch: Extract<ScanOp, { kind: 'folder' }>['batch']): void {
    if (batch.imageChanged) {
      const id = upsertFolder.get(source, batch.path, batch.imageName)?.id;
      if (id !== undefined) touchAlbumsOf.run(Date.now(), id);
    }
    for (const file of batch.gone) writeGone(batch.path, file);
    for (const file of batch.returned) writeReturned(batch.path, file);
    for (const { name, reason } of batch.stillFailed) noteFailed(batch.path, name, reason);
    const files = batch.fileCount;
    if (batch.signature !== null && files > 0) unsettled.set(batch.path, { left: files, signature: batch.signature });
    else if (batch.signature !== null || batch.gone.length + batch.returned.length + files > 0)
      setSignature.run(batch.signature, folderId(batch.path));
  }

  /** Stores a folder's signature with its last file, and only when every one is a track. */
  function settle(path: string, isTrack: boolean): void {
    const folder = unsettled.get(path);
    if (!folder) return;
    if (isTrack && --folder.left > 0) return;
    unsettled.delete(path);
    if (isTrack) setSignature.run(folder.signature, folderId(path));
  }

  /** What was copied has audio of its own; what is played in place stays, without audio, until its file is back. */
  function writeGone(path: string, file: KnownFile): void {
    // no row any more when the file was found in another place meanwhile
    const row = setState.get('gone', folderId(path), file.name);
    if (row?.track_id != null) loseFile(row.track_id);
  }

  function loseFile(trackId: TrackId): void {
    if (setMissing.run(trackId).changes > 0) tally.missing.add(trackId);
  }

  function writeReturned(path: string, file: KnownFile): void {
    const row = setState.get('track', folderId(path), file.name);
    if (row?.track_id != null && setAvailability.run('available', row.track_id, 'missing').changes > 0)
      tally.restored++;
  }

  /**
   * Gives a track its new place. Whoever had it before keeps everything but the place: it is gone, or is found
   * elsewhere in this scan.
   */
  function adopt(trackId: TrackId, path: string, candidate: Candidate, folder: number): { lyricsMark: string | null } {
    const sourceId = sourceIdOf(path, candidate.name);
    const time = Date.now();
    const holder = findTrack.get(source, sourceId);
    if (holder && holder.id !== trackId) setSourceId.run(`${sourceId}#${holder.id}`, time, holder.id);
    const before = findFile.get(folder, candidate.name);
    if (before?.track_id != null && before.track_id !== trackId) {
      displaced.set(
        fileKey({ dev: before.dev, ino: before.ino, sizeBytes: before.size_bytes, mtimeUs: before.mtime_us }),
        before.track_id,
      );
      loseFile(before.track_id);
    }
    const places = deletePlaces.all(trackId, folder, candidate.name);
    for (const old of places) setSignature.run(null, old.folder_id);
    const lyricsMark = places[0]?.lyrics_mark ?? null;
    setSourceId.run(sourceId, time, trackId);
    setPlace.run(`file:${join(path, candidate.name)}`, time, trackId);
    upsertFile.run(
      folder,
      candidate.name,
      candidate.sizeBytes,
      candidate.mtimeUs,
      candidate.dev,
      candidate.ino,
      'track',
      null,
      lyricsMark,
      trackId,
    );
    displaced.delete(fileKey(candidate));
    adopted.add(trackId);
    tally.missing.delete(trackId);
    tally.moved++;
    return { lyricsMark };
  }

  function writeMoved({ path, candidate, trackId }: Extract<ScanOp, { kind: 'moved' }>): void {
    if (adopted.has(trackId)) return settle(path, false); // a second name of one file; the next scan reads it
    const { lyricsMark } = adopt(trackId, path, candidate, folderId(path));
    settle(path, lyricsMark === candidate.lyricsMark); // other lyrics beside it are read by the next scan
  }

  function writeDeleted({ path, candidate, from }: Extract<ScanOp, { kind: 'deleted' }>): void {
    deleteFile.run(folderId(from.path), from.name);
    upsertFile.run(
      folderId(path),
      candidate.name,
      candidate.sizeBytes,
      candidate.mtimeUs,
      candidate.dev,
      candidate.ino,
      'deleted',
      null,
      null,
      null,
    );
    settle(path, false);
  }

  function writeFile({ path, candidate, result, adopt: match }: Extract<ScanOp, { kind: 'file' }>): void {
    if (!result.ok && result.changing) return noteChanging(path, candidate.name);
    const folder = folderId(path);
    const row = (state: KnownFile['state'], reason: string | null, trackId: TrackId | null) =>
      upsertFile.run(
        folder,
        candidate.name,
        candidate.sizeBytes,
        candidate.mtimeUs,
        candidate.dev,
        candidate.ino,
        state,
        reason,
        candidate.lyricsMark,
        trackId,
      );
    const fail = (reason: string) => {
      const trackId = findFile.get(folder, candidate.name)?.track_id ?? null;
      if (trackId !== null) loseFile(trackId);
      row('failed', reason, trackId);
      settle(path, false);
      noteFailed(path, candidate.name, reason);
    };
    if (!result.ok) return fail(result.reason);

    const sourceId = sourceIdOf(path, candidate.name);
    const found = match !== undefined && !adopted.has(match) ? match : undefined;
    if (found !== undefined) adopt(found, path, candidate, folder);
    // not what the walk saw: the track may have been found elsewhere since
    const trackId = found ?? findFile.get(folder, candidate.name)?.track_id;
    const track = (trackId != null ? findTrackById.get(trackId) : undefined) ?? findTrack.get(source, sourceId);
    if (track && findRival.get(track.id, folder, candidate.name))
      return fail('another file has the same name but for its Unicode spelling');
    row(
      'track',
      null,
      track ? refill(track, path, candidate, result, folder) : insert(path, candidate, result, folder),
    );
    if (!track) tally.added++;
    else if (found === undefined) tally.updated++;
    settle(path, true);
  }

  const audioOf = (
    path: string,
    candidate: Candidate,
    { read, stored, sizeBytes, audioHash }: Extract<ReadResult, { ok: true }>,
  ) =>
    toAudio(read, {
      storageUri: stored ? toUri(storage, stored.key) : `file:${join(path, candidate.name)}`,
      contentHash: stored?.sha256 ?? null,
      audioHash,
      sizeBytes,
    });

  function insert(
    path: string,
    candidate: Candidate,
    result: Extract<ReadResult, { ok: true }>,
    folder: number,
  ): TrackId {
    const sourceId = sourceIdOf(path, candidate.name);
    return tracks.insert({
      source,
      sourceId,
      folder,
      identity: toIdentity(result.read, sourceId),
      audio: audioOf(path, candidate, result),
    });
  }

  /** A changed file: its audio is replaced; its tags too, unless a person edited them. */
  function refill(
    track: TrackAt,
    path: string,
    candidate: Candidate,
    result: Extract<ReadResult, { ok: true }>,
    folder: number,
  ): TrackId {
    const lyrics = result.read.tags.lyrics ?? null;
    if (hasSameAudio(candidate)) {
      tracks.setLyrics(track.id, lyrics);
      return track.id;
    }
    const audio = audioOf(path, candidate, result);
    if (track.storage_uri !== null && track.storage_uri !== audio.storageUri) tally.replaced.push(track.storage_uri);
    tracks.setAudio(track.id, audio);
    tally.missing.delete(track.id);
    tracks.setLyrics(track.id, lyrics);
    if (tracks.statusOf(track.id) === 'manual') return track.id;
    tracks.setIdentity(track.id, toIdentity(result.read, sourceIdOf(path, candidate.name)), folder);
    setPending.run(track.id);
    return track.id;
  }

  /** Nothing is written of it, so that the next scan finds it new, or changed, once more. */
  function noteChanging(path: string, name: string): void {
    settle(path, false);
    tally.changingCount++;
    if (tally.changing.length < LISTED) tally.changing.push(sourceIdOf(path, name));
  }

  function noteFailed(path: string, name: string, reason: string): void {
    tally.failedCount++;
    if (tally.failed.length < LISTED) tally.failed.push({ source_id: sourceIdOf(path, name), reason });
  }

  const apply = client.transaction((op: ScanOp) => {
    if (op.kind === 'folder') writeFolder(op.batch);
    else if (op.kind === 'moved') writeMoved(op);
    else if (op.kind === 'deleted') writeDeleted(op);
    else writeFile(op);
  });

  /** An op that fails takes back what it wrote and becomes one line of the result; a full disk ends the scan. */
  function applyOne(op: ScanOp): void {
    try {
      apply(op); // a savepoint, inside the batch's transaction
    } catch (error) {
      tracks.forget();
      folderIds.clear(); // its row may have been taken back too
      if (isDiskFull(error) || op.kind === 'folder') throw error;
      settle(op.path, false);
      noteFailed(op.path, op.candidate.name, `it could not be saved (${codeOf(error)})`);
    }
  }

  /** Applies ops from `queue` for at most `limitMs`, in one transaction; gives how many. */
  const writeBatch = client.transaction((queue: ScanOp[], from: number, limitMs: number): number =>
    tracks.batch(() => {
      const until = performance.now() + limitMs;
      let done = 0;
      for (let i = from; i < queue.length; i++) {
        applyOne(queue[i] as ScanOp);
        done++;
        if (performance.now() > until) break;
      }
      return done;
    }),
  ).immediate;

  return {
    tally,
    displaced: displaced as Displaced,
    writeBatch(queue: ScanOp[], from: number, limitMs: number): number {
      // rows that a power cut takes are written again by the next scan; people's own writes stay FULL
      client.pragma('synchronous = NORMAL');
      try {
        return writeBatch(queue, from, limitMs);
      } finally {
        client.pragma('synchronous = FULL');
      }
    },
  };
}

/** What the database calls the fault; its texts hold SQL. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'an unexpected error';

/** Only the lyrics beside the file are others. */
const hasSameAudio = ({ known, sizeBytes, mtimeUs }: Candidate): boolean =>
  known?.state === 'track' && known.sizeBytes === sizeBytes && known.mtimeUs === mtimeUs;
