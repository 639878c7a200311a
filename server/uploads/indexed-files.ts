// Finds the track of a file in the music folder that has the same bytes as an uploaded one. Of a file that is only
// indexed no hash of all bytes is known, so it is read when its size and its audio are those of the upload.
import type { Sqlite } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import { hashFile, type WholeFile } from '../files/store-file.ts';
import type { Log } from '../log/log.ts';
import { waitForTurn } from '../runtime/time-slices.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { FILE_SCHEME } from '../storage/uri.ts';

interface IndexedFilesDeps {
  client: Sqlite;
  log: Log;
  audioStore: Pick<AudioStore, 'resolve'>;
}

interface IndexedFile {
  id: TrackId;
  storageUri: string;
}

type KnownBytes = Pick<WholeFile, 'sha256' | 'sizeBytes'>;

const IDS_IN_A_TURN = 5_000;

export type IndexedFiles = ReturnType<typeof createIndexedFiles>;

export function createIndexedFiles({ client, log, audioStore }: IndexedFilesDeps) {
  const COLUMNS = 'SELECT id, storage_uri AS storageUri FROM tracks';
  const IS_INDEXED = `+size_bytes = @sizeBytes AND storage_uri LIKE '${FILE_SCHEME}:%'
    AND availability = 'available' AND section_start IS NULL`;
  // a scan hashes the audio of large files at its end
  const withAudio = client.prepare<{ audioHash: string | null; sizeBytes: number }, IndexedFile>(
    `${COLUMNS} WHERE audio_hash = @audioHash AND ${IS_INDEXED}
      UNION ${COLUMNS} INDEXED BY tracks_unhashed
        WHERE audio_hash IS NULL AND storage_uri IS NOT NULL AND ${IS_INDEXED} ORDER BY id`,
  );
  const ofSize = client.prepare<{ after: number; sizeBytes: number }, IndexedFile>(
    `${COLUMNS} WHERE id > @after AND id <= @after + ${IDS_IN_A_TURN} AND content_hash IS NULL AND ${IS_INDEXED}
      ORDER BY id`,
  );
  const lastId = client.prepare<[], number>('SELECT coalesce(max(id), 0) FROM tracks').pluck();

  /** False also for a file that cannot be read. */
  async function hasBytes({ storageUri }: IndexedFile, { sha256, sizeBytes }: KnownBytes, signal: AbortSignal) {
    try {
      const file = await audioStore.resolve(storageUri);
      if (file.path === undefined) return false;
      return (await file.stat()).size === sizeBytes && (await hashFile(file.path, signal)) === sha256;
    } catch (error) {
      const isUnreadable =
        error instanceof AppError
          ? ['gone', 'unavailable'].includes(error.code)
          : error instanceof Error && 'syscall' in error;
      if (!isUnreadable) throw error;
      log.warn({ err: error }, 'a file in the music folder could not be compared with an upload');
      return false;
    }
  }

  async function firstWith(
    files: readonly IndexedFile[],
    bytes: KnownBytes,
    signal: AbortSignal,
  ): Promise<TrackId | undefined> {
    for (const file of files) if (await hasBytes(file, bytes, signal)) return file.id;
    return undefined;
  }

  return {
    /** Compares an upload with the tracks that have its audio, each of them once. */
    compareWith(bytes: KnownBytes, signal: AbortSignal) {
      const compared = new Set<TrackId>();
      const listNew = (audioHash: string | null): IndexedFile[] =>
        withAudio.all({ audioHash, sizeBytes: bytes.sizeBytes }).filter(({ id }) => !compared.has(id));
      return {
        async find(audioHash: string | null): Promise<TrackId | undefined> {
          const files = listNew(audioHash);
          for (const { id } of files) compared.add(id);
          return firstWith(files, bytes, signal);
        },
        /** A scan has added a track with this audio since `find` was called. */
        isOutdated: (audioHash: string | null): boolean => listNew(audioHash).length > 0,
      };
    },

    /** For an upload that was hashed and not kept, whose audio is not known. */
    async findBySize(bytes: KnownBytes, signal: AbortSignal): Promise<TrackId | undefined> {
      for (let after = 0; after < (lastId.get() ?? 0); after += IDS_IN_A_TURN) {
        await waitForTurn();
        const found = await firstWith(ofSize.all({ after, sizeBytes: bytes.sizeBytes }), bytes, signal);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

export type Comparison = ReturnType<IndexedFiles['compareWith']>;
