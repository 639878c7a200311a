// Gives the readers the bytes of one file: from a file descriptor through a reused buffer, or from memory.
import fs from 'node:fs';
import { PLAIN_READ_FLAGS } from '../runtime/plain-files.ts';
import { UnreadableAudio, type ByteSource } from './types.ts';

/**
 * Files up to this size are read at once: the cost of a scan depends on the number of reads more than on their size.
 */
const MAX_SINGLE_READ_BYTES = 1 << 20;
const WINDOW_BYTES = 256 << 10;

export interface OpenByteSource extends ByteSource {
  /** The file's state at or after the last read. */
  stat(): fs.Stats;
  /** Releases the descriptor and the buffer. Views of this source become invalid. */
  close(): void;
}

// Pool of buffers of closed sources, per thread; a scan needs one buffer of each size.
const freeWhole: Buffer[] = [];
const freeWindows: Buffer[] = [];

/** Opens a regular file. Throws the system's error if that fails, UnreadableAudio for a pipe, device or folder. */
export function openByteSource(path: string | Buffer): OpenByteSource {
  const fd = fs.openSync(path, PLAIN_READ_FLAGS);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new UnreadableAudio('not a regular file');
    return stat.size <= MAX_SINGLE_READ_BYTES ? wholeFile(fd, stat.size) : windowedFile(fd, stat.size);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** Returns a source in memory. Views share the buffer's memory. */
export function bufferSource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { size: buffer.length, read: (position, length) => buffer.subarray(position, position + length) };
}

function wholeFile(fd: number, size: number): OpenByteSource {
  const buffer = freeWhole.pop() ?? Buffer.allocUnsafeSlow(MAX_SINGLE_READ_BYTES);
  const bytes = buffer.subarray(0, readFully(fd, buffer, 0, size));
  const stat = fs.fstatSync(fd);
  fs.closeSync(fd);
  let isOpen = true;
  return {
    stat: () => stat,
    size: bytes.length, // less than `size` if the file shrank meanwhile
    read: (position, length) =>
      position === 0 && length >= bytes.length ? bytes : bytes.subarray(position, position + length),
    close() {
      if (isOpen && freeWhole.length < 2) freeWhole.push(buffer);
      isOpen = false;
    },
  };
}

function windowedFile(fd: number, size: number): OpenByteSource {
  const buffer = freeWindows.pop() ?? Buffer.allocUnsafeSlow(WINDOW_BYTES);
  let start = 0;
  let filledBytes = 0;
  let isOpen = true;
  return {
    stat: () => fs.fstatSync(fd),
    size,
    read(position, length) {
      const readLength = Math.max(0, Math.min(length, size - position));
      if (readLength > WINDOW_BYTES) {
        const large = Buffer.allocUnsafe(readLength);
        return large.subarray(0, readFully(fd, large, position, readLength));
      }
      if (position < start || position + readLength > start + filledBytes) {
        filledBytes = 0; // stays 0 if the read throws
        filledBytes = readFully(fd, buffer, position, readLength);
        start = position;
      }
      return buffer.subarray(position - start, Math.min(filledBytes, position - start + readLength));
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      fs.closeSync(fd);
      if (freeWindows.length < 2) freeWindows.push(buffer);
    },
  };
}

function readFully(fd: number, buffer: Buffer, position: number, length: number): number {
  let bytesRead = 0;
  while (bytesRead < length) {
    const count = fs.readSync(fd, buffer, bytesRead, length - bytesRead, position + bytesRead);
    if (count === 0) break;
    bytesRead += count;
  }
  return bytesRead;
}
