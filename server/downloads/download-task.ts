// One attempt to download a track's audio: into a folder of its own, checked like an upload, stored, and given to the
// track. It resumes where a kill or a lost connection ended the attempt before.
import { mkdir, rm, stat } from 'node:fs/promises';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { DownloadId, TrackId } from '../db/ids.ts';
import { AppError, DISK_FULL, isDiskFull } from '../errors.ts';
import { createProgressWriter } from '../jobs/progress.ts';
import { isPermanent, permanent, type Handler } from '../jobs/tasks.ts';
import type { TrackAudio } from '../library/track-values.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { Log } from '../log/log.ts';
import { CatalogueError } from '../sources/catalogue.ts';
import type { RemoteCatalogue } from '../sources/remote-catalogue.ts';
import {
  findDownload,
  findFetched,
  findPageUrl,
  setAvailability,
  setBytes,
  setFetcher,
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
  /** The track has its audio now. */
  onFetched: (id: TrackId) => void;
}

type Work = { id: DownloadId; signal: AbortSignal; onProgress: (done: number, total: number | null) => void };
type Result = { outcome: 'fetched' | 'already here'; track_id: TrackId };

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
  /** As it is now: the track may have been merged into another, or deleted. */
  function look(id: DownloadId): { download: DownloadRow; trackId: TrackId; isHere: boolean } {
    const download = findDownload(db, id);
    const track = download?.trackId == null ? undefined : findFetched(db, download.trackId);
    if (!download || download.trackId === null || !track) throw permanent(new Error('The track was deleted.'));
    return { download, trackId: download.trackId, isHere: track.availability === 'available' };
  }

  async function fetchAudio({ id, signal, onProgress }: Work): Promise<Result> {
    const { download, trackId, isHere } = look(id);
    if (isHere) return { outcome: 'already here', track_id: trackId };
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
    return keep(id, { path, sizeBytes: size, sha256: await hashFile(path, signal) }, signal);
  }

  async function keep(id: DownloadId, file: Parameters<StoreFile>[0], signal: AbortSignal): Promise<Result> {
    let stored = '';
    try {
      return await storeFile(file, {
        signal,
        write(audio) {
          stored = audio.storageUri ?? '';
          signal.throwIfAborted(); // cancelled while it was stored
          return fill(id, audio);
        },
      });
    } catch (error) {
      if (stored !== '') await releaseAudio([stored]);
      throw error;
    }
  }

  const fill = (id: DownloadId, audio: TrackAudio): Result =>
    db.transaction(
      (): Result => {
        const { download, trackId, isHere } = look(id);
        if (!isHere) {
          if (download.userId !== null) quota.assertQuota(download.userId, audio.sizeBytes ?? 0);
          tracks.setAudio(trackId, audio);
          setFetcher(db, trackId, download.userId);
        }
        return { outcome: 'fetched', track_id: trackId };
      },
      { behavior: 'immediate' },
    );

  /** The error as the job needs it: a text for people, and whether to retry. */
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
    return new AppError('unavailable', 'The download was stopped by an unexpected error. The log says more.', {
      cause: error,
    });
  }

  return async ({ downloadId: id }, { signal, progress }) => {
    const report = createProgressWriter(({ done, total }) => {
      if (!db.$client.open) return;
      setBytes(db, id, done, total, now());
      downloads.announce(id);
    });
    const clear = (): Promise<void> => rm(downloads.folderOf(id), { recursive: true, force: true });
    try {
      const result = await fetchAudio({
        id,
        signal,
        onProgress(done, total) {
          report.report(done, total);
          progress(done, total);
        },
      });
      await clear();
      onFetched(result.track_id);
      return result;
    } catch (error) {
      if (signal.aborted) {
        if (findDownload(db, id)?.status === 'cancelled') await clear();
        throw error;
      }
      const told = toJobError(error, id);
      if (isPermanent(told)) await clear(); // otherwise the next attempt resumes
      throw told;
    } finally {
      report.close();
      libraryChanged();
      setImmediate(() => downloads.announce(id)); // after the outcome is stored
    }
  };
}
