// Radios: they go on as long as somebody listens. The client sends what was played so far, so that a radio outlives a
// restart and can be taken to another device.
import type { TrackId, UserId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import type { LibraryService } from '../library/service.ts';
import { identityKey } from '../library/sort-and-identity-keys.ts';
import { inSlices } from '../runtime/time-slices.ts';
import type { Facts, FactsReader } from './facts.ts';
import { pickNext, rulesBroken } from './radio-pick.ts';
import { reasonsLike, reasonsOfListener, type Anchor } from './reasons.ts';
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
/** What is so much like a track that the listener wants less of is left out. */
const TOO_LIKE = 0.6;
const NEAREST_TO_LESS = 60;
/** Tracks of the seed itself that may be played, and what they count for. */
const OWN = 300;
const OWN_SCORE = 0.7;
const OF_GENRE = 0.25;
/** Where tags are all that is known: the order in which they were found counts. */
const BY_TAGS = 0.5;

export interface Chosen {
  id: TrackId;
  facts: Facts;
  likeness: number | null;
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
  score: number;
  /** The track that it is like; undefined for one of the seed itself, or for any. */
  like: number | undefined;
}

export type Radio = ReturnType<typeof createRadio>;

export function createRadio({ sounds, facts, seeds, library, now, random }: RadioDeps) {
  const some = <T>(items: readonly T[], count: number): T[] =>
    items
      .map((item) => ({ item, place: random() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, count)
      .map(({ item }) => item);

  async function likeThese(ids: readonly number[], count: number): Promise<Found[]> {
    const lists = (await sounds.ask({ kind: 'nearest', ids: [...ids], count })) ?? [];
    return lists.flatMap(({ id: like, ids, likeness }) =>
      Array.from(ids, (id, i) => ({ id, like, likeness: likeness[i] as number, score: likeness[i] as number })),
    );
  }

  async function likeByTags(userId: UserId, ids: readonly TrackId[], count: number): Promise<Found[]> {
    const found: Found[] = [];
    await inSlices(ids, (like) => {
      const near = library.similar.toTrack(userId, like, count);
      found.push(...near.map((id, i) => ({ id, like, likeness: undefined, score: BY_TAGS * (1 - i / count) })));
    });
    return found;
  }

  /** Ids that sound like what the listener wants less of. */
  async function unwanted(less: readonly number[], isKnown: boolean): Promise<Set<number>> {
    const near = isKnown && less.length > 0 ? await likeThese(less, NEAREST_TO_LESS) : [];
    return new Set([...less, ...near.filter(({ score }) => score >= TOO_LIKE).map(({ id }) => id)]);
  }

  /** The best of each track, the best first. */
  function bestOf(found: readonly Found[], not: { has: (id: number) => boolean }): Found[] {
    const best = new Map<number, Found>();
    for (const one of found) if (!not.has(one.id) && one.score > (best.get(one.id)?.score ?? -1)) best.set(one.id, one);
    return [...best.values()].sort((a, b) => b.score - a.score);
  }

  async function next(userId: UserId, seed: Seed, wanted: Omit<RadioIn, 'seed'>) {
    const { count, played, more, less } = wanted;
    const isKnown = sounds.isKnown();
    const anchors = [...some(seed.ids, ASKED), ...more.slice(-FROM_STEERING)];
    const reach = Math.min(MOST_LIKE_EACH, LIKE_EACH + played.length + 2 * count);
    const bySound = isKnown ? await likeThese(anchors, reach) : [];
    const heard = new Set(bySound.map((one) => one.like));
    // one that was not analyzed, or cannot be, has tags all the same
    const unheard = anchors.filter((id) => !heard.has(id));
    const like = [...bySound, ...(await likeByTags(userId, unheard, Math.min(MOST_BY_TAGS, reach)))];
    const own: Found[] = seed.ownReason
      ? some(seed.ids, OWN).map((id) => ({ id, like: undefined, likeness: undefined, score: OWN_SCORE }))
      : [];
    const not = await unwanted(less, isKnown);
    for (const id of played) not.add(id);
    if (anchors.length === 1 && seed.ids.length === 1) not.add(seed.ids[0] as number);
    const found = bestOf([...like, ...own], not);
    const before = played.slice(-BEFORE);
    const likely = seed.mood === undefined ? found : ofMood(seed.mood, found);
    const read = [...new Set([...before, ...anchors, ...likely.slice(0, MOST_CANDIDATES).map(({ id }) => id)])];
    const known = facts.of(userId, read);
    const line = before.flatMap((id) => known.get(id) ?? []);

    const genre = seed.genre === undefined ? undefined : identityKey(seed.genre);
    const pick = (from: readonly Found[], wanted: number, after: readonly Facts[], given: number) =>
      pickNext(
        from.flatMap((one) => {
          const track = known.get(one.id);
          const isOfGenre = genre !== undefined && track?.genres.some((name) => identityKey(name) === genre) === true;
          return track?.isUsable ? [{ ...one, facts: track, score: one.score + (isOfGenre ? OF_GENRE : 0) }] : [];
        }),
        { count: wanted, before: after, given, nowMs: now().getTime(), random },
      );

    let picked = pick(likely, count, line, played.length);
    const firstMisfit = misfit(picked, line);
    if (picked.length < count || firstMisfit < picked.length) {
      // nothing like it fits any more: any track that does, and then what was played longest ago
      picked = picked.slice(0, firstMisfit);
      const rest = [
        ...likely.slice(0, MOST_LEFT).filter(({ id }) => !picked.some((one) => one.id === id)),
        ...anyOthers(seed, not, likely),
        ...again(played, less),
      ];
      for (const [id, one] of facts.of(
        userId,
        rest.map(({ id }) => id).filter((id) => !known.has(id)),
      ))
        known.set(id, one);
      const all = [...line, ...picked.map((one) => one.facts)];
      picked = [...picked, ...pick(rest, count - picked.length, all, played.length + picked.length)];
    }
    const items = picked.map((one): Chosen => {
      const other = one.like === undefined ? undefined : known.get(one.like);
      return {
        id: one.facts.id,
        facts: one.facts,
        likeness: one.likeness ?? null,
        reasons: reasonsOf(seed, one.facts, other && { facts: other, likeness: one.likeness }),
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
      .map((id) => ({ id, like: undefined, likeness: undefined, score: 0 }));
  }

  /** From the first one played on. */
  function again(played: readonly number[], less: readonly number[]): Found[] {
    const last = new Map(played.map((id, place) => [id, place]));
    return [...last]
      .filter(([id]) => !less.includes(id as TrackId))
      .sort((a, b) => a[1] - b[1])
      .slice(0, MOST_CANDIDATES)
      .map(([id, place]) => ({ id, like: undefined, likeness: undefined, score: -1 - place / played.length }));
  }

  function reasonsOf(seed: Seed, track: Facts, like: Anchor | undefined): ReasonOut[] {
    const own = seed.ids.includes(track.id) || seed.mood !== undefined ? seed.ownReason?.(track.id) : undefined;
    const reasons = [...(own ? [own] : []), ...(like ? reasonsLike(track, like) : [])];
    const all = [...reasons, ...reasonsOfListener(track, now().getTime())];
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
