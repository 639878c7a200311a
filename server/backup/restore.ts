// Restores a library from a backup or an export: fetches and checks the database, verifies each file by its hash, and
// only then moves everything into place. Needs no server.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Database from 'better-sqlite3';
import { ZodError } from 'zod';
import { writeJsonFile } from '../config/json-file.ts';
import { lockDataFolder } from '../db/data-lock.ts';
import { AppError, conflict } from '../errors.ts';
import { createLocalStorage } from '../storage/local.ts';
import { hashInKey, isKey } from '../storage/local-paths.ts';
import { pathBelow } from '../storage/file-names.ts';
import type { Storage } from '../storage/storage.ts';
import type { Arrival } from './arrival-wire.ts';
import { arrivalOf } from './arrival.ts';
import { DamagedObject } from './encryption.ts';
import type { FileLine, Manifest, OwnLine, StoredLine } from './manifest.ts';
import { eachAtOnce } from '../runtime/concurrency.ts';
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
  type RestorePaths,
} from './restore-state.ts';
import { keepKeys } from './settled-arrival.ts';
import { takeDatabase } from './snapshot-thread.ts';
import { LOCAL_SCHEME } from '../storage/uri.ts';

const AT_ONCE = 4;
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
    const { isAccepted, arrival = NOTHING } = state;
    if (state.snapshot === manifest.id)
      return { ...restored, arrival, isAccepted, lost: [], copies: { there: 0, written: 0 }, hasOwnKeys: false };
    throw conflict(
      `A restore of the snapshot ${state.snapshot} into ${dataDir} was interrupted. Finish it first with ` +
        `--snapshot ${state.snapshot}.`,
    );
  }
  if (!options.replace && (await contentsOfFolder(dataDir)).length > 0)
    throw conflict(`${dataDir} is not empty. Choose another --data-dir, or use --replace to move its contents aside.`);
  if (state?.snapshot !== manifest.id) await forgetRestore(paths);
  writeState(paths, { snapshot: manifest.id, step: 'building', aside: null });
  try {
    return { ...restored, ...(await build(options, manifest, paths)) };
  } catch (error) {
    if (!existsSync(paths.taken)) await forgetRestore(paths); // nothing to go on with
    throw error;
  }
}

const NOTHING: Arrival = { people: [], settings: [], folders: [], has_accounts: false };

type Built = Pick<Restored, 'lost' | 'copies' | 'hasOwnKeys' | 'arrival' | 'isAccepted'>;

async function build(options: RestoreOptions, manifest: Manifest, paths: RestorePaths): Promise<Built> {
  mkdirSync(paths.building, { recursive: true });
  if (!existsSync(paths.taken)) {
    await assertLists(options, manifest); // before anything is kept of it
    await fetchDatabase(options, manifest, paths.taken);
  }
  const { arrival, isAccepted } = await decideArrival(options, manifest, paths);
  const root = join(paths.building, 'library');
  const { lost, damaged, copies } = await fetchFiles(options, manifest, createLocalStorage({ root }));
  if (damaged.length > 0 && !options.skipDamaged)
    throw new AppError('unavailable', damagedMessage(options.repo, damaged));
  markMissing(paths.taken, lost);
  await rm(join(root, 'tmp'), { recursive: true, force: true });
  if (manifest.keys) writeJsonFile(join(paths.building, 'secrets.json'), secretsOf(manifest.keys));
  return { lost, copies, arrival, isAccepted, hasOwnKeys: keepKeys(paths) };
}

/** Notes what is decided, for the step that moves everything into place. */
async function decideArrival(
  { dataDir: data, repo, decide, musicDir }: RestoreOptions,
  { id: snapshot, settings: written, keys }: Manifest,
  paths: RestorePaths,
): Promise<Pick<Restored, 'arrival' | 'isAccepted'>> {
  const isImport = repo.isExport === true;
  const settings = readableSettings(written);
  const arrival = arrivalOf({ data, database: paths.taken, settings, isImport });
  const decision = await decide(arrival);
  if (decision === 'stop') {
    await forgetRestore(paths);
    throw conflict('Nothing was changed.');
  }
  const isAccepted = !isImport && decision === 'accept';
  const choice = { arrival, isImport, isAccepted, hasKeys: keys !== null, settings, musicDir };
  writeState(paths, { snapshot, step: 'building', aside: null, ...choice });
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
  { repo, progress, signal, workerUrl, migrationsDir }: RestoreOptions,
  { database }: Manifest,
  path: string,
): Promise<void> {
  const [foreign, part] = [`${path}.foreign`, `${path}.part`];
  const whole = createHash('sha256');
  const file = await open(foreign, 'w', 0o600);
  try {
    let done = 0;
    for (const hash of database.pieces ?? [database.sha256])
      for await (const chunk of repo.read(hash)) {
        signal?.throwIfAborted();
        done += chunk.length;
        if (done > database.size) throw new DamagedObject('it is larger than it should be');
        progress(done, database.size, 'Fetching the database');
        whole.update(chunk);
        await file.writeFile(chunk);
      }
  } catch (cause) {
    throw isLost(cause) ? new AppError('unavailable', DAMAGED_DATABASE, { cause }) : cause;
  } finally {
    await file.close();
  }
  if (whole.digest('hex') !== database.sha256) throw new AppError('unavailable', DAMAGED_DATABASE);
  const scope = repo.isExport === true ? 'import' : 'backup';
  await takeDatabase(workerUrl, { from: foreign, to: part, migrationsDir, scope });
  await rm(foreign);
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

/** Audio is named by its content; beside it there are only pictures. Nothing else of the storage is written. */
function assertStoredKey(key: string, hash: string): void {
  const isAudio = key.startsWith('audio/') && hashInKey(key) === hash;
  if (isKey(key) && (isAudio || key.startsWith('covers/'))) return;
  throw new AppError(
    'unavailable',
    `The list of files names ${JSON.stringify(key)}, which is no place of audio or covers.`,
  );
}

async function assertLists({ repo, signal }: RestoreOptions, manifest: Manifest): Promise<void> {
  for await (const line of linesOf(repo, manifest)) {
    signal?.throwIfAborted();
    if (line.kind === 'stored') assertStoredKey(line.key, line.hash);
  }
}

async function* linesOf(repo: RestoreSource, manifest: Manifest): AsyncGenerator<FileLine> {
  try {
    yield* repo.readFiles(manifest);
  } catch (cause) {
    throw isLost(cause) || cause instanceof ZodError || cause instanceof SyntaxError
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
