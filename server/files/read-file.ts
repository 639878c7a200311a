// Reads the properties and tags of a file in the reading thread; in copy mode copies it while hashing. Small files are
// read only once, and then parsed, hashed and written from memory.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { isDiskFull } from '../errors.ts';
import { openByteSource, type OpenByteSource } from '../media/byte-source.ts';
import { readAudio, readAudioSync } from '../media/read.ts';
import { hashPayload } from '../media/payload-hash.ts';
import { UnreadableAudio, type AudioRead } from '../media/types.ts';
import { isSameStamp, stampOf, type FileStamp } from './file-stamp.ts';
import { isAbsent } from '../storage/file-errors.ts';

/** Where the copy of a file is written. Its final name, the hash of its content, is not known before. */
interface CopyTarget {
  /** Opens a new temporary file. */
  openTemp(): { fd: number; path: string };
  /**
   * Clones a file to a temporary file, and opens the clone for reading. Returns undefined if the file system cannot
   * clone.
   */
  cloneTemp(path: string | Buffer, device: number): { fd: number; path: string } | undefined;
}

/**
 * Used instead of a hash if the audio cannot be separated from the rest of the file. It never counts as equal to
 * another hash.
 */
export const NO_HASH = '-';

export interface ReadFile {
  content: AudioRead;
  sizeBytes: number;
  /** Hash of the payload; null if hashing was postponed. */
  audioHash: string | null;
  /** The copy in copy mode, written but not flushed; `fd` is still open. */
  copy?: { fd: number; tempPath: string; sha256: string };
  /** Hash of the whole file, if it was requested without a copy. */
  sha256?: string;
}

/** What a thread is doing, which distinguishes a parser that hangs from a long copy. */
type Stage = 'parsing' | 'copying';

/** Files up to this size are read as a whole in any case. */
const SMALL_FILE_BYTES = 1 << 20;
const COPY_CHUNK_BYTES = 256 << 10; // the window size of a ByteSource

/** Size and time of a file when it was listed. */
export interface ListedFile extends FileStamp {
  /** Id of the device on which the file is. */
  dev?: number;
}

/** Thrown when the file is still being written. */
export class FileChangingError extends Error {}

interface ReadOptions {
  copyTarget: CopyTarget | undefined;
  /** The size and time that the file must have before and after it is read. */
  listedFile?: ListedFile | undefined;
  /** Whether to hash the payload of large files, too, which means reading the whole file. */
  hashLarge: boolean;
  /** Whether to hash the whole file, as a copy does. */
  hashWholeFile?: boolean;
  onStage: (stage: Stage) => void;
}

/**
 * Reads a file. Throws FileChangingError when size or time differ from the listing, UnreadableAudio when the file is
 * not audio, and system errors when it cannot be read or the copy cannot be written.
 */
export async function readFile(path: string | Buffer, options: ReadOptions): Promise<ReadFile> {
  const { listedFile } = options;
  try {
    return await readWhole(path, options);
  } catch (error) {
    if (error instanceof FileChangingError || !listedFile || isDiskFull(error) || mayMatchListing(path, listedFile))
      throw error;
  }
  throw new FileChangingError();
}

/**
 * Returns whether the file is as listed. The size alone is not enough: some programs set a file's length before they
 * write its first byte.
 */
const matchesListing = (stat: fs.Stats, listed: FileStamp): boolean => isSameStamp(stampOf(stat), listed);

/** Returns whether the file at the path is as listed. False for a file that no longer exists. */
function mayMatchListing(path: string | Buffer, listed: ListedFile): boolean {
  try {
    return matchesListing(fs.statSync(path), listed);
  } catch (error) {
    return !isAbsent(error); // other errors are reported when the file is read
  }
}

async function readWhole(
  path: string | Buffer,
  { copyTarget, listedFile, hashLarge, hashWholeFile, onStage }: ReadOptions,
): Promise<ReadFile> {
  onStage('parsing');
  const source = openByteSource(path);
  try {
    if (source.size === 0) throw new UnreadableAudio('the file is empty');
    const content = readAudioSync(source) ?? (await readAudio(source));
    onStage('copying');
    const audioHash =
      copyTarget || hashWholeFile || hashLarge || source.size <= SMALL_FILE_BYTES
        ? (hashPayload(source, content.facts) ?? NO_HASH)
        : null;
    const clone = listedFile?.dev === undefined ? undefined : copyTarget?.cloneTemp(path, listedFile.dev);
    const copy = copyTarget && copyHashed(source, copyTarget, clone);
    const sha256 = hashWholeFile ? hashChunks(source, () => {}) : undefined;
    // The open file is compared. If another file has replaced it at its path, the next scan notices, unless the clone
    // was made of that other file; so then the path is compared, too.
    if (listedFile && !(matchesListing(source.stat(), listedFile) && (!clone || mayMatchListing(path, listedFile)))) {
      if (copy) discard(copy);
      throw new FileChangingError();
    }
    return {
      content,
      sizeBytes: source.size,
      audioHash,
      ...(copy && { copy }),
      ...(sha256 !== undefined && { sha256 }),
    };
  } finally {
    source.close();
  }
}

/** Copies and hashes a file in one pass, four times as fast as fs.copyFile on large files. A clone is only hashed. */
function copyHashed(
  source: OpenByteSource,
  target: CopyTarget,
  clone: { fd: number; path: string } | undefined,
): NonNullable<ReadFile['copy']> {
  const { fd, path: tempPath } = clone ?? target.openTemp();
  try {
    return {
      fd,
      tempPath,
      sha256: hashChunks(source, (bytes) => {
        if (!clone) writeFully(fd, bytes);
      }),
    };
  } catch (error) {
    discard({ fd, tempPath });
    throw error;
  }
}

/** Returns the SHA-256 of the whole file; calls `onChunk` for each chunk. */
function hashChunks(source: OpenByteSource, onChunk: (bytes: Uint8Array) => void): string {
  const hash = createHash('sha256');
  for (let position = 0; position < source.size;) {
    const bytes = source.read(position, COPY_CHUNK_BYTES);
    if (bytes.length === 0) throw new UnreadableAudio('the file became shorter while it was read');
    hash.update(bytes);
    onChunk(bytes);
    position += bytes.length;
  }
  return hash.digest('hex');
}

function discard({ fd, tempPath }: { fd: number; tempPath: string }): void {
  fs.closeSync(fd);
  fs.rmSync(tempPath, { force: true });
}

function writeFully(fd: number, bytes: Uint8Array): void {
  for (let writtenBytes = 0; writtenBytes < bytes.length;)
    writtenBytes += fs.writeSync(fd, bytes, writtenBytes, bytes.length - writtenBytes);
}
