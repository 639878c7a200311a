// Scans the music folders by running the stages in stages/, which are numbered in their order. Several groups of files
// pass through the first five stages at a time:
//
//   1 walk → 2 plan → 3 read, and copy → 4 identify → 5 write
//
// A music folder that would be copied for the first time is walked before that, and refused if it does not fit. Later
// files are refused one by one, and the scan fails at its end.
//
// Files that may be another track than their path says wait for the end of the walk, and are identified together (6).
// When all rows are written, large files are hashed (7), tracks whose files are gone are searched among the new tracks
// (8), and playlist files are read, whose tracks are now in the library (9). Written rows stay when a scan is cancelled
// or killed, and the next scan continues: a file is known once its row is written. The decision table of "which track
// is this file" is in identity/assign-tracks.ts.
import { AppError, DISK_FULL, isDiskFull } from '../errors.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { hashLargeFiles } from './stages/7-hash-large-files.ts';
import { identifyFiles } from './stages/4-identify-files.ts';
import { identifyPostponedFiles } from './stages/6-identify-postponed-files.ts';
import { markLostCopiesChanged } from './copies/lost-copies.ts';
import { planFiles } from './stages/2-plan-files.ts';
import { readFiles, storeCopies } from './stages/3-read-files.ts';
import { storageFullError } from './copies/refusal.ts';
import {
  LOCAL_FOLDER,
  prepareScan,
  type Scan,
  type ScanDeps,
  type ScannedFolders,
  type ScanOptions,
} from './scan-context.ts';
import { recordRead, restartRecord, toResultCounts } from './scan-record.ts';
import { assignAlbums, matchGoneTracks } from './stages/8-match-gone-tracks.ts';
import { followPlaylists } from './stages/9-follow-playlists.ts';
import { findRefusedFolders, walk, withoutFolders } from './stages/1-walk-folders.ts';
import type { ScanResult } from './wire.ts';

const MAX_CONCURRENT_GROUPS = 4;

/**
 * Scans the music folders. Throws an AppError when no music folder is connected, when one that contained music is empty
 * (nothing is marked missing then), when the disk is full, and, after all other work, when files were not copied
 * because they do not fit.
 */
export async function scan(deps: ScanDeps, options: ScanOptions): Promise<ScanResult> {
  try {
    return await runScan(await prepareScan(deps, options));
  } catch (error) {
    throw isDiskFull(error) ? new AppError('storage_full', DISK_FULL, { cause: error }) : error;
  }
}

async function runScan(preparedScan: Scan): Promise<ScanResult> {
  const refusalsByKey = await findRefusedFolders(preparedScan);
  const scan = withoutFolders(preparedScan, [...refusalsByKey.keys()]);
  const { deps, scope, copies, identity, record, rows, progress, unfinishedScans } = scan;
  const { dryRun, roots, signal } = scan.options;
  if (copies.isEnabled) markLostCopiesChanged(deps.db, LOCAL_FOLDER);
  if (unfinishedScans.lastOldId() === 0) deps.reader.warmUp(); // a first scan reads every file
  try {
    await processFolders(scan, scope);
    if (identity.postponedFiles.size > 0 && !scope.isAllFolders) {
      restartRecord(record); // only a scan of everything finds where the tracks of these folders are now
      await processFolders(scan, {
        folders: [''],
        closedKeys: [...scope.offlineFolders.map(({ key }) => key), ...refusalsByKey.keys()],
      });
    }
    await identifyPostponedFiles(scan);
    await rows.drain();
    progress.enterPhase('hashing');
    if (!dryRun) await hashLargeFiles({ db: deps.db, reader: deps.reader, root: roots, source: LOCAL_FOLDER, signal });
    if (!dryRun && (unfinishedScans.isNoted() || deps.goneTrackFinder.isDue())) {
      await assignAlbums(scan);
      progress.enterPhase('comparing');
      await matchGoneTracks(scan);
    }
    if (!dryRun) await followPlaylists(scan);
  } finally {
    scan.heap.release();
    await rows.drain(); // everything that was read is stored, even if the scan is cancelled
  }
  if (record.replacedUris.length > 0) await deps.releaseAudio(record.replacedUris);
  const refusals = [...refusalsByKey.values(), ...(record.refusal ? [record.refusal] : [])];
  if (refusals.length > 0) throw storageFullError(refusals, deps.minFreeBytes());
  return toScanResult(scan);
}

async function processFolders(scan: Scan, folders: ScannedFolders): Promise<void> {
  const { scope, record, rows, progress } = scan;
  await forEachConcurrently(walk(scan, folders), MAX_CONCURRENT_GROUPS, async (group) => {
    await rows.hasRoom();
    const { ops, toRead } = await planFiles(scan, group);
    rows.push(ops);
    const storedFiles = await storeCopies(scan, await readFiles(scan, toRead));
    rows.push(await identifyFiles(scan, storedFiles));
    recordRead(
      record,
      group.map(({ path }) => scope.keyAt(path)),
    );
    progress.report();
  });
  await rows.drain();
}

const toScanResult = ({ deps, options, startedAt, scope, preview, record }: Scan): ScanResult => ({
  path: options.musicFolders[0]?.path ?? '',
  folders: scope.folders,
  offline: scope.offlineFolders.map(({ name, reason }) => ({ name, reason })),
  dry_run: options.dryRun,
  changes: preview?.changes() ?? null,
  ...toResultCounts(record),
  duration_ms: deps.now().getTime() - startedAt,
});
