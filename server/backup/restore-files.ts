// Fetches the files of a snapshot into a restored library. Each file is verified by its hash while it is written.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ZodError } from 'zod';
import { MAX_COVER_BYTES } from '../covers/picture.ts';
import { AppError } from '../errors.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { createArrivingSpace, type ArrivingSpace } from '../storage/arriving-space.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { pathBelow } from '../storage/file-names.ts';
import { diskUsage } from '../storage/local.ts';
import type { DiskUsage, Storage } from '../storage/storage.ts';
import { isCoverKey } from './column-rules.ts';
import { listLibraryFiles } from './library-files.ts';
import { DamagedObject } from './encryption.ts';
import type { RestoreSource } from './export-source.ts';
import type { ListedFiles } from './listed-files.ts';
import type { FileLine, Manifest, OwnLine, StoredLine } from './manifest.ts';
import { limitBytes } from './object-source.ts';

const MAX_CONCURRENT_FILES = 4;

interface FilesOptions {
  repo: RestoreSource;
  lines: FileLines;
  /** Number of lines in `lines`, for the progress. */
  lineCount: number;
  listedFiles: ListedFiles;
  /** Storage of the restored library. */
  storage: Storage;
  dataDir: string;
  /** The folder into which copies of files of music folders are written. */
  musicDir: string | undefined;
  minFreeBytes: number;
  progress: (done: number, total: number | null, message: string) => void;
  signal?: AbortSignal;
}

interface FetchedFiles {
  /** Files that could not be restored: they are missing from the backup, or damaged in it. */
  lost: string[];
  damaged: string[];
  /** Number of listed files that no row of the database names. */
  unnamed: number;
  copies: { total: number; written: number };
}

/** Fetches all listed files. Throws `storage_full` before the free space would fall below `minFreeBytes`. */
export async function fetchFiles(options: FilesOptions): Promise<FetchedFiles> {
  const { repo, lines, lineCount, listedFiles, storage, dataDir, musicDir, minFreeBytes, progress, signal } = options;
  const result: FetchedFiles = { lost: [], damaged: [], unnamed: 0, copies: { total: 0, written: 0 } };
  const space = await spaceOfFolder(dataDir, minFreeBytes).reserve(
    Math.max(0, listedFiles.countBytes('stored') - (await countStoredBytes(storage))),
  );
  const copySpace = await spaceOfFolder(musicDir ?? dataDir, minFreeBytes).reserve(
    musicDir === undefined ? 0 : listedFiles.countBytes('own'),
  );
  let done = 0;

  try {
    await forEachConcurrently(lines(), MAX_CONCURRENT_FILES, async (line) => {
      signal?.throwIfAborted();
      if (!listedFiles.isNamed(line)) result.unnamed++;
      else if (line.kind === 'stored') await fetchObject(line);
      else if (line.isCopied && line.hash !== null) await fetchCopy(line, line.hash);
      progress(++done, lineCount, 'Fetching audio and covers');
    });
  } finally {
    space.release();
    copySpace.release();
  }
  return result;

  async function fetchObject({ key, hash, size, isAbsent: isMissing }: StoredLine): Promise<void> {
    if (isMissing === true) return void result.lost.push(key);
    const objectStat = await storage.stat(key);
    // an earlier attempt has fetched and verified the object
    if (objectStat && (size === null || objectStat.size === size)) return;
    const maxBytes = isCoverKey(key) ? MAX_COVER_BYTES : Infinity;
    try {
      const bytes = limitBytes(repo.read(hash), { size: Math.min(size ?? maxBytes, maxBytes), space });
      await storage.put(key, Readable.from(bytes, { objectMode: false }), signal && { signal });
    } catch (error) {
      if (!isLostOrDamaged(error)) throw error;
      result.lost.push(key);
      result.damaged.push(key);
    }
  }

  /** Writes a copy of a file of a music folder. Never overwrites a file. */
  async function fetchCopy({ path, size, mtimeMs }: OwnLine, hash: string): Promise<void> {
    result.copies.total++;
    if (musicDir === undefined) return;
    const filePath = pathBelow(musicDir, path);
    if (await exists(filePath)) return;
    try {
      await writeCopy(filePath, limitBytes(repo.read(hash), { size: size ?? Infinity, space: copySpace }), mtimeMs);
      result.copies.written++;
    } catch (error) {
      if (!isLostOrDamaged(error)) throw error;
      result.damaged.push(path);
    }
  }
}

/** Returns the lines of the lists; each call reads them from the beginning. */
export type FileLines = () => AsyncIterable<FileLine>;

/** Thrown when the list of files is missing from the backup, or damaged in it. */
export class ListLostError extends AppError {
  constructor(cause: unknown) {
    const message = 'The list of files is damaged, so nothing was changed. Try an earlier snapshot, or another copy.';
    super('unavailable', message, { cause });
  }
}

/** Reads the lines of all lists. Throws ListLostError. */
export const readFileLines = (repo: RestoreSource, manifest: Manifest): FileLines =>
  async function* () {
    try {
      yield* repo.readFiles(manifest);
    } catch (cause) {
      throw isLostOrDamaged(cause) || cause instanceof ZodError || cause instanceof SyntaxError
        ? new ListLostError(cause)
        : cause;
    }
  };

/**
 * Returns lines that replace a lost list: the stored audio and covers that the database names. Copies of files of music
 * folders are left out, because only the list has them.
 */
export const linesFromDatabase = (database: string): FileLines =>
  async function* () {
    for await (const file of listLibraryFiles(database)) {
      const { kind, hash, size } = file;
      if (kind === 'stored') yield { kind, key: file.key, hash, size };
    }
  };

export const isLostOrDamaged = (error: unknown): boolean =>
  error instanceof DamagedObject || (error instanceof AppError && error.code === 'not_found');

/** Reserves space on the disk of a folder, so that `minFreeBytes` stay free. */
export const spaceOfFolder = (folder: string, minFreeBytes: number): ArrivingSpace =>
  spaceOfDisk(`The disk of ${folder}`, () => diskUsage(folder), minFreeBytes);

/** Reserves space on a disk. `name` names the disk at the beginning of a sentence. */
export const spaceOfDisk = (name: string, disk: () => Promise<DiskUsage | null>, minFreeBytes: number): ArrivingSpace =>
  createArrivingSpace({
    disks: async () => [await disk()],
    minFreeBytes: () => minFreeBytes,
    reclaimableBytes: () => 0,
    reclaim: () => Promise.resolve(),
    createFullError: () =>
      new AppError(
        'storage_full',
        `${name} does not have enough space for the restore: ${minFreeBytes} bytes are kept free ` +
          '(MIN_FREE_BYTES). Free some space and try again.',
      ),
  });

/** Returns the number of bytes that an interrupted attempt has already fetched. */
async function countStoredBytes(storage: Storage): Promise<number> {
  let bytes = 0;
  for await (const { size } of storage.list('')) bytes += size;
  return bytes;
}

const exists = (path: string | Buffer): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if (isAbsent(error)) return false;
      throw error;
    },
  );

/** Writes a file under another name in the same folder until it is complete. */
async function writeCopy(
  filePath: string | Buffer,
  source: AsyncIterable<Buffer>,
  mtimeMs: number | null,
): Promise<void> {
  const targetPath = Buffer.from(filePath);
  const folder = targetPath.subarray(0, Math.max(targetPath.lastIndexOf(0x2f), targetPath.lastIndexOf(0x5c)) + 1);
  const partPath = Buffer.concat([folder, Buffer.from(`.tonearm-${randomBytes(8).toString('hex')}.part`)]);
  mkdirSync(folder, { recursive: true });
  const file = await open(partPath, 'wx');
  try {
    for await (const chunk of source) await file.writeFile(chunk);
    await file.sync();
    if (mtimeMs !== null) await file.utimes(new Date(), new Date(mtimeMs));
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(partPath, targetPath);
}
