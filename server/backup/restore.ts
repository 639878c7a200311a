// Restores a library from a backup or an export: fetches and checks the database, verifies each file by its hash, and
// only then moves everything into place. Needs no server.
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
import { arrivalOf } from './arrival.ts';
import { createListedFiles, type ListedFiles } from './listed-files.ts';
import type { Manifest } from './manifest.ts';
import { arriving } from './object-source.ts';
import { makeFolder } from '../runtime/folders.ts';
import { leasedForReading } from './lease.ts';
import type { RestoreSource } from './export-source.ts';
import { readableSettings, secretsOf } from './outside-settings.ts';
import {
  asideName,
  contentsOfFolder,
  isUntouched,
  readState,
  forgetRestore,
  restorePaths,
  settle,
  switchOver,
  writeState,
  type RestoreOrigin,
  type RestorePaths,
} from './restore-state.ts';
import { keepKeys } from './settled-arrival.ts';
import { fetchFiles, isLost, linesInDatabase, linesOf, ListLost, spaceIn, type FileLines } from './restore-files.ts';
import { takeDatabase } from './snapshot-thread.ts';
import { LOCAL_SCHEME } from '../storage/uri.ts';

const SHOWN = 10;
/** Of what would change here: `accept` all of it, `keep` what is here, `stop` and change nothing. */
export type Decision = 'accept' | 'keep' | 'stop';

export interface RestoreOptions {
  repo: RestoreSource;
  /** The newest by default. */
  snapshot: string | undefined;
  dataDir: string;
  /** Move an existing library aside. */
  replace: boolean;
  /** Continue without files that are damaged or missing in the backup. */
  skipDamaged: boolean;
  /** Where copies of indexed files go; without it, they are not restored. */
  musicDir: string | undefined;
  /** snapshot-worker, in the source tree or in the bundle. */
  workerUrl: URL;
  migrationsDir: string;
  now: () => Date;
  /** Asked before anything is fetched but the database. */
  decide: (arrival: Arrival) => Decision | Promise<Decision>;
  /** Cancels; the next attempt resumes. */
  signal?: AbortSignal;
  progress: (done: number, total: number | null, message: string) => void;
  /** MIN_FREE_BYTES: what is left free on the disks that are written to. */
  minFreeBytes: number;
}

export interface Restored {
  snapshot: string;
  counts: Manifest['counts'];
  /** The backup has the keys: sign-ins and app passwords keep working. */
  hasKeys: boolean;
  /** It has none, and those of the replaced library were kept. */
  hasOwnKeys: boolean;
  /** Copies of indexed files in the backup, and how many of them were written. */
  copies: { there: number; written: number };
  /** Files that could not be restored; their tracks are missing. */
  lost: string[];
  /** Listed files that no row of the database names: they were not written. */
  unnamed: number;
  /** Packs that no index of the backup lists; they were found by themselves. */
  unlistedPacks: number;
  /** The list of files is damaged: those that the database names were restored, and no copies of indexed files. */
  isListLost: boolean;
  /** The folder of the replaced library. */
  aside: string | undefined;
  /** What it changes about people, settings and folders here, if it is all taken. */
  arrival: Arrival;
  isAccepted: boolean;
}

/**
 * Throws an AppError with nothing changed in place when anything cannot be restored: `not_found` without a snapshot,
 * `conflict` when the folder is not empty, `unavailable` for a damaged backup. The next attempt resumes.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { dataDir, now } = options;
  const chosen = await choose(options);
  const isNew = !existsSync(dataDir);
  makeFolder(dataDir, { name: 'The data folder', remedy: 'Choose another one with --data-dir.' });
  const [paths, lock] = [restorePaths(dataDir), join(dataDir, 'tonearm.lock')];
  const unlock = lockDataFolder(lock, dataDir);
  let isRefused = true;
  try {
    const restored = await buildLeased(options, chosen);
    isRefused = false;
    options.progress(1, 1, 'Moving everything into place');
    const state = readState(paths);
    if (state && isUntouched(state)) settle(paths, state, now());
    return { ...restored, aside: await switchOver(paths, asideName(now())) };
  } finally {
    unlock();
    if (isRefused && isNew && !existsSync(paths.state)) await removeEmpty(dataDir, lock);
  }
}

/** A folder that was made for a restore that was refused. */
async function removeEmpty(dataDir: string, lock: string): Promise<void> {
  await rm(lock, { force: true });
  if ((await contentsOfFolder(dataDir)).length === 0) await rmdir(dataDir);
}

/** The same for the folder of a running server; its next start moves everything into place. */
export async function restoreAtNextStart(options: RestoreOptions): Promise<Restored> {
  const restored = await buildLeased(options, await choose(options));
  const paths = restorePaths(options.dataDir);
  const state = readState(paths);
  if (state && isUntouched(state)) writeState(paths, { ...state, step: 'ready' });
  return restored;
}

async function choose({ repo, snapshot }: RestoreOptions): Promise<Manifest> {
  const id = snapshot ?? (await repo.snapshotIds())[0];
  if (id === undefined) throw new AppError('not_found', `The backup in ${repo.name} has no complete snapshot.`);
  const manifest = await repo.readSnapshot(id);
  // whoever knows the passphrase wrote them; anybody can write some into a backup that is not encrypted
  return { ...manifest, keys: repo.isEncrypted === true ? manifest.keys : null };
}

/** Nothing is deleted from the backup meanwhile. */
function buildLeased(options: RestoreOptions, manifest: Manifest): Promise<Restored> {
  const { repo, dataDir: folder, now } = options;
  if (!repo.target) return buildBeside(options, manifest);
  return leasedForReading(repo.target, { folder, now }, (lost) =>
    buildBeside({ ...options, signal: AbortSignal.any([lost, ...(options.signal ? [options.signal] : [])]) }, manifest),
  );
}

/** Builds and verifies the library in a subfolder. Does nothing when an earlier attempt was already moving files. */
async function buildBeside(options: RestoreOptions, manifest: Manifest): Promise<Restored> {
  const { dataDir } = options;
  const paths = restorePaths(dataDir);
  const state = readState(paths);
  const restored = {
    snapshot: manifest.id,
    counts: manifest.counts,
    hasKeys: manifest.keys !== null,
    aside: undefined,
  };
  if (state && !isUntouched(state)) {
    const { isAccepted, arrival = NOTHING, origin } = state;
    // its disk may be connected elsewhere by now
    if (state.snapshot === manifest.id && (!origin || origin.sha256 === manifest.database.sha256))
      return { ...restored, ...NO_FILES, arrival, isAccepted, hasOwnKeys: false };
    throw conflict(
      `A restore of the snapshot ${state.snapshot} into ${dataDir} was interrupted. Finish it first with ` +
        `--snapshot ${state.snapshot}.`,
    );
  }
  if (!options.replace && (await contentsOfFolder(dataDir)).length > 0)
    throw conflict(`${dataDir} is not empty. Choose another --data-dir, or use --replace to move its contents aside.`);
  const origin = originOf(options, manifest);
  if (!state || !isDeepStrictEqual(state.origin, origin)) await forgetRestore(paths);
  writeState(paths, { snapshot: manifest.id, origin, step: 'building', aside: null });
  try {
    return { ...restored, ...(await build(options, manifest, paths)) };
  } catch (error) {
    if (!existsSync(paths.taken)) await forgetRestore(paths); // nothing to go on with
    throw error;
  }
}

const NO_FILES = { lost: [], unnamed: 0, unlistedPacks: 0, isListLost: false, copies: { there: 0, written: 0 } };
const NOTHING: Arrival = { people: [], settings: [], folders: [], has_accounts: false };

type Built = Pick<
  Restored,
  'lost' | 'unnamed' | 'unlistedPacks' | 'isListLost' | 'copies' | 'hasOwnKeys' | 'arrival' | 'isAccepted'
>;

/** What an interrupted restore was of: an id is the time of a snapshot, which another one may have too. */
const originOf = ({ repo }: RestoreOptions, { database }: Manifest): RestoreOrigin => ({
  kind: repo.isExport === true ? 'import' : 'backup',
  name: repo.name,
  sha256: database.sha256,
});

async function build(options: RestoreOptions, manifest: Manifest, paths: RestorePaths): Promise<Built> {
  mkdirSync(paths.building, { recursive: true });
  const { repo } = options;
  const lists = linesOf(repo, manifest);
  const fetched = async (): Promise<void> => {
    if (!existsSync(paths.taken)) await fetchDatabase(options, manifest, paths.taken);
  };
  try {
    const listed = await listedOf(options, lists, paths);
    try {
      await fetched();
      return { ...(await buildListed(options, manifest, paths, listed, lists)), isListLost: false };
    } finally {
      listed.close();
    }
  } catch (error) {
    if (!(error instanceof ListLost) || repo.isExport === true) throw error;
  } finally {
    await rm(paths.listed, { force: true });
  }
  await fetched();
  const named = linesInDatabase(paths.taken);
  const listed = await listedOf(options, named, paths);
  try {
    return { ...(await buildListed(options, manifest, paths, listed, named)), isListLost: true };
  } finally {
    listed.close();
    await rm(paths.listed, { force: true });
  }
}

/** To be closed. Throws what reading the lines throws. */
async function listedOf({ signal }: RestoreOptions, lines: FileLines, paths: RestorePaths): Promise<ListedFiles> {
  const listed = createListedFiles(paths.listed);
  try {
    for await (const line of lines()) {
      signal?.throwIfAborted();
      listed.add(line);
    }
    return listed;
  } catch (error) {
    listed.close();
    throw error;
  }
}

async function buildListed(
  options: RestoreOptions,
  manifest: Manifest,
  paths: RestorePaths,
  listed: ListedFiles,
  lines: FileLines,
): Promise<Omit<Built, 'isListLost'>> {
  const { arrival, isAccepted } = await decideArrival(options, manifest, paths);
  await listed.nameBy(paths.taken);
  const root = join(paths.building, 'library');
  const lineCount = manifest.lists.reduce((sum, list) => sum + list.lines, 0);
  const storage = createLocalStorage({ root });
  const files = await fetchFiles({ ...options, lines, lineCount, listed, storage });
  const { lost, unnamed, damaged, copies } = files;
  if (damaged.length > 0 && !options.skipDamaged)
    throw new AppError('unavailable', damagedMessage(options.repo, damaged));
  markMissing(paths.taken, lost);
  await rm(join(root, 'tmp'), { recursive: true, force: true });
  if (manifest.keys) writeJsonFile(join(paths.building, 'secrets.json'), secretsOf(manifest.keys));
  const unlistedPacks = options.repo.unlistedPacks?.() ?? 0;
  return { lost, unnamed, unlistedPacks, copies, arrival, isAccepted, hasOwnKeys: keepKeys(paths) };
}

/** Notes what is decided, for the step that moves everything into place. */
async function decideArrival(
  options: RestoreOptions,
  manifest: Manifest,
  paths: RestorePaths,
): Promise<Pick<Restored, 'arrival' | 'isAccepted'>> {
  const { dataDir: data, repo, decide, musicDir } = options;
  const { id: snapshot, settings: written, keys } = manifest;
  const isImport = repo.isExport === true;
  const settings = readableSettings(written);
  const arrival = arrivalOf({ data, database: paths.taken, settings, isImport });
  const decision = await decide(arrival);
  if (decision === 'stop') {
    await rm(paths.taken);
    throw conflict('Nothing was changed.');
  }
  const isAccepted = !isImport && decision === 'accept';
  const choice = { arrival, isImport, isAccepted, hasKeys: keys !== null, settings, musicDir };
  const origin = originOf(options, manifest);
  writeState(paths, { snapshot, origin, step: 'building', aside: null, ...choice });
  return { arrival, isAccepted };
}

const damagedMessage = ({ name, isExport = false }: RestoreSource, damaged: string[]): string =>
  [
    `${damaged.length} files in the ${isExport ? `export ${name}` : 'backup'} are damaged or missing, so nothing was ` +
      `changed. ${isExport ? 'Use' : 'Try an earlier snapshot, or'} --skip-damaged to restore the rest:`,
    ...damaged.slice(0, SHOWN).map((key) => `  ${key}`),
    ...(damaged.length > SHOWN ? ['  …'] : []),
  ].join('\n');

const DAMAGED_DATABASE = 'The database is damaged, so nothing was changed. Try an earlier snapshot, or another copy.';

/** Only with the right hash; what is kept of it is a database of our own with the rows that it may bring. */
async function fetchDatabase(
  { repo, dataDir, progress, signal, workerUrl, migrationsDir, minFreeBytes }: RestoreOptions,
  { database }: Manifest,
  path: string,
): Promise<void> {
  const [foreign, part] = [`${path}.foreign`, `${path}.part`];
  // it is made anew beside what is fetched
  const space = await spaceIn(dataDir, minFreeBytes).reserve(database.size * 2);
  const whole = createHash('sha256');
  const file = await open(foreign, 'w', 0o600).catch((error: unknown) => {
    space.release();
    throw error;
  });
  try {
    let done = 0;
    for await (const chunk of arriving(piecesOf(), { size: database.size, space })) {
      signal?.throwIfAborted();
      progress((done += chunk.length), database.size, 'Fetching the database');
      whole.update(chunk);
      await file.writeFile(chunk);
    }
  } catch (cause) {
    throw isLost(cause) ? new AppError('unavailable', DAMAGED_DATABASE, { cause }) : cause;
  } finally {
    await file.close();
    space.release();
  }
  if (whole.digest('hex') !== database.sha256) throw new AppError('unavailable', DAMAGED_DATABASE);
  const scope = repo.isExport === true ? 'import' : 'backup';
  await takeDatabase(workerUrl, { from: foreign, to: part, migrationsDir, scope });
  await rm(foreign);
  await rename(part, path);

  async function* piecesOf(): AsyncGenerator<Buffer> {
    for (const hash of database.pieces ?? [database.sha256]) yield* repo.read(hash);
  }
}

function markMissing(database: string, keys: string[]): void {
  if (keys.length === 0) return;
  const db = new Database(database);
  try {
    const mark = db.prepare("UPDATE tracks SET availability = 'missing' WHERE storage_uri = ?");
    db.transaction(() => {
      for (const key of keys) mark.run(`${LOCAL_SCHEME}:${key}`);
    }).immediate();
  } finally {
    db.close();
  }
}
