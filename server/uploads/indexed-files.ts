// Finds the track of a file in the music folder that has the same bytes as an uploaded file. A file that is only
// indexed has no hash of all its bytes, so the file is read if its size and its audio equal those of the upload.
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

type FileBytes = Pick<WholeFile, 'sha256' | 'sizeBytes'>;

const IDS_PER_TURN = 5_000;

export type IndexedFiles = ReturnType<typeof createIndexedFiles>;

export function createIndexedFiles({ client, log, audioStore }: IndexedFilesDeps) {
  const COLUMNS = 'SELECT id, storage_uri AS storageUri FROM tracks';
  const IS_INDEXED = `+size_bytes = @sizeBytes AND storage_uri LIKE '${FILE_SCHEME}:%'
    AND availability = 'available' AND section_start IS NULL`;
  // tracks without an audio hash are included, because a scan hashes the audio of large files at its end
  const listByAudio = client.prepare<{ audioHash: string | null; sizeBytes: number }, IndexedFile>(
    `${COLUMNS} WHERE audio_hash = @audioHash AND ${IS_INDEXED}
      UNION ${COLUMNS} INDEXED BY tracks_unhashed
        WHERE audio_hash IS NULL AND storage_uri IS NOT NULL AND ${IS_INDEXED} ORDER BY id`,
  );
  const listBySize = client.prepare<{ afterId: number; sizeBytes: number }, IndexedFile>(
    `${COLUMNS} WHERE id > @afterId AND id <= @afterId + ${IDS_PER_TURN} AND content_hash IS NULL AND ${IS_INDEXED}
      ORDER BY id`,
  );
  const findLastId = client.prepare<[], number>('SELECT coalesce(max(id), 0) FROM tracks').pluck();

  /** Compares the bytes of an indexed file; returns false also for a file that cannot be read. */
  async function hasBytes({ storageUri }: IndexedFile, { sha256, sizeBytes }: FileBytes, signal: AbortSignal) {
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
      log.warn({ err: error }, 'cannot compare a file in the music folder with an upload');
      return false;
    }
  }

  async function findFirstWith(
    files: readonly IndexedFile[],
    bytes: FileBytes,
    signal: AbortSignal,
  ): Promise<TrackId | undefined> {
    for (const file of files) if (await hasBytes(file, bytes, signal)) return file.id;
    return undefined;
  }

  return {
    /** Compares an upload with the tracks that have the same audio, each track once. */
    compareWith(bytes: FileBytes, signal: AbortSignal) {
      const comparedIds = new Set<TrackId>();
      const listNew = (audioHash: string | null): IndexedFile[] =>
        listByAudio.all({ audioHash, sizeBytes: bytes.sizeBytes }).filter(({ id }) => !comparedIds.has(id));
      return {
        async findTrack(audioHash: string | null): Promise<TrackId | undefined> {
          const files = listNew(audioHash);
          for (const { id } of files) comparedIds.add(id);
          return findFirstWith(files, bytes, signal);
        },
        /** Returns whether a scan has added a track with this audio since `find` was called. */
        isOutdated: (audioHash: string | null): boolean => listNew(audioHash).length > 0,
      };
    },

    /** Finds the track of an upload that was hashed but not stored, and whose audio was therefore not read. */
    async findBySize(bytes: FileBytes, signal: AbortSignal): Promise<TrackId | undefined> {
      for (let afterId = 0; afterId < (findLastId.get() ?? 0); afterId += IDS_PER_TURN) {
        await waitForTurn();
        const trackId = await findFirstWith(listBySize.all({ afterId, sizeBytes: bytes.sizeBytes }), bytes, signal);
        if (trackId !== undefined) return trackId;
      }
      return undefined;
    },
  };
}

export type Comparison = ReturnType<IndexedFiles['compareWith']>;
