// Radios: they go on as long as somebody listens. The client sends what was played so far, so that a radio outlives a
// restart and can be taken to another device.
import type { TrackId, UserId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import type { LibraryService } from '../library/service.ts';
import { identityKey } from '../library/sort-and-identity-keys.ts';
import { inSlices } from '../runtime/time-slices.ts';
import type { Facts, FactsReader } from './facts.ts';
import { pickNext, rulesBroken } from './radio-pick.ts';
import { isForgotten, reasonsLike, reasonsOfListener, type Anchor } from './reasons.ts';
import type { Seed, SeedReader } from './seeds.ts';
import type { Sounds } from './sounds.ts';
import type { RadioIn, ReasonOut } from './wire.ts';

/** Tracks of the seed that are asked for what is like them. */
const ASKED = 6;
const FROM_STEERING = 4;
/** What a radio goes on from when its seed was deleted. */
const LAST_PLAYED = 20;
/** Like each of them; more the longer it goes on. */
const LIKE_EACH = 120;
const MOST_LIKE_EACH = 1_500;
const MOST_BY_TAGS = 500;
const MOST_CANDIDATES = 500;
/** Of what is like the seed, when the best of them do not fit: reading ten thousands would hold up other requests. */
const MOST_LEFT = 2 * MOST_CANDIDATES;
/** Looked at for the rules. */
const BEFORE = 20;
/** The nearest to a track, as a share of the library: told of what more is wanted of, and of the rest what less is. */
const NEAR = 0.1;
/** The same of what the listener wants less of: it comes when there is nothing else. */
const TOO_NEAR = 0.08;
/**
 * So many times as many as are wanted now, of the best, may be next. All but a part of them are set aside for this time
 * by chance, so that two radios from one track differ; they come when the others break rules.
 */
const CHOICE = 6;
const SET_ASIDE_SHARE = 0.75;
const SET_ASIDE = 0.5;
/** More than any score: what is near what the listener wants less of comes after any other track. */
const SET_LAST = 1.5;
/** Tracks of the seed itself that may be played, and what they count for. */
const OWN = 300;
const OWN_SCORE = 0.7;
const OWN_AND_NEAR = 0.3;
const OF_GENRE = 0.25;
/** Where tags are all that is known: the order in which they were found counts. */
const BY_TAGS = 0.5;

export interface Chosen {
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
  /** 0 to 1. */
  random: () => number;
}

interface Found {
  id: number;
  /** Undefined when tags were compared. */
  likeness: number | undefined;
  rank: number | undefined;
  score: number;
  /** Tracks that it is near to, and far from, as the listener wants it. */
  steered?: { near: number | undefined; far: number | undefined };
  /** It is near a track that the listener wants less of, and comes when there is nothing else. */
  isLast?: boolean;
  /** It comes later, unless the listener loves it or has forgotten it. */
  isAside?: boolean;
  /** The track that it is like; undefined for one of the seed itself, or for any. */
  like: number | undefined;
}

interface Steered {
  more: readonly TrackId[];
  less: readonly TrackId[];
}

export type Radio = ReturnType<typeof createRadio>;

export function createRadio({ sounds, facts, seeds, library, now, random }: RadioDeps) {
  const some = <T>(items: readonly T[], count: number): T[] =>
    items
      .map((item) => ({ item, place: random() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, count)
      .map(({ item }) => item);

  async function likeThese(ids: readonly number[], count: number, { more, less }: Steered): Promise<Found[]> {
    const lists = (await sounds.ask({ kind: 'nearest', ids: [...ids], count, more, less })) ?? [];
    return lists.flatMap(({ id: like, ids, likeness, ranks, scores }) =>
      Array.from(ids, (id, i) => ({
        id,
        like,
        likeness: likeness[i] as number,
        rank: ranks[i] as number,
        score: scores[i] as number,
      })),
    );
  }

  async function likeByTags(userId: UserId, ids: readonly TrackId[], count: number): Promise<Found[]> {
    const found: Found[] = [];
    await inSlices(ids, (like) => {
      const near = library.similar.toTrack(userId, like, count);
      found.push(
        ...near.map((id, i) => ({ id, like, likeness: undefined, rank: undefined, score: BY_TAGS * (1 - i / count) })),
      );
    });
    return found;
  }

  /** Notes what is near the tracks that the listener wants more or less of. Those of the seed itself are drawn here. */
  async function markSteered(found: readonly Found[], { more, less }: Steered): Promise<Found[]> {
    if (more.length + less.length === 0 || !sounds.isKnown()) return [...found];
    const others = found.map(({ id }) => id);
    const ranks = (await sounds.ask({ kind: 'ranks', of: [...more, ...less], others })) ?? new Map<number, never>();
    const marked = found.map((one, i): Found => {
      const rankTo = (id: number): number => ranks.get(id)?.[i] ?? Number.NaN;
      const near = more.findLast((id) => rankTo(id) <= NEAR);
      return {
        ...one,
        score: one.score + (one.like === undefined && near !== undefined ? OWN_AND_NEAR : 0),
        steered: { near, far: less.findLast((id) => rankTo(id) > NEAR) },
        isLast: less.some((id) => rankTo(id) <= TOO_NEAR),
      };
    });
    return marked.sort((a, b) => b.score - a.score);
  }

  /** Sets most of the best ones aside, by chance. */
  const varied = (found: readonly Found[], count: number): Found[] =>
    found.map((one, place) => ({ ...one, isAside: place < CHOICE * count && random() < SET_ASIDE_SHARE }));

  /** The best of each track, the best first. */
  function bestOf(found: readonly Found[], not: { has: (id: number) => boolean }): Found[] {
    const best = new Map<number, Found>();
    for (const one of found) if (!not.has(one.id) && one.score > (best.get(one.id)?.score ?? -1)) best.set(one.id, one);
    return [...best.values()].sort((a, b) => b.score - a.score);
  }

  async function next(userId: UserId, seed: Seed, wanted: Omit<RadioIn, 'seed'>) {
    const { count, played, more, less } = wanted;
    const isKnown = sounds.isKnown();
    const steered: Steered = { more: more.slice(-FROM_STEERING), less: less.slice(-FROM_STEERING) };
    // sounds are drawn towards what more is wanted of; tags cannot be
    const anchors = [...some(seed.ids, ASKED), ...(isKnown ? [] : steered.more)];
    const reach = Math.min(MOST_LIKE_EACH, LIKE_EACH + played.length + 2 * count);
    const bySound = isKnown ? await likeThese(anchors, reach, steered) : [];
    const heard = new Set(bySound.map((one) => one.like));
    // one that was not analyzed, or cannot be, has tags all the same
    const unheard = anchors.filter((id) => !heard.has(id));
    const like = [...bySound, ...(await likeByTags(userId, unheard, Math.min(MOST_BY_TAGS, reach)))];
    const own: Found[] = seed.ownReason
      ? some(seed.ids, OWN).map((id) => ({
          id,
          like: undefined,
          likeness: undefined,
          rank: undefined,
          score: OWN_SCORE,
        }))
      : [];
    const excludedIds = new Set<number>([...less, ...played]);
    if (seed.ids.length === 1) excludedIds.add(seed.ids[0] as TrackId);
    const best = bestOf([...like, ...own], excludedIds).slice(0, MOST_LEFT);
    const candidates = varied(await markSteered(best, steered), count);
    const before = played.slice(-BEFORE);
    const likely = seed.mood === undefined ? candidates : ofMood(seed.mood, candidates);
    const idsToRead = [
      ...new Set([
        ...before,
        ...anchors,
        ...steered.more,
        ...steered.less,
        ...likely.slice(0, MOST_CANDIDATES).map(({ id }) => id),
      ]),
    ];
    const factsById = facts.of(userId, idsToRead);
    const line = before.flatMap((id) => factsById.get(id) ?? []);

    const nowMs = now().getTime();
    const genre = seed.genre === undefined ? undefined : identityKey(seed.genre);
    const pick = (from: readonly Found[], wanted: number, after: readonly Facts[], given: number) =>
      pickNext(
        from.flatMap((one) => {
          const track = factsById.get(one.id);
          const isOfGenre = genre !== undefined && track?.genres.some((name) => identityKey(name) === genre) === true;
          if (!track?.isUsable) return [];
          const isAside = one.isAside === true && !track.isLoved && !isForgotten(track, nowMs);
          const isDisliked = one.isLast === true;
          const score =
            one.score + (isOfGenre ? OF_GENRE : 0) - (isAside ? SET_ASIDE : 0) - (isDisliked ? SET_LAST : 0);
          return [{ ...one, facts: track, score }];
        }),
        { count: wanted, before: after, given, nowMs, random },
      );

    let picked = pick(
      likely.filter(({ isLast }) => isLast !== true),
      count,
      line,
      played.length,
    );
    const firstMisfit = misfit(picked, line);
    if (picked.length < count || firstMisfit < picked.length) {
      // nothing like it fits any more: any track that does, and then what was played longest ago
      picked = picked.slice(0, firstMisfit);
      const rest = [
        ...likely.slice(0, MOST_LEFT).filter(({ id }) => !picked.some((one) => one.id === id)),
        ...anyOthers(seed, excludedIds, likely),
        ...again(played, less),
      ];
      for (const [id, one] of facts.of(
        userId,
        rest.map(({ id }) => id).filter((id) => !factsById.has(id)),
      ))
        factsById.set(id, one);
      const all = [...line, ...picked.map((one) => one.facts)];
      picked = [...picked, ...pick(rest, count - picked.length, all, played.length + picked.length)];
    }
    const items = picked.map((one): Chosen => {
      const other = one.like === undefined ? undefined : factsById.get(one.like);
      return {
        id: one.facts.id,
        facts: one.facts,
        likeness: one.likeness ?? null,
        rank: one.rank ?? null,
        reasons: reasonsOf(seed, one.facts, {
          like: other && { facts: other, likeness: one.likeness, rank: one.rank },
          near: one.steered?.near === undefined ? undefined : factsById.get(one.steered.near),
          far: one.steered?.far === undefined ? undefined : factsById.get(one.steered.far),
        }),
      };
    });
    return { by: isKnown ? ('sound' as const) : ('tags' as const), items };
  }

  function ofMood(mood: NonNullable<Seed['mood']>, found: readonly Found[]): Found[] {
    const have = facts.haveMood(
      mood,
      found.slice(0, 2 * MOST_CANDIDATES).map(({ id }) => id),
    );
    return found.filter(({ id }) => have.has(id));
  }

  function anyOthers(seed: Seed, not: ReadonlySet<number>, found: readonly Found[]): Found[] {
    const known = new Set(found.map(({ id }) => id));
    const ids = seed.mood === undefined ? facts.any() : facts.ofMood(seed.mood);
    return ids
      .filter((id) => !not.has(id) && !known.has(id))
      .map((id) => ({ id, like: undefined, likeness: undefined, rank: undefined, score: 0 }));
  }

  /** From the first one played on. */
  function again(played: readonly number[], less: readonly number[]): Found[] {
    const last = new Map(played.map((id, place) => [id, place]));
    return [...last]
      .filter(([id]) => !less.includes(id as TrackId))
      .sort((a, b) => a[1] - b[1])
      .slice(0, MOST_CANDIDATES)
      .map(([id, place]) => ({
        id,
        like: undefined,
        likeness: undefined,
        rank: undefined,
        score: -1 - place / played.length,
      }));
  }

  interface Others {
    like: Anchor | undefined;
    near: Facts | undefined;
    far: Facts | undefined;
  }

  function reasonsOf(seed: Seed, track: Facts, { like, near, far }: Others): ReasonOut[] {
    const own = seed.ids.includes(track.id) || seed.mood !== undefined ? seed.ownReason?.(track.id) : undefined;
    const [first, ...others] = [...(own ? [own] : []), ...(like ? reasonsLike(track, like) : [])];
    const all: ReasonOut[] = [
      ...(near ? [{ kind: 'more_like' as const, track_id: near.id, title: near.title }] : []),
      ...(first ? [first] : []),
      ...(far ? [{ kind: 'less_like' as const, track_id: far.id, title: far.title }] : []),
      ...others,
      ...reasonsOfListener(track, now().getTime()),
    ];
    return all.length > 0 ? all : [{ kind: 'any' }];
  }

  return {
    next,
    /** Throws `not_found` when the seed is not there, unless it went while the radio played. */
    async of(userId: UserId, { seed: wanted, ...rest }: RadioIn) {
      const seed = await seeds.of(userId, wanted).catch((error: unknown): Seed => {
        const isGone = error instanceof AppError && error.code === 'not_found' && rest.played.length > 0;
        if (!isGone) throw error;
        return { title: null, ids: rest.played.slice(-LAST_PLAYED) };
      });
      return { title: seed.title, ...(await next(userId, seed, rest)) };
    },
  };
}

/** The place of the first one that breaks a rule. */
function misfit(picked: readonly { facts: Facts }[], before: readonly Facts[]): number {
  const line = [...before];
  for (const [place, { facts }] of picked.entries()) {
    if (rulesBroken(facts, line) > 0) return place;
    line.push(facts);
  }
  return picked.length;
}
