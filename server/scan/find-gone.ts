// The last stage of a scan, when all rows are written: tracks whose files are gone are looked for among the others.
// Equal audio first: the two tracks are one. Then new tracks that are the same music in other bytes, by fingerprint, or
// by length and tags where a fingerprint is missing. If several fit, nothing is guessed, and a person is asked.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withRelaxedCommit, type MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import { NO_HASH } from '../files/read-file.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import { join, sourceIdOf } from '../files/relative-path.ts';
import { fileOfSection } from '../files/section-names.ts';
import { toAudio, toIdentity } from '../files/track-draft.ts';
import type { Hearing } from '../enrichment/hearing.ts';
import { identityUnderEdits, tagsUnderEdits } from '../library/edit-history.ts';
import { withEditsOf } from '../library/identity-changes.ts';
import { prepareKnownTracks } from '../library/track-identity.ts';
import type { TrackIdentity } from '../library/track-values.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import type { Relocation } from '../relocation/service.ts';
import { SAME_RECORDING } from '../media/fingerprint-match.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import { toFileUri } from '../storage/uri.ts';
import { eachAtOnce } from '../runtime/concurrency.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import { comparableTracks } from './comparable-tracks.ts';
import { createGoneTracks, type GoneTrack, type NewTrack, type Upgrade } from './gone-candidates.ts';
import { onlyCertainFiles, seemsSame, type Match } from './same-music.ts';

/** What is somewhere else than the file that is gone counts for so long. */
const LATELY_MS = 90 * 86_400_000;
/** New tracks that are compared together: some have to be listened to. */
const AT_ONCE = 8;

interface FindGoneDeps {
  db: MainDb;
  source: string;
  hearing: Pick<Hearing, 'ofTrack' | 'ofKept' | 'alike' | 'stored' | 'store'>;
  relocation: Pick<Relocation, 'takeOverFile' | 'replace' | 'join' | 'takeMergedFile'>;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'statusOf'>;
  reader: Pick<ReaderPool, 'read'>;
}

interface Search {
  root: MusicRoots;
  /** Tracks with a higher id are new. */
  after: TrackId;
  signal: AbortSignal;
}

type UpgradeSearch = Pick<Search, 'root' | 'signal'> & { now: Date };

interface Found {
  /** Tracks that went into another one. */
  joined: TrackId[];
  /** Tracks that took over the file of a new one. */
  adopted: TrackId[];
  /** Tracks that took over the file of one that came before this scan, or were replaced by it. */
  upgraded: TrackId[];
}

export type FindGone = ReturnType<typeof createFindGone>;

export function createFindGone({ db, source, hearing, relocation, tracks, reader }: FindGoneDeps) {
  const client = db.$client;
  const goneTracks = createGoneTracks(client, source);
  const findKnown = prepareKnownTracks(client);
  const audioHashOf = client.prepare<[TrackId], string | null>('SELECT audio_hash FROM tracks WHERE id = ?').pluck();
  const setFormer = client.prepare<[string | null, TrackId, TrackId]>(
    'UPDATE trashed_tracks SET former_audio_hash = ? WHERE id = ? AND merged_into = ?',
  );
  const isCutOff = client.prepare<[string]>('SELECT 1 FROM unfinished_scans WHERE source = ?');

  /** A comparison was due while a scan was running. */
  let isDue = false;

  /**
   * What people did goes to the track that is left; one that a person edited, or separated, is kept, and takes the
   * other's file.
   */
  async function joinEqual({ signal }: Pick<Search, 'signal'>): Promise<TrackId[]> {
    const joined: TrackId[] = [];
    for (const { gone, left, isEdited, isSection, isGivenBack } of await goneTracks.listJoinable()) {
      await nextTurn(); // people wait for no more than one of them
      signal.throwIfAborted();
      // the tracks of a file that moved are known by their audio alone
      const keepsGone = (isEdited || isSection || isGivenBack) && tracks.statusOf(left) !== 'manual';
      const becomeOne = (): void =>
        !keepsGone
          ? relocation.join(left, gone)
          : isSection || isGivenBack
            ? takeOverFileAndNames(gone, left, 'same_audio')
            : takeOverEdited(gone, left);
      if (isDone(() => withRelaxedCommit(client, becomeOne))) joined.push(gone);
    }
    return joined;
  }

  /** A person edited the gone track: it stays as it is, and undoing the edits gives what its file says now. */
  const takeOverEdited = client.transaction((gone: TrackId, left: TrackId): void => {
    const tags = identityUnderEdits(db, left) ?? findKnown(left)?.identity;
    relocation.takeOverFile(gone, left, 'same_audio');
    if (tags) tagsUnderEdits(db, gone, tags);
  }).immediate;

  /** With what its tags or its sheet say now, unless a person edited the track. */
  function takeOverFileAndNames(gone: TrackId, left: TrackId, why: 'same_audio' | 'same_music'): void {
    const now = findKnown(left);
    relocation.takeOverFile(gone, left, why);
    if (now) setTags(gone, now.identity, now.folder);
  }

  /** What a person edited stays, and undoing the edits gives these tags. */
  const setTags = client.transaction((id: TrackId, identity: TrackIdentity, folder: number | undefined): void => {
    tagsUnderEdits(db, id, identity);
    const known = findKnown(id);
    if (known && known.status !== 'manual')
      tracks.batch(() => tracks.setIdentity(id, withEditsOf(known.identity, identity), folder));
  }).immediate;

  /** Pairs that may be one recording. */
  async function matchesAmong(gone: readonly GoneTrack[], { after, signal }: Search): Promise<Match<NewTrack>[]> {
    const lengths: Pick<NewTrack, 'durationMs'>[] = [];
    for (const { durationMs } of goneTracks.newOnes(after)) {
      await yieldIfDue();
      lengths.push({ durationMs });
    }
    const comparable = await comparableTracks(gone, lengths, (id) => hearing.ofKept(id, signal));
    const matches: Match<NewTrack>[] = [];
    await eachAtOnce(goneTracks.newOnes(after), AT_ONCE, async (now) => {
      await yieldIfDue();
      signal.throwIfAborted();
      const isHeard = comparable.hasHeard(now, now.id) && (await hearing.ofTrack(now.id, signal)) !== undefined;
      // a copy of a track that is there is not another one because its tags say so
      const isNamed = (): boolean => !goneTracks.hasTwin(now, after);
      for (const id of comparable.sameAs(now, isHeard ? hearing.alike(now.id) : undefined, isNamed))
        if (id !== now.id) matches.push({ gone: id, now });
    });
    return matches;
  }

  /**
   * The gone track takes over the file, with its tags unless a person edited its own; the new track goes. If both files
   * were there and the old one comes back, they are two tracks again.
   */
  async function adopt(root: MusicRoots, { gone, now }: Match<NewTrack>, wasBeside = false): Promise<boolean> {
    if (fileOfSection(now.name) !== undefined) return isDone(() => takeOverFileAndNames(gone, now.id, 'same_music'));
    const paths = [join(now.path, now.name)];
    const [result] = await reader.read({ root, paths, copyTo: null, hashLarge: false });
    const takeOver = client.transaction(() => {
      const sound = hearing.stored(now.id);
      const formerHash = audioHashOf.get(gone);
      relocation.takeOverFile(gone, now.id, 'same_music');
      if (wasBeside && formerHash !== NO_HASH) setFormer.run(formerHash ?? null, now.id, gone);
      if (sound) hearing.store(gone, sound);
      if (result?.ok) setTags(gone, toIdentity(result.read, sourceIdOf(now.path, now.name)), now.folder);
    }).immediate;
    return isDone(() => withRelaxedCommit(client, takeOver));
  }

  async function adoptSame(search: Search): Promise<TrackId[]> {
    if (goneTracks.newOnes(search.after).next().done) return [];
    const gone = await goneTracks.list();
    if (gone.length === 0) return [];
    const adopted: TrackId[] = [];
    for (const match of onlyCertainFiles(await matchesAmong(gone, search))) {
      search.signal.throwIfAborted();
      if (await adopt(search.root, match)) adopted.push(match.gone);
    }
    return adopted;
  }

  /**
   * A track whose file is gone may have become one that came before this scan, or was heard since. Its sound tells;
   * where one of the two was not heard, and cannot be, its names do.
   */
  async function takeUpgrades({ root, signal, now }: UpgradeSearch): Promise<TrackId[]> {
    const matches: Match<NewTrack>[] = [];
    const withOwnCopy = new Set<TrackId>();
    for await (const upgrades of goneTracks.upgrades(latelyBefore(now)))
      for (const upgrade of await onlySame(upgrades, signal)) {
        matches.push({ gone: upgrade.gone.id, now: upgrade.now });
        if (upgrade.isKept) withOwnCopy.add(upgrade.gone.id);
      }
    const upgraded: TrackId[] = [];
    for (const match of onlyCertainFiles(matches)) {
      signal.throwIfAborted();
      const isTaken = withOwnCopy.has(match.gone)
        ? isDone(() => withRelaxedCommit(client, () => relocation.replace(match.gone, match.now.id)))
        : await adopt(root, match, true);
      if (isTaken) upgraded.push(match.gone);
    }
    return upgraded;
  }

  async function onlySame(upgrades: readonly Upgrade[], signal: AbortSignal): Promise<Upgrade[]> {
    const same: Upgrade[] = [];
    for (const upgrade of upgrades) {
      await yieldIfDue();
      signal.throwIfAborted();
      if (await isUpgrade(upgrade, signal)) same.push(upgrade);
    }
    return same;
  }

  async function isUpgrade({ gone, now, isHeardSame }: Upgrade, signal: AbortSignal): Promise<boolean> {
    if (isHeardSame !== undefined || !seemsSame(gone, now)) return isHeardSame ?? false;
    const isHeard = (await hearing.ofKept(gone.id, signal)) && (await hearing.ofTrack(now.id, signal));
    return (
      !isHeard || hearing.alike(gone.id).some(({ id, similarity }) => id === now.id && similarity >= SAME_RECORDING)
    );
  }

  /** Tracks whose files are nowhere play from the files of those that a person merged into them. */
  async function takeMergedFiles({ root, signal }: Pick<Search, 'root' | 'signal'>): Promise<TrackId[]> {
    const taken = new Set<TrackId>();
    for (const { kept, merged, folderId, path, name, sizeBytes, mtimeUs } of await goneTracks.listMergedFiles()) {
      await yieldIfDue();
      signal.throwIfAborted();
      if (taken.has(kept)) continue;
      const place = join(path, name);
      const [result] = await reader.read({
        root,
        paths: [{ path: place, sizeBytes, mtimeUs }],
        copyTo: null,
        hashLarge: true,
      });
      if (!result?.ok) continue; // it is not there either
      const { read, audioHash } = result;
      const stored = { storageUri: toFileUri(place), contentHash: null, audioHash, sizeBytes };
      const take = (): void =>
        relocation.takeMergedFile(kept, { merged, folderId, name, audio: toAudio(read, stored) });
      if (isDone(() => withRelaxedCommit(client, take))) taken.add(kept);
    }
    return [...taken];
  }

  return {
    goneTracks,

    /** Call when all that the scan found is written. */
    async find(search: Search & { now: Date }): Promise<Found> {
      isDue = false;
      return {
        joined: await joinEqual(search),
        adopted: await adoptSame(search),
        upgraded: [...(await takeUpgrades(search)), ...(await takeMergedFiles(search))],
      };
    },

    /** The scan that runs, or the next one, compares also when it has written nothing. */
    leaveToScan(): void {
      isDue = true;
    },
    isDue: (): boolean => isDue,

    /** Between scans. After one that was cut off the files are known in part: nothing is done. */
    compareAgain: async (search: UpgradeSearch): Promise<Pick<Found, 'joined' | 'upgraded'>> =>
      isCutOff.get(source) === undefined
        ? { joined: await joinEqual(search), upgraded: await takeUpgrades(search) }
        : { joined: [], upgraded: [] },

    /** Of tracks whose files seem to be replaced: those that the music is of that came before this scan. */
    async withUpgrades(ids: readonly TrackId[], { signal, now }: Pick<UpgradeSearch, 'signal' | 'now'>) {
      const same = await onlySame(goneTracks.upgradesOf(ids, latelyBefore(now)), signal);
      return new Set(onlyCertainFiles(same.map(({ gone, now: file }) => ({ gone: gone.id, now: file }))).map(toGone));
    },

    /** Of tracks whose files seem to be replaced: those that became one of the new tracks. */
    async amongNew(gone: readonly GoneTrack[], search: Search): Promise<Set<TrackId>> {
      return new Set(onlyCertainFiles(await matchesAmong(gone, search)).map(toGone));
    },
  };
}

const latelyBefore = (now: Date): Date => new Date(now.getTime() - LATELY_MS);
const toGone = <F>({ gone }: Match<F>): TrackId => gone;

/** False when one of the two was deleted meanwhile. */
export function isDone(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'conflict')) return false;
    throw error;
  }
}
