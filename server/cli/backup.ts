// `tonearm backup [--to DIR|s3]` and `tonearm export DIR`: both without a server.
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import { backupBackend } from '../storage/backends.ts';
import type { BackupResult, ExportResult } from '../backup/wire.ts';
import type { JobId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import { bytesInWords } from './bytes.ts';
import { showJobProgress } from './progress.ts';
import { cancelOnStop, untilEnded } from './wait.ts';

export async function runBackup(app: App, to: string | undefined): Promise<void> {
  const { id } = await app.backups.start(to === undefined || backupBackend(to) ? to : resolve(to));
  for (const line of describeBackup(await ended<BackupResult>(app, id, 'Backing up'))) console.log(line);
}

export async function runExport(app: App, folder: string): Promise<void> {
  const { id } = await app.exports.start(folder);
  for (const line of describeExport(await ended<ExportResult>(app, id, 'Exporting'))) console.log(line);
}

async function ended<T>(app: App, id: JobId, label: string): Promise<T> {
  showJobProgress(app.events, id, label);
  cancelOnStop(app, id);
  const job = await untilEnded(app, id);
  if (job.status === 'cancelled') throw new AppError('conflict', 'It was cancelled; the next time goes on from here.');
  if (job.status === 'succeeded') return job.result as T;
  if (job.status === 'waiting') app.jobs.cancel(id); // whoever sits here decides when to try again
  throw new AppError('unavailable', job.error ?? 'It did not end well.');
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
    `(${bytesInWords(bytes_added)}). Snapshot ${snapshot}`,
  ...(absent > 0
    ? [`${absent} files could not be read and are not in it:`, ...problems.map((line) => `  ${line}`)]
    : []),
  ...(tidy_problem === null ? [] : [`Old snapshots could not be tidied up: ${tidy_problem}`]),
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
    `(${bytesInWords(bytes_written)})`,
  ...(without_audio > 0 ? [`${without_audio} tracks have no audio here:`, ...problems.map((line) => `  ${line}`)] : []),
];
