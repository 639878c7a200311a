// Radios that continue as long as somebody listens. The client sends the tracks played so far, so that a radio survives
// a restart and can move to another device.
import type { TrackId, UserId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import type { LibraryService } from '../library/service.ts';
import { identityKey } from '../library/tracks/sort-and-identity-keys.ts';
import { inSlices } from '../runtime/time-slices.ts';
import type { Facts, FactsReader } from './track-facts.ts';
import { pickNext, rulesBroken } from './radio-pick.ts';
import { isForgotten, reasonsLike, reasonsOfListener, type Anchor } from './reasons.ts';
import type { Seed, SeedReader } from './seeds.ts';
import type { Sounds } from './sounds.ts';
import type { RadioIn, ReasonOut } from './wire.ts';
import { bindContext } from '../runtime/bind-context.ts';

/** The number of seed tracks for which similar tracks are looked up. */
const ANCHORS_FROM_SEED = 6;
const MAX_STEERING_TRACKS = 4;
/** The number of last played tracks that replace a seed which was deleted. */
const REPLACEMENT_SEED_TRACKS = 20;
/**
 * The number of neighbours at the beginning; it grows with each track that was played or requested, so that a long
 * radio reaches further.
 */
const NEIGHBOURS_PER_ANCHOR = 120;
const MAX_NEIGHBOURS_PER_ANCHOR = 1_500;
const MAX_BY_TAGS = 500;
/** The number of candidates whose facts are read. */
const MAX_CANDIDATES = 500;
/**
 * The number of candidates that are considered when the best ones do not fit: tens of thousands would hold up other
 * requests.
 */
const MAX_RANKED = 2 * MAX_CANDIDATES;
/** The rules consider this many of the tracks that were played last. */
const RULE_WINDOW = 20;
/** The share of the library that counts as near a track when a reason names it. */
const NEAR_SHARE = 0.1;
/** The share of the library nearest to a track of "less" that comes only when nothing else is left. */
const DISLIKED_SHARE = 0.08;
/**
 * This many of the best candidates per requested track may come next. Most of them are set aside at random, so that two
 * radios from one track differ; they are used when the others break rules.
 */
const POOL_FACTOR = 6;
const SET_ASIDE_SHARE = 0.75;
const SET_ASIDE_PENALTY = 0.5;
/** The penalty of a disliked track: more than any score, so that the track comes after all others. */
const DISLIKED_PENALTY = 1.5;
const MAX_SEED_TRACKS = 300;
const SEED_TRACK_SCORE = 0.7;
const NEAR_WANTED_BONUS = 0.3;
const GENRE_BONUS = 0.25;
/** The best score of a track that was found by its tags only; it falls with the position in the list. */
const TAGS_SCORE = 0.5;

export interface RadioTrack {
  id: TrackId;
  facts: Facts;
  likeness: number | null;
  rank: number | null;
  reasons: ReasonOut[];
}

interface RadioDeps {
  sounds: Pick<Sounds, 'ask' | 'isKnown'>;
  facts: FactsReader;
  seeds: SeedReader;
  library: Pick<LibraryService, 'similar'>;
  now: () => Date;
  /** Returns a number from 0 to 1. */
  random: () => number;
}

interface Candidate {
  id: number;
  score: number;
  /**
   * The track that this candidate is similar to; undefined for a track of the seed itself, or for a track that fills
   * up.
   */
  anchorId?: number;
  /** Undefined when tags were compared. */
  likeness?: number;
  rank?: number;
  /** A track of "more" that the candidate is near, and a track of "less" that it is far from. */
  steeredBy?: { nearId: number | undefined; farId: number | undefined };
  /** True if the candidate is near a track that the listener marked "less". */
  isDisliked?: boolean;
  /** True if the candidate comes later, unless the listener loves the track or has not played it for long. */
  isSetAside?: boolean;
}

interface SteeringTracks {
  more: readonly TrackId[];
  less: readonly TrackId[];
}

/** The data of one request for the next tracks. */
interface Request extends Omit<RadioIn, 'seed'> {
  userId: UserId;
  seed: Seed;
}

export type Radio = ReturnType<typeof createRadio>;

interface ReasonSources {
  like: Anchor | undefined;
  nearTrack: Facts | undefined;
  farTrack: Facts | undefined;
}

export function createRadio(deps: RadioDeps) {
  const context = createContext(deps);

  return bindContext(context, { nextTracks, next });
}

type Context = ReturnType<typeof createContext>;

function createContext({ sounds, facts, seeds, library, now, random }: RadioDeps) {
  return { sounds, facts, seeds, library, now, random };
}

const sampleOf = <T>({ random }: Context, items: readonly T[], count: number): T[] =>
  items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ item }) => item);

async function findBySound(
  context: Context,
  ids: readonly number[],
  count: number,
  { more, less }: SteeringTracks,
): Promise<Candidate[]> {
  const lists = (await context.sounds.ask({ kind: 'nearest', ids: [...ids], count, more, less })) ?? [];
  return lists.flatMap(({ id: anchorId, ids, likeness, ranks, scores }) =>
    Array.from(ids, (id, i) => ({
      id,
      anchorId,
      likeness: likeness[i] as number,
      rank: ranks[i] as number,
      score: scores[i] as number,
    })),
  );
}

async function findByTags(
  context: Context,
  userId: UserId,
  ids: readonly TrackId[],
  count: number,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  await inSlices(ids, (anchorId) => {
    const similarIds = context.library.similar.toTrack(userId, anchorId, count);
    candidates.push(...similarIds.map((id, i) => ({ id, anchorId, score: TAGS_SCORE * (1 - i / count) })));
  });
  return candidates;
}

/**
 * Notes which tracks of "more" and "less" each candidate is near. Candidates from the seed gain by being near "more".
 */
async function applySteering(
  context: Context,
  candidates: readonly Candidate[],
  { more, less }: SteeringTracks,
): Promise<readonly Candidate[]> {
  if (more.length + less.length === 0 || !context.sounds.isKnown()) return candidates;
  const otherIds = candidates.map(({ id }) => id);
  const ranks =
    (await context.sounds.ask({ kind: 'ranks', anchorIds: [...more, ...less], otherIds })) ?? new Map<number, never>();
  const steeredCandidates = candidates.map((candidate, i): Candidate => {
    const rankTo = (id: number): number => ranks.get(id)?.[i] ?? Number.NaN;
    const nearId = more.findLast((id) => rankTo(id) <= NEAR_SHARE);
    const isOfSeed = candidate.anchorId === undefined;
    return {
      ...candidate,
      score: candidate.score + (isOfSeed && nearId !== undefined ? NEAR_WANTED_BONUS : 0),
      steeredBy: { nearId, farId: less.findLast((id) => rankTo(id) > NEAR_SHARE) },
      isDisliked: less.some((id) => rankTo(id) <= DISLIKED_SHARE),
    };
  });
  return steeredCandidates.sort((a, b) => b.score - a.score);
}

const setMostAside = ({ random }: Context, candidates: readonly Candidate[], count: number): Candidate[] =>
  candidates.map((candidate, place) => ({
    ...candidate,
    isSetAside: place < POOL_FACTOR * count && random() < SET_ASIDE_SHARE,
  }));

/** Finds candidates; the best score first. */
async function findCandidates(
  context: Context,
  { userId, seed, count, played }: Request,
  anchors: readonly TrackId[],
  steering: SteeringTracks,
  excludedIds: ReadonlySet<number>,
): Promise<Candidate[]> {
  const reach = Math.min(MAX_NEIGHBOURS_PER_ANCHOR, NEIGHBOURS_PER_ANCHOR + played.length + 2 * count);
  const bySound = context.sounds.isKnown() ? await findBySound(context, anchors, reach, steering) : [];
  const analyzedIds = new Set(bySound.map(({ anchorId }) => anchorId));
  const unanalyzedAnchors = anchors.filter((id) => !analyzedIds.has(id));
  const byTags = await findByTags(context, userId, unanalyzedAnchors, Math.min(MAX_BY_TAGS, reach));
  const seedTracks = seed.ownReason
    ? sampleOf(context, seed.ids, MAX_SEED_TRACKS).map((id): Candidate => ({ id, score: SEED_TRACK_SCORE }))
    : [];
  const bestCandidates = bestOfEach([...bySound, ...byTags, ...seedTracks], excludedIds).slice(0, MAX_RANKED);
  const candidates = setMostAside(context, await applySteering(context, bestCandidates, steering), count);
  return seed.mood === undefined ? candidates : filterByMood(context, seed.mood, candidates);
}

async function next(context: Context, userId: UserId, seed: Seed, input: Omit<RadioIn, 'seed'>) {
  const request: Request = { userId, seed, ...input };
  const { count, played, more, less } = input;
  const isBySound = context.sounds.isKnown();

  // 1. Find the candidates.
  const steering = { more: more.slice(-MAX_STEERING_TRACKS), less: less.slice(-MAX_STEERING_TRACKS) };
  // a sound can be steered towards the tracks of "more"; with tags, these tracks are anchors themselves
  const anchors = [...sampleOf(context, seed.ids, ANCHORS_FROM_SEED), ...(isBySound ? [] : steering.more)];
  const excludedIds = new Set<number>([...less, ...played]);
  if (seed.ids.length === 1) excludedIds.add(seed.ids[0] as TrackId);
  const candidates = await findCandidates(context, request, anchors, steering, excludedIds);

  // 2. Read the facts that rules and reasons need.
  const recentIds = played.slice(-RULE_WINDOW);
  const factsById = context.facts.of(userId, [
    ...new Set([
      ...recentIds,
      ...anchors,
      ...steering.more,
      ...steering.less,
      ...candidates.slice(0, MAX_CANDIDATES).map(({ id }) => id),
    ]),
  ]);
  const recent = recentIds.flatMap((id) => factsById.get(id) ?? []);

  // 3. Pick by score and rules.
  const nowMs = context.now().getTime();
  const withScores = scoreWith(factsById, seed, nowMs);
  const pickedCandidates = pickNext(withScores(candidates.filter(({ isDisliked }) => isDisliked !== true)), {
    count,
    previousTracks: recent,
    givenCount: played.length,
    nowMs,
    random: context.random,
  });
  const fittingTracks = pickedCandidates.slice(0, findFirstMisfit(pickedCandidates, recent));
  if (fittingTracks.length === count) return answer(fittingTracks);

  // 4. If too few similar tracks fit, add any other tracks that fit, and then those played longest ago.
  const pickedIds = new Set<number>(fittingTracks.map(({ id }) => id));
  const otherCandidates = [
    ...candidates.slice(0, MAX_RANKED).filter(({ id }) => !pickedIds.has(id)),
    ...findAnyOthers(context, seed, excludedIds, candidates),
    ...repeatPlayed(played, less),
  ];
  const unreadIds = otherCandidates.map(({ id }) => id).filter((id) => !factsById.has(id));
  for (const [id, track] of context.facts.of(userId, unreadIds)) factsById.set(id, track);
  const otherTracks = pickNext(withScores(otherCandidates), {
    count: count - fittingTracks.length,
    previousTracks: [...recent, ...fittingTracks.map((track) => track.facts)],
    givenCount: played.length + fittingTracks.length,
    nowMs,
    random: context.random,
  });
  return answer([...fittingTracks, ...otherTracks]);

  function answer(items: readonly (Candidate & { facts: Facts })[]) {
    return {
      by: isBySound ? ('sound' as const) : ('tags' as const),
      items: items.map((item) => describe(context, seed, item, factsById)),
    };
  }
}

/** Returns playable candidates with their facts and final score. */
function scoreWith(factsById: ReadonlyMap<number, Facts>, seed: Seed, nowMs: number) {
  const genre = seed.genre === undefined ? undefined : identityKey(seed.genre);
  return (candidates: readonly Candidate[]) =>
    candidates.flatMap((candidate) => {
      const track = factsById.get(candidate.id);
      if (!track?.isUsable) return [];
      const isOfGenre = genre !== undefined && track.genres.some((name) => identityKey(name) === genre);
      const isSetAside = candidate.isSetAside === true && !track.isLoved && !isForgotten(track, nowMs);
      const score =
        candidate.score +
        (isOfGenre ? GENRE_BONUS : 0) -
        (isSetAside ? SET_ASIDE_PENALTY : 0) -
        (candidate.isDisliked === true ? DISLIKED_PENALTY : 0);
      return [{ ...candidate, facts: track, score }];
    });
}

function filterByMood(
  context: Context,
  mood: NonNullable<Seed['mood']>,
  candidates: readonly Candidate[],
): Candidate[] {
  const ids = candidates.slice(0, 2 * MAX_CANDIDATES).map(({ id }) => id);
  const matchingIds = context.facts.haveMood(mood, ids);
  return candidates.filter(({ id }) => matchingIds.has(id));
}

function findAnyOthers(
  context: Context,
  seed: Seed,
  excludedIds: ReadonlySet<number>,
  candidates: readonly Candidate[],
): Candidate[] {
  const candidateIds = new Set(candidates.map(({ id }) => id));
  const ids = seed.mood === undefined ? context.facts.any() : context.facts.ofMood(seed.mood);
  return ids.filter((id) => !excludedIds.has(id) && !candidateIds.has(id)).map((id) => ({ id, score: 0 }));
}

function describe(
  context: Context,
  seed: Seed,
  { facts: track, anchorId, likeness, rank, steeredBy }: Candidate & { facts: Facts },
  factsById: ReadonlyMap<number, Facts>,
): RadioTrack {
  const anchor = anchorId === undefined ? undefined : factsById.get(anchorId);
  return {
    id: track.id,
    facts: track,
    likeness: likeness ?? null,
    rank: rank ?? null,
    reasons: reasonsOf(context, seed, track, {
      like: anchor && { facts: anchor, likeness, rank },
      nearTrack: steeredBy?.nearId === undefined ? undefined : factsById.get(steeredBy.nearId),
      farTrack: steeredBy?.farId === undefined ? undefined : factsById.get(steeredBy.farId),
    }),
  };
}

function reasonsOf(
  context: Context,
  seed: Seed,
  track: Facts,
  { like, nearTrack, farTrack }: ReasonSources,
): ReasonOut[] {
  const ownReason = seed.ids.includes(track.id) || seed.mood !== undefined ? seed.ownReason?.(track.id) : undefined;
  const [firstReason, ...otherReasons] = [...(ownReason ? [ownReason] : []), ...(like ? reasonsLike(track, like) : [])];
  const reasons: ReasonOut[] = [
    ...(nearTrack ? [{ kind: 'more_like' as const, track_id: nearTrack.id, title: nearTrack.title }] : []),
    ...(firstReason ? [firstReason] : []),
    ...(farTrack ? [{ kind: 'less_like' as const, track_id: farTrack.id, title: farTrack.title }] : []),
    ...otherReasons,
    ...reasonsOfListener(track, context.now().getTime()),
  ];
  return reasons.length > 0 ? reasons : [{ kind: 'any' }];
}

/**
 * Returns the next tracks of a radio. Throws `not_found` for an unknown seed, unless it was deleted while the radio
 * played.
 */
async function nextTracks(context: Context, userId: UserId, { seed: seedIn, ...rest }: RadioIn) {
  const seed = await context.seeds.of(userId, seedIn).catch((error: unknown): Seed => {
    const isSeedGone = error instanceof AppError && error.code === 'not_found' && rest.played.length > 0;
    if (!isSeedGone) throw error;
    return { title: null, ids: rest.played.slice(-REPLACEMENT_SEED_TRACKS) };
  });
  return { title: seed.title, ...(await next(context, userId, seed, rest)) };
}

/** Returns the best candidate of each track; the best score first. */
function bestOfEach(candidates: readonly Candidate[], excludedIds: ReadonlySet<number>): Candidate[] {
  const bestById = new Map<number, Candidate>();
  for (const candidate of candidates) {
    const { id, score } = candidate;
    if (!excludedIds.has(id) && score > (bestById.get(id)?.score ?? -1)) bestById.set(id, candidate);
  }
  return [...bestById.values()].sort((a, b) => b.score - a.score);
}

/** Returns played tracks as candidates, those played longest ago first. */
function repeatPlayed(played: readonly TrackId[], less: readonly TrackId[]): Candidate[] {
  const lastPlaces = new Map(played.map((id, place) => [id, place]));
  return [...lastPlaces]
    .filter(([id]) => !less.includes(id))
    .sort((a, b) => a[1] - b[1])
    .slice(0, MAX_CANDIDATES)
    .map(([id, place]) => ({ id, score: -1 - place / played.length }));
}

/** Returns the index of the first track that breaks a rule. */
function findFirstMisfit(pickedTracks: readonly { facts: Facts }[], recent: readonly Facts[]): number {
  const tracks = [...recent];
  for (const [place, { facts }] of pickedTracks.entries()) {
    if (rulesBroken(facts, tracks) > 0) return place;
    tracks.push(facts);
  }
  return pickedTracks.length;
}
