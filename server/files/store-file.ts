// Stores a whole file, for uploads and downloads. The content decides the format; the object is leased until the row is
// written.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../errors.ts';
import type { TrackAudio } from '../library/tracks/track-values.ts';
import type { Leases } from '../storage/leases.ts';
import { audioKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import { toAudio } from './track-draft.ts';
import type { ReaderPool } from './reader-pool.ts';
import type { ReadResult } from './reader-worker.ts';
import { toUri } from '../storage/uri.ts';

interface StoreFileDeps {
  storage: Pick<Storage, 'putAudio' | 'backend'>;
  leases: Pick<Leases, 'lease'>;
  reader: Pick<ReaderPool, 'read'>;
}

export interface WholeFile {
  path: string;
  sha256: string;
  sizeBytes: number;
}
type AudioContent = Extract<ReadResult, { ok: true }>['content'];

export type StoreFile = ReturnType<typeof createStoreFile>;

interface StoreOptions<T> {
  signal: AbortSignal;
  /** Returns a result if the file need not be stored; otherwise undefined. */
  beforeStoring?: (file: Pick<TrackAudio, 'audioHash'>) => Promise<T | undefined>;
  /** Writes the row after the file was stored. */
  write: (audio: TrackAudio, content: AudioContent) => T | Promise<T>;
}

/** Returns the function that stores a file. It throws `unsupported_type`, and what the storage throws. */
export const createStoreFile =
  ({ storage, leases, reader }: StoreFileDeps) =>
  async <T>({ path, sha256, sizeBytes }: WholeFile, { signal, beforeStoring, write }: StoreOptions<T>): Promise<T> => {
    const [result] = await reader.read({ root: dirname(path), paths: [basename(path)], copyTo: null, hashLarge: true });
    if (!result?.ok)
      throw new AppError(
        'unsupported_type',
        `This is not readable audio: ${result?.reason ?? 'the reader returned nothing'}.`,
      );
    const { content, audioHash } = result;
    const earlyResult = await beforeStoring?.({ audioHash });
    if (earlyResult !== undefined) return earlyResult;
    const key = audioKey(sha256, content.facts.format);
    return leases.lease(key, async () => {
      // putAudio handles errors later; until then an error without a listener would end the process
      const source = createReadStream(path).on('error', () => undefined);
      try {
        await storage.putAudio(source, content.facts.format, { signal, expected: { sha256, size: sizeBytes } });
      } finally {
        source.destroy();
      }
      return write(
        toAudio(content, { storageUri: toUri(storage, key), contentHash: sha256, audioHash, sizeBytes }),
        content,
      );
    });
  };

export async function hashFile(path: string | Buffer, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal });
  return hash.digest('hex');
}
