// Files in a track's place with other audio, of which the audio says no more: by what they sound like, they are another
// track, a new one, or the track that was there, encoded again or edited.
import type { TrackId } from '../db/ids.ts';
import type { Hearing } from '../enrichment/hearing.ts';
import { absoluteOf, join } from '../files/relative-path.ts';
import { SAME_RECORDING, soundSimilarity } from '../media/fingerprint-match.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import type { MusicRoots } from '../storage/music-roots.ts';
import type { Assigned } from './assign.ts';
import { comparableTracks } from './comparable-tracks.ts';
import type { FindGone } from './find-gone.ts';
import type { GoneTrack } from './gone-candidates.ts';
import type { Waiting } from './moved-files.ts';
import { isAsLong, onlyCertain, seemsSame, type Match } from './same-music.ts';

/** Fingerprints of files that are kept, of 4 KB each; more are made again when they are needed. */
const KEEP_SOUNDS = 2_000;

export interface ReplacedDeps {
  root: MusicRoots;
  after: TrackId;
  signal: AbortSignal;
  hearing: Pick<Hearing, 'ofFile' | 'ofKept' | 'like' | 'isLikeDeleted'>;
  findGone: Pick<FindGone, 'amongNew' | 'withUpgrades' | 'goneTracks'>;
  now: () => Date;
}

type Sound = Awaited<ReturnType<Hearing['ofFile']>>;
export type Ear = (file: Waiting) => Promise<Sound>;
interface Doubtful {
  file: Waiting;
  /** The one that had its place. */
  track: GoneTrack;
}

/**
 * Settles the files that are `replaced` in `assigned`, where the sound says that they are another track, or a new one.
 * Gives those of which only the path tells which track they are. `elsewhere`: tracks whose audio another file has.
 */
export async function settleReplaced(
  files: readonly Waiting[],
  assigned: Map<string, Assigned>,
  elsewhere: ReadonlySet<TrackId>,
  deps: ReplacedDeps,
): Promise<Set<Waiting>> {
  const { signal, hearing } = deps;
  const { goneTracks } = deps.findGone;
  const isReplaced = ({ unsettled: { place } }: Waiting): boolean => assigned.get(place) === 'replaced';
  const heard = createEar(deps);
  const doubtful: Doubtful[] = [];
  for (const file of files.filter(isReplaced)) {
    await yieldIfDue();
    const track = goneTracks.find(file.unsettled.known as TrackId);
    if (track && !(await isSameMusic(file, track, deps, heard))) doubtful.push({ file, track });
  }
  if (doubtful.length === 0) return new Set();

  const given = new Set(assigned.values());
  const gone = (await goneTracks.list()).filter(({ id }) => !given.has(id));
  const certain = onlyCertain(await matchesAmong(doubtful, gone, { ...deps, heard }));
  for (const match of certain) assigned.set(match.now.unsettled.place, match.gone);
  const found = new Set(certain.map((match) => match.gone));
  const lost = doubtful.filter(({ track }) => !found.has(track.id)).map(({ track }) => track);
  const amongNew = await deps.findGone.amongNew(lost, deps);
  const upgraded = await deps.findGone.withUpgrades(
    lost.map(({ id }) => id),
    { signal, now: deps.now() },
  );
  const left = doubtful.filter(({ file }) => isReplaced(file));
  for (const { file, track } of left) {
    await yieldIfDue();
    const isElsewhere = [found, amongNew, upgraded, elsewhere].some((ids) => ids.has(track.id));
    if (isElsewhere || (await isOther(file, track.id))) assigned.set(file.unsettled.place, 'new');
  }
  return new Set(left.filter(({ file }) => isReplaced(file)).map(({ file }) => file));

  /** It sounds like another track, deleted ones included, or is called like one where nothing is heard. */
  async function isOther(file: Waiting, known: TrackId): Promise<boolean> {
    const sound = await heard(file);
    return sound === undefined
      ? goneTracks.isNamedAs(file.music, known)
      : hearing.like(sound).some(({ id, similarity }) => id !== known && similarity >= SAME_RECORDING) ||
          hearing.isLikeDeleted(sound);
  }
}

/** By the sound of both; by length and names where one was not heard. Nothing is listened to without `heard`. */
export async function isSameMusic(
  file: Waiting,
  track: GoneTrack,
  { hearing, signal }: Pick<ReplacedDeps, 'hearing' | 'signal'>,
  heard: Ear | undefined,
): Promise<boolean> {
  const before = heard && isAsLong(track, file.music) ? await hearing.ofKept(track.id, signal) : undefined;
  const now = before && (await heard?.(file));
  return before && now ? soundSimilarity(before.raw, now.raw) >= SAME_RECORDING : seemsSame(track, file.music);
}

/** Doubtful files that may be the track that had the place of another one, or one whose file is gone. */
async function matchesAmong(
  doubtful: readonly Doubtful[],
  gone: readonly GoneTrack[],
  { heard, hearing, signal }: ReplacedDeps & { heard: (file: Waiting) => Promise<Sound> },
): Promise<Match<Waiting>[]> {
  const tracks = new Map([...doubtful.map(({ track }) => track), ...gone].map((track) => [track.id, track]));
  const comparable = await comparableTracks(
    [...tracks.values()],
    doubtful.map(({ file }) => file.music),
    (id) => hearing.ofKept(id, signal),
  );
  const matches: Match<Waiting>[] = [];
  for (const { file } of doubtful) {
    await yieldIfDue();
    const { known } = file.unsettled;
    const sound = comparable.hasHeard(file.music, known) ? await heard(file) : undefined;
    for (const id of comparable.sameAs(file.music, sound && hearing.like(sound)))
      if (id !== known) matches.push({ gone: id, now: file });
  }
  return matches;
}

/** Makes the fingerprint of a file, once where there are not too many. */
export function createEar({ root, hearing, signal }: Pick<ReplacedDeps, 'root' | 'hearing' | 'signal'>): Ear {
  const sounds = new Map<Waiting, Promise<Sound>>();
  return (file) => {
    const { path, candidate, music } = file;
    const place = absoluteOf(root, join(path, candidate.name));
    if (typeof place !== 'string' || music.format === null || music.durationMs === null)
      return Promise.resolve(undefined);
    const { format, durationMs } = music;
    const sound = sounds.get(file) ?? hearing.ofFile({ path: place, format, durationMs }, signal);
    if (sounds.size < KEEP_SOUNDS) sounds.set(file, sound);
    return sound;
  };
}
