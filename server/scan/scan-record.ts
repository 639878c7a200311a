// Records what a scan has done so far: its counts, its lists, and the facts that later decisions of the same scan need.
import type { TrackId } from '../db/ids.ts';
import { parentOf, sourceIdOf } from '../files/relative-path.ts';
import type { PlaylistFileChange } from '../playlist-files/queries.ts';
import type { FollowResult } from '../playlist-files/service.ts';
import type { FolderBatch } from './walk/compare-folder.ts';
import type { Decision } from './write/decide.ts';
import type { NameReason } from './walk/list-folder.ts';
import type { Refusal } from './copies/refusal.ts';
import type { ScanResult } from './wire.ts';

type FailureLine = ScanResult['failed'][number];

export interface ScanRecord {
  /** The number of audio files that the walk met. */
  seenCount: number;
  /** Counts by the key of the music folder. */
  countsByFolder: Map<string, { seenCount: number; doneCount: number }>;
  /** The number of unchanged files, including files that failed before, and files that could not be examined. */
  unchangedCount: number;
  /** The number of unchanged files that failed again. */
  repeatedFailureCount: number;
  /** The number of unchanged files that were already counted, when a part was walked before the whole. */
  previouslyRecordedCount: number;
  /** The number of files that were read and ignored: files of deleted tracks, and second names of a file. */
  ignoredCount: number;
  /** The number of files that were examined because they are new or changed. */
  readCount: number;
  addedCount: number;
  /** The number of added tracks beyond the first of each file: a file with a cue sheet has several tracks. */
  extraTrackCount: number;
  updatedCount: number;
  movedCount: number;
  missingIds: Set<TrackId>;
  restoredIds: Set<TrackId>;
  failures: FailureLine[];
  failureCount: number;
  /** The number of failures that are folders which could not be listed. */
  failedFolderCount: number;
  changingFiles: string[];
  changingCount: number;
  skippedFiles: FailureLine[];
  skippedCount: number;
  /** Tracks found in another place: if two files look like the same track, the second becomes a separate track. */
  movedIds: Set<TrackId>;
  /** Storage URIs of audio that a changed file replaced. */
  replacedUris: string[];
  /** The last change of each playlist file, by path: a part of the folders may be walked twice. */
  playlistChanges: Map<string, PlaylistFileChange>;
  /** The number of playlists that a playlist file made or changed. */
  playlistCount: number;
  /** The refusal of files that were not copied, because they do not fit. */
  refusal: Refusal | undefined;
}

const MAX_LISTED_FILES = 10_000;
const MAX_LISTED_SKIPS = 1_000;

export const createScanRecord = (): ScanRecord => ({
  seenCount: 0,
  countsByFolder: new Map(),
  unchangedCount: 0,
  repeatedFailureCount: 0,
  previouslyRecordedCount: 0,
  ignoredCount: 0,
  readCount: 0,
  addedCount: 0,
  extraTrackCount: 0,
  updatedCount: 0,
  movedCount: 0,
  missingIds: new Set(),
  restoredIds: new Set(),
  failures: [],
  failureCount: 0,
  failedFolderCount: 0,
  changingFiles: [],
  changingCount: 0,
  skippedFiles: [],
  skippedCount: 0,
  movedIds: new Set(),
  replacedUris: [],
  playlistChanges: new Map(),
  playlistCount: 0,
  refusal: undefined,
});

/**
 * Resets the counts when the whole music folder is walked after a part of it: files are counted again, and faults are
 * met again.
 */
export function restartRecord(record: ScanRecord): void {
  const { addedCount, updatedCount, movedCount, extraTrackCount, missingIds, restoredIds, movedIds, replacedUris } =
    record;
  const previouslyRecordedCount = addedCount + updatedCount + movedCount - extraTrackCount;
  const changes: Partial<ScanRecord> = {
    addedCount,
    updatedCount,
    movedCount,
    extraTrackCount,
    missingIds,
    restoredIds,
    movedIds,
    replacedUris,
    previouslyRecordedCount,
  };
  Object.assign(record, createScanRecord(), changes);
}

/** Adds a batch to the record; `key` is that of the music folder. */
export function recordBatch(record: ScanRecord, batch: FolderBatch, key: string): void {
  const unchangedCount = batch.unchangedCount + batch.returnedFiles.length + batch.unreadableCount;
  const seenCount = unchangedCount + batch.candidates.length;
  record.seenCount += seenCount;
  record.unchangedCount += unchangedCount;
  const previousCounts = record.countsByFolder.get(key) ?? { seenCount: 0, doneCount: 0 };
  record.countsByFolder.set(key, {
    seenCount: previousCounts.seenCount + seenCount,
    doneCount: previousCounts.doneCount + unchangedCount,
  });
  recordSkipped(record, batch.path, batch.skippedFiles);
  for (const change of batch.playlistChanges) record.playlistChanges.set(change.path, change);
}

/** Adds what became of the playlist files. */
export function recordPlaylists(record: ScanRecord, { playlistCount, faults }: FollowResult): void {
  record.playlistCount += playlistCount;
  for (const { path, reason } of faults)
    recordSkipped(record, parentOf(path), [{ name: path.slice(path.lastIndexOf('/') + 1), reason }]);
}

export function recordRead(record: ScanRecord, keys: readonly string[]): void {
  record.readCount += keys.length;
  for (const key of keys) {
    const count = record.countsByFolder.get(key);
    if (count) count.doneCount++;
  }
}

function recordSkipped(record: ScanRecord, path: string, skippedFiles: NameReason[]): void {
  record.skippedCount += skippedFiles.length;
  for (const { name, reason } of skippedFiles)
    if (record.skippedFiles.length < MAX_LISTED_SKIPS)
      record.skippedFiles.push({ source_id: sourceIdOf(path, name), reason });
}

export function recordDecision(record: ScanRecord, decision: Decision): void {
  if ('result' in decision && decision.result?.split?.fault !== undefined) {
    const { path, candidate } = decision.op;
    recordSkipped(record, path, [{ name: candidate.name, reason: decision.result.split.fault }]);
  }
  switch (decision.kind) {
    case 'folder':
      for (const id of decision.lostIds) record.missingIds.add(id);
      for (const id of decision.restoredIds) record.restoredIds.add(id);
      for (const { name, reason } of decision.op.batch.repeatedFailures) {
        if (name !== '') record.repeatedFailureCount++;
        recordFailure(record, decision.op.batch.path, name, reason);
      }
      return;
    case 'changing':
      record.changingCount++;
      if (record.changingFiles.length < MAX_LISTED_FILES)
        record.changingFiles.push(sourceIdOf(decision.op.path, decision.op.candidate.name));
      return;
    case 'failed':
      for (const id of decision.lostIds) record.missingIds.add(id);
      return recordFailure(record, decision.op.path, decision.op.candidate.name, decision.reason);
    case 'moved':
      for (const id of decision.lostIds) record.missingIds.add(id);
      record.movedIds.add(decision.trackId);
      record.missingIds.delete(decision.trackId);
      record.movedCount++;
      return;
    case 'split':
      if (decision.wasSplit) record.updatedCount++;
      else {
        record.addedCount += decision.sections.length;
        record.extraTrackCount += decision.sections.length - 1;
      }
      return;
    case 'added':
      for (const id of decision.lostIds) record.missingIds.add(id);
      record.addedCount++;
      return;
    case 'updated':
      if (!decision.hasOnlyLyricsChanged) record.missingIds.delete(decision.trackId);
      record.updatedCount++;
      return;
    case 'deleted':
      for (const id of decision.lostIds) record.missingIds.add(id);
      if (!decision.op.isRestored) record.ignoredCount++;
      return;
    case 'second':
      record.ignoredCount++;
  }
}

/** Returns a function that undoes all changes of the record by new tracks, for a batch that is rolled back. */
export function beginUndo(record: ScanRecord): () => void {
  const { addedCount, skippedCount } = record;
  const [skippedLength, replacedLength] = [record.skippedFiles.length, record.replacedUris.length];
  return () => {
    Object.assign(record, { addedCount, skippedCount } satisfies Partial<ScanRecord>);
    record.skippedFiles.length = skippedLength;
    record.replacedUris.length = replacedLength;
  };
}

export function recordFailure(record: ScanRecord, path: string, name: string, reason: string): void {
  record.failureCount++;
  if (name === '') record.failedFolderCount++;
  if (record.failures.length < MAX_LISTED_FILES) record.failures.push({ source_id: sourceIdOf(path, name), reason });
}

export function recordRefused(record: ScanRecord, sizes: readonly number[], availableBytes: number): void {
  if (sizes.length === 0) return;
  const { files, bytes } = record.refusal ?? { files: 0, bytes: 0 };
  const bytesOfSizes = sizes.reduce((total, size) => total + size, 0);
  record.refusal = { files: files + sizes.length, bytes: bytes + bytesOfSizes, availableBytes };
}

/**
 * Corrects the counts for tracks that were taken for missing, and their files for new ones, until all of them were
 * compared.
 */
export function recordAdopted(record: ScanRecord, adoptedIds: readonly TrackId[]): void {
  // limited, because some tracks were added by an earlier scan that was interrupted
  record.addedCount = Math.max(0, record.addedCount - adoptedIds.length);
  record.movedCount += adoptedIds.length;
  for (const id of adoptedIds) record.missingIds.delete(id);
}

/** Records tracks that were merged into another one with the same audio. */
export function recordJoined(record: ScanRecord, joinedIds: readonly TrackId[]): void {
  for (const id of joinedIds) record.missingIds.delete(id);
}

export const toResultCounts = (
  record: ScanRecord,
): Omit<ScanResult, 'path' | 'folders' | 'offline' | 'dry_run' | 'changes' | 'duration_ms'> => ({
  files: record.seenCount,
  added: record.addedCount,
  extra_tracks: record.extraTrackCount,
  updated: record.updatedCount,
  moved: record.movedCount,
  unchanged: record.unchangedCount - record.repeatedFailureCount - record.previouslyRecordedCount + record.ignoredCount,
  missing: record.missingIds.size,
  restored: record.restoredIds.size,
  failed: record.failures,
  failed_count: record.failureCount,
  failed_folders: record.failedFolderCount,
  changing: record.changingFiles,
  changing_count: record.changingCount,
  skipped: record.skippedFiles,
  skipped_count: record.skippedCount,
  playlists: record.playlistCount,
});
