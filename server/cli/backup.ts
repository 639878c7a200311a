// `tonearm backup [--to DIR|s3]` and `tonearm export DIR`, both without a running server.
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import { backupBackend } from '../storage/backends.ts';
import type { BackupResult, ExportResult } from '../backup/wire.ts';
import { runJob } from './wait.ts';

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

export async function runBackup(app: App, to: string | undefined): Promise<void> {
  const { id } = await app.backups.start(to === undefined || backupBackend(to) ? to : resolve(to));
  for (const line of describeBackup(await runJob<BackupResult>(app, id, 'Backing up'))) console.log(line);
}

export async function runExport(app: App, folder: string): Promise<void> {
  const { id } = await app.exports.start(folder);
  for (const line of describeExport(await runJob<ExportResult>(app, id, 'Exporting'))) console.log(line);
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
  tidy_problem,
}: BackupResult): string[] => [
  `Backup of ${tracks} tracks in ${target}: ${files} audio files and ${covers} covers, ${added} of them new ` +
    `(${formatBytes(bytes_added)}). Snapshot ${snapshot}`,
  ...(absent > 0
    ? [`${absent} files could not be read and are not in the backup:`, ...problems.map((line) => `  ${line}`)]
    : []),
  ...(tidy_problem === null ? [] : [`Old snapshots were not deleted: ${tidy_problem}`]),
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

/** `1.4 GB`; in powers of 1000, as disks are sold. */
function formatBytes(bytes: number): string {
  const step = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[step]}`;
}
