// Proves that stored audio is what it was: every object is read whole and compared with the hash in its name, every file of the music
// folder with the hash of its sound. What is wrong is put right from the backup where there is one, and told in any case.
import { createHash } from 'node:crypto';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError, messageOf } from '../errors.ts';
import { NO_HASH } from '../ingest/read-file.ts';
import type { ReaderPool } from '../ingest/reader-pool.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { hashInKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import { countKept, findRun, prepareListKept, saveRun, type KeptTrack } from './queries.ts';
import { emptyTally, noteFinding, type FindingKind, type VerifyTally } from './tally.ts';

const AT_ONCE = 50;
const FILE = 'file:';

/** As the backup's healer gives it. */
export type Heal = (key: string, hash: string, signal: AbortSignal) => Promise<'healed' | 'not_in_backup' | 'damaged_in_backup'>;

export interface VerifyDeps {
  db: MainDb;
  now: () => Date;
  settings: LiveSettings;
  storage: Pick<Storage, 'kind' | 'isUp'>;
  audioStore: AudioStore;
  reader: Pick<ReaderPool, 'read'>;
  /** Absent where there is no backup. */
  heal?: Heal;
  /** The track's audio is not there, or is there again. */
  onGone: (id: TrackId) => void;
  onReturned: (id: TrackId) => void;
}

type Verdict = 'good' | 'changed' | 'unhashed' | { kind: FindingKind; reason: string | null };

/** Handler of `verify_storage`. Goes on where an earlier attempt of the same job ended; throws `unavailable` while the storage is down. */
export function verifyTask(deps: VerifyDeps): Handler<'verify_storage'> {
  const { db, now, settings } = deps;
  const listKept = prepareListKept(db);

  return async ({ scope }, { jobId, signal, progress }): Promise<VerifyTally> => {
    const before = findRun(db, scope);
    const isSame = before?.jobId === jobId;
    const tally = isSame ? before.tally : emptyTally();
    const startedAt = isSame ? before.startedAt : now();
    let after = isSame || scope === 'part' ? (before?.afterId ?? 0) : 0;
    const total = countKept(db);
    const most = scope === 'all' ? Infinity : Math.ceil(total / Math.max(1, settings.get('VERIFY_DAYS')));

    for (let left = most - tally.checked; left > 0;) {
      const tracks = listKept(after, Math.min(AT_ONCE, left));
      for (const track of tracks) {
        signal.throwIfAborted();
        await verifyOne(track, tally, signal);
        after = track.id;
        progress(tally.checked, scope === 'all' ? total : Math.min(most, total), describe(tally));
      }
      if (tracks.length === 0) after = 0; // the next part begins anew
      saveRun(db, { scope, jobId, afterId: after, tally, startedAt });
      if (tracks.length === 0) break;
      left -= tracks.length;
    }
    return tally;
  };

  async function verifyOne(track: KeptTrack, tally: VerifyTally, signal: AbortSignal): Promise<void> {
    const verdict = await judge(track, signal);
    tally.checked++;
    tally.bytes += verdict === 'good' ? track.sizeBytes : 0;
    if (verdict === 'changed' || verdict === 'unhashed') tally[verdict]++;
    if (typeof verdict === 'object') {
      const healed = await tryHeal(track, verdict.kind, signal);
      noteFinding(tally, { ...verdict, track_id: track.id, title: track.title, storage_uri: track.uri, healed: healed === 'healed', reason: typeof healed === 'string' && healed !== 'healed' ? healed : verdict.reason });
      if (healed !== 'healed') return void (verdict.kind === 'missing' && deps.onGone(track.id));
    }
    if (track.availability !== 'missing' || track.uri.startsWith(FILE) || (typeof verdict === 'string' && verdict !== 'good')) return;
    tally.returned++;
    deps.onReturned(track.id);
  }

  async function judge(track: KeptTrack, signal: AbortSignal): Promise<Verdict> {
    try {
      return track.uri.startsWith(FILE) ? await judgeFile(track) : await judgeObject(track, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError && error.code === 'gone') return { kind: 'missing', reason: null };
      if (!track.uri.startsWith(FILE) && !(await deps.storage.isUp())) throw error; // it says nothing of this track
      return { kind: 'unreadable', reason: messageOf(error) };
    }
  }

  async function judgeObject({ uri, contentHash }: KeptTrack, signal: AbortSignal): Promise<Verdict> {
    const { stream } = await (await deps.audioStore.resolve(uri)).open();
    const hash = createHash('sha256');
    for await (const piece of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      hash.update(piece);
    }
    return hash.digest('hex') === (contentHash ?? hashInKey(uri)) ? 'good' : { kind: 'damaged', reason: null };
  }

  /** A file that looks other than at the last scan is the person's own doing. */
  async function judgeFile({ uri, audioHash, fileSize, fileMtimeUs }: KeptTrack): Promise<Verdict> {
    await (await deps.audioStore.resolve(uri)).stat();
    if (audioHash === null || audioHash === NO_HASH || fileSize === null || fileMtimeUs === null) return 'unhashed';
    const [result] = await deps.reader.read({
      root: settings.get('LOCAL_MEDIA_IMPORT_PATH') ?? '', paths: [{ path: uri.slice(FILE.length), sizeBytes: fileSize, mtimeUs: fileMtimeUs }], copyTo: null, hashLarge: true,
    });
    if (result?.ok) return result.audioHash === audioHash ? 'good' : { kind: 'damaged', reason: null };
    return result?.changing ? 'changed' : { kind: 'damaged', reason: result?.reason ?? null };
  }

  /** `undefined` where nothing can be tried; words when it did not work. */
  async function tryHeal({ uri, contentHash }: KeptTrack, kind: FindingKind, signal: AbortSignal): Promise<string | undefined> {
    if (!deps.heal || uri.startsWith(FILE) || kind === 'unreadable') return undefined;
    const key = uri.slice(uri.indexOf(':') + 1);
    try {
      const outcome = await deps.heal(key, contentHash ?? hashInKey(key), signal);
      return outcome === 'not_in_backup' ? 'the backup does not have it' : outcome === 'damaged_in_backup' ? 'it is damaged in the backup too' : outcome;
    } catch (error) {
      signal.throwIfAborted();
      return `the backup cannot be read (${messageOf(error)})`;
    }
  }
}

const describe = ({ damaged, missing, unreadable, healed }: VerifyTally): string =>
  damaged + missing + unreadable + healed === 0 ? 'all as it was' : `${damaged} damaged, ${missing} missing, ${unreadable} unreadable, ${healed} healed`;
