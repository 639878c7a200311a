// The thread that reads files of the library for a backup and makes blobs of them: hashed, compressed where that helps,
// and encrypted. It reads synchronously into one buffer: for small files the hand-overs to other threads would take
// longer than the work. Batches are bounded, and each is made when it is asked for, however large the files are.
import { createHash, hash as hashOf, type KeyObject } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openPlainFileSync } from '../runtime/plain-files.ts';
import { END_MESSAGE } from '../runtime/stop-worker.ts';
import { cipherOf } from './encryption.ts';
import { PIECE_BYTES, sumOfParts, toStoredParts } from './packs.ts';

/** `hash`: SHA-256, or the beginning of it. */
export interface FileToRead {
  path: string;
  hash: string;
}

interface MadeBlob {
  /** Index of its file among those that were asked for. */
  file: number;
  hash: string;
  size: number;
  /** In the bytes of the batch. */
  offset: number;
  length: number;
  sum: string;
}

export interface Batch {
  blobs: MadeBlob[];
  bytes: Uint8Array<ArrayBuffer>;
  /** Files that are done, with their size; null when it cannot be read or does not match its hash. */
  done: { file: number; size: number | null }[];
  isLast: boolean;
}

export interface BlobWorkerData {
  key: KeyObject | undefined;
}
/** Files to begin with, or `next` for the next batch of them. */
export type BlobRequest = FileToRead[] | 'next';

const BATCH_BYTES = 4 << 20;

const port = parentPort;
if (!port) throw new Error('blob-worker runs as a worker thread');
const cipher = cipherOf((workerData as BlobWorkerData).key);
/** A byte for what toStoredParts puts before the piece, and the piece. */
const framed = Buffer.allocUnsafeSlow(1 + PIECE_BYTES);
let batches: Generator<Batch> | undefined;
let [parts, size]: [Buffer[], number] = [[], 0];
let [blobs, done]: [MadeBlob[], Batch['done']] = [[], []];

port.on('message', (request: BlobRequest | typeof END_MESSAGE) => {
  if (request === END_MESSAGE) {
    batches?.return(undefined); // closes the file
    return port.close();
  }
  if (request !== 'next') batches = batchesOf(request);
  const batch = batches?.next().value as Batch;
  port.postMessage(batch, [batch.bytes.buffer]);
});

function* batchesOf(files: readonly FileToRead[]): Generator<Batch> {
  for (const [n, file] of files.entries()) {
    const read = yield* fullBatches(n, file);
    done.push({ file: n, size: read });
  }
  yield take(true);
}

function* fullBatches(n: number, file: FileToRead): Generator<Batch, number | null> {
  const pieces = piecesOf(file);
  for (let step = pieces.next(); ; step = pieces.next()) {
    if (step.done === true) return step.value;
    add(n, step.value);
    if (size >= BATCH_BYTES) yield take(false);
  }
}

function add(file: number, piece: { hash: string; size: number }): void {
  const stored = toStoredParts(cipher, framed.subarray(0, 1 + piece.size));
  const length = stored.reduce((sum, part) => sum + part.length, 0);
  blobs.push({ file, ...piece, offset: size, length, sum: sumOfParts(stored) });
  // without encryption it is the buffer of the next piece, too
  for (const part of stored) parts.push(part.buffer === framed.buffer ? Buffer.from(part) : part);
  size += length;
}

function take(isLast: boolean): Batch {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const part of parts) at += part.copy(bytes, at);
  const batch = { blobs, bytes, done, isLast };
  [parts, size, blobs, done] = [[], 0, [], []];
  return batch;
}

/**
 * Each is in `framed` until the next is asked for; the last comes when the hash of the whole is known to be right.
 * Returns the size; null for a file that the backup reads again without this thread, which says what is wrong.
 */
function* piecesOf({ path, hash }: FileToRead): Generator<{ hash: string; size: number }, number | null> {
  let file: number | undefined;
  try {
    const { fd, size: expected } = openPlainFileSync(path);
    file = fd;
    const whole = createHash('sha256');
    for (let read = 0; ;) {
      const piece = framed.subarray(1, 1 + readPiece(file));
      read += piece.length;
      whole.update(piece);
      const isLast = read >= expected || piece.length < PIECE_BYTES;
      const sum = isLast ? whole.digest('hex') : undefined;
      if (sum !== undefined && !sum.startsWith(hash)) return null;
      const isAlone = isLast && read === piece.length;
      yield { hash: isAlone ? hash : hashOf('sha256', piece), size: piece.length };
      if (isLast) return read;
    }
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readPiece(file: number): number {
  let length = 0;
  for (let read = -1; read !== 0 && length < PIECE_BYTES; length += read)
    read = readSync(file, framed, 1 + length, PIECE_BYTES - length, null);
  return length;
}
