// Fetches the files of a snapshot into a restored library: each is verified by its hash while it is written.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ZodError } from 'zod';
import { MAX_COVER_BYTES } from '../covers/picture.ts';
import { AppError } from '../errors.ts';
import { eachAtOnce } from '../runtime/concurrency.ts';
import { createArrivingSpace, type ArrivingSpace } from '../storage/arriving-space.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { pathBelow } from '../storage/file-names.ts';
import { diskUsage } from '../storage/local.ts';
import type { DiskUsage, Storage } from '../storage/storage.ts';
import { isCoverKey } from './column-rules.ts';
import { contentsOf } from './contents.ts';
import { DamagedObject } from './encryption.ts';
import type { RestoreSource } from './export-source.ts';
import type { ListedFiles } from './listed-files.ts';
import type { FileLine, Manifest, OwnLine, StoredLine } from './manifest.ts';
import { arriving } from './object-source.ts';

const AT_ONCE = 4;

interface FilesOptions {
  repo: RestoreSource;
  lines: FileLines;
  /** For the progress. */
  lineCount: number;
  listed: ListedFiles;
  /** Of the restored library. */
  storage: Storage;
  dataDir: string;
  /** The folder into which copies of files of music folders are written. */
  musicDir: string | undefined;
  minFreeBytes: number;
  progress: (done: number, total: number | null, message: string) => void;
  signal?: AbortSignal;
}

interface FetchedFiles {
  /** Files that are missing from the backup, or damaged in it. */
  lost: string[];
  damaged: string[];
  /** Files that no row names. */
  unnamed: number;
  copies: { there: number; written: number };
}

/** Throws `storage_full` before what is kept free on the disk would be used. */
export async function fetchFiles(options: FilesOptions): Promise<FetchedFiles> {
  const { repo, lines, lineCount, listed, storage, dataDir, musicDir, minFreeBytes, progress, signal } = options;
  const fetched: FetchedFiles = { lost: [], damaged: [], unnamed: 0, copies: { there: 0, written: 0 } };
  const space = await spaceIn(dataDir, minFreeBytes).reserve(
    Math.max(0, listed.bytes('stored') - (await bytesIn(storage))),
  );
  const ownSpace = await spaceIn(musicDir ?? dataDir, minFreeBytes).reserve(
    musicDir === undefined ? 0 : listed.bytes('own'),
  );
  let done = 0;

  try {
    await eachAtOnce(lines(), AT_ONCE, async (line) => {
      signal?.throwIfAborted();
      if (!listed.isNamed(line)) fetched.unnamed++;
      else if (line.kind === 'stored') await fetchObject(line);
      else if (line.isCopied && line.hash !== null) await fetchCopy(line, line.hash);
      progress(++done, lineCount, 'Fetching audio and covers');
    });
  } finally {
    space.release();
    ownSpace.release();
  }
  return fetched;

  async function fetchObject({ key, hash, size, isAbsent: isMissing }: StoredLine): Promise<void> {
    if (isMissing === true) return void fetched.lost.push(key);
    const stored = await storage.stat(key);
    if (stored && (size === null || stored.size === size)) return; // verified when it was written
    const most = isCoverKey(key) ? MAX_COVER_BYTES : Infinity;
    try {
      const bytes = arriving(repo.read(hash), { size: Math.min(size ?? most, most), space });
      await storage.put(key, Readable.from(bytes, { objectMode: false }), signal && { signal });
    } catch (error) {
      if (!isLost(error)) throw error;
      fetched.lost.push(key);
      fetched.damaged.push(key);
    }
  }

  /** Never overwrites a file. */
  async function fetchCopy({ path, size, mtimeMs }: OwnLine, hash: string): Promise<void> {
    fetched.copies.there++;
    if (musicDir === undefined) return;
    const place = pathBelow(musicDir, path);
    if (await isThere(place)) return;
    try {
      await writeCopy(place, arriving(repo.read(hash), { size: size ?? Infinity, space: ownSpace }), mtimeMs);
      fetched.copies.written++;
    } catch (error) {
      if (!isLost(error)) throw error;
      fetched.damaged.push(path);
    }
  }
}

/** Can be read again from the beginning. */
export type FileLines = () => AsyncIterable<FileLine>;

/** The list of files is missing from the backup, or damaged in it. */
export class ListLost extends AppError {
  constructor(cause: unknown) {
    const message = 'The list of files is damaged, so nothing was changed. Try an earlier snapshot, or another copy.';
    super('unavailable', message, { cause });
  }
}

/** The lines of all lists. Throws ListLost. */
export const linesOf = (repo: RestoreSource, manifest: Manifest): FileLines =>
  async function* () {
    try {
      yield* repo.readFiles(manifest);
    } catch (cause) {
      throw isLost(cause) || cause instanceof ZodError || cause instanceof SyntaxError ? new ListLost(cause) : cause;
    }
  };

/**
 * What the database names, where the list is lost: stored audio and covers. Copies of files of music folders stand on
 * the list alone.
 */
export const linesInDatabase = (database: string): FileLines =>
  async function* () {
    for await (const content of contentsOf(database)) {
      const { kind, hash, size } = content;
      if (kind === 'stored') yield { kind, key: content.key, hash, size };
    }
  };

export const isLost = (error: unknown): boolean =>
  error instanceof DamagedObject || (error instanceof AppError && error.code === 'not_found');

/** Space on the disk of a folder, beside MIN_FREE_BYTES. */
export const spaceIn = (folder: string, minFreeBytes: number): ArrivingSpace =>
  spaceOn(`The disk of ${folder}`, () => diskUsage(folder), minFreeBytes);

/** `name` begins a sentence. */
export const spaceOn = (name: string, disk: () => Promise<DiskUsage | null>, minFreeBytes: number): ArrivingSpace =>
  createArrivingSpace({
    disks: async () => [await disk()],
    minFreeBytes: () => minFreeBytes,
    reclaimableBytes: () => 0,
    reclaim: () => Promise.resolve(),
    createFullError: () =>
      new AppError(
        'storage_full',
        `${name} has no room for what is restored: ${minFreeBytes} bytes are kept free ` +
          '(MIN_FREE_BYTES). Free some space and try again.',
      ),
  });

/** What an interrupted attempt has fetched already. */
async function bytesIn(storage: Storage): Promise<number> {
  let bytes = 0;
  for await (const { size } of storage.list('')) bytes += size;
  return bytes;
}

const isThere = (place: string | Buffer): Promise<boolean> =>
  lstat(place).then(
    () => true,
    (error: unknown) => {
      if (isAbsent(error)) return false;
      throw error;
    },
  );

/** Under another name, in the same folder, until it is complete. */
async function writeCopy(place: string | Buffer, source: AsyncIterable<Buffer>, mtimeMs: number | null): Promise<void> {
  const name = Buffer.from(place);
  const folder = name.subarray(0, Math.max(name.lastIndexOf(0x2f), name.lastIndexOf(0x5c)) + 1);
  const part = Buffer.concat([folder, Buffer.from(`.tonearm-${randomBytes(8).toString('hex')}.part`)]);
  mkdirSync(folder, { recursive: true });
  const file = await open(part, 'wx');
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
