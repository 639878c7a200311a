// Similar tracks, versions and paths, for the REST and Subsonic APIs.
import type { TrackId, UserId } from '../db/ids.ts';
import type { LibraryService } from '../library/service.ts';
import type { Statements } from '../library/lists/statement-cache.ts';
import type { Facts, FactsReader } from './track-facts.ts';
import type { RadioTrack, Radio } from './radio.ts';
import { reasonsLike, reasonsOfListener } from './reasons.ts';
import type { Sounds } from './sounds.ts';
import { findVersions, type VersionKind } from './versions.ts';
import type { SeedIn } from './wire.ts';

/** Extra tracks that are requested, because some cannot be played now or are versions of the same song. */
const EXTRA_TRACKS = 60;

/** What Subsonic's similar songs start from: a track, an album or an artist. */
export type SeedOfSongs = Extract<SeedIn, { kind: 'track' | 'album' | 'artist' }>;

interface LikenessDeps {
  radio: Pick<Radio, 'nextTracks'>;
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
  function withReasons(
    userId: UserId,
    origin: Facts,
    similarTracks: readonly { id: number; likeness: number | null; rank: number | null }[],
  ): RadioTrack[] {
    const factsById = facts.of(
      userId,
      similarTracks.map(({ id }) => id),
    );
    return similarTracks.flatMap(({ id, likeness, rank }): RadioTrack[] => {
      const track = factsById.get(id);
      if (!track?.isUsable) return [];
      const reasons = [
        ...reasonsLike(track, { facts: origin, likeness: likeness ?? undefined, rank: rank ?? undefined }),
        ...reasonsOfListener(track, now().getTime()),
      ];
      return [
        { id: track.id, facts: track, likeness, rank, reasons: reasons.length > 0 ? reasons : [{ kind: 'any' }] },
      ];
    });
  }

  async function findSimilar(userId: UserId, id: TrackId, count: number): Promise<Similar> {
    const track = library.getTrack(userId, id);
    const trackFacts = facts.of(userId, [id]).get(id) as Facts;
    const versions = findVersions(statements, track);
    const versionIds = new Set<number>(versions.map((version) => version.id));
    const areSoundsKnown = sounds.isKnown();
    const [nearestTracks] =
      (areSoundsKnown && (await sounds.ask({ kind: 'nearest', ids: [id], count: count + EXTRA_TRACKS }))) || [];
    const candidates = nearestTracks
      ? Array.from(nearestTracks.ids, (id, i) => ({
          id,
          likeness: nearestTracks.likeness[i] as number,
          rank: nearestTracks.ranks[i] as number,
        }))
      : library.similar.toTrack(userId, id, count + EXTRA_TRACKS).map((id) => ({ id, likeness: null, rank: null }));
    const comparisons = areSoundsKnown
      ? await sounds.ask({ kind: 'compare', id, otherIds: versions.map((version) => version.id) })
      : undefined;
    return {
      by: nearestTracks ? 'sound' : 'tags',
      items: withReasons(
        userId,
        trackFacts,
        candidates.filter((candidate) => !versionIds.has(candidate.id)),
      ).slice(0, count),
      versions: versions.map((version, i) => ({
        ...version,
        likeness: comparisons?.[i]?.likeness ?? null,
        rank: comparisons?.[i]?.rank ?? null,
      })),
    };
  }

  /** Returns a path by sound; undefined until sounds are known, or when one of the two tracks has none. */
  async function path(userId: UserId, from: TrackId, to: TrackId, steps: number): Promise<RadioTrack[] | undefined> {
    const endIds = [from, to].map((id) => library.getTrack(userId, id).id);
    if (!sounds.isKnown()) return undefined;
    const foundPath = await sounds.ask({ kind: 'path', userId, from, to, steps });
    if (!foundPath) return undefined;
    const ids = [from, ...foundPath.ids, to];
    const factsById = facts.of(userId, [...ids, ...endIds]);
    return ids.flatMap((id, i): RadioTrack[] => {
      const [track, previousTrack] = [factsById.get(id), factsById.get(ids[i - 1] ?? 0)];
      if (!track) return [];
      const likeness = i === 0 ? null : (foundPath.likeness[i - 1] ?? null);
      const rank = i === 0 ? null : (foundPath.ranks[i - 1] ?? null);
      const isEnd = i === 0 || i === ids.length - 1;
      return [
        {
          id: track.id,
          facts: track,
          likeness,
          rank,
          reasons: [
            ...(isEnd ? [] : [{ kind: 'on_the_way' as const, step: i, steps: ids.length - 2 }]),
            ...(previousTrack
              ? reasonsLike(track, { facts: previousTrack, likeness: likeness ?? undefined, rank: rank ?? undefined })
              : []),
            ...reasonsOfListener(track, now().getTime()),
          ],
        },
      ];
    });
  }

  /**
   * Returns the most similar tracks first, with their likeness; undefined until the sounds of the library are known.
   */
  async function soundsLike(id: TrackId, count: number): Promise<{ id: TrackId; likeness: number }[] | undefined> {
    if (!sounds.isKnown()) return undefined;
    const [nearestTracks] = (await sounds.ask({ kind: 'nearest', ids: [id], count })) ?? [];
    return nearestTracks
      ? Array.from(nearestTracks.ids, (id, i) => ({ id: id as TrackId, likeness: nearestTracks.likeness[i] as number }))
      : [];
  }

  /** Returns the next songs of a radio. */
  async function songsLike(userId: UserId, seed: SeedOfSongs, count: number): Promise<TrackId[] | undefined> {
    if (!sounds.isKnown()) return undefined;
    const { items } = await radio.nextTracks(userId, { seed, count, played: [], more: [], less: [] });
    return items.map(({ id }) => id);
  }

  /** Returns a path of at most `count` tracks, with the likeness of each track to the first. */
  async function soundPath(userId: UserId, from: TrackId, to: TrackId, count: number) {
    const pathTracks = await path(userId, from, to, Math.max(0, count - 2));
    if (!pathTracks) return undefined;
    const otherIds = pathTracks.map(({ id }) => id);
    const comparisons = (await sounds.ask({ kind: 'compare', id: from, otherIds })) ?? [];
    return otherIds.slice(0, count).map((id, i) => ({ id, likeness: comparisons[i]?.likeness ?? 0 }));
  }

  return { similar: findSimilar, path, soundsLike, songsLike, soundPath };
}
