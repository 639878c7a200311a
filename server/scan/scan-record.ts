// What a scan has done so far: its counts, its lists, and what later decisions of the same scan depend on.
import type { TrackId } from '../db/ids.ts';
import { sourceIdOf } from '../files/relative-path.ts';
import type { FolderBatch } from './compare-folder.ts';
import type { Decision } from './decide.ts';
import type { NameReason } from './list-folder.ts';
import type { Refusal } from './refusal.ts';
import type { ScanResult } from './wire.ts';

type Line = ScanResult['failed'][number];

export interface ScanRecord {
  /** Audio files that the walk met. */
  seen: number;
  /** By the key of the music folder. */
  inFolder: Map<string, { seen: number; done: number }>;
  /** Also those that failed before, or could not be looked at. */
  unchanged: number;
  /** Of the unchanged ones. */
  failedAgain: number;
  /** Of the unchanged ones: recorded already, when a part was walked before the whole. */
  recordedBefore: number;
  /** Files that were read and left as they are: of deleted tracks, and second names of a file. */
  left: number;
  /** Files that were looked at because they are new or changed. */
  read: number;
  added: number;
  /** Of the added ones, those beyond one for each file: a file with a cue sheet is several tracks. */
  extraTracks: number;
  updated: number;
  moved: number;
  missing: Set<TrackId>;
  restored: Set<TrackId>;
  failed: Line[];
  failedCount: number;
  /** Of the failed ones: folders that could not be listed. */
  failedFolders: number;
  changing: string[];
  changingCount: number;
  skipped: Line[];
  skippedCount: number;
  /** Tracks found in another place: of two files that look like one, the second is a track of its own. */
  adopted: Set<TrackId>;
  /** Storage URIs of audio that a changed file replaced. */
  replaced: string[];
  /** Files that were not copied, because they do not fit. */
  refused: Refusal | undefined;
}

const LISTED = 10_000;
const LISTED_SKIPS = 1_000;

export const createScanRecord = (): ScanRecord => ({
  seen: 0,
  inFolder: new Map(),
  unchanged: 0,
  failedAgain: 0,
  recordedBefore: 0,
  left: 0,
  read: 0,
  added: 0,
  extraTracks: 0,
  updated: 0,
  moved: 0,
  missing: new Set(),
  restored: new Set(),
  failed: [],
  failedCount: 0,
  failedFolders: 0,
  changing: [],
  changingCount: 0,
  skipped: [],
  skippedCount: 0,
  adopted: new Set(),
  replaced: [],
  refused: undefined,
});

/** The whole music folder is walked after a part of it: files are counted again, and faults met again. */
export function recordAgain(record: ScanRecord): void {
  const { added, updated, moved, extraTracks, missing, restored, adopted, replaced } = record;
  const recordedBefore = added + updated + moved - extraTracks;
  const changes = { added, updated, moved, extraTracks, missing, restored, adopted, replaced };
  Object.assign(record, createScanRecord(), changes, { recordedBefore });
}

/** `key` is that of the music folder. */
export function recordWalked(record: ScanRecord, batch: FolderBatch, key: string): void {
  const unchanged = batch.unchanged + batch.returned.length + batch.unreadable;
  const seen = unchanged + batch.candidates.length;
  record.seen += seen;
  record.unchanged += unchanged;
  const before = record.inFolder.get(key) ?? { seen: 0, done: 0 };
  record.inFolder.set(key, { seen: before.seen + seen, done: before.done + unchanged });
  recordSkipped(record, batch.path, batch.skipped);
}

export function recordRead(record: ScanRecord, keys: readonly string[]): void {
  record.read += keys.length;
  for (const key of keys) {
    const count = record.inFolder.get(key);
    if (count) count.done++;
  }
}

function recordSkipped(record: ScanRecord, path: string, skipped: NameReason[]): void {
  record.skippedCount += skipped.length;
  for (const { name, reason } of skipped)
    if (record.skipped.length < LISTED_SKIPS) record.skipped.push({ source_id: sourceIdOf(path, name), reason });
}

export function recordDecision(record: ScanRecord, decision: Decision): void {
  if ('read' in decision && decision.read?.split?.fault !== undefined) {
    const { path, candidate } = decision.op;
    recordSkipped(record, path, [{ name: candidate.name, reason: decision.read.split.fault }]);
  }
  switch (decision.kind) {
    case 'folder':
      for (const id of decision.lost) record.missing.add(id);
      for (const id of decision.restored) record.restored.add(id);
      for (const { name, reason } of decision.op.batch.stillFailed) {
        if (name !== '') record.failedAgain++;
        recordFailure(record, decision.op.batch.path, name, reason);
      }
      return;
    case 'changing':
      record.changingCount++;
      if (record.changing.length < LISTED)
        record.changing.push(sourceIdOf(decision.op.path, decision.op.candidate.name));
      return;
    case 'failed':
      for (const id of decision.lost) record.missing.add(id);
      return recordFailure(record, decision.op.path, decision.op.candidate.name, decision.reason);
    case 'moved':
      for (const id of decision.lost) record.missing.add(id);
      record.adopted.add(decision.trackId);
      record.missing.delete(decision.trackId);
      record.moved++;
      return;
    case 'split':
      if (decision.isKnown) record.updated++;
      else {
        record.added += decision.sections.length;
        record.extraTracks += decision.sections.length - 1;
      }
      return;
    case 'added':
      for (const id of decision.lost) record.missing.add(id);
      record.added++;
      return;
    case 'updated':
      if (!decision.onlyLyrics) record.missing.delete(decision.trackId);
      record.updated++;
      return;
    case 'deleted':
      for (const id of decision.lost) record.missing.add(id);
      if (!decision.op.isWanted) record.left++;
      return;
    case 'second':
      record.left++;
  }
}

/** Gives what takes back all that new tracks change of the record, for a batch that is rolled back. */
export function rememberAdded(record: ScanRecord): () => void {
  const { added, skippedCount } = record;
  const [skipped, replaced] = [record.skipped.length, record.replaced.length];
  return () => {
    Object.assign(record, { added, skippedCount });
    record.skipped.length = skipped;
    record.replaced.length = replaced;
  };
}

export function recordFailure(record: ScanRecord, path: string, name: string, reason: string): void {
  record.failedCount++;
  if (name === '') record.failedFolders++;
  if (record.failed.length < LISTED) record.failed.push({ source_id: sourceIdOf(path, name), reason });
}

export function recordRefused(record: ScanRecord, sizes: readonly number[], availableBytes: number): void {
  if (sizes.length === 0) return;
  const { files, bytes } = record.refused ?? { files: 0, bytes: 0 };
  const more = sizes.reduce((total, size) => total + size, 0);
  record.refused = { files: files + sizes.length, bytes: bytes + more, availableBytes };
}

/** Tracks that were taken for missing, and their files for new ones, until all of them were compared. */
export function recordFoundAmongNew(record: ScanRecord, found: readonly TrackId[]): void {
  record.added = Math.max(0, record.added - found.length); // some were added by a scan that was cut off
  record.moved += found.length;
  for (const id of found) record.missing.delete(id);
}

/** Tracks that went into another one with the same audio. */
export function recordJoined(record: ScanRecord, joined: readonly TrackId[]): void {
  for (const id of joined) record.missing.delete(id);
}

export const countsOf = (
  record: ScanRecord,
): Omit<ScanResult, 'path' | 'folders' | 'offline' | 'dry_run' | 'changes' | 'duration_ms'> => ({
  files: record.seen,
  added: record.added,
  extra_tracks: record.extraTracks,
  updated: record.updated,
  moved: record.moved,
  unchanged: record.unchanged - record.failedAgain - record.recordedBefore + record.left,
  missing: record.missing.size,
  restored: record.restored.size,
  failed: record.failed,
  failed_count: record.failedCount,
  failed_folders: record.failedFolders,
  changing: record.changing,
  changing_count: record.changingCount,
  skipped: record.skipped,
  skipped_count: record.skippedCount,
});
