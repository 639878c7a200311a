// Verifies stored files: objects against the hash in their key, covers against the hash in their row, and files in the
// music folder against their payload hash and the hash of the whole file that the first verification saved. Repairs
// what it can, and reports all findings. Does not write to the music folder.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { LiveSettings } from '../config/live-settings.ts';
import type { CoverVerdict, RepairCover } from '../covers/verify-cover.ts';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import { AppError, messageOf } from '../errors.ts';
import { NO_HASH } from '../files/read-file.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import type { Handler, JobContext } from '../jobs/tasks.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { DamagedObjectError } from '../storage/file-errors.ts';
import { hashInKey } from '../storage/local-paths.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import type { Storage } from '../storage/storage.ts';
import { verifyDays } from './daily-verify.ts';
import { runThrottled, VERIFY_PACE, type VerifyPace } from './verify-pace.ts';
import { isOnBattery } from '../runtime/battery.ts';
import {
  countCovers,
  countTracks,
  countArtistPictures,
  findRun,
  findOrSaveSum,
  prepareFindTrack,
  prepareListCovers,
  prepareListTracks,
  prepareListArtistPictures,
  saveRun,
  type StoredTrack,
  type VerifyRun,
} from './queries.ts';
import {
  describeReport,
  emptyReport,
  addFinding,
  type Finding,
  type FindingKind,
  type VerifyReport,
} from './verify-report.ts';
import { keyOfUri, toUri } from '../storage/uri.ts';
import type { AudioRepair } from './audio-repair.ts';
import type { MEND_TRACK, VERIFY_STORAGE } from './tasks.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

const ROWS_PER_STEP = 50;
const FILE_PREFIX = 'file:';

export interface VerifyDeps {
  db: MainDb;
  now: () => Date;
  settings: LiveSettings;
  musicRoots: () => MusicRoots;
  storage: Pick<Storage, 'isUp' | 'backend'>;
  audioStore: AudioStore;
  reader: Pick<ReaderPool, 'read'>;
  proveCover: (id: AlbumId, heal: RepairCover | undefined, signal: AbortSignal) => Promise<CoverVerdict>;
  provePicture: (id: number, heal: RepairCover | undefined) => Promise<CoverVerdict>;
  repair: AudioRepair;
  /** Called when the track's audio is missing; `onReturned` when the audio is there again. */
  onMissing: (id: TrackId, uri: string) => void;
  onReturned: (id: TrackId, uri: string) => void;
  listMissing: () => TrackId[];
  recheckAudio: (id: TrackId) => Promise<boolean>;
  /** Returns whether requests are served or a scan runs; the daily part waits for the end. */
  isBusy: () => boolean;
  pace?: Partial<VerifyPace>;
}

type VerifyContext = Pick<JobContext, 'signal'>;
type Verdict = 'good' | 'changed' | 'unhashed' | { kind: FindingKind; reason: string | null };

export function createVerify(deps: VerifyDeps): {
  verify: Handler<typeof VERIFY_STORAGE>;
  mendTrack: Handler<typeof MEND_TRACK>;
} {
  const shared = createContext(deps);
  /**
   * Verifies stored files. Continues where an earlier attempt of the job ended. Throws `unavailable` while the storage
   * is down.
   */
  const verify: Handler<typeof VERIFY_STORAGE> = async (
    { scope },
    { jobId, signal, progress },
  ): Promise<VerifyReport> => {
    const previousRun = findRun(shared.db, scope);
    const isSameJob = previousRun?.jobId === jobId;
    const continuesRun = isSameJob || scope === 'part';
    const report = isSameJob ? previousRun.tally : emptyReport();
    const verifyRun: VerifyRun = {
      scope,
      jobId,
      tally: report,
      startedAt: isSameJob ? previousRun.startedAt : shared.now(),
      afterId: continuesRun ? (previousRun?.afterId ?? 0) : 0,
      afterAlbumId: continuesRun ? (previousRun?.afterAlbumId ?? 0) : 0,
      afterPictureId: continuesRun ? (previousRun?.afterPictureId ?? 0) : 0,
    };
    const shareOf = (total: number): number =>
      scope === 'all' ? Infinity : Math.ceil(total / Math.max(1, verifyDays(shared.settings, shared.storage)));
    const [tracks, covers, pictures] = [countTracks(shared.db), countCovers(shared.db), countArtistPictures(shared.db)];
    const total = [tracks, covers, pictures].reduce((sum, count) => sum + Math.min(count, shareOf(count)), 0);

    /** Looks for all missing audio every day, even if its tracks are not due for verification. */
    async function findMissingAudio(): Promise<void> {
      for (const id of shared.deps.listMissing()) {
        signal.throwIfAborted();
        if (await shared.deps.recheckAudio(id)) report.returned++;
        await yieldIfDue();
      }
    }

    /**
     * Verifies rows in order of their ids, from the saved position on. After the last row, the next part starts over.
     */
    async function verifyRows<T extends { id: number }>(
      cursor: 'afterId' | 'afterAlbumId' | 'afterPictureId',
      limit: number,
      list: (afterId: number, limit: number) => T[],
      verifyRow: (row: T) => Promise<void>,
    ): Promise<void> {
      for (let remaining = limit; remaining > 0;) {
        const rows = list(verifyRun[cursor], Math.min(ROWS_PER_STEP, remaining));
        for (const row of rows) {
          signal.throwIfAborted();
          if (scope === 'part' && (await isOnBattery())) return saveRun(shared.db, verifyRun);
          await (scope === 'all'
            ? verifyRow(row)
            : runThrottled({ pace: shared.pace, isBusy: shared.isBusy, signal }, () => verifyRow(row)));
          verifyRun[cursor] = row.id;
          progress(report.checked + report.covers + report.pictures, total, describeReport(report));
          await yieldIfDue();
        }
        if (rows.length === 0 && scope === 'part') verifyRun[cursor] = 0;
        saveRun(shared.db, verifyRun);
        if (rows.length === 0) return;
        remaining -= rows.length;
      }
    }

    if (scope === 'part') await findMissingAudio();
    await verifyRows('afterId', shareOf(tracks) - report.checked, shared.listTracks, (track) =>
      verifyTrack(shared, track, report, { signal }),
    );
    const heal: RepairCover = async (key, etag) =>
      (await shared.repair.healFromBackup(key, etag, signal)) ?? 'there is no backup';
    await verifyRows('afterAlbumId', shareOf(covers) - report.covers, shared.listCovered, async ({ id, title }) => {
      const verdict = await shared.deps.proveCover(id, heal, signal);
      report.covers++;
      addVerdict(shared, report, verdict, { title, album_id: id, artist_id: null });
    });
    await verifyRows(
      'afterPictureId',
      shareOf(pictures) - report.pictures,
      shared.listPictured,
      async ({ id, title, artistId }) => {
        const verdict = await shared.deps.provePicture(id, heal);
        report.pictures++;
        addVerdict(shared, report, verdict, { title, album_id: null, artist_id: artistId });
      },
    );
    return report;
  };
  /** Verifies and repairs one track, whose audio turned out to be lost or damaged when it was played. */
  const mendTrack: Handler<typeof MEND_TRACK> = async ({ trackId }, context) => {
    const report = emptyReport();
    const track = shared.findTrack(trackId);
    if (track && !track.uri.startsWith(FILE_PREFIX)) await verifyTrack(shared, track, report, context);
    return report;
  };
  return {
    verify,
    mendTrack,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext(deps: VerifyDeps) {
  const { db, now, settings, storage, isBusy, repair } = deps;
  const findTrack = prepareFindTrack(db);
  const pace = { ...VERIFY_PACE, ...deps.pace };
  const listTracks = prepareListTracks(db);
  const listCovered = prepareListCovers(db);
  const listPictured = prepareListArtistPictures(db);
  return { deps, db, now, settings, storage, isBusy, repair, findTrack, pace, listTracks, listCovered, listPictured };
}

function addVerdict(
  shared: Context,
  report: VerifyReport,
  verdict: CoverVerdict,
  subject: Pick<Finding, 'title' | 'album_id' | 'artist_id'>,
): void {
  if (typeof verdict === 'string') return;
  const { kind, key, healed, reason } = verdict;
  addFinding(report, {
    kind,
    track_id: null,
    ...subject,
    storage_uri: toUri(shared.storage, key),
    healed: healed !== null,
    reason,
  });
}

async function verifyTrack(
  shared: Context,
  track: StoredTrack,
  report: VerifyReport,
  context: VerifyContext,
): Promise<void> {
  const { signal } = context;
  const verdict = await judge(shared, track, context);
  report.checked++;
  report.bytes += verdict === 'good' ? track.sizeBytes : 0;
  if (verdict === 'changed' || verdict === 'unhashed') report[verdict]++;
  if (typeof verdict === 'object') {
    const { uri, contentHash } = track;
    const key = uri.slice(uri.indexOf(':') + 1);
    const outcome =
      keyOfUri(shared.storage, uri) !== undefined
        ? await shared.repair.healAudio(key, contentHash ?? hashInKey(key), signal)
        : undefined;
    addFinding(report, {
      ...verdict,
      track_id: track.id,
      album_id: null,
      artist_id: null,
      title: track.title,
      storage_uri: track.uri,
      healed: outcome === 'healed',
      reason: typeof outcome === 'string' && outcome !== 'healed' ? outcome : verdict.reason,
    });
    if (outcome !== 'healed') return void (verdict.kind === 'missing' && shared.deps.onMissing(track.id, track.uri));
  }
  if (
    track.availability !== 'missing' ||
    track.uri.startsWith(FILE_PREFIX) ||
    (typeof verdict === 'string' && verdict !== 'good')
  )
    return;
  report.returned++;
  shared.deps.onReturned(track.id, track.uri);
}

async function judge(shared: Context, track: StoredTrack, context: VerifyContext): Promise<Verdict> {
  try {
    return track.uri.startsWith(FILE_PREFIX)
      ? await judgeFile(shared, track, context)
      : await judgeObject(shared, track, context);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof AppError && error.code === 'gone') return { kind: 'missing', reason: null };
    if (error instanceof DamagedObjectError) return { kind: 'damaged', reason: null };
    // the storage is down, which says nothing about the object
    if (!track.uri.startsWith(FILE_PREFIX) && !(await shared.storage.isUp())) throw error;
    return { kind: 'unreadable', reason: messageOf(error) };
  }
}

async function judgeObject(
  shared: Context,
  { uri, contentHash }: StoredTrack,
  context: VerifyContext,
): Promise<Verdict> {
  return (await hashAudio(shared, uri, context)) === (contentHash ?? hashInKey(uri))
    ? 'good'
    : { kind: 'damaged', reason: null };
}

async function hashAudio(shared: Context, uri: string, { signal }: VerifyContext): Promise<string> {
  const { stream } = await (await shared.deps.audioStore.resolve(uri)).open();
  const hash = createHash('sha256');
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    hash.update(chunk);
    await yieldIfDue();
  }
  return hash.digest('hex');
}

/**
 * Judges a file whose content differs. A file that changed since the last scan was changed by a person, so it is not
 * damaged.
 */
async function judgeFile(shared: Context, track: StoredTrack, context: VerifyContext): Promise<Verdict> {
  const { uri, audioHash, fileSize, fileMtimeUs } = track;
  const file = await shared.deps.audioStore.resolve(uri);
  const previousStat = await file.stat();
  if (audioHash === null || audioHash === NO_HASH || fileSize === null || fileMtimeUs === null) return 'unhashed';
  const [result] = await shared.deps.reader.read({
    root: shared.deps.musicRoots(),
    paths: [{ path: uri.slice(FILE_PREFIX.length), sizeBytes: fileSize, mtimeUs: fileMtimeUs }],
    copyTo: null,
    hashLarge: true,
  });
  if (!result?.ok) return result?.changing ? 'changed' : { kind: 'damaged', reason: result?.reason ?? null };
  // the hash of a section is that of its file, then `@` and its start
  const isSameAudio = result.audioHash === audioHash.split('@', 1)[0];
  const hash = isSameAudio ? await hashAudio(shared, uri, context) : undefined;
  // the hash is that of another version of the file
  if (!isDeepStrictEqual(await file.stat(), previousStat)) return 'changed';
  return hash !== undefined && findOrSaveSum(shared.db, track, hash) === hash
    ? 'good'
    : { kind: 'damaged', reason: null };
}
