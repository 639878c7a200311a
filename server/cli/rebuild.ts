// `tonearm rebuild`: a new database from the stored audio, made beside and moved into place when it is complete; then
// the music folder is scanned into it.
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
import type { Log } from '../log/log.ts';
import { rebuildTracks, type Rebuilt } from '../maintenance/rebuild.ts';
import type { ProductPaths } from '../paths.ts';
import { syncFolder } from '../runtime/folders.ts';
import { openStorage } from '../storage/backends.ts';
import { claimStorage, readMark } from '../storage/library-mark.ts';
import { progressOn } from './progress.ts';
import { runScan } from './scan.ts';
import { untilFollowUpsEnded } from './wait.ts';

const ENDINGS = ['', '-wal', '-shm', '-journal'];

/** Throws `conflict` when there is a database. A kill leaves none in place, and the next call continues. */
export async function rebuildDatabase(given: Config, paths: ProductPaths, log: Log): Promise<void> {
  const { database } = given.paths;
  const folder = takeDataFolder(given, log);
  try {
    assertNoDatabase(database);
    const { config } = await openSecrets(given, log);
    for (const line of describe(await buildBeside(config, paths, log))) console.log(line);
    moveIntoPlace(config);
  } finally {
    folder.unlock();
  }
}

function assertNoDatabase(database: string): void {
  const state = lookAtDatabase(database);
  if (state.kind === 'new' || (state.kind === 'library' && state.isBlank)) return;
  throw conflict(
    `There is a database already: ${database}. To make a new one from the stored audio, move it away first; ` +
      'accounts, likes, plays and playlists are only in the old one.',
  );
}

async function buildBeside(config: Config, paths: ProductPaths, log: Log): Promise<Rebuilt> {
  const stop = new AbortController();
  const onStop = (): void => stop.abort(conflict('Stopped. Run the same command again to continue.'));
  process.once('SIGINT', onStop).once('SIGTERM', onStop);
  const storage = await openStorage(config);
  const reader = createReaderPool({ workerUrl: paths.workers.reader, log });
  const path = config.paths.database + REBUILDING;
  removeBlank(path);
  const db = openDatabase({ path, migrationsDir: paths.migrations, log });
  const show = progressOn(process.stdout, 'Reading stored audio');
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
      onProgress: (done, message) => show.progress(done, null, message),
    });
  } finally {
    show.end();
    await reader.close();
    db.$client.close(); // with its log, which is empty now
    storage.close?.();
    process.off('SIGINT', onStop).off('SIGTERM', onStop);
  }
}

/** Killed while it was made: continuing would update it, and keep it as it was before. */
function removeBlank(path: string): void {
  const state = lookAtDatabase(path);
  if (state.kind === 'library' && state.isBlank) for (const ending of ENDINGS) rmSync(path + ending, { force: true });
}

/** What is left of the old database is kept in a folder of its own. */
function moveIntoPlace({ paths: { data, database } }: Config): void {
  const left = ENDINGS.map((ending) => database + ending).filter((path) => existsSync(path));
  const aside = join(data, asideName(new Date()));
  if (left.length > 0) mkdirSync(aside);
  for (const path of left) renameSync(path, join(aside, basename(path)));
  renameSync(database + REBUILDING, database);
  syncFolder(data);
}

const describe = ({ objects, tracks, unreadable, problems }: Rebuilt): string[] => [
  `Made a new database with ${tracks} tracks of ${objects} stored files`,
  ...(unreadable > 0
    ? [`${unreadable} files could not be read and were left where they are:`, ...problems.map((line) => `  ${line}`)]
    : []),
  'Accounts, likes, plays and playlists were only in the old database. The next start prints how to create an account.',
];

/** Files that are still there give their tracks their place back; those of reference mode are in no other place. */
export async function fillFromMusicFolder(app: App): Promise<void> {
  if (app.musicFolders.list().length === 0)
    console.log('No music folder is set. If there is one, scan it with "tonearm scan DIR".');
  else await runScan(app, { dir: undefined, dryRun: false });
  await app.jobs.enqueue(COVER_TASK, {});
  await untilFollowUpsEnded(app);
}
