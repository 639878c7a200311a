// `tonearm rebuild`: builds a new database from the stored audio in a temporary file, moves it into place when it is
// complete, and then scans the music folder.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { App } from '../app.ts';
import { asideName } from '../backup/restore-state.ts';
import type { Config } from '../config/config.ts';
import { COVER_TASK } from '../covers/tasks.ts';
import { libraryOfFolder, openSecrets, REBUILDING, takeDataFolder } from '../data-folder.ts';
import { openDatabase } from '../db/client.ts';
import { libraryId, lookAtDatabase, skipCovers } from '../db/library-identity.ts';
import { conflict } from '../errors.ts';
import { createReaderPool } from '../files/reader-pool.ts';
import { parseCustomTags } from '../db/custom-tags.ts';
import { separatorsOf } from '../files/separator-settings.ts';
import type { Log } from '../log/log.ts';
import { rebuildTracks, type RebuildResult } from '../maintenance/rebuild.ts';
import type { ProductPaths } from '../paths.ts';
import { syncFolder } from '../runtime/folders.ts';
import { openStorage } from '../storage/backends.ts';
import { claimStorage, readMark } from '../storage/library-mark.ts';
import { createProgressDisplay } from './progress.ts';
import { runScan } from './scan.ts';
import { waitForFollowUps } from './wait.ts';

const DATABASE_SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Builds a new database. Throws `conflict` when a database exists. After a kill none exists yet, and the next call
 * continues.
 */
export async function rebuildDatabase(initialConfig: Config, paths: ProductPaths, log: Log): Promise<void> {
  const { database } = initialConfig.paths;
  const folder = takeDataFolder(initialConfig, log);
  try {
    assertNoDatabase(database);
    const { config } = await openSecrets(initialConfig, log);
    for (const line of describe(await buildDatabase(config, paths, log))) console.log(line);
    moveIntoPlace(config);
  } finally {
    folder.unlock();
  }
}

function assertNoDatabase(database: string): void {
  const state = lookAtDatabase(database);
  if (state.kind === 'new' || (state.kind === 'library' && state.isBlank)) return;
  throw conflict(
    `A database already exists: ${database}. To make a new one from the stored audio, move it away first; ` +
      'accounts, likes, plays and playlists are only in the old one.',
  );
}

async function buildDatabase(config: Config, paths: ProductPaths, log: Log): Promise<RebuildResult> {
  const stop = new AbortController();
  const onStop = (): void => stop.abort(conflict('Stopped. Run the same command again to continue.'));
  process.once('SIGINT', onStop).once('SIGTERM', onStop);
  const storage = await openStorage(config);
  const reader = createReaderPool({
    workerUrl: paths.workers.reader,
    log,
    separators: () => separatorsOf(config.settings),
    customTags: () => parseCustomTags(config.settings.CUSTOM_TAGS),
  });
  const path = config.paths.database + REBUILDING;
  removeBlank(path);
  const db = openDatabase({ path, migrationsDir: paths.migrations, log });
  const display = createProgressDisplay(process.stdout, 'Reading stored audio');
  try {
    const id = libraryId(db.$client, libraryOfFolder(config) ?? (await readMark(storage)));
    await claimStorage(storage, {
      libraryId: id,
      ownsUnmarkedAudio: () => true,
      isRebuilt: true,
      onEarlierObjects: (from) => skipCovers(db.$client, from),
      now: () => new Date(),
    });
    return await rebuildTracks({
      db,
      storage,
      reader,
      tmpDir: config.paths.tmp,
      signal: stop.signal,
      onProgress: (done, message) => display.progress(done, null, message),
    });
  } finally {
    display.end();
    await reader.close();
    db.$client.close(); // closing also deletes the write-ahead log
    storage.close?.();
    process.off('SIGINT', onStop).off('SIGTERM', onStop);
  }
}

/**
 * Deletes a database whose creation was interrupted by a kill. Opening it would migrate it, and keep a copy as of an
 * old database.
 */
function removeBlank(path: string): void {
  const state = lookAtDatabase(path);
  if (state.kind === 'library' && state.isBlank)
    for (const suffix of DATABASE_SUFFIXES) rmSync(path + suffix, { force: true });
}

/** Moves the new database into place, and what is left of the old database into a separate folder. */
function moveIntoPlace({ paths: { data, database } }: Config): void {
  const remainingFiles = DATABASE_SUFFIXES.map((suffix) => database + suffix).filter((path) => existsSync(path));
  const asideFolder = join(data, asideName(new Date()));
  if (remainingFiles.length > 0) mkdirSync(asideFolder);
  for (const path of remainingFiles) renameSync(path, join(asideFolder, basename(path)));
  renameSync(database + REBUILDING, database);
  syncFolder(data);
}

const describe = ({ objects, tracks, unreadable, problems }: RebuildResult): string[] => [
  `Made a new database with ${tracks} tracks of ${objects} stored files`,
  ...(unreadable > 0
    ? [`${unreadable} files could not be read and stay where they are:`, ...problems.map((line) => `  ${line}`)]
    : []),
  'Accounts, likes, plays and playlists were only in the old database. The next start prints how to create an account.',
];

/**
 * Scans the music folder. The scan gives tracks in storage the paths of their files again, and adds the tracks of
 * reference mode, which only exist there.
 */
export async function fillFromMusicFolder(app: App): Promise<void> {
  if (app.musicFolders.list().length === 0)
    console.log('No music folder is set. If there is one, scan it with "tonearm scan DIR".');
  else await runScan(app, { dir: undefined, dryRun: false });
  await app.jobs.enqueue(COVER_TASK, {});
  await waitForFollowUps(app);
}
