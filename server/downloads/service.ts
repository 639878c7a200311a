// Downloads of saved tracks: request, list, retry, cancel. The job behind each (download-task.ts) does the work;
// triggers copy its state to the download's row, so that the two cannot differ.
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
  findFetched,
  findLatest,
  findRemoteId,
  findUnfinished,
  hasEnded,
  insertDownload,
  listDownloads,
  listForgotten,
  listResumable,
  removeDownload,
  setAvailability,
  setStatus,
  type DownloadRow,
  type DownloadStatus,
} from './queries.ts';
import { downloadEvent, toDownloadOut } from './wire.ts';
import { DOWNLOAD_TASK, MATERIALIZE_TRACK } from './tasks.ts';

interface DownloadsDeps {
  db: MainDb;
  now: () => Date;
  jobs: Pick<Jobs, 'enqueue' | 'tryEnqueue' | 'cancel'>;
  events: Pick<EventHub, 'publish'>;
  catalogue: Pick<RemoteCatalogue, 'assertOn' | 'assertInUse'>;
  libraryChanged: () => void;
  /** A folder for each download below it; kept over a restart. */
  dir: string;
}

/** `download_task` waits for its turn; `materialize_track` is for a person who wants to listen now. */
type FetchTask = typeof DOWNLOAD_TASK | typeof MATERIALIZE_TRACK;
/** Audio that is here has the download that brought it, if one did. */
export type Asked = { isHere: true; download: DownloadRow | undefined } | { isHere: false; download: DownloadRow };

const KEEP_FAILED_MS = 7 * 86_400_000;
/** Phones give up after a minute or less. */
const LONGEST_WAIT_MS = 50_000;

export type Downloads = ReturnType<typeof createDownloads>;

export function createDownloads({ db, now, jobs, events, catalogue, libraryChanged, dir }: DownloadsDeps) {
  const waiting = new Map<DownloadId, Set<() => void>>();
  const folderOf = (id: DownloadId): string => join(dir, String(id));

  function announce(id: DownloadId): void {
    const row = db.$client.open ? findDownload(db, id) : undefined;
    if (row) events.publish(downloadEvent, toDownloadOut(row));
    for (const wake of waiting.get(id) ?? []) wake();
  }

  function get(id: DownloadId): DownloadRow {
    const row = findDownload(db, id);
    if (!row) throw notFound('download', id);
    return row;
  }

  /** In one transaction, so that of many requests at once only one starts a download. */
  function note(userId: UserId, trackId: TrackId): Asked & { isNew?: boolean } {
    return db.transaction(
      (tx) => {
        const track = findFetched(tx, trackId);
        if (!track) throw notFound('track', trackId);
        if (track.availability === 'available') {
          const latest = findLatest(tx, trackId);
          return { download: latest?.status === 'succeeded' ? latest : undefined, isHere: true };
        }
        const underWay = findUnfinished(tx, trackId);
        if (underWay) return { download: underWay, isHere: false };
        const sourceId = findRemoteId(tx, trackId);
        if (sourceId === undefined)
          throw conflict(`“${track.title}” is not from the remote catalogue, so its audio cannot be downloaded.`);
        catalogue.assertInUse(sourceId);
        const download = insertDownload(tx, { sourceId, trackId, userId }, now());
        setAvailability(tx, trackId, 'fetching', now());
        return { download, isHere: false, isNew: true };
      },
      { behavior: 'immediate' },
    );
  }

  async function fetchTrack(userId: UserId, trackId: TrackId, task: FetchTask): Promise<Asked> {
    const asked = note(userId, trackId);
    if (asked.isHere || !asked.isNew) return asked;
    const { id } = asked.download;
    await enqueue(task, id, () => removeDownload(db, id));
    return { download: get(id), isHere: false };
  }

  /** When the queue fails, the track is as before, and so is the download after `undo`. */
  async function enqueue(task: FetchTask, id: DownloadId, undo: () => void): Promise<void> {
    try {
      await jobs.enqueue(task, { downloadId: id });
    } catch (error) {
      db.transaction(
        (tx) => {
          const { trackId } = get(id);
          const track = trackId === null ? undefined : findFetched(tx, trackId);
          if (trackId !== null && track?.availability === 'fetching')
            setAvailability(tx, trackId, track.storageUri === null ? 'remote' : 'missing', now());
          undo();
        },
        { behavior: 'immediate' },
      );
      throw error;
    }
    libraryChanged();
    announce(id);
  }

  /** Resolves when the download changes, or when aborted. */
  const nextChange = (id: DownloadId, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const all = waiting.get(id) ?? new Set();
      const wake = (): void => {
        all.delete(wake);
        if (all.size === 0) waiting.delete(id);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      waiting.set(id, all.add(wake));
      signal.addEventListener('abort', wake, { once: true });
    });

  return {
    folderOf,
    get,
    list: (status: DownloadStatus | undefined, page: Page): Paged<DownloadRow> => listDownloads(db, status, page),
    /** Tells windows, and `fetchNow`, how far it is. */
    announce,

    /** For listening now. Throws `not_found`, `conflict` when it cannot be downloaded, `queue_unavailable`. */
    materialize: (userId: UserId, trackId: TrackId): Promise<Asked> => fetchTrack(userId, trackId, MATERIALIZE_TRACK),
    /** The same, after other downloads. */
    request: (userId: UserId, trackId: TrackId): Promise<Asked> => fetchTrack(userId, trackId, DOWNLOAD_TASK),

    /**
     * Resolves when the audio is here. Throws like `materialize`, and `unavailable` when it fails or takes too long.
     */
    async fetchNow(userId: UserId, trackId: TrackId, signal: AbortSignal): Promise<void> {
      const asked = await fetchTrack(userId, trackId, MATERIALIZE_TRACK);
      if (asked.isHere) return;
      const { id } = asked.download;
      const patience = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_WAIT_MS)]);
      for (;;) {
        if (findFetched(db, trackId)?.availability === 'available') return;
        const { status, error } = get(id);
        if (status === 'failed' || status === 'cancelled')
          throw new AppError('unavailable', error ?? 'The download was cancelled.');
        signal.throwIfAborted();
        if (patience.aborted)
          throw new AppError('unavailable', 'It is still being fetched. Try again in a moment.', { retryAfter: 10 });
        await nextChange(id, patience);
      }
    },

    /** After it failed or was cancelled; resumes its partial file. Gives another download of the track if one runs. */
    async retry(id: DownloadId): Promise<DownloadRow> {
      catalogue.assertOn();
      const before = get(id);
      const { trackId, status } = before;
      if (status !== 'failed' && status !== 'cancelled')
        throw conflict(
          status === 'succeeded' ? 'This download has succeeded.' : `This download is still under way (${status}).`,
        );
      if (trackId === null) throw conflict('The track of this download was deleted.');
      const underWay = db.transaction(
        (tx) => {
          if (findFetched(tx, trackId)?.availability === 'available')
            throw conflict('The audio of this track is here already.');
          const other = findUnfinished(tx, trackId);
          if (other) return other;
          catalogue.assertInUse(before.sourceId);
          setStatus(tx, id, 'queued');
          setAvailability(tx, trackId, 'fetching', now());
          return undefined;
        },
        { behavior: 'immediate' },
      );
      if (underWay) return underWay;
      await enqueue(DOWNLOAD_TASK, id, () => setStatus(db, id, status));
      return get(id);
    },

    /** Throws `forbidden` for somebody else's, and `conflict` when it has ended. */
    async cancel(user: Pick<Principal, 'id' | 'isSuperuser'>, id: DownloadId): Promise<DownloadRow> {
      const row = get(id);
      if (row.userId !== user.id && !user.isSuperuser)
        throw forbidden('Only whoever asked for this download, and administrators, may cancel it.');
      if (hasEnded(row) || row.jobId === null) throw conflict(`Download ${id} has already ended (${row.status}).`);
      jobs.cancel(row.jobId); // the row and the track follow
      await rm(folderOf(id), { recursive: true, force: true });
      libraryChanged();
      announce(id);
      return get(id);
    },

    /**
     * After a start: queues downloads that a kill left without a job, and removes partial files that are not needed.
     */
    async resume(): Promise<void> {
      for (const { id } of listForgotten(db)) await jobs.tryEnqueue(DOWNLOAD_TASK, { downloadId: id });
      const names = await readdir(dir).catch(() => []);
      // queried after the names were listed, so that a download that just started is included
      const wanted = listResumable(db, new Date(now().getTime() - KEEP_FAILED_MS));
      for (const name of names) {
        if (!wanted.has(Number(name) as DownloadId))
          // the next start tries again
          await rm(join(dir, name), { recursive: true, force: true }).catch(() => undefined);
      }
    },
  };
}
