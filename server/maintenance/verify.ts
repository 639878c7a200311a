// Verifies stored files: objects against the hash in their key, covers against the hash in their row, and files in the
// music folder against their payload hash, and against the whole hash that the first verify found. Mends what can be
// mended, and reports all findings. Nothing is written in the music folder.
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
import { gently, VERIFY_PACE, type VerifyPace } from './verify-pace.ts';
import { isOnBattery } from '../runtime/battery.ts';
import {
  countCovered,
  countKept,
  countPictured,
  findRun,
  knownSum,
  prepareFindKept,
  prepareListCovered,
  prepareListKept,
  prepareListPictured,
  saveRun,
  type KeptTrack,
  type VerifyRun,
} from './queries.ts';
import {
  describeReport,
  emptyReport,
  noteFinding,
  type Finding,
  type FindingKind,
  type VerifyReport,
} from './verify-report.ts';
import { keyOfUri, toUri } from '../storage/uri.ts';
import type { Mend } from './mend.ts';
import type { MEND_TRACK, VERIFY_STORAGE } from './tasks.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

const AT_ONCE = 50;
const FILE = 'file:';

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
  mend: Mend;
  /** The track's audio is missing, or back. */
  onGone: (id: TrackId, uri: string) => void;
  onReturned: (id: TrackId, uri: string) => void;
  listMissing: () => TrackId[];
  lookAgain: (id: TrackId) => Promise<boolean>;
  /** Requests are served or a scan runs, so the daily part waits. */
  isBusy: () => boolean;
  pace?: Partial<VerifyPace>;
}

type Pass = Pick<JobContext, 'signal'>;
type Verdict = 'good' | 'changed' | 'unhashed' | { kind: FindingKind; reason: string | null };

export function createVerify(deps: VerifyDeps): {
  verify: Handler<typeof VERIFY_STORAGE>;
  mendTrack: Handler<typeof MEND_TRACK>;
} {
  const { db, now, settings, storage, isBusy, mend } = deps;
  const findKept = prepareFindKept(db);
  const pace = { ...VERIFY_PACE, ...deps.pace };
  const listKept = prepareListKept(db);
  const listCovered = prepareListCovered(db);
  const listPictured = prepareListPictured(db);

  /** Continues where an earlier attempt of the job ended. Throws `unavailable` while the storage is down. */
  const verify: Handler<typeof VERIFY_STORAGE> = async (
    { scope },
    { jobId, signal, progress },
  ): Promise<VerifyReport> => {
    const before = findRun(db, scope);
    const isSame = before?.jobId === jobId;
    const goesOn = isSame || scope === 'part';
    const tally = isSame ? before.tally : emptyReport();
    const run: VerifyRun = {
      scope,
      jobId,
      tally,
      startedAt: isSame ? before.startedAt : now(),
      afterId: goesOn ? (before?.afterId ?? 0) : 0,
      afterAlbumId: goesOn ? (before?.afterAlbumId ?? 0) : 0,
      afterPictureId: goesOn ? (before?.afterPictureId ?? 0) : 0,
    };
    const share = (total: number): number =>
      scope === 'all' ? Infinity : Math.ceil(total / Math.max(1, verifyDays(settings, storage)));
    const [tracks, covers, pictures] = [countKept(db), countCovered(db), countPictured(db)];
    const total = [tracks, covers, pictures].reduce((sum, count) => sum + Math.min(count, share(count)), 0);

    /** Missing audio is looked for every day, and not only when the turn of its track comes. */
    async function lookForMissing(): Promise<void> {
      for (const id of deps.listMissing()) {
        signal.throwIfAborted();
        if (await deps.lookAgain(id)) tally.returned++;
        await yieldIfDue();
      }
    }

    /** Goes through the rows in windows. After the end, the next part starts over. */
    async function go<T extends { id: number }>(
      cursor: 'afterId' | 'afterAlbumId' | 'afterPictureId',
      most: number,
      list: (after: number, most: number) => T[],
      look: (one: T) => Promise<void>,
    ): Promise<void> {
      for (let left = most; left > 0;) {
        const rows = list(run[cursor], Math.min(AT_ONCE, left));
        for (const one of rows) {
          signal.throwIfAborted();
          if (scope === 'part' && (await isOnBattery())) return saveRun(db, run);
          await (scope === 'all' ? look(one) : gently({ pace, isBusy, signal }, () => look(one)));
          run[cursor] = one.id;
          progress(tally.checked + tally.covers + tally.pictures, total, describeReport(tally));
          await yieldIfDue();
        }
        if (rows.length === 0 && scope === 'part') run[cursor] = 0;
        saveRun(db, run);
        if (rows.length === 0) return;
        left -= rows.length;
      }
    }

    if (scope === 'part') await lookForMissing();
    await go('afterId', share(tracks) - tally.checked, listKept, (track) => verifyOne(track, tally, { signal }));
    const heal: RepairCover = async (key, etag) => (await mend.fromBackup(key, etag, signal)) ?? 'there is no backup';
    await go('afterAlbumId', share(covers) - tally.covers, listCovered, async ({ id, title }) => {
      const verdict = await deps.proveCover(id, heal, signal);
      tally.covers++;
      noteVerdict(tally, verdict, { title, album_id: id, artist_id: null });
    });
    await go('afterPictureId', share(pictures) - tally.pictures, listPictured, async ({ id, title, artistId }) => {
      const verdict = await deps.provePicture(id, heal);
      tally.pictures++;
      noteVerdict(tally, verdict, { title, album_id: null, artist_id: artistId });
    });
    return tally;
  };

  /** Looks at one track, whose audio was found lost or damaged when it was played. */
  const mendTrack: Handler<typeof MEND_TRACK> = async ({ trackId }, pass) => {
    const tally = emptyReport();
    const track = findKept(trackId);
    if (track && !track.uri.startsWith(FILE)) await verifyOne(track, tally, pass);
    return tally;
  };

  return { verify, mendTrack };

  function noteVerdict(
    tally: VerifyReport,
    verdict: CoverVerdict,
    of: Pick<Finding, 'title' | 'album_id' | 'artist_id'>,
  ): void {
    if (typeof verdict === 'string') return;
    const { kind, key, healed, reason } = verdict;
    noteFinding(tally, {
      kind,
      track_id: null,
      ...of,
      storage_uri: toUri(storage, key),
      healed: healed !== null,
      reason,
    });
  }

  async function verifyOne(track: KeptTrack, tally: VerifyReport, pass: Pass): Promise<void> {
    const { signal } = pass;
    const verdict = await judge(track, pass);
    tally.checked++;
    tally.bytes += verdict === 'good' ? track.sizeBytes : 0;
    if (verdict === 'changed' || verdict === 'unhashed') tally[verdict]++;
    if (typeof verdict === 'object') {
      const { uri, contentHash } = track;
      const key = uri.slice(uri.indexOf(':') + 1);
      const healed =
        keyOfUri(storage, uri) !== undefined ? await mend.audio(key, contentHash ?? hashInKey(key), signal) : undefined;
      noteFinding(tally, {
        ...verdict,
        track_id: track.id,
        album_id: null,
        artist_id: null,
        title: track.title,
        storage_uri: track.uri,
        healed: healed === 'healed',
        reason: typeof healed === 'string' && healed !== 'healed' ? healed : verdict.reason,
      });
      if (healed !== 'healed') return void (verdict.kind === 'missing' && deps.onGone(track.id, track.uri));
    }
    if (
      track.availability !== 'missing' ||
      track.uri.startsWith(FILE) ||
      (typeof verdict === 'string' && verdict !== 'good')
    )
      return;
    tally.returned++;
    deps.onReturned(track.id, track.uri);
  }

  async function judge(track: KeptTrack, pass: Pass): Promise<Verdict> {
    try {
      return track.uri.startsWith(FILE) ? await judgeFile(track, pass) : await judgeObject(track, pass);
    } catch (error) {
      pass.signal.throwIfAborted();
      if (error instanceof AppError && error.code === 'gone') return { kind: 'missing', reason: null };
      if (error instanceof DamagedObjectError) return { kind: 'damaged', reason: null };
      if (!track.uri.startsWith(FILE) && !(await storage.isUp())) throw error; // the storage is down, not this track
      return { kind: 'unreadable', reason: messageOf(error) };
    }
  }

  async function judgeObject({ uri, contentHash }: KeptTrack, pass: Pass): Promise<Verdict> {
    return (await hashNow(uri, pass)) === (contentHash ?? hashInKey(uri)) ? 'good' : { kind: 'damaged', reason: null };
  }

  async function hashNow(uri: string, { signal }: Pass): Promise<string> {
    const { stream } = await (await deps.audioStore.resolve(uri)).open();
    const hash = createHash('sha256');
    for await (const piece of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      hash.update(piece);
      await yieldIfDue();
    }
    return hash.digest('hex');
  }

  /** A file that changed since the last scan was changed by a person, so it is not damaged. */
  async function judgeFile(track: KeptTrack, pass: Pass): Promise<Verdict> {
    const { uri, audioHash, fileSize, fileMtimeUs } = track;
    const file = await deps.audioStore.resolve(uri);
    const before = await file.stat();
    if (audioHash === null || audioHash === NO_HASH || fileSize === null || fileMtimeUs === null) return 'unhashed';
    const [result] = await deps.reader.read({
      root: deps.musicRoots(),
      paths: [{ path: uri.slice(FILE.length), sizeBytes: fileSize, mtimeUs: fileMtimeUs }],
      copyTo: null,
      hashLarge: true,
    });
    if (!result?.ok) return result?.changing ? 'changed' : { kind: 'damaged', reason: result?.reason ?? null };
    // a section's is that of its file, and where it begins
    const isWhole = result.audioHash === audioHash.split('@', 1)[0];
    const sum = isWhole ? await hashNow(uri, pass) : undefined;
    if (!isDeepStrictEqual(await file.stat(), before)) return 'changed'; // the hash is that of another version
    return sum !== undefined && knownSum(db, track, sum) === sum ? 'good' : { kind: 'damaged', reason: null };
  }
}
