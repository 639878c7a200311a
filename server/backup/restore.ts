// Restores a library from a backup or an export: fetches and checks the database, verifies each file by its hash, and
// only then moves everything into place. It works without a running server.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { open, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import { writeJsonFile } from '../config/json-file.ts';
import { lockDataFolder } from '../db/data-lock.ts';
import { AppError, conflict } from '../errors.ts';
import { createLocalStorage } from '../storage/local.ts';
import type { Arrival } from './arrival-wire.ts';
import { describeArrival } from './arrival.ts';
import { createListedFiles, type ListedFiles } from './listed-files.ts';
import type { Manifest } from './manifest.ts';
import { limitBytes } from './object-source.ts';
import { makeFolder } from '../runtime/folders.ts';
import { withReadLease } from './lease.ts';
import type { RestoreSource } from './export-source.ts';
import { readableSettings, secretsOf } from './restored-settings.ts';
import {
  asideName,
  contentsOfFolder,
  isUntouched,
  readState,
  forgetRestore,
  restorePaths,
  applyRestoreState,
  switchOver,
  writeState,
  type RestoreOrigin,
  type RestorePaths,
} from './restore-state.ts';
import { keepKeys } from './apply-arrival.ts';
import {
  fetchFiles,
  isLostOrDamaged,
  linesFromDatabase,
  readFileLines,
  ListLostError,
  spaceOfFolder,
  type FileLines,
} from './restore-files.ts';
import { takeForeignDatabase } from './snapshot-thread.ts';
import { LOCAL_SCHEME } from '../storage/uri.ts';

const MAX_LISTED_FILES = 10;
/**
 * What happens to the changes on this server: `accept` them, `keep` the present state, or `stop` without any change.
 */
export type Decision = 'accept' | 'keep' | 'stop';

export interface RestoreOptions {
  repo: RestoreSource;
  /** The id of a snapshot; undefined for the newest one. */
  snapshot: string | undefined;
  dataDir: string;
  /** Whether an existing library is moved aside; otherwise the restore is refused. */
  replace: boolean;
  /** Whether to continue without files that are damaged or missing in the backup. */
  skipDamaged: boolean;
  /** Folder for copies of indexed files; if undefined, they are not restored. */
  musicDir: string | undefined;
  /** Address of snapshot-worker, in the source tree or in the bundle. */
  workerUrl: URL;
  migrationsDir: string;
  now: () => Date;
  /** Decides about the changes. Called when the database has been fetched, before any other file. */
  decide: (arrival: Arrival) => Decision | Promise<Decision>;
  /** Cancels the restore; the next attempt resumes it. */
  signal?: AbortSignal;
  progress: (done: number, total: number | null, message: string) => void;
  /** MIN_FREE_BYTES: the space that stays free on the disks. */
  minFreeBytes: number;
}

export interface RestoreOutcome {
  snapshot: string;
  counts: Manifest['counts'];
  /** Whether the backup contains keys, with which its sign-ins and app passwords keep working. */
  hasKeys: boolean;
  /** Whether the keys of the replaced library were kept, because the backup contains none. */
  hasOwnKeys: boolean;
  /** Numbers of copies of indexed files in the backup, and of those that were written. */
  copies: { total: number; written: number };
  /** Files that could not be restored; their tracks are marked as missing. */
  lost: string[];
  /** Number of listed files that were not written, because no row of the database names them. */
  unnamed: number;
  /** Number of packs that no index of the backup lists; they were found by their directories. */
  unlistedPacks: number;
  /**
   * Whether the list of files is damaged. Then the files that the database names were restored, but no copies of
   * indexed files.
   */
  isListLost: boolean;
  /** The folder to which the replaced library was moved. */
  asideFolder: string | undefined;
  /** The changes to people, settings and folders of this server, if all are taken. */
  arrival: Arrival;
  isAccepted: boolean;
}

/**
 * Restores a library into a folder. Throws an AppError and changes nothing when anything cannot be restored:
 * `not_found` without a snapshot, `conflict` when the folder is not empty, `unavailable` for a damaged backup. The next
 * attempt resumes.
 */
export async function restore(options: RestoreOptions): Promise<RestoreOutcome> {
  const { dataDir, now } = options;
  const manifest = await chooseSnapshot(options);
  const isNew = !existsSync(dataDir);
  makeFolder(dataDir, { name: 'The data folder', remedy: 'Choose another one with --data-dir.' });
  const [paths, lockPath] = [restorePaths(dataDir), join(dataDir, 'tonearm.lock')];
  const unlock = lockDataFolder(lockPath, dataDir);
  let hasFailed = true;
  try {
    const outcome = await buildWithLease(options, manifest);
    hasFailed = false;
    options.progress(1, 1, 'Moving everything into place');
    const state = readState(paths);
    if (state && isUntouched(state)) applyRestoreState(paths, state, now());
    return { ...outcome, asideFolder: await switchOver(paths, asideName(now())) };
  } finally {
    unlock();
    if (hasFailed && isNew && !existsSync(paths.state)) await removeEmptyFolder(dataDir, lockPath);
  }
}

/** Removes the data folder if a failed restore has created it. */
async function removeEmptyFolder(dataDir: string, lockPath: string): Promise<void> {
  await rm(lockPath, { force: true });
  if ((await contentsOfFolder(dataDir)).length === 0) await rmdir(dataDir);
}

/** Restores into the folder of a running server, whose next start moves everything into place. */
export async function restoreAtNextStart(options: RestoreOptions): Promise<RestoreOutcome> {
  const outcome = await buildWithLease(options, await chooseSnapshot(options));
  const paths = restorePaths(options.dataDir);
  const state = readState(paths);
  if (state && isUntouched(state)) writeState(paths, { ...state, step: 'ready' });
  return outcome;
}

/** The number of snapshots in the message about one that does not exist. */
const MAX_NAMED_SNAPSHOTS = 3;

async function chooseSnapshot({ repo, snapshot }: RestoreOptions): Promise<Manifest> {
  const id = snapshot ?? (await repo.snapshotIds())[0];
  if (id === undefined) throw new AppError('not_found', `The backup in ${repo.name} has no complete snapshot.`);
  const manifest = await repo.readSnapshot(id).catch(async (error: unknown) => {
    throw error instanceof AppError && error.code === 'not_found' ? await noSnapshot(repo, id) : error;
  });
  // The keys in an unencrypted backup may be from anybody; those in an encrypted one are from somebody with the
  // passphrase.
  return { ...manifest, keys: repo.isEncrypted === true ? manifest.keys : null };
}

async function noSnapshot(repo: RestoreOptions['repo'], id: string): Promise<AppError> {
  const newestIds = (await repo.snapshotIds()).slice(0, MAX_NAMED_SNAPSHOTS);
  const names =
    newestIds.length === 0 ? 'It has none.' : `The newest: ${newestIds.join(', ')}; tonearm backup list names all.`;
  return new AppError('not_found', `There is no snapshot ${id} in ${repo.name}. ${names}`);
}

/** Builds the library while a lease ensures that nothing is deleted from the backup. */
function buildWithLease(options: RestoreOptions, manifest: Manifest): Promise<RestoreOutcome> {
  const { repo, dataDir: folder, now } = options;
  if (!repo.target) return buildInSubfolder(options, manifest);
  return withReadLease(repo.target, { folder, now }, (leaseSignal) =>
    buildInSubfolder(
      { ...options, signal: AbortSignal.any([leaseSignal, ...(options.signal ? [options.signal] : [])]) },
      manifest,
    ),
  );
}

/**
 * Builds and verifies the library in a subfolder. Does nothing if an earlier attempt had already begun to move files.
 */
async function buildInSubfolder(options: RestoreOptions, manifest: Manifest): Promise<RestoreOutcome> {
  const { dataDir } = options;
  const paths = restorePaths(dataDir);
  const state = readState(paths);
  const outcome = {
    snapshot: manifest.id,
    counts: manifest.counts,
    hasKeys: manifest.keys !== null,
    asideFolder: undefined,
  };
  if (state && !isUntouched(state)) {
    const { isAccepted, arrival = NO_CHANGES, origin } = state;
    // the name of the backup is not compared: its disk may be connected under another path
    if (state.snapshot === manifest.id && (!origin || origin.sha256 === manifest.database.sha256))
      return { ...outcome, ...NO_FILES, arrival, isAccepted, hasOwnKeys: false };
    throw conflict(
      `A restore of the snapshot ${state.snapshot} into ${dataDir} was interrupted. Finish it first with ` +
        `--snapshot ${state.snapshot}.`,
    );
  }
  if (!options.replace && (await contentsOfFolder(dataDir)).length > 0)
    throw conflict(`${dataDir} is not empty. Choose another --data-dir, or use --replace to move its contents aside.`);
  const origin = toOrigin(options, manifest);
  if (!state || !isDeepStrictEqual(state.origin, origin)) await forgetRestore(paths);
  writeState(paths, { snapshot: manifest.id, origin, step: 'building', aside: null });
  try {
    return { ...outcome, ...(await build(options, manifest, paths)) };
  } catch (error) {
    if (!existsSync(paths.takenDatabase)) await forgetRestore(paths); // without the database there is nothing to resume
    throw error;
  }
}

const NO_FILES = { lost: [], unnamed: 0, unlistedPacks: 0, isListLost: false, copies: { total: 0, written: 0 } };
const NO_CHANGES: Arrival = { people: [], settings: [], folders: [], has_accounts: false };

type BuildOutcome = Pick<
  RestoreOutcome,
  'lost' | 'unnamed' | 'unlistedPacks' | 'isListLost' | 'copies' | 'hasOwnKeys' | 'arrival' | 'isAccepted'
>;

/**
 * Identifies the backup that a restore reads. The snapshot's id is not enough: it is a time, and another backup may
 * have a snapshot with the same id.
 */
const toOrigin = ({ repo }: RestoreOptions, { database }: Manifest): RestoreOrigin => ({
  kind: repo.isExport === true ? 'import' : 'backup',
  name: repo.name,
  sha256: database.sha256,
});

async function build(options: RestoreOptions, manifest: Manifest, paths: RestorePaths): Promise<BuildOutcome> {
  mkdirSync(paths.building, { recursive: true });
  const { repo } = options;
  const lines = readFileLines(repo, manifest);
  const ensureDatabase = async (): Promise<void> => {
    if (!existsSync(paths.takenDatabase)) await fetchDatabase(options, manifest, paths.takenDatabase);
  };
  try {
    const listedFiles = await collectListedFiles(options, lines, paths);
    try {
      await ensureDatabase();
      return { ...(await buildFromList(options, manifest, paths, listedFiles, lines)), isListLost: false };
    } finally {
      listedFiles.close();
    }
  } catch (error) {
    if (!(error instanceof ListLostError) || repo.isExport === true) throw error;
  } finally {
    await rm(paths.listedFilesDatabase, { force: true });
  }
  await ensureDatabase();
  const namedLines = linesFromDatabase(paths.takenDatabase);
  const listedFiles = await collectListedFiles(options, namedLines, paths);
  try {
    return { ...(await buildFromList(options, manifest, paths, listedFiles, namedLines)), isListLost: true };
  } finally {
    listedFiles.close();
    await rm(paths.listedFilesDatabase, { force: true });
  }
}

/**
 * Collects the listed files in a temporary database, which the caller closes. Throws the errors of reading the lines.
 */
async function collectListedFiles(
  { signal }: RestoreOptions,
  lines: FileLines,
  paths: RestorePaths,
): Promise<ListedFiles> {
  const listedFiles = createListedFiles(paths.listedFilesDatabase);
  try {
    for await (const line of lines()) {
      signal?.throwIfAborted();
      listedFiles.add(line);
    }
    return listedFiles;
  } catch (error) {
    listedFiles.close();
    throw error;
  }
}

async function buildFromList(
  options: RestoreOptions,
  manifest: Manifest,
  paths: RestorePaths,
  listedFiles: ListedFiles,
  lines: FileLines,
): Promise<Omit<BuildOutcome, 'isListLost'>> {
  const { arrival, isAccepted } = await decideArrival(options, manifest, paths);
  await listedFiles.markNamedBy(paths.takenDatabase);
  const root = join(paths.building, 'library');
  const lineCount = manifest.lists.reduce((sum, list) => sum + list.lines, 0);
  const storage = createLocalStorage({ root });
  const files = await fetchFiles({ ...options, lines, lineCount, listedFiles, storage });
  const { lost, unnamed, damaged, copies } = files;
  if (damaged.length > 0 && !options.skipDamaged)
    throw new AppError('unavailable', damagedMessage(options.repo, damaged));
  markMissing(paths.takenDatabase, lost);
  await rm(join(root, 'tmp'), { recursive: true, force: true });
  if (manifest.keys) writeJsonFile(join(paths.building, 'secrets.json'), secretsOf(manifest.keys));
  const unlistedPacks = options.repo.countUnlistedPacks?.() ?? 0;
  return { lost, unnamed, unlistedPacks, copies, arrival, isAccepted, hasOwnKeys: keepKeys(paths) };
}

/** Stores the decision about the changes, for the step that moves everything into place. */
async function decideArrival(
  options: RestoreOptions,
  manifest: Manifest,
  paths: RestorePaths,
): Promise<Pick<RestoreOutcome, 'arrival' | 'isAccepted'>> {
  const { dataDir: data, repo, decide, musicDir } = options;
  const { id: snapshot, settings: storedSettings, keys } = manifest;
  const isImport = repo.isExport === true;
  const settings = readableSettings(storedSettings);
  const arrival = describeArrival({ data, database: paths.takenDatabase, settings, isImport });
  const decision = await decide(arrival);
  if (decision === 'stop') {
    await rm(paths.takenDatabase);
    throw conflict('Nothing was changed.');
  }
  const isAccepted = !isImport && decision === 'accept';
  const choice = { arrival, isImport, isAccepted, hasKeys: keys !== null, settings, musicDir };
  const origin = toOrigin(options, manifest);
  writeState(paths, { snapshot, origin, step: 'building', aside: null, ...choice });
  return { arrival, isAccepted };
}

const damagedMessage = ({ name, isExport = false }: RestoreSource, damaged: string[]): string =>
  [
    `${damaged.length} files in the ${isExport ? `export ${name}` : 'backup'} are damaged or missing, so nothing was ` +
      `changed. ${isExport ? 'Use' : 'Try an earlier snapshot, or'} --skip-damaged to restore the rest:`,
    ...damaged.slice(0, MAX_LISTED_FILES).map((key) => `  ${key}`),
    ...(damaged.length > MAX_LISTED_FILES ? ['  …'] : []),
  ].join('\n');

const DAMAGED_DATABASE = 'The database is damaged, so nothing was changed. Try an earlier snapshot, or another copy.';

/** Fetches the database, checks its hash, and copies its allowed rows into a database of our own. */
async function fetchDatabase(
  { repo, dataDir, progress, signal, workerUrl, migrationsDir, minFreeBytes }: RestoreOptions,
  { database }: Manifest,
  path: string,
): Promise<void> {
  const [foreignPath, partPath] = [`${path}.foreign`, `${path}.part`];
  // twice the size, because our own database is built beside the fetched one
  const space = await spaceOfFolder(dataDir, minFreeBytes).reserve(database.size * 2);
  const hasher = createHash('sha256');
  const file = await open(foreignPath, 'w', 0o600).catch((error: unknown) => {
    space.release();
    throw error;
  });
  try {
    let done = 0;
    for await (const chunk of limitBytes(readPieces(), { size: database.size, space })) {
      signal?.throwIfAborted();
      progress((done += chunk.length), database.size, 'Fetching the database');
      hasher.update(chunk);
      await file.writeFile(chunk);
    }
  } catch (cause) {
    throw isLostOrDamaged(cause) ? new AppError('unavailable', DAMAGED_DATABASE, { cause }) : cause;
  } finally {
    await file.close();
    space.release();
  }
  if (hasher.digest('hex') !== database.sha256) throw new AppError('unavailable', DAMAGED_DATABASE);
  const scope = repo.isExport === true ? 'import' : 'backup';
  await takeForeignDatabase(workerUrl, { from: foreignPath, to: partPath, migrationsDir, scope });
  await rm(foreignPath);
  await rename(partPath, path);

  async function* readPieces(): AsyncGenerator<Buffer> {
    for (const hash of database.pieces ?? [database.sha256]) yield* repo.read(hash);
  }
}

function markMissing(database: string, keys: string[]): void {
  if (keys.length === 0) return;
  const db = new Database(database);
  try {
    const markTrack = db.prepare("UPDATE tracks SET availability = 'missing' WHERE storage_uri = ?");
    db.transaction(() => {
      for (const key of keys) markTrack.run(`${LOCAL_SCHEME}:${key}`);
    }).immediate();
  } finally {
    db.close();
  }
}
