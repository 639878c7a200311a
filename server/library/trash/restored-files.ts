// Checks whether the files of tracks that came back from the trash, or from a merge, are where they were: scans do not
// look for the files of deleted tracks.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { tracks } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import { forEachConcurrently } from '../../runtime/concurrency.ts';
import type { AudioStore } from '../../storage/audio-store.ts';
import { FILE_SCHEME } from '../../storage/uri.ts';

/**
 * The number of files checked at once: a network share that does not answer blocks a file thread until it does, and
 * other threads have to stay free.
 */
const MAX_CONCURRENT_LOOKS = 2;
/** Files that do not answer in this time are left to the next scan. */
const ANSWER_TIMEOUT_MS = 5_000;

interface RestoredFilesDeps {
  db: MainDb;
  audioStore: Pick<AudioStore, 'resolve'>;
  isOffline: (storageUri: string) => boolean;
  /** Called when the file of an available track does not exist. */
  markLost: (id: TrackId, uri: string) => void;
  /** Makes a missing track available if its file exists. */
  recheckAudio: (id: TrackId) => Promise<unknown>;
}

export function createRestoredFiles({ db, audioStore, isOffline, markLost, recheckAudio }: RestoredFilesDeps) {
  const findFile = db.$client.prepare<[TrackId], RowAs<typeof tracks, 'availability'> & { uri: string }>(
    `SELECT storage_uri AS uri, availability FROM tracks WHERE id = ? AND storage_uri LIKE '${FILE_SCHEME}:%'`,
  );

  async function isFileGone(uri: string): Promise<boolean> {
    try {
      await (await audioStore.resolve(uri)).stat();
      return false;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error.code === 'gone'; // the code `unavailable` would say nothing about the file
    }
  }

  /** Updates the availability of these tracks as far as their music folders answer in time. */
  return async (ids: readonly TrackId[]): Promise<void> => {
    const end = new AbortController();
    async function checkFile(id: TrackId): Promise<void> {
      const file = end.signal.aborted ? undefined : findFile.get(id);
      if (!file || isOffline(file.uri)) return;
      if (file.availability === 'missing') await recheckAudio(id);
      else if ((await isFileGone(file.uri)) && !end.signal.aborted) markLost(id, file.uri);
    }
    const timeout = sleep(ANSWER_TIMEOUT_MS, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
    await Promise.race([forEachConcurrently(ids, MAX_CONCURRENT_LOOKS, checkFile), timeout]).finally(() => end.abort());
  };
}
