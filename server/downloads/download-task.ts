// One attempt to download a track's audio: fetches it into a separate folder, checks it like an upload, stores it and
// sets it as the track's audio. It resumes where a kill or a lost connection ended the previous attempt.
import { mkdir, rm, stat } from 'node:fs/promises';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { DownloadId, TrackId } from '../db/ids.ts';
import { AppError, DISK_FULL, isDiskFull } from '../errors.ts';
import { createProgressWriter } from '../jobs/progress.ts';
import { isPermanent, permanent, type Handler } from '../jobs/tasks.ts';
import type { TrackAudio } from '../library/tracks/track-values.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import type { Log } from '../log/log.ts';
import { CatalogueError } from '../sources/catalogue.ts';
import type { RemoteCatalogue } from '../sources/remote-catalogue.ts';
import {
  findDownload,
  findTrackState,
  findPageUrl,
  setAvailability,
  setBytes,
  setUploader,
  type DownloadRow,
} from './queries.ts';
import type { Downloads } from './service.ts';
import { isOverQuota, type Quota } from '../files/quota.ts';
import { hashFile, type StoreFile } from '../files/store-file.ts';
import type { DOWNLOAD_TASK } from './tasks.ts';

interface DownloadTaskDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  settings: LiveSettings;
  downloads: Pick<Downloads, 'folderOf' | 'announce'>;
  catalogue: Pick<RemoteCatalogue, 'download'>;
  tracks: Pick<TrackWriter, 'setAudio'>;
  storeFile: StoreFile;
  quota: Quota;
  /** Deletes stored audio that no track uses. */
  releaseAudio: (storageUris: string[]) => Promise<void>;
  libraryChanged: () => void;
  /** Called when the audio of a track was stored. */
  onFetched: (id: TrackId) => void;
}

type DownloadAttempt = {
  id: DownloadId;
  signal: AbortSignal;
  onProgress: (done: number, total: number | null) => void;
};
type DownloadResult = { outcome: 'fetched' | 'already here'; track_id: TrackId };

export function downloadTask({
  db,
  log,
  now,
  settings,
  downloads,
  catalogue,
  tracks,
  storeFile,
  quota,
  releaseAudio,
  libraryChanged,
  onFetched,
}: DownloadTaskDeps): Handler<typeof DOWNLOAD_TASK> {
  /**
   * Returns the current state of the download and its track: since the start, the track may have been merged into
   * another, or deleted.
   */
  function findState(id: DownloadId): { download: DownloadRow; trackId: TrackId; hasAudio: boolean } {
    const download = findDownload(db, id);
    const track = download?.trackId == null ? undefined : findTrackState(db, download.trackId);
    if (!download || download.trackId === null || !track) throw permanent(new Error('The track was deleted.'));
    return { download, trackId: download.trackId, hasAudio: track.availability === 'available' };
  }

  async function fetchAudio({ id, signal, onProgress }: DownloadAttempt): Promise<DownloadResult> {
    const { download, trackId, hasAudio } = findState(id);
    if (hasAudio) return { outcome: 'already here', track_id: trackId };
    await quota.assertFree(0);
    if (download.userId !== null) quota.assertQuota(download.userId, 1);
    setAvailability(db, trackId, 'fetching', now());
    downloads.announce(id);
    const dir = downloads.folderOf(id);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const { sourceId } = download;
    const path = await catalogue.download({ sourceId, pageUrl: findPageUrl(db, sourceId) }, dir, {
      signal,
      maxBytes: settings.get('MAX_UPLOAD_BYTES'),
      onProgress,
    });
    const { size } = await stat(path);
    onProgress(size, size);
    await quota.assertFree(size);
    return storeAudio(id, { path, sizeBytes: size, sha256: await hashFile(path, signal) }, signal);
  }

  async function storeAudio(
    id: DownloadId,
    file: Parameters<StoreFile>[0],
    signal: AbortSignal,
  ): Promise<DownloadResult> {
    let storedUri = '';
    try {
      return await storeFile(file, {
        signal,
        write(audio) {
          storedUri = audio.storageUri ?? '';
          signal.throwIfAborted(); // the download may have been cancelled while the file was stored
          return setAudio(id, audio);
        },
      });
    } catch (error) {
      if (storedUri !== '') await releaseAudio([storedUri]);
      throw error;
    }
  }

  const setAudio = (id: DownloadId, audio: TrackAudio): DownloadResult =>
    db.transaction(
      (): DownloadResult => {
        const { download, trackId, hasAudio } = findState(id);
        if (!hasAudio) {
          if (download.userId !== null) quota.assertQuota(download.userId, audio.sizeBytes ?? 0);
          tracks.setAudio(trackId, audio);
          setUploader(db, trackId, download.userId);
        }
        return { outcome: 'fetched', track_id: trackId };
      },
      { behavior: 'immediate' },
    );

  /** Converts an error for the job, with a text for people and whether the job is retried. */
  function toJobError(error: unknown, id: DownloadId): Error {
    if (error instanceof CatalogueError && !error.isPassing) return permanent(error);
    if (error instanceof CatalogueError)
      return new AppError('unavailable', error.message, {
        cause: error,
        ...(error.retryAfterMs !== undefined && { retryAfter: error.retryAfterMs / 1_000 }),
      });
    if (isDiskFull(error)) return new AppError('storage_full', DISK_FULL, { cause: error });
    if (error instanceof AppError)
      return error.code === 'unsupported_type' || isOverQuota(error) ? permanent(error) : error;
    if (error instanceof Error && isPermanent(error)) return error;
    log.error({ download_id: id, err: error }, 'download failed unexpectedly');
    return new AppError(
      'unavailable',
      'The download stopped because of an unexpected error. The server log has details.',
      {
        cause: error,
      },
    );
  }

  return async ({ downloadId: id }, { signal, progress }) => {
    const progressWriter = createProgressWriter(({ done, total }) => {
      if (!db.$client.open) return;
      setBytes(db, id, done, total, now());
      downloads.announce(id);
    });
    const removeFolder = (): Promise<void> => rm(downloads.folderOf(id), { recursive: true, force: true });
    try {
      const result = await fetchAudio({
        id,
        signal,
        onProgress(done, total) {
          progressWriter.report(done, total);
          progress(done, total);
        },
      });
      await removeFolder();
      onFetched(result.track_id);
      return result;
    } catch (error) {
      if (signal.aborted) {
        if (findDownload(db, id)?.status === 'cancelled') await removeFolder();
        throw error;
      }
      const jobError = toJobError(error, id);
      // without a permanent error the folder is kept, and the next attempt resumes
      if (isPermanent(jobError)) await removeFolder();
      throw jobError;
    } finally {
      progressWriter.close();
      libraryChanged();
      // announced in the next turn, because the job stores its outcome before that
      setImmediate(() => downloads.announce(id));
    }
  };
}
