// Restores a library from a backup or an export: fetches and checks the database, verifies each file by its hash, and
// only then moves everything into place. Needs no server.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Database from 'better-sqlite3';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import type { SecretName } from '../config/secret-store.ts';
import { lockDataFolder } from '../db/data-lock.ts';
import { assertOurs } from '../db/migrate.ts';
import { AppError, conflict } from '../errors.ts';
import { createLocalStorage } from '../storage/local.ts';
import { pathBelow } from '../storage/file-names.ts';
import type { Storage } from '../storage/storage.ts';
import { DamagedObject } from './encryption.ts';
import type { FileLine, Manifest, OwnLine, StoredLine } from './manifest.ts';
import { eachAtOnce } from '../runtime/concurrency.ts';
import { makeFolder } from '../runtime/folders.ts';
import { leasedForReading } from './lease.ts';
import type { RestoreSource } from './export-source.ts';
import { keepAccounts } from './kept-accounts.ts';
import {
  asideName,
  contentsOfFolder,
  isUntouched,
  readState,
  restorePaths,
  switchOver,
  writeState,
  type RestorePaths,
} from './restore-state.ts';
import { isSoundDatabase } from './snapshot-thread.ts';
import { LOCAL_SCHEME } from '../storage/uri.ts';

const AT_ONCE = 4;
const SHOWN = 10;
/** Settings that belong to the machine of the backup. */
const NOT_RESTORED = ['STORAGE_ROOT', 'STORAGE_BACKEND'];

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
  /** Cancels; the next attempt resumes. */
  signal?: AbortSignal;
  progress: (done: number, total: number | null, message: string) => void;
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
  /** The folder of the replaced library. */
  aside: string | undefined;
}

/**
 * Throws an AppError with nothing changed in place when anything cannot be restored: `not_found` without a snapshot,
 * `conflict` when the folder is not empty, `unavailable` for a damaged backup. The next attempt resumes.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { dataDir, now } = options;
  const chosen = await choose(options);
  makeFolder(dataDir, { name: 'The data folder', remedy: 'Choose another one with --data-dir.' });
  const unlock = lockDataFolder(join(dataDir, 'tonearm.lock'), dataDir);
  try {
    const restored = await buildLeased(options, chosen);
    options.progress(1, 1, 'Moving everything into place');
    return { ...restored, aside: await switchOver(restorePaths(dataDir), asideName(now())) };
  } finally {
    unlock();
  }
}

/** The same for the folder of a running server; its next start moves everything into place. */
export async function restoreAtNextStart(options: RestoreOptions): Promise<Restored> {
  const restored = await buildLeased(options, await choose(options));
  const { isExport: isImport } = options.repo;
  writeState(restorePaths(options.dataDir), { snapshot: restored.snapshot, step: 'ready', aside: null, isImport });
  return restored;
}

async function choose({ repo, snapshot }: RestoreOptions): Promise<Manifest> {
  const id = snapshot ?? (await repo.snapshotIds())[0];
  if (id === undefined) throw new AppError('not_found', `The backup in ${repo.name} has no complete snapshot.`);
  return repo.readSnapshot(id);
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
    if (state.snapshot === manifest.id)
      return { ...restored, lost: [], copies: { there: 0, written: 0 }, hasOwnKeys: false };
    throw conflict(
      `A restore of the snapshot ${state.snapshot} into ${dataDir} was interrupted. Finish it first with ` +
        `--snapshot ${state.snapshot}.`,
    );
  }
  if (!options.replace && (await contentsOfFolder(dataDir)).length > 0)
    throw conflict(`${dataDir} is not empty. Choose another --data-dir, or use --replace to move its contents aside.`);
  if (state?.snapshot !== manifest.id) await rm(paths.building, { recursive: true, force: true });
  writeState(paths, { snapshot: manifest.id, step: 'building', aside: null });
  return { ...restored, ...(await build(options, manifest, paths)) };
}

async function build(
  options: RestoreOptions,
  manifest: Manifest,
  paths: RestorePaths,
): Promise<Pick<Restored, 'lost' | 'copies' | 'hasOwnKeys'>> {
  mkdirSync(paths.building, { recursive: true });
  const database = join(paths.building, 'tonearm.db');
  if (!existsSync(database)) await fetchDatabase(options, manifest, database);
  if (options.repo.isExport === true) keepAccounts(join(options.dataDir, 'tonearm.db'), database);
  const root = join(paths.building, 'library');
  const { lost, damaged, copies } = await fetchFiles(options, manifest, createLocalStorage({ root }));
  if (damaged.length > 0 && !options.skipDamaged)
    throw new AppError('unavailable', damagedMessage(options.repo, damaged));
  markMissing(database, lost);
  await rm(join(root, 'tmp'), { recursive: true, force: true });
  writeSettings(options, manifest, paths.building);
  return { lost, copies, hasOwnKeys: keepKeys(options, manifest, paths.building) };
}

function assertSafe(database: string, migrationsDir: string): void {
  const db = new Database(database, { readonly: true });
  try {
    assertOurs(db, migrationsDir);
  } finally {
    db.close();
  }
}

const damagedMessage = ({ name, isExport = false }: RestoreSource, damaged: string[]): string =>
  [
    `${damaged.length} files in the ${isExport ? `export ${name}` : 'backup'} are damaged or missing, so nothing was ` +
      `changed. ${isExport ? 'Use' : 'Try an earlier snapshot, or'} --skip-damaged to restore the rest:`,
    ...damaged.slice(0, SHOWN).map((key) => `  ${key}`),
    ...(damaged.length > SHOWN ? ['  …'] : []),
  ].join('\n');

/** Gets its name only when it is complete, has the right hash, and passes SQLite's integrity check. */
async function fetchDatabase(
  { repo, progress, signal, workerUrl, migrationsDir }: RestoreOptions,
  { database }: Manifest,
  path: string,
): Promise<void> {
  const part = `${path}.part`;
  const whole = createHash('sha256');
  const file = await open(part, 'w');
  try {
    let done = 0;
    for (const hash of database.pieces ?? [database.sha256])
      for await (const chunk of repo.read(hash)) {
        signal?.throwIfAborted();
        progress((done += chunk.length), database.size, 'Fetching the database');
        whole.update(chunk);
        await file.writeFile(chunk);
      }
    await file.sync();
  } catch (cause) {
    throw isLost(cause)
      ? new AppError(
          'unavailable',
          'The database is damaged, so nothing was changed. Try an earlier snapshot, or another copy.',
          { cause },
        )
      : cause;
  } finally {
    await file.close();
  }
  if (whole.digest('hex') !== database.sha256 || !(await isSoundDatabase(workerUrl, part)))
    throw new AppError(
      'unavailable',
      'The database is damaged, so nothing was changed. Try an earlier snapshot, or another copy.',
    );
  if (repo.isExport === true) assertSafe(part, migrationsDir);
  await rename(part, path);
}

async function fetchFiles({ repo, musicDir, progress, signal }: RestoreOptions, manifest: Manifest, storage: Storage) {
  const total = manifest.lists.reduce((sum, { lines }) => sum + lines, 0);
  const [lost, damaged]: [string[], string[]] = [[], []];
  const copies = { there: 0, written: 0 };
  let done = 0;

  await eachAtOnce(linesOf(repo, manifest), AT_ONCE, async (line) => {
    signal?.throwIfAborted();
    if (line.kind === 'stored') await fetchObject(line);
    else if (line.isCopied && line.hash !== null) await fetchCopy(line, line.hash);
    progress(++done, total, 'Fetching audio and covers');
  });
  return { lost, damaged, copies };

  async function fetchObject({ key, hash, size, isAbsent }: StoredLine): Promise<void> {
    if (isAbsent === true) return void lost.push(key);
    const there = await storage.stat(key);
    if (there && (size === null || there.size === size)) return; // verified when it was written
    try {
      await storage.put(key, Readable.from(repo.read(hash), { objectMode: false }), signal && { signal });
    } catch (error) {
      if (!isLost(error)) throw error;
      lost.push(key);
      damaged.push(key);
    }
  }

  /** Never overwrites a file. */
  async function fetchCopy({ path, mtimeMs }: OwnLine, hash: string): Promise<void> {
    copies.there++;
    if (musicDir === undefined || path.split('/').includes('..')) return;
    const place = pathBelow(musicDir, path);
    if (
      await stat(place).then(
        () => true,
        () => false,
      )
    )
      return;
    try {
      await writeCopy(place, repo.read(hash), mtimeMs);
      copies.written++;
    } catch (error) {
      if (!isLost(error)) throw error;
      damaged.push(path);
    }
  }
}

async function* linesOf(repo: RestoreSource, manifest: Manifest): AsyncGenerator<FileLine> {
  try {
    yield* repo.readFiles(manifest);
  } catch (cause) {
    throw isLost(cause)
      ? new AppError(
          'unavailable',
          'The list of files is damaged, so nothing was changed. Try an earlier snapshot, or another copy.',
          { cause },
        )
      : cause;
  }
}

async function writeCopy(place: string | Buffer, source: AsyncIterable<Buffer>, mtimeMs: number | null): Promise<void> {
  const name = Buffer.from(place);
  const part = Buffer.concat([name, Buffer.from('.part')]);
  mkdirSync(name.subarray(0, Math.max(name.lastIndexOf(0x2f), name.lastIndexOf(0x5c))), { recursive: true });
  const file = await open(part, 'w');
  try {
    for await (const chunk of source) await file.writeFile(chunk);
    await file.sync();
    if (mtimeMs !== null) await file.utimes(new Date(), new Date(mtimeMs));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(part, name);
}

const isLost = (error: unknown): boolean =>
  error instanceof DamagedObject || (error instanceof AppError && error.code === 'not_found');

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

/** Keeps the keys of the replaced library when the backup has none, so that sign-ins and app passwords keep working. */
function keepKeys({ dataDir }: RestoreOptions, { keys }: Manifest, folder: string): boolean {
  const own = join(dataDir, 'secrets.json');
  if (keys !== null || !existsSync(own)) return false;
  copyFileSync(own, join(folder, 'secrets.json'));
  return true;
}

function writeSettings({ musicDir, repo, dataDir }: RestoreOptions, manifest: Manifest, folder: string): void {
  const { keys } = manifest;
  // an export has none, and those of this machine go on
  const settings = repo.isExport === true ? readJsonFile(join(dataDir, 'settings.json')) : manifest.settings;
  const kept = Object.entries(settings).filter(
    ([name]) =>
      !NOT_RESTORED.includes(name.toUpperCase()) &&
      !(musicDir !== undefined && name.toUpperCase() === 'LOCAL_MEDIA_IMPORT_PATH'),
  );
  writeJsonFile(join(folder, 'settings.json'), {
    ...Object.fromEntries(kept),
    ...(musicDir !== undefined && { local_media_import_path: musicDir }),
  });
  if (!keys) return;
  const secretSettings = Object.fromEntries(
    Object.entries(keys.settings).map(([name, value]) => [`setting.${name.toLowerCase()}` satisfies SecretName, value]),
  );
  writeJsonFile(join(folder, 'secrets.json'), {
    ...secretSettings,
    JWT_SECRET: keys.jwt_secret,
    COMPAT_SECRET_KEY: keys.compat_secret_key,
  });
}
