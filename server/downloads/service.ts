// Downloads of saved tracks: requests, lists, retries and cancels them. Each download has a job (download-task.ts),
// which does the work; triggers copy the job's state to the download's row, so that the two cannot differ.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MainDb } from '../db/client.ts';
import type { DownloadId, TrackId, UserId } from '../db/ids.ts';
import { AppError, conflict, forbidden, notFound } from '../errors.ts';
import type { Principal } from '../http/route.ts';
import type { EventHub } from '../events/hub.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { Jobs } from '../jobs/service.ts';
import type { RemoteCatalogue } from '../sources/remote-catalogue.ts';
import {
  findDownload,
  findTrackState,
  findLatest,
  findRemoteId,
  findUnfinished,
  hasEnded,
  insertDownload,
  listDownloads,
  listWithoutJob,
  listResumable,
  removeDownload,
  setAvailability,
  setStatus,
  type DownloadRow,
  type DownloadStatus,
} from './queries.ts';
import { downloadEvent, toDownloadOut } from './wire.ts';
import { DOWNLOAD_TASK, MATERIALIZE_TRACK } from './tasks.ts';
import { bindContext } from '../runtime/bind-context.ts';

interface DownloadsDeps {
  db: MainDb;
  now: () => Date;
  jobs: Pick<Jobs, 'enqueue' | 'tryEnqueue' | 'cancel'>;
  events: Pick<EventHub, 'publish'>;
  catalogue: Pick<RemoteCatalogue, 'assertOn' | 'assertInUse'>;
  libraryChanged: () => void;
  /** The folder that contains a subfolder for each download. It survives restarts. */
  dir: string;
}

/** `download_task` waits for its turn; `materialize_track` is for a person who wants to listen now. */
type FetchTask = typeof DOWNLOAD_TASK | typeof MATERIALIZE_TRACK;
/** A track's audio, with the download that fetched it, if there was one; or the unfinished download. */
export type FetchState =
  | { hasAudio: true; download: DownloadRow | undefined }
  | { hasAudio: false; download: DownloadRow };

const FAILED_FILES_KEPT_MS = 7 * 86_400_000;
/** The time for which a request waits for the audio. Phones stop waiting after a minute or less. */
const MAX_WAIT_MS = 50_000;

export type Downloads = ReturnType<typeof createDownloads>;

export function createDownloads(deps: DownloadsDeps) {
  const context = createContext(deps);

  return bindContext(context, { list, materialize, request, fetchNow, retry, cancel, resume, folderOf, get, announce });
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, now, jobs, events, catalogue, libraryChanged, dir }: DownloadsDeps) {
  const wakersById = new Map<DownloadId, Set<() => void>>();
  return { db, now, jobs, events, catalogue, libraryChanged, dir, wakersById };
}

const folderOf = ({ dir }: Context, id: DownloadId): string => join(dir, String(id));

function announce(context: Context, id: DownloadId): void {
  const row = context.db.$client.open ? findDownload(context.db, id) : undefined;
  if (row) context.events.publish(downloadEvent, toDownloadOut(row));
  for (const wake of context.wakersById.get(id) ?? []) wake();
}

function get(context: Context, id: DownloadId): DownloadRow {
  const row = findDownload(context.db, id);
  if (!row) throw notFound('download', id);
  return row;
}

/**
 * Records a request for audio in one transaction, so that of many requests at the same time only one starts a
 * download.
 */
function recordRequest(context: Context, userId: UserId, trackId: TrackId): FetchState & { isNew?: boolean } {
  return context.db.transaction(
    (tx) => {
      const track = findTrackState(tx, trackId);
      if (!track) throw notFound('track', trackId);
      if (track.availability === 'available') {
        const latestDownload = findLatest(tx, trackId);
        return { download: latestDownload?.status === 'succeeded' ? latestDownload : undefined, hasAudio: true };
      }
      const unfinishedDownload = findUnfinished(tx, trackId);
      if (unfinishedDownload) return { download: unfinishedDownload, hasAudio: false };
      const sourceId = findRemoteId(tx, trackId);
      if (sourceId === undefined)
        throw conflict(`“${track.title}” is not from the remote catalogue, so its audio cannot be downloaded.`);
      context.catalogue.assertInUse(sourceId);
      const download = insertDownload(tx, { sourceId, trackId, userId }, context.now());
      setAvailability(tx, trackId, 'fetching', context.now());
      return { download, hasAudio: false, isNew: true };
    },
    { behavior: 'immediate' },
  );
}

async function fetchTrack(context: Context, userId: UserId, trackId: TrackId, task: FetchTask): Promise<FetchState> {
  const fetchState = recordRequest(context, userId, trackId);
  if (fetchState.hasAudio || !fetchState.isNew) return fetchState;
  const { id } = fetchState.download;
  await enqueue(context, task, id, () => removeDownload(context.db, id));
  return { download: get(context, id), hasAudio: false };
}

/**
 * Enqueues the job of a download. When the queue fails, the track gets its previous state back, and `undo` restores
 * the download.
 */
async function enqueue(context: Context, task: FetchTask, id: DownloadId, undo: () => void): Promise<void> {
  try {
    await context.jobs.enqueue(task, { downloadId: id });
  } catch (error) {
    context.db.transaction(
      (tx) => {
        const { trackId } = get(context, id);
        const track = trackId === null ? undefined : findTrackState(tx, trackId);
        if (trackId !== null && track?.availability === 'fetching')
          setAvailability(tx, trackId, track.storageUri === null ? 'remote' : 'missing', context.now());
        undo();
      },
      { behavior: 'immediate' },
    );
    throw error;
  }
  context.libraryChanged();
  announce(context, id);
}

/** Resolves when the download changes, or when `signal` is aborted. */
const nextChange = ({ wakersById }: Context, id: DownloadId, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wakers = wakersById.get(id) ?? new Set();
    const wake = (): void => {
      wakers.delete(wake);
      if (wakers.size === 0) wakersById.delete(id);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    wakersById.set(id, wakers.add(wake));
    signal.addEventListener('abort', wake, { once: true });
  });

const list = ({ db }: Context, status: DownloadStatus | undefined, page: Page): Paged<DownloadRow> =>
  listDownloads(db, status, page);

/**
 * Starts a download for somebody who wants to listen now. Throws `not_found`, `conflict` when there is nothing to
 * download, `queue_unavailable`.
 */
const materialize = (context: Context, userId: UserId, trackId: TrackId): Promise<FetchState> =>
  fetchTrack(context, userId, trackId, MATERIALIZE_TRACK);

/** Starts a download that runs after the other downloads. Throws like `materialize`. */
const request = (context: Context, userId: UserId, trackId: TrackId): Promise<FetchState> =>
  fetchTrack(context, userId, trackId, DOWNLOAD_TASK);

/**
 * Downloads a track, and resolves when its audio is stored. Throws like `materialize`, and `unavailable` when the
 * download fails or takes too long.
 */
async function fetchNow(context: Context, userId: UserId, trackId: TrackId, signal: AbortSignal): Promise<void> {
  const fetchState = await fetchTrack(context, userId, trackId, MATERIALIZE_TRACK);
  if (fetchState.hasAudio) return;
  const { id } = fetchState.download;
  const waitSignal = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  for (;;) {
    if (findTrackState(context.db, trackId)?.availability === 'available') return;
    const { status, error } = get(context, id);
    if (status === 'failed' || status === 'cancelled')
      throw new AppError('unavailable', error ?? 'The download was canceled.');
    signal.throwIfAborted();
    if (waitSignal.aborted)
      throw new AppError('unavailable', 'The audio is still being fetched. Try again in a moment.', {
        retryAfter: 10,
      });
    await nextChange(context, id, waitSignal);
  }
}

/** Resumes a failed or cancelled download. If another download of the track is unfinished, returns that one. */
async function retry(context: Context, id: DownloadId): Promise<DownloadRow> {
  context.catalogue.assertOn();
  const previousDownload = get(context, id);
  const { trackId, status } = previousDownload;
  if (status !== 'failed' && status !== 'cancelled')
    throw conflict(
      status === 'succeeded' ? 'This download is already complete.' : `This download is still running (${status}).`,
    );
  if (trackId === null) throw conflict('The track of this download was deleted.');
  const unfinishedDownload = context.db.transaction(
    (tx) => {
      if (findTrackState(tx, trackId)?.availability === 'available')
        throw conflict('The audio of this track has already been downloaded.');
      const otherDownload = findUnfinished(tx, trackId);
      if (otherDownload) return otherDownload;
      context.catalogue.assertInUse(previousDownload.sourceId);
      setStatus(tx, id, 'queued');
      setAvailability(tx, trackId, 'fetching', context.now());
      return undefined;
    },
    { behavior: 'immediate' },
  );
  if (unfinishedDownload) return unfinishedDownload;
  await enqueue(context, DOWNLOAD_TASK, id, () => setStatus(context.db, id, status));
  return get(context, id);
}

/**
 * Cancels a download. Throws `forbidden` for another user's download, and `conflict` when the download has ended.
 */
async function cancel(
  context: Context,
  user: Pick<Principal, 'id' | 'isSuperuser'>,
  id: DownloadId,
): Promise<DownloadRow> {
  const row = get(context, id);
  if (row.userId !== user.id && !user.isSuperuser)
    throw forbidden('Only the person who started this download or an administrator may cancel it.');
  if (hasEnded(row) || row.jobId === null) throw conflict(`Download ${id} has already ended (${row.status}).`);
  context.jobs.cancel(row.jobId); // triggers copy the state of the job to the download and the track
  await rm(folderOf(context, id), { recursive: true, force: true });
  context.libraryChanged();
  announce(context, id);
  return get(context, id);
}

/**
 * Enqueues downloads that a kill left without a job, and removes unneeded partial files. To be called after a
 * start.
 */
async function resume({ db, jobs, dir, now }: Context): Promise<void> {
  for (const { id } of listWithoutJob(db)) await jobs.tryEnqueue(DOWNLOAD_TASK, { downloadId: id });
  const names = await readdir(dir).catch(() => []);
  // queried after the names were listed, so that a download that has just started is included
  const resumableIds = listResumable(db, new Date(now().getTime() - FAILED_FILES_KEPT_MS));
  for (const name of names) {
    if (!resumableIds.has(Number(name) as DownloadId))
      // a folder that cannot be deleted now is deleted at the next start
      await rm(join(dir, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
