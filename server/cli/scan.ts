// `tonearm scan [DIR] [--dry-run] [--reread]`: runs one scan without a running server, or shows what it would change.
import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import { findPathInMusic } from '../scan/scan-folders.ts';
import { SCAN_LOCAL_FOLDER, scanPayload } from '../scan/tasks.ts';
import type { ScanResult } from '../scan/wire.ts';
import { describeDryRun, describeScan } from './scan-report.ts';
import { createScanLines, showProgress } from './progress.ts';
import { cancelOnStop, waitForEnd, waitForFollowUps } from './wait.ts';

interface ScanCommand {
  dir: string | undefined;
  dryRun: boolean;
  reread?: boolean;
}

export async function runScan(app: App, { dir, dryRun, reread = false }: ScanCommand): Promise<void> {
  await app.scan.assertFolder();
  const folders = dir === undefined ? [] : [await folderOf(app, resolve(dir))];
  if (!dryRun) await rememberMusicFolder(app);
  const result = dryRun ? await preview(app, folders, reread) : await scan(app, folders, reread);
  for (const line of dryRun ? describeDryRun(result) : describeScan(result)) console.log(line);
}

/**
 * Saves the music folder and mode of `--import`, `scan DIR` and `--index`, unless the environment sets something else.
 */
export async function rememberMusicFolder({ config, settings }: App): Promise<void> {
  const { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: mode } = config.settings;
  await settings.change({
    ...(folder !== undefined &&
      config.origins.LOCAL_MEDIA_IMPORT_PATH === 'file' && { LOCAL_MEDIA_IMPORT_PATH: folder }),
    ...(config.origins.LOCAL_MEDIA_IMPORT_MODE === 'file' && { LOCAL_MEDIA_IMPORT_MODE: mode }),
  });
}

/**
 * Returns the folder's path below the music folder. Throws `conflict` if it is inside a music folder that was scanned
 * before.
 */
async function folderOf(app: App, dir: string): Promise<string> {
  const scannedFolder = app.sources.scannedFolder();
  const roots = app.musicFolders.list();
  const root = roots[0]?.path ?? dir;
  const [realRoot, realScannedFolder] = await Promise.all(
    [root, scannedFolder ?? root].map((path) => realpath(path).catch(() => path)),
  );
  if (root === dir && realRoot?.startsWith(`${realScannedFolder}${sep}`)) {
    throw new AppError(
      'conflict',
      `${dir} is inside the music folder ${scannedFolder}, which was scanned before. ` +
        `Add --import ${scannedFolder} to scan only this part of it.`,
    );
  }
  return findPathInMusic(roots, dir);
}

async function scan(app: App, folders: string[], reread: boolean): Promise<ScanResult> {
  showProgress(app.events);
  const { id } = await app.jobs.enqueue(SCAN_LOCAL_FOLDER, scanPayload({ folders, reread }));
  cancelOnStop(app, id);
  const job = await waitForEnd(app, id);
  if (job.status === 'cancelled')
    throw new AppError('conflict', 'The scan was canceled. What was done so far is kept.');
  if (job.status !== 'succeeded') throw new AppError('unavailable', job.error ?? 'The scan failed without a reason.');
  await waitForFollowUps(app);
  return job.result as ScanResult;
}

async function preview(app: App, folders: string[], reread: boolean): Promise<ScanResult> {
  const stop = new AbortController();
  onStop(() => stop.abort(new AppError('conflict', 'The dry run was canceled.')));
  return app.scan.preview({
    folders,
    restore: false,
    reread,
    signal: stop.signal,
    onProgress: createScanLines(process.stderr),
  });
}

const onStop = (stop: () => void): void => void process.once('SIGINT', stop).once('SIGTERM', stop);
