// What is like what: similar tracks, versions, paths, and what Subsonic asks for.
import type { TrackId, UserId } from '../db/ids.ts';
import type { LibraryService } from '../library/service.ts';
import type { Statements } from '../library/statement-cache.ts';
import type { Facts, FactsReader } from './facts.ts';
import type { RadioTrack, Radio } from './radio.ts';
import { reasonsLike, reasonsOfListener } from './reasons.ts';
import type { Sounds } from './sounds.ts';
import { findVersions, type VersionKind } from './versions.ts';
import type { SeedIn } from './wire.ts';

/** So many more are asked for: some cannot be played now, or are versions of the same song. */
const SPARE = 60;

/** What Subsonic's similar songs start from. */
export type SeedOfSongs = Extract<SeedIn, { kind: 'track' | 'album' | 'artist' }>;

interface LikenessDeps {
  radio: Pick<Radio, 'of'>;
  statements: Statements;
  sounds: Sounds;
  facts: FactsReader;
  library: Pick<LibraryService, 'getTrack' | 'similar'>;
  now: () => Date;
}

interface Similar {
  by: 'sound' | 'tags';
  items: RadioTrack[];
  versions: { id: TrackId; kind: VersionKind; likeness: number | null; rank: number | null }[];
}

export type LikenessService = ReturnType<typeof createLikenessService>;

export function createLikenessService({ statements, sounds, facts, radio, library, now }: LikenessDeps) {
  function explained(
    userId: UserId,
    to: Facts,
    found: readonly { id: number; likeness: number | null; rank: number | null }[],
  ): RadioTrack[] {
    const known = facts.of(
      userId,
      found.map(({ id }) => id),
    );
    return found.flatMap(({ id, likeness, rank }): RadioTrack[] => {
      const track = known.get(id);
      if (!track?.isUsable) return [];
      const reasons = [
        ...reasonsLike(track, { facts: to, likeness: likeness ?? undefined, rank: rank ?? undefined }),
        ...reasonsOfListener(track, now().getTime()),
      ];
      return [
        { id: track.id, facts: track, likeness, rank, reasons: reasons.length > 0 ? reasons : [{ kind: 'any' }] },
      ];
    });
  }

  async function similar(userId: UserId, id: TrackId, count: number): Promise<Similar> {
    const track = library.getTrack(userId, id);
    const about = facts.of(userId, [id]).get(id) as Facts;
    const versions = findVersions(statements, track);
    const not = new Set<number>(versions.map((one) => one.id));
    const isKnown = sounds.isKnown();
    const [near] = (isKnown && (await sounds.ask({ kind: 'nearest', ids: [id], count: count + SPARE }))) || [];
    const found = near
      ? Array.from(near.ids, (id, i) => ({ id, likeness: near.likeness[i] as number, rank: near.ranks[i] as number }))
      : library.similar.toTrack(userId, id, count + SPARE).map((id) => ({ id, likeness: null, rank: null }));
    const compared = isKnown
      ? await sounds.ask({ kind: 'compare', id, others: versions.map((one) => one.id) })
      : undefined;
    return {
      by: near ? 'sound' : 'tags',
      items: explained(
        userId,
        about,
        found.filter((one) => !not.has(one.id)),
      ).slice(0, count),
      versions: versions.map((version, i) => ({
        ...version,
        likeness: compared?.[i]?.likeness ?? null,
        rank: compared?.[i]?.rank ?? null,
      })),
    };
  }

  /** Of sounds; undefined when they are not known yet, or one of the two has none. */
  async function path(userId: UserId, from: TrackId, to: TrackId, steps: number): Promise<RadioTrack[] | undefined> {
    const ends = [from, to].map((id) => library.getTrack(userId, id).id);
    if (!sounds.isKnown()) return undefined;
    const found = await sounds.ask({ kind: 'path', userId, from, to, steps });
    if (!found) return undefined;
    const ids = [from, ...found.ids, to];
    const known = facts.of(userId, [...ids, ...ends]);
    return ids.flatMap((id, i): RadioTrack[] => {
      const [track, before] = [known.get(id), known.get(ids[i - 1] ?? 0)];
      if (!track) return [];
      const likeness = i === 0 ? null : (found.likeness[i - 1] ?? null);
      const rank = i === 0 ? null : (found.ranks[i - 1] ?? null);
      const isEnd = i === 0 || i === ids.length - 1;
      return [
        {
          id: track.id,
          facts: track,
          likeness,
          rank,
          reasons: [
            ...(isEnd ? [] : [{ kind: 'on_the_way' as const, step: i, steps: ids.length - 2 }]),
            ...(before
              ? reasonsLike(track, { facts: before, likeness: likeness ?? undefined, rank: rank ?? undefined })
              : []),
            ...reasonsOfListener(track, now().getTime()),
          ],
        },
      ];
    });
  }

  /** Most alike first, with their likeness; undefined until the sounds of the library are known. */
  async function soundsLike(id: TrackId, count: number): Promise<{ id: TrackId; likeness: number }[] | undefined> {
    if (!sounds.isKnown()) return undefined;
    const [near] = (await sounds.ask({ kind: 'nearest', ids: [id], count })) ?? [];
    return near ? Array.from(near.ids, (id, i) => ({ id: id as TrackId, likeness: near.likeness[i] as number })) : [];
  }

  /** The next songs of a radio. */
  async function songsLike(userId: UserId, seed: SeedOfSongs, count: number): Promise<TrackId[] | undefined> {
    if (!sounds.isKnown()) return undefined;
    const { items } = await radio.of(userId, { seed, count, played: [], more: [], less: [] });
    return items.map(({ id }) => id);
  }

  /** Of at most so many tracks; the likeness is that to the first. */
  async function soundPath(userId: UserId, from: TrackId, to: TrackId, count: number) {
    const found = await path(userId, from, to, Math.max(0, count - 2));
    if (!found) return undefined;
    const others = found.map(({ id }) => id);
    const compared = (await sounds.ask({ kind: 'compare', id: from, others })) ?? [];
    return others.slice(0, count).map((id, i) => ({ id, likeness: compared[i]?.likeness ?? 0 }));
  }

  return { similar, path, soundsLike, songsLike, soundPath };
}
