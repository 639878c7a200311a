// The store stage of a scan if the storage is not a folder: files that were read and hashed are sent to the storage.
import type { ReadStream } from 'node:fs';
import { AppError, messageOf } from '../../errors.ts';
import { absoluteOf, join } from '../../files/relative-path.ts';
import type { ReadResult } from '../../files/reader-worker.ts';
import { createSlots } from '../../runtime/concurrency.ts';
import { openPlainFile } from '../../runtime/plain-files.ts';
import type { MusicRoots } from '../../storage/music-roots.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ListedFile } from '../walk/compare-folder.ts';

/** A file and the result of reading it. */
export interface ReadFile extends ListedFile {
  result: ReadResult;
}

/** Limit over all groups of a scan. Each upload keeps two parts of a large file in memory. */
const MAX_CONCURRENT_UPLOADS = 8;
const READ_BUFFER_BYTES = 1 << 20;

/** Thrown when the storage does not answer: the scan may be tried again later, and nothing is wrong with any file. */
export class StorageUnavailable extends AppError {
  constructor(cause: AppError) {
    super(cause.code, cause.message, {
      cause,
      ...(cause.retryAfter !== undefined && { retryAfter: cause.retryAfter }),
    });
  }
}

interface CopiesDeps {
  storage: Pick<Storage, 'putAudio'>;
  musicRoots: MusicRoots;
  signal: AbortSignal;
}

/**
 * Creates a function that sends files and returns them in the same order. For a file that could not be sent, the result
 * is the reason. Throws StorageUnavailable, `storage_full`, or the reason of the abort; the next scan then finds the
 * sent files in the storage.
 */
export function createCopies({
  storage,
  musicRoots: root,
  signal,
}: CopiesDeps): (files: ReadFile[]) => Promise<ReadFile[]> {
  const runInSlot = createSlots(MAX_CONCURRENT_UPLOADS);

  async function send({ path, candidate, result }: ReadFile, stop: AbortSignal): Promise<ReadResult> {
    if (!result.ok || !result.stored) return result;
    stop.throwIfAborted();
    let source: ReadStream | undefined;
    try {
      const { handle } = await openPlainFile(absoluteOf(root, join(path, candidate.name)));
      // limited, because Node allocates a buffer of this size for every file
      source = handle.createReadStream({ highWaterMark: Math.max(1, Math.min(READ_BUFFER_BYTES, result.sizeBytes)) });
      // the reader of the stream gets the error too; without a listener it would end the process before that
      source.on('error', () => undefined);
      await storage.putAudio(source, result.content.facts.format, {
        signal: stop,
        isNew: true,
        expected: { sha256: result.stored.sha256, size: result.sizeBytes },
      });
      return result;
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof AppError))
        return { ok: false, reason: `it could not be read (${messageOf(error)})`, isPassing: true };
      if (error.code === 'conflict') return { ok: false, reason: 'it is still being written', changing: true };
      throw error.code === 'unavailable' ? new StorageUnavailable(error) : error;
    } finally {
      source?.destroy();
    }
  }

  return async (files) => {
    const failure = new AbortController();
    const stop = AbortSignal.any([signal, failure.signal]);
    const uploads = await Promise.allSettled(
      files.map((file) =>
        runInSlot(() => send(file, stop)).catch((error: unknown) => {
          failure.abort(error);
          throw error;
        }),
      ),
    );
    stop.throwIfAborted();
    return uploads.flatMap((upload, i) =>
      upload.status === 'fulfilled' ? [{ ...(files[i] as ReadFile), result: upload.value }] : [],
    );
  };
}
