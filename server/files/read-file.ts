// Reads the properties and tags of a file in the reading thread; in copy mode copies it while hashing. Small files are
// read once, to be parsed, hashed and written.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { isDiskFull } from '../errors.ts';
import { openByteSource, type OpenByteSource } from '../media/byte-source.ts';
import { readAudio, readAudioSync } from '../media/read.ts';
import { hashPayload } from '../media/payload-hash.ts';
import { UnreadableAudio, type AudioRead } from '../media/types.ts';
import { isSameStamp, stampOf, type FileStamp } from './file-stamp.ts';
import { isAbsent } from '../storage/file-errors.ts';

/** Where a file is copied to before its name, the hash of its content, is known. */
interface CopyTarget {
  /** Opens a new temporary file. */
  openTemp(): { fd: number; path: string };
  /** A temporary file that is a clone of this one, open for reading; undefined where the file system cannot clone. */
  cloneTemp(path: string | Buffer, device: number): { fd: number; path: string } | undefined;
}

/** Instead of a payload hash, when the payload cannot be separated from the rest of the file. Matches no other file. */
export const NO_HASH = '-';

export interface ReadFile {
  content: AudioRead;
  sizeBytes: number;
  /** Payload hash; null when it was postponed. */
  audioHash: string | null;
  /** In copy mode: the copy, written but not flushed; `fd` is still open. */
  copy?: { fd: number; tempPath: string; sha256: string };
  /** Of the whole file, when asked for without a copy. */
  sha256?: string;
}

/** Distinguishes a parser that hangs from a long copy. */
type Stage = 'parsing' | 'copying';

/** Bytes; smaller files are read whole anyway. */
const SMALL_FILE = 1 << 20;
const COPY_CHUNK = 256 << 10; // the window size of a ByteSource

/** Size and time of a file when it was listed. */
export interface FileAsListed extends FileStamp {
  /** The device it is on. */ dev?: number;
}

/** The file is still being written. */
export class StillChanging extends Error {}

interface ReadOptions {
  target: CopyTarget | undefined;
  /** The file has to have this size and time before and after it is read. */
  listed?: FileAsListed | undefined;
  /** Hash the payload of large files too, which means reading all of it. */
  hashLarge: boolean;
  /** Hash the whole file, as a copy does. */
  named?: boolean;
  stage: (stage: Stage) => void;
}

/**
 * Throws StillChanging when size or time differ from the listing, UnreadableAudio when the file is not audio, and
 * system errors when it cannot be read or the copy cannot be written.
 */
export async function readFile(path: string | Buffer, options: ReadOptions): Promise<ReadFile> {
  const { listed } = options;
  try {
    return await readWhole(path, options);
  } catch (error) {
    if (error instanceof StillChanging || !listed || isDiskFull(error) || mayLookAs(path, listed)) throw error;
  }
  throw new StillChanging();
}

/** Size and time together: some programs set a file's length before they write its first byte. */
const looksAs = (stat: fs.Stats, listed: FileStamp): boolean => isSameStamp(stampOf(stat), listed);

/** False for a file that no longer exists. */
function mayLookAs(path: string | Buffer, listed: FileAsListed): boolean {
  try {
    return looksAs(fs.statSync(path), listed);
  } catch (error) {
    return !isAbsent(error); // other errors are reported by the read
  }
}

async function readWhole(
  path: string | Buffer,
  { target, listed, hashLarge, named, stage }: ReadOptions,
): Promise<ReadFile> {
  stage('parsing');
  const source = openByteSource(path);
  try {
    if (source.size === 0) throw new UnreadableAudio('the file is empty');
    const content = readAudioSync(source) ?? (await readAudio(source));
    stage('copying');
    const audioHash =
      target || named || hashLarge || source.size <= SMALL_FILE
        ? (hashPayload(source, content.facts) ?? NO_HASH)
        : null;
    const clone = listed?.dev === undefined ? undefined : target?.cloneTemp(path, listed.dev);
    const copy = target && copyHashed(source, target, clone);
    const sha256 = named ? hashPieces(source, () => {}) : undefined;
    // this stats the open file: if another has replaced it, the next scan finds that, unless it is the one cloned
    if (listed && !(looksAs(source.stat(), listed) && (!clone || mayLookAs(path, listed)))) {
      if (copy) discard(copy);
      throw new StillChanging();
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

/** Four times as fast as fs.copyFile on large files, and hashes in the same pass. A clone needs only the hash. */
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
      sha256: hashPieces(source, (bytes) => {
        if (!clone) writeFully(fd, bytes);
      }),
    };
  } catch (error) {
    discard({ fd, tempPath });
    throw error;
  }
}

/** SHA-256 of the whole file; calls `take` for each piece. */
function hashPieces(source: OpenByteSource, take: (bytes: Uint8Array) => void): string {
  const hash = createHash('sha256');
  for (let at = 0; at < source.size;) {
    const bytes = source.read(at, COPY_CHUNK);
    if (bytes.length === 0) throw new UnreadableAudio('the file became shorter while it was read');
    hash.update(bytes);
    take(bytes);
    at += bytes.length;
  }
  return hash.digest('hex');
}

function discard({ fd, tempPath }: { fd: number; tempPath: string }): void {
  fs.closeSync(fd);
  fs.rmSync(tempPath, { force: true });
}

function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done, bytes.length - done);
}
