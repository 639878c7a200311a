// The thread that reads files of the library for a backup and makes blobs of them: hashed, compressed where that helps,
// and encrypted. It reads synchronously into one buffer, because for small files other threads would take longer than
// the work. Batches have a limited size and are made on request, however large the files are.
import { createHash, hash as hashOf, type KeyObject } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openPlainFileSync } from '../runtime/plain-files.ts';
import { END_MESSAGE } from '../runtime/stop-worker.ts';
import { cipherOf } from './encryption.ts';
import { PIECE_BYTES, sumOfParts, toStoredParts } from './packs.ts';

/** `hash` is the SHA-256 of the file, or the beginning of the SHA-256. */
export interface FileToRead {
  path: string;
  hash: string;
}

interface BlobEntry {
  /** Index of the blob's file in the request. */
  file: number;
  hash: string;
  size: number;
  /** Position of the blob in the bytes of the batch. */
  offset: number;
  length: number;
  sum: string;
}

export interface Batch {
  blobs: BlobEntry[];
  bytes: Uint8Array<ArrayBuffer>;
  /** Finished files with their sizes; the size is null when a file cannot be read or does not match its hash. */
  finishedFiles: { file: number; size: number | null }[];
  isLast: boolean;
}

export interface BlobWorkerData {
  key: KeyObject | undefined;
}
/** Either new files to read, or `next` for the next batch of the current files. */
export type BlobRequest = FileToRead[] | 'next';

const BATCH_BYTES = 4 << 20;

const port = parentPort;
if (!port) throw new Error('blob-worker runs as a worker thread');
const cipher = cipherOf((workerData as BlobWorkerData).key);
/** The buffer for a piece of a file, after one byte for the prefix that toStoredParts writes. */
const frame = Buffer.allocUnsafeSlow(1 + PIECE_BYTES);
let batches: Generator<Batch> | undefined;
let [parts, size]: [Buffer[], number] = [[], 0];
let [blobs, finishedFiles]: [BlobEntry[], Batch['finishedFiles']] = [[], []];

port.on('message', (request: BlobRequest | typeof END_MESSAGE) => {
  if (request === END_MESSAGE) {
    batches?.return(undefined); // ending the generator closes the open file
    return port.close();
  }
  if (request !== 'next') batches = batchesOf(request);
  const batch = batches?.next().value as Batch;
  port.postMessage(batch, [batch.bytes.buffer]);
});

function* batchesOf(files: readonly FileToRead[]): Generator<Batch> {
  for (const [index, file] of files.entries()) {
    const fileSize = yield* readFullBatches(index, file);
    finishedFiles.push({ file: index, size: fileSize });
  }
  yield closeBatch(true);
}

function* readFullBatches(index: number, file: FileToRead): Generator<Batch, number | null> {
  const pieces = readPieces(file);
  for (let step = pieces.next(); ; step = pieces.next()) {
    if (step.done === true) return step.value;
    addBlob(index, step.value);
    if (size >= BATCH_BYTES) yield closeBatch(false);
  }
}

function addBlob(file: number, piece: { hash: string; size: number }): void {
  const storedParts = toStoredParts(cipher, frame.subarray(0, 1 + piece.size));
  const length = storedParts.reduce((sum, part) => sum + part.length, 0);
  blobs.push({ file, ...piece, offset: size, length, sum: sumOfParts(storedParts) });
  // without encryption the part is a view of `frame`, which the next piece overwrites, so the part is copied
  for (const part of storedParts) parts.push(part.buffer === frame.buffer ? Buffer.from(part) : part);
  size += length;
}

function closeBatch(isLast: boolean): Batch {
  const bytes = Buffer.allocUnsafeSlow(size);
  let offset = 0;
  for (const part of parts) offset += part.copy(bytes, offset);
  const batch = { blobs, bytes, finishedFiles, isLast };
  [parts, size, blobs, finishedFiles] = [[], 0, [], []];
  return batch;
}

/**
 * Yields the pieces of a file. Each piece is in `frame` until the next one is requested; the last piece is yielded
 * after the hash of the whole file was verified. Returns the size of the file. Returns null if it cannot be read: the
 * backup then reads it without this thread, to report the error.
 */
function* readPieces({ path, hash }: FileToRead): Generator<{ hash: string; size: number }, number | null> {
  let file: number | undefined;
  try {
    const { fd, size: expectedSize } = openPlainFileSync(path);
    file = fd;
    const fileHash = createHash('sha256');
    for (let readBytes = 0; ;) {
      const piece = frame.subarray(1, 1 + readPiece(file));
      readBytes += piece.length;
      fileHash.update(piece);
      const isLast = readBytes >= expectedSize || piece.length < PIECE_BYTES;
      const sha256 = isLast ? fileHash.digest('hex') : undefined;
      if (sha256 !== undefined && !sha256.startsWith(hash)) return null;
      const isWholeFile = isLast && readBytes === piece.length;
      yield { hash: isWholeFile ? hash : hashOf('sha256', piece), size: piece.length };
      if (isLast) return readBytes;
    }
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readPiece(file: number): number {
  let length = 0;
  for (let bytesRead = -1; bytesRead !== 0 && length < PIECE_BYTES; length += bytesRead)
    bytesRead = readSync(file, frame, 1 + length, PIECE_BYTES - length, null);
  return length;
}
