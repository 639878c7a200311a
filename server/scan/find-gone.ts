// The last stage of a scan, when all rows are written: tracks whose files are gone are looked for among the others.
// Equal audio first: the two tracks are one. Then new tracks that are the same music in other bytes, by fingerprint, or
// by length and tags where a fingerprint is missing. If several fit, nothing is guessed, and a person is asked.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import type { ReaderPool } from '../files/reader-pool.ts';
import { join, sourceIdOf } from '../files/relative-path.ts';
import { fileOfSection } from '../files/section-names.ts';
import { toIdentity } from '../files/track-draft.ts';
import type { Hearing } from '../enrichment/hearing.ts';
import { withEditsOf } from '../library/identity-changes.ts';
import { prepareKnownTracks } from '../library/track-identity.ts';
import type { TrackIdentity } from '../library/track-values.ts';
import type { TrackWriter } from '../library/track-writer.ts';
import { SAME_RECORDING } from '../media/fingerprint-match.ts';
import type { Relocation } from '../relocation/service.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import { createGoneTracks, type GoneTrack, type NewTrack } from './gone-candidates.ts';
import { byLength, onlyCertain, seemsSame, type Match } from './same-music.ts';

/** New tracks that are compared together. */
const GROUP = 500;

interface FindGoneDeps {
  db: MainDb;
  source: string;
  hearing: Pick<Hearing, 'ofTrack' | 'ofKept' | 'alike' | 'stored' | 'store'>;
  relocation: Pick<Relocation, 'takeOverFile' | 'join'>;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'statusOf'>;
  reader: Pick<ReaderPool, 'read'>;
}

interface Search {
  root: MusicRoots;
  /** Tracks with a higher id are new. */
  after: TrackId;
  signal: AbortSignal;
}

interface Found {
  /** Tracks that went into another one. */
  joined: TrackId[];
  /** Tracks that took over the file of a new one. */
  adopted: TrackId[];
}

export type FindGone = ReturnType<typeof createFindGone>;

export function createFindGone({ db, source, hearing, relocation, tracks, reader }: FindGoneDeps) {
  const client = db.$client;
  const goneTracks = createGoneTracks(client, source);
  const findKnown = prepareKnownTracks(client);

  /** What people did goes to the track that is left; one that a person edited is kept, and takes the other's file. */
  async function joinEqual({ signal }: Search): Promise<TrackId[]> {
    const joined: TrackId[] = [];
    for (const { gone, left, isEdited, isSection } of goneTracks.listJoinable()) {
      await nextTurn(); // people wait for no more than one of them
      signal.throwIfAborted();
      // the tracks of a file that moved are known by their audio alone
      const keepsGone = (isEdited || isSection) && tracks.statusOf(left) !== 'manual';
      const becomeOne = (): void =>
        !keepsGone
          ? relocation.join(left, gone)
          : isSection
            ? takeOverSection(gone, left, 'same_audio')
            : relocation.takeOverFile(gone, left, 'same_audio');
      if (isDone(becomeOne)) joined.push(gone);
    }
    return joined;
  }

  /** With what its sheet says now, unless a person edited the track. */
  function takeOverSection(gone: TrackId, left: TrackId, why: 'same_audio' | 'same_music'): void {
    const now = findKnown(left);
    relocation.takeOverFile(gone, left, why);
    if (now && tracks.statusOf(gone) !== 'manual') setIdentity(gone, now.identity, now.folder);
  }

  /** What a person edited stays. */
  const setIdentity = client.transaction((id: TrackId, identity: TrackIdentity, folder: number | undefined): void => {
    const known = findKnown(id);
    if (known) tracks.batch(() => tracks.setIdentity(id, withEditsOf(known.identity, identity), folder));
  }).immediate;

  /** Pairs that may be one recording. */
  async function matchesAmong(gone: readonly GoneTrack[], { after, signal }: Search): Promise<Match<NewTrack>[]> {
    const findAsLong = byLength(gone);
    const matches: Match<NewTrack>[] = [];
    /** Whether a vanished track has a fingerprint. */
    const heard = new Map<TrackId, boolean>();
    for (let last = after; ;) {
      const some = goneTracks.listNew(last, GROUP);
      if (some.length === 0) return matches;
      last = (some.at(-1) as NewTrack).id;
      const pairs = some.map((now) => ({ now, asLong: findAsLong(now).filter(({ id }) => id !== now.id) }));
      // each once, however many new tracks are as long
      const unheard = new Set(pairs.flatMap(({ asLong }) => asLong.map(({ id }) => id).filter((id) => !heard.has(id))));
      await Promise.all(
        [...unheard].map(async (id) => heard.set(id, (await hearing.ofKept(id, signal)) !== undefined)),
      );
      const found = await Promise.all(pairs.map((pair) => matchesOf(pair, (id) => heard.get(id) === true, signal)));
      matches.push(...found.flat());
    }
  }

  async function matchesOf(
    { now, asLong }: { now: NewTrack; asLong: GoneTrack[] },
    isGoneHeard: (id: TrackId) => boolean,
    signal: AbortSignal,
  ): Promise<Match<NewTrack>[]> {
    signal.throwIfAborted();
    const isHeard = asLong.some(({ id }) => isGoneHeard(id)) && (await hearing.ofTrack(now.id, signal)) !== undefined;
    const alike = new Set(
      isHeard
        ? hearing
            .alike(now.id)
            .filter(({ similarity }) => similarity >= SAME_RECORDING)
            .map(({ id }) => id)
        : [],
    );
    // a copy of a track that is there is not another one because its tags say so
    const isCopy = goneTracks.hasTwin(now);
    const isSame = (gone: GoneTrack): boolean =>
      isHeard && isGoneHeard(gone.id) ? alike.has(gone.id) : !isCopy && seemsSame(gone, now);
    return asLong.filter(isSame).map((gone) => ({ gone: gone.id, now }));
  }

  /** The gone track takes over the file, with its tags unless a person edited its own; the new track goes. */
  async function adopt(root: MusicRoots, { gone, now }: Match<NewTrack>): Promise<boolean> {
    if (fileOfSection(now.name) !== undefined) return isDone(() => takeOverSection(gone, now.id, 'same_music'));
    const paths = [join(now.path, now.name)];
    const [result] = await reader.read({ root, paths, copyTo: null, hashLarge: false });
    const sound = hearing.stored(now.id);
    if (!isDone(() => relocation.takeOverFile(gone, now.id, 'same_music'))) return false;
    if (sound) hearing.store(gone, sound);
    if (!result?.ok || tracks.statusOf(gone) === 'manual') return true;
    setIdentity(gone, toIdentity(result.read, sourceIdOf(now.path, now.name)), now.folder);
    return true;
  }

  async function adoptSame(search: Search): Promise<TrackId[]> {
    if (goneTracks.listNew(search.after, 1).length === 0) return [];
    const gone = goneTracks.list();
    if (gone.length === 0) return [];
    const adopted: TrackId[] = [];
    for (const match of onlyCertain(await matchesAmong(gone, search))) {
      search.signal.throwIfAborted();
      if (await adopt(search.root, match)) adopted.push(match.gone);
    }
    return adopted;
  }

  return {
    goneTracks,

    /** Call when all that the scan found is written. */
    async find(search: Search): Promise<Found> {
      return { joined: await joinEqual(search), adopted: await adoptSame(search) };
    },

    /** Of tracks whose files seem to be replaced: those that became one of the new tracks. */
    async amongNew(gone: readonly GoneTrack[], search: Search): Promise<Set<TrackId>> {
      return new Set(onlyCertain(await matchesAmong(gone, search)).map((match) => match.gone));
    },
  };
}

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
