// Finds a path from one track to another: for each step the tracks that lie between the two, and among these the
// sequence with the smallest leaps (dynamic programming).
import type { Sqlite } from '../db/client.ts';
import { VECTOR_SIZE, RECORD_BYTES, writeRecord } from '../dsp/sound-vector.ts';
import type { UserId } from '../db/ids.ts';
import { IS_UNWANTED } from './track-facts.ts';
import type { SoundIndex } from './sound-index.ts';
import { unitOf, viewOf } from './steering.ts';

export interface FoundPath {
  /** Ids of the tracks between the two ends. */
  ids: number[];
  /** Likeness of each track to the previous one; the last value is that of the end track. */
  likeness: number[];
  /** Rank of each likeness, see RankOf. */
  ranks: number[];
}

interface PathRequest {
  userId: UserId;
  from: Uint8Array;
  to: Uint8Array;
  steps: number;
}

/** The number of tracks that are compared for each step. */
const CANDIDATES_PER_STEP = 60;
/** Cost of a track with the same artist as the previous track; leaps cost 0 to 1. */
const SAME_ARTIST_COST = 0.3;
/** Weight of the distance from the straight path, relative to leaps. */
const DETOUR_WEIGHT = 0.5;

interface Candidate {
  id: number;
  record: Uint8Array;
  artistId: number | null;
  detour: number;
}

export function findPath(client: Sqlite, index: SoundIndex, { userId, from, to, steps }: PathRequest): FoundPath {
  const endIds = new Set([from, to].map((record) => idOf(record)));
  const candidates = layersBetween(index, { from, to, steps }, endIds);
  const artistById = artistsOf(
    client,
    userId,
    candidates.flatMap((layer) => layer.map(({ id }) => id)),
  );
  const layers = assignToNearestStep(candidates)
    .map((layer) =>
      layer.flatMap((candidate) =>
        artistById.has(candidate.id) ? [{ ...candidate, artistId: artistById.get(candidate.id) ?? null }] : [],
      ),
    )
    .filter((layer) => layer.length > 0);
  const chosenTracks = findShortestPath(index, [{ id: 0, record: from, artistId: null, detour: 0 }], layers, to);
  const records = [from, ...chosenTracks.map(({ record }) => record), to];
  const likeness = records.slice(1).map((record, i) => index.likenessOf(records[i] as Uint8Array, record));
  return {
    ids: chosenTracks.map(({ id }) => id),
    likeness,
    ranks: likeness.map((value, i) => index.ranksFor(records[i] as Uint8Array)(value)),
  };
}

const idOf = (record: Uint8Array): number => viewOf(record).getInt32(VECTOR_SIZE, true);

type FoundCandidate = Omit<Candidate, 'artistId'>;

/** Finds candidates along the great circle, at equal angles. */
function layersBetween(
  index: SoundIndex,
  { from, to, steps }: Omit<PathRequest, 'userId'>,
  endIds: ReadonlySet<number>,
): FoundCandidate[][] {
  const [a, b] = [unitOf(from), unitOf(to)];
  const angle = Math.acos(
    Math.max(
      -1,
      Math.min(
        1,
        a.reduce((sum, value, i) => sum + value * (b[i] as number), 0),
      ),
    ),
  );
  const sine = Math.sin(angle);
  return Array.from({ length: steps }, (_, step) => {
    const share = (step + 1) / (steps + 1);
    const [forA, forB] =
      sine < 1e-6 ? [1 - share, share] : [Math.sin((1 - share) * angle) / sine, Math.sin(share * angle) / sine];
    const target = new Uint8Array(RECORD_BYTES);
    writeRecord(
      a.map((value, i) => value * forA + (b[i] as number) * forB),
      0,
      viewOf(target),
      0,
    );
    const { ids, likeness } = index.nearest(target, CANDIDATES_PER_STEP + endIds.size + 2 * steps);
    return Array.from(ids, (id, i) => ({ id, detour: 1 - (likeness[i] as number) })).flatMap(({ id, detour }) => {
      const record = endIds.has(id) ? undefined : index.find(id);
      return record ? [{ id, detour, record }] : [];
    });
  });
}

/** Keeps each track as a candidate only of the step that it is nearest to. */
function assignToNearestStep(layers: readonly FoundCandidate[][]): FoundCandidate[][] {
  const smallestDetours = new Map<number, number>();
  for (const layer of layers)
    for (const { id, detour } of layer) smallestDetours.set(id, Math.min(detour, smallestDetours.get(id) ?? Infinity));
  const takenIds = new Set<number>();
  const remainingLayers = layers.map((layer) =>
    layer.filter(({ id, detour }) => {
      if (takenIds.has(id) || detour > (smallestDetours.get(id) as number)) return false;
      takenIds.add(id);
      return true;
    }),
  );
  // a step that lost all its candidates to other steps gets a spare one from another step
  return remainingLayers.map((layer, step) => {
    if (layer.length > 0) return layer.slice(0, CANDIDATES_PER_STEP);
    const donor = remainingLayers.find(
      (otherLayer) => otherLayer.length > 1 && otherLayer.some(({ id }) => layers[step]?.some((c) => c.id === id)),
    );
    const candidate = donor?.findLast(({ id }) => layers[step]?.some((c) => c.id === id));
    if (!donor || !candidate) return [];
    donor.splice(donor.indexOf(candidate), 1);
    return [candidate];
  });
}

/** Returns the artists of the tracks that can be played and that the listener has not excluded. */
function artistsOf(client: Sqlite, userId: UserId, ids: readonly number[]): Map<number, number | null> {
  const rows = client
    .prepare<{ ids: string; userId: UserId }, { id: number; artistId: number | null }>(
      `SELECT t.id, t.artist_id AS artistId FROM json_each(@ids) ids CROSS JOIN tracks t ON t.id = ids.value
        WHERE t.availability = 'available' AND NOT ${IS_UNWANTED}`,
    )
    .all({ ids: JSON.stringify(ids), userId });
  return new Map(rows.map(({ id, artistId }) => [id, artistId]));
}

function findShortestPath(
  index: SoundIndex,
  start: Candidate[],
  layers: readonly Candidate[][],
  to: Uint8Array,
): Candidate[] {
  let costs = [0];
  let previousLayer = start;
  const cameFrom: number[][] = [];
  for (const layer of layers) {
    const [nextCosts, origins]: [number[], number[]] = [[], []];
    for (const candidate of layer) {
      let [lowestCost, origin] = [Infinity, 0];
      previousLayer.forEach((previous, i) => {
        const artistCost =
          candidate.artistId !== null && candidate.artistId === previous.artistId ? SAME_ARTIST_COST : 0;
        const cost = (costs[i] as number) + (1 - index.likenessOf(candidate.record, previous.record)) ** 2 + artistCost;
        if (cost < lowestCost) [lowestCost, origin] = [cost, i];
      });
      nextCosts.push(lowestCost + DETOUR_WEIGHT * candidate.detour ** 2);
      origins.push(origin);
    }
    cameFrom.push(origins);
    [costs, previousLayer] = [nextCosts, layer];
  }
  const totalCosts = previousLayer.map(
    (candidate, i) => (costs[i] as number) + (1 - index.likenessOf(candidate.record, to)) ** 2,
  );
  let place = totalCosts.indexOf(Math.min(...totalCosts));
  const path: Candidate[] = [];
  for (let step = layers.length - 1; step >= 0; step--) {
    path.push(layers[step]?.[place] as Candidate);
    place = cameFrom[step]?.[place] as number;
  }
  return path.reverse();
}
