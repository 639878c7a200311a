// Copies the files of an export: audio, covers and other files, each checked while it is copied.
import { createHash, type Hash } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { MainDb, Sqlite } from '../db/client.ts';
import { AppError } from '../errors.ts';
import type { Jobs } from '../jobs/service.ts';
import { type JobContext } from '../jobs/tasks.ts';
import type { PlaylistService } from '../playlists/service.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import type { Leases } from '../storage/leases.ts';
import { audioKey, hashInKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import { toFileUri, toUri } from '../storage/uri.ts';
import { listLibraryFiles } from './library-files.ts';
import { isWritten, writeWhole } from './export-files.ts';
import { numbered, safeName } from '../media/readable-names.ts';
import { toFileRef, type ExportPaths, type FileRef } from './export-paths.ts';
import { hashOfFile } from './referenced-files.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { ExportResult } from './wire.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

const MAX_CONCURRENT_COPIES = 4;

const MAX_LISTED_PROBLEMS = 20;

export interface ExportDeps {
  db: MainDb;
  storage: Storage;
  leases: Pick<Leases, 'leaseAll'>;
  audioStore: AudioStore;
  playlists: Pick<PlaylistService, 'get' | 'allEntries'>;
  jobs: Pick<Jobs, 'enqueue'>;
  tmpDir: string;
  databasePath: string;
  workerUrl: URL;
  version: string;
  now: () => Date;
  /**
   * Returns the folders that the server uses. An export is not written into them, because scans and backups would
   * include it.
   */
  ownFolders: () => string[];
}

export type Run = Pick<JobContext, 'signal' | 'progress'>;

/** One run of an export. `library` is the copy of the database, to which `paths` belong. */
export interface ExportRun {
  folder: string;
  library: Sqlite;
  paths: ExportPaths;
  result: ExportResult;
  run: Run;
}

export type Context = ReturnType<typeof createContext>;

export function createContext(deps: ExportDeps) {
  const {
    db,
    storage,
    leases,
    audioStore,
    playlists,
    jobs,
    tmpDir,
    databasePath,
    workerUrl,
    version,
    now,
    ownFolders,
  } = deps;
  return {
    db,
    storage,
    leases,
    audioStore,
    playlists,
    jobs,
    tmpDir,
    databasePath,
    workerUrl,
    version,
    now,
    ownFolders,
  };
}

/**
 * Copies a file unless it was copied before; returns the number of bytes written. The file is listed for an import if
 * its bytes match the hash. `listedHashes` has the hashes of the last export, for files of music folders.
 */
async function copyFile(
  context: Context,
  { folder, paths, result, run: { signal } }: ExportRun,
  { ref, uri, path, hash }: { ref: FileRef; uri: string; path: string; hash: string | undefined },
  listedHashes: ReadonlyMap<string, string>,
): Promise<number> {
  const file = await context.audioStore.resolve(uri);
  const { size, modifiedAt } = await file.stat();
  const filePath = join(folder, ...path.split('/'));
  const listFile = (sha256: string): void => {
    const key = ref.startsWith('own:') ? audioKey(sha256, extname(path)) : ref.slice('stored:'.length);
    paths.addFile(ref, { key, path, hash: sha256, size });
  };
  if (await isWritten(filePath, size, modifiedAt)) {
    listFile(hash ?? listedHashes.get(`${size} ${path}`) ?? (await hashOfFile(filePath, signal)));
    return 0;
  }
  const { stream } = await file.open();
  const hasher = createHash('sha256');
  try {
    const chunks = yieldBetweenChunks(stream as AsyncIterable<Buffer>, signal);
    const writtenBytes = await writeWhole(filePath, hashWhileReading(chunks, hasher), modifiedAt);
    const sha256 = hasher.digest('hex');
    if (hash === undefined || sha256.startsWith(hash)) listFile(hash ?? sha256);
    else {
      // with the present time the copy counts as outdated, and is written again when the original was repaired
      await utimes(filePath, context.now(), context.now());
      addProblem(result, `${path}: its bytes do not match their checksum`);
    }
    return writtenBytes;
  } finally {
    stream.destroy();
  }
}

export async function copyAudio(
  context: Context,
  work: ExportRun,
  listedHashes: ReadonlyMap<string, string>,
): Promise<void> {
  const { paths, result, run } = work;
  const total = paths.count();
  await forEachConcurrently(paths.listTracks(), MAX_CONCURRENT_COPIES, async ({ uri, path }) => {
    run.signal.throwIfAborted();
    const ref = toFileRef(uri);
    const hash = ref.startsWith('own:') ? undefined : hashInKey(ref);
    const bytes = await skipMissing(work, path, () =>
      copyFile(context, work, { ref, uri, path: `Music/${path}`, hash }, listedHashes),
    );
    if (bytes === undefined) result.without_audio++;
    else {
      result.tracks++;
      if (bytes > 0) result.written++;
      result.bytes_written += bytes;
    }
    run.progress(result.tracks + result.without_audio, total, 'Copying audio');
  });
}

/** Copies covers to their albums, pictures of artists to their folders, and the files in the trash. */
export async function copyOtherFiles(
  context: Context,
  work: ExportRun,
  copy: string,
  listedHashes: ReadonlyMap<string, string>,
): Promise<void> {
  const { library, paths, result, run } = work;
  const findAlbumId = library.prepare<[string], number>('SELECT album_id FROM album_covers WHERE key = ?').pluck();
  const findArtistName = library
    .prepare<[string], string>(
      `SELECT x.name FROM artist_pictures p JOIN artists x ON x.name_key = p.artist_key
          WHERE p.key = ? AND p.is_current = 1`,
    )
    .pluck();
  for await (const file of listLibraryFiles(copy)) {
    run.signal.throwIfAborted();
    const isStored = file.kind === 'stored';
    const ref: FileRef = isStored ? `stored:${file.key}` : `own:${file.path}`;
    if (paths.findFile(ref)) continue;
    const isPicture = isStored && file.fileType === 'cover';
    const album = isPicture ? paths.folderOfAlbum(findAlbumId.get(file.key) ?? 0) : undefined;
    const artist = isPicture ? findArtistName.get(file.key) : undefined;
    const folder = album ?? (artist === undefined ? undefined : safeName(artist, 'Unknown Artist'));
    const name = album === undefined ? 'artist' : 'cover';
    const trashName = isStored ? file.key : `files/${safeNames(file.path)}`;
    const path =
      folder === undefined
        ? `data/trash/${trashName}`
        : paths.reserveFreePath((n) => `Music/${folder}/${numbered(name, n)}${isStored ? extname(file.key) : ''}`);
    const uri = isStored ? toUri(context.storage, file.key) : toFileUri(file.path);
    const hash = isStored ? file.hash : undefined;
    const bytes = await skipMissing(work, path, () => copyFile(context, work, { ref, uri, path, hash }, listedHashes));
    if (bytes === undefined || bytes === 0) continue;
    result.written++;
    result.bytes_written += bytes;
  }
}

/** Runs the copying of a file. Returns undefined for a missing file, and reports it. */
async function skipMissing(
  { result }: ExportRun,
  path: string,
  copy: () => Promise<number>,
): Promise<number | undefined> {
  try {
    return await copy();
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'gone')) throw error;
    addProblem(result, `${path}: ${error.message}`);
    return undefined;
  }
}

async function* yieldBetweenChunks(source: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    signal.throwIfAborted();
    yield chunk;
    await yieldIfDue();
  }
}

export async function* hashWhileReading<T extends Buffer | string>(
  source: AsyncIterable<T>,
  sum: Hash,
): AsyncGenerator<T> {
  for await (const chunk of source) {
    sum.update(chunk);
    yield chunk;
  }
}

const safeNames = (path: string): string =>
  path
    .split('/')
    .map((name) => safeName(name, '_'))
    .join('/');

function addProblem(result: ExportResult, text: string): void {
  if (result.problems.length < MAX_LISTED_PROBLEMS) result.problems.push(text);
}
