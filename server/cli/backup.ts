// `tonearm backup [check|unlock] [--to DIR|s3]` and `tonearm export DIR`, both without a running server.
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import { findBackupBackend } from '../storage/backends.ts';
import type { BackupCheckResult, BackupResult, ExportResult } from '../backup/wire.ts';
import { formatBytes } from '../runtime/format-bytes.ts';
import type { Command } from './command-line.ts';
import { runJob } from './wait.ts';

/** Of a backup or an export that lacks files, so that cron and scripts notice it. */
const INCOMPLETE_EXIT_CODE = 3;

export async function runBackup(app: App, { args: [verb], to: enteredTarget, readPercent }: Command): Promise<void> {
  const target =
    enteredTarget === undefined || findBackupBackend(enteredTarget) ? enteredTarget : resolve(enteredTarget);
  if (verb === 'check') return runCheck(app, target, readPercent);
  if (verb === 'unlock') return runUnlock(app, target);
  const { id } = await app.backups.start(target);
  const result = await runJob<BackupResult>(app, id, 'Backing up');
  for (const line of describeBackup(result)) console.log(line);
  if (result.absent > 0) process.exitCode = INCOMPLETE_EXIT_CODE;
}

/** Checks a backup. Sets exit code 1 when something cannot be restored. */
async function runCheck(app: App, to: string | undefined, percent: number | undefined): Promise<void> {
  const { id } = await app.backups.startCheck({ to, percent });
  const result = await runJob<BackupCheckResult>(app, id, 'Checking');
  for (const line of describeCheck(result)) console.log(line);
  if (result.lost > 0) process.exitCode = 1;
}

async function runUnlock(app: App, to: string | undefined): Promise<void> {
  const claim = await app.backups.unlock(to);
  if (!claim) console.log('No server claims this backup.');
  else if (claim === 'unknown') console.log('The claim of an unknown server was ended.');
  else console.log(`The claim of ${claim.host} (${claim.folder}), since ${claim.since}, was ended.`);
}

export async function runExport(app: App, folder: string): Promise<void> {
  const { id } = await app.exports.start(folder);
  const result = await runJob<ExportResult>(app, id, 'Exporting');
  for (const line of describeExport(result)) console.log(line);
  if (result.without_audio > 0) process.exitCode = INCOMPLETE_EXIT_CODE;
}

const describeBackup = ({
  target,
  snapshot,
  tracks,
  files,
  covers,
  added,
  bytes_added,
  absent,
  problems,
  mended,
  mended_items,
  tidy_problem,
}: BackupResult): string[] => [
  `Backup of ${tracks} tracks in ${target}: ${files} audio files and ${covers} covers, ${added} of them new ` +
    `(${formatBytes(bytes_added)}). Snapshot ${snapshot}`,
  ...(absent > 0
    ? [`${absent} files could not be read and are not in the backup:`, ...problems.map((line) => `  ${line}`)]
    : []),
  ...(mended > 0
    ? [
        'Parts of the backup were damaged or missing. What the library has of them was stored again:',
        ...mended_items.map((line) => `  ${line}`),
        'tonearm backup check finds out whether earlier snapshots lack something.',
      ]
    : []),
  ...(tidy_problem === null ? [] : [`Old snapshots were not deleted: ${tidy_problem}`]),
];

const describeCheck = ({
  target,
  snapshots,
  bytes,
  bytes_read,
  faults,
  problems,
  lost,
  lost_items,
  foreign,
  foreign_items,
}: BackupCheckResult): string[] => [
  `Backup in ${target}: ${snapshots} snapshots checked, ` +
    `and ${formatBytes(bytes_read)} of ${formatBytes(bytes)} read. ` +
    (faults + lost === 0 ? 'No damage was found.' : ''),
  ...(faults > 0 ? [`${faults} faults were found:`, ...problems.map((line) => `  ${line}`)] : []),
  ...(faults > 0 && lost === 0 ? ['Everything was repaired.'] : []),
  ...(lost > 0
    ? [
        `${lost} of what the snapshots need cannot be restored, and the library does not have it either:`,
        ...lost_items.map((line) => `  ${line}`),
      ]
    : []),
  ...(foreign > 0
    ? [
        `${foreign} files there do not belong to the backup, and were not touched:`,
        ...foreign_items.map((line) => `  ${line}`),
      ]
    : []),
];

const describeExport = ({
  folder,
  tracks,
  written,
  bytes_written,
  playlists,
  without_audio,
  problems,
}: ExportResult): string[] => [
  `Exported ${tracks} tracks and ${playlists} playlists to ${folder}, ${written} files written ` +
    `(${formatBytes(bytes_written)})`,
  ...(without_audio > 0 ? [`${without_audio} tracks have no audio:`, ...problems.map((line) => `  ${line}`)] : []),
];
