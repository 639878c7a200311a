// Third stage of a scan in copy mode where the storage is no folder: files that were read and hashed are sent to it, a
// few at a time. Whatever is not sent in the end has no row.
import { createReadStream } from 'node:fs';
import { AppError, messageOf } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { ReadResult } from '../files/reader-worker.ts';
import { absoluteOf } from '../files/relative-path.ts';

/** Over all groups of a scan. Each holds two parts of a large file in memory. */
const FILES_AT_ONCE = 4;

/** The storage does not answer: the scan is worth trying again later, and nothing is wrong with any file. */
export class StorageDown extends AppError {
  constructor(cause: AppError) {
    super(cause.code, cause.message, {
      cause,
      ...(cause.retryAfter !== undefined && { retryAfter: cause.retryAfter }),
    });
  }
}

export interface FileToStore {
  path: string;
  result: ReadResult;
}

export function createCopies({ storage }: { storage: Pick<Storage, 'putAudio'> }) {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= FILES_AT_ONCE)
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift(); // the place goes over to it
      if (next) next();
      else running--;
    }
  }

  async function store(root: string, { path, result }: FileToStore, signal: AbortSignal): Promise<ReadResult> {
    if (!result.ok || !result.stored) return result;
    signal.throwIfAborted();
    // told to who reads it; before that it would end the process
    const source = createReadStream(absoluteOf(root, path)).on('error', () => undefined);
    try {
      await storage.putAudio(source, result.read.facts.format, {
        signal,
        known: { sha256: result.stored.sha256, size: result.sizeBytes },
      });
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) return { ok: false, reason: `it could not be read (${messageOf(error)})` };
      if (error.code === 'conflict') return { ok: false, reason: 'it is still being written', changing: true };
      throw error.code === 'unavailable' ? new StorageDown(error) : error;
    } finally {
      source.destroy();
    }
  }

  /**
   * Results in the same order. Throws StorageDown, `storage_full`, or why it was aborted; what was sent until then is
   * found there by the next scan.
   */
  return async (root: string, files: FileToStore[], signal: AbortSignal): Promise<ReadResult[]> => {
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const all = await Promise.allSettled(
      files.map((file) =>
        inTurn(() => store(root, file, either)).catch((error: unknown) => {
          failed.abort(error);
          throw error;
        }),
      ),
    );
    either.throwIfAborted();
    return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  };
}
