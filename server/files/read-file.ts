// Reads one file's facts and tags, in the reading thread, and in copy mode copies it while hashing. A small file is
// read once; the same bytes are parsed, hashed and written.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { isDiskFull } from '../errors.ts';
import { openByteSource, type OpenByteSource } from '../media/byte-source.ts';
import { readAudio, readAudioSync } from '../media/read.ts';
import { hashPayload } from '../media/payload-hash.ts';
import { UnreadableAudio, type AudioRead } from '../media/types.ts';
import { isSameStamp, stampOf, type FileStamp } from './file-stamp.ts';
import { isAbsent } from '../storage/file-errors.ts';

/** Where a copy goes before its name is known: content-addressed names need the whole file first. */
export interface CopyTarget {
  /** Opens a new temporary file. */
  openTemp(): { fd: number; path: string };
  /**
   * A temporary file that shares the bytes of this one, open for reading; undefined where the file system makes none.
   */
  cloneTemp(path: string | Buffer, device: number): { fd: number; path: string } | undefined;
}

/** In place of a payload's hash, where the payload cannot be told from the rest of the file. Equal to no other. */
export const NO_HASH = '-';

export interface ReadFile {
  read: AudioRead;
  sizeBytes: number;
  /** Hash of the payload; null when it was left for later. */
  audioHash: string | null;
  /** In copy mode: the copy, written but not flushed; `fd` is still open. */
  copy?: { fd: number; tempPath: string; sha256: string };
  /** Of the whole file, when asked for without a copy. */
  sha256?: string;
}

/** Reported as work goes on, so that a parser that hangs can be told from a long copy. */
export type Stage = 'parsing' | 'copying';

/** Read whole in one go anyway. */
const SMALL_FILE = 1 << 20;
const COPY_CHUNK = 256 << 10; // the size of the window of a ByteSource

/** How a file looked when it was listed. */
export interface FileAsListed extends FileStamp {
  /** The device it is on. */ dev?: number;
}

/** The file is still being written; half of it must not be taken for all of it. */
export class StillChanging extends Error {}

export interface ReadOptions {
  target: CopyTarget | undefined;
  /** The file has to look like this before and after it is read. */
  listed?: FileAsListed | undefined;
  /** Hash the payload of large files too, which has to read all of them. */
  hashLarge: boolean;
  /** Hash the whole file, as a copy does. */
  named?: boolean;
  stage: (stage: Stage) => void;
}

/**
 * Throws StillChanging when the file does not look as it was listed, UnreadableAudio when it is no audio, or the
 * system's error when it cannot be read or the copy cannot be written.
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

/** False for a file that is gone. */
function mayLookAs(path: string | Buffer, listed: FileAsListed): boolean {
  try {
    return looksAs(fs.statSync(path), listed);
  } catch (error) {
    return !isAbsent(error); // any other fault is reported by the reading
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
    const read = readAudioSync(source) ?? (await readAudio(source));
    stage('copying');
    const audioHash =
      target || named || hashLarge || source.size <= SMALL_FILE ? (hashPayload(source, read.facts) ?? NO_HASH) : null;
    const clone = listed?.dev === undefined ? undefined : target?.cloneTemp(path, listed.dev);
    const copy = target && copyHashed(source, target, clone);
    const sha256 = named ? hashPieces(source, () => {}) : undefined;
    // The stat is of the open file: another file under its name is left to the next scan, unless it was the one cloned.
    if (listed && !(looksAs(source.stat(), listed) && (!clone || mayLookAs(path, listed)))) {
      if (copy) discard(copy);
      throw new StillChanging();
    }
    return { read, sizeBytes: source.size, audioHash, ...(copy && { copy }), ...(sha256 !== undefined && { sha256 }) };
  } finally {
    source.close();
  }
}

/**
 * Own read–write loop: four times as fast as fs.copyFile on large files, and the hash comes for free. A clone has the
 * bytes already.
 */
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

/** sha256 of the whole file; gives each piece to `take`. */
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
