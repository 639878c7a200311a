// A path from one track to another: for each step the tracks that lie on the way, and of those the sequence with the
// smallest leaps (dynamic programming).
import type { Sqlite } from '../db/client.ts';
import { VECTOR_SIZE, RECORD_BYTES, writeRecord } from '../dsp/sound-vector.ts';
import type { UserId } from '../db/ids.ts';
import { IS_UNWANTED } from './facts.ts';
import type { SoundIndex } from './sound-index.ts';
import { unitOf, viewOf } from './steering.ts';

export interface PathFound {
  /** Without the ends. */
  ids: number[];
  /** Of each to the one before; one more than ids: the last is that of the end. */
  likeness: number[];
  /** Of each likeness: see RankOf. */
  ranks: number[];
}

interface PathWanted {
  userId: UserId;
  from: Uint8Array;
  to: Uint8Array;
  steps: number;
}

/** Tracks that are looked at for each step. */
const CANDIDATES = 60;
/** What it costs when a track is by the artist of the one before; leaps cost 0 to 1. */
const SAME_ARTIST = 0.3;
/** How much the distance from the straight way counts beside the leap. */
const ASTRAY = 0.5;

interface Candidate {
  id: number;
  record: Uint8Array;
  artistId: number | null;
  astray: number;
}

export function findPath(client: Sqlite, index: SoundIndex, { userId, from, to, steps }: PathWanted): PathFound {
  const ends = new Set([from, to].map((record) => idOf(record)));
  const candidates = layersBetween(index, { from, to, steps }, ends);
  const about = artistsOf(
    client,
    userId,
    candidates.flatMap((layer) => layer.map(({ id }) => id)),
  );
  const layers = onceEach(candidates)
    .map((layer) =>
      layer.flatMap((one) => (about.has(one.id) ? [{ ...one, artistId: about.get(one.id) ?? null }] : [])),
    )
    .filter((layer) => layer.length > 0);
  const chosen = shortest(index, [{ id: 0, record: from, artistId: null, astray: 0 }], layers, to);
  const records = [from, ...chosen.map(({ record }) => record), to];
  const likeness = records.slice(1).map((record, i) => index.likenessOf(records[i] as Uint8Array, record));
  return {
    ids: chosen.map(({ id }) => id),
    likeness,
    ranks: likeness.map((value, i) => index.ranksFor(records[i] as Uint8Array)(value)),
  };
}

const idOf = (record: Uint8Array): number => viewOf(record).getInt32(VECTOR_SIZE, true);

type Found = Omit<Candidate, 'artistId'>;

/** Along the great circle, a step at equal angles. */
function layersBetween(
  index: SoundIndex,
  { from, to, steps }: Omit<PathWanted, 'userId'>,
  ends: ReadonlySet<number>,
): Found[][] {
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
    const { ids, likeness } = index.nearest(target, CANDIDATES + ends.size + 2 * steps);
    return Array.from(ids, (id, i) => ({ id, astray: 1 - (likeness[i] as number) })).flatMap(({ id, astray }) => {
      const record = ends.has(id) ? undefined : index.find(id);
      return record ? [{ id, astray, record }] : [];
    });
  });
}

/** Each track is a candidate of the one step that it is nearest to. */
function onceEach(layers: readonly Found[][]): Found[][] {
  const least = new Map<number, number>();
  for (const layer of layers)
    for (const { id, astray } of layer) least.set(id, Math.min(astray, least.get(id) ?? Infinity));
  const taken = new Set<number>();
  const kept = layers.map((layer) =>
    layer.filter(({ id, astray }) => {
      if (taken.has(id) || astray > (least.get(id) as number)) return false;
      taken.add(id);
      return true;
    }),
  );
  // a step whose candidates are all nearer to others takes one that is left over
  return kept.map((layer, step) => {
    if (layer.length > 0) return layer.slice(0, CANDIDATES);
    const donor = kept.find(
      (other) => other.length > 1 && other.some(({ id }) => layers[step]?.some((c) => c.id === id)),
    );
    const moved = donor?.findLast(({ id }) => layers[step]?.some((c) => c.id === id));
    if (!donor || !moved) return [];
    donor.splice(donor.indexOf(moved), 1);
    return [moved];
  });
}

/** Of those that can be played, and that the listener wants to hear. */
function artistsOf(client: Sqlite, userId: UserId, ids: readonly number[]): Map<number, number | null> {
  const rows = client
    .prepare<{ ids: string; userId: UserId }, { id: number; artistId: number | null }>(
      `SELECT t.id, t.artist_id AS artistId FROM json_each(@ids) ids CROSS JOIN tracks t ON t.id = ids.value
        WHERE t.availability = 'available' AND NOT ${IS_UNWANTED}`,
    )
    .all({ ids: JSON.stringify(ids), userId });
  return new Map(rows.map(({ id, artistId }) => [id, artistId]));
}

function shortest(index: SoundIndex, start: Candidate[], layers: readonly Candidate[][], to: Uint8Array): Candidate[] {
  let costs = [0];
  let before = start;
  const cameFrom: number[][] = [];
  for (const layer of layers) {
    const [next, origins]: [number[], number[]] = [[], []];
    for (const one of layer) {
      let [best, origin] = [Infinity, 0];
      before.forEach((other, i) => {
        const repeated = one.artistId !== null && one.artistId === other.artistId ? SAME_ARTIST : 0;
        const cost = (costs[i] as number) + (1 - index.likenessOf(one.record, other.record)) ** 2 + repeated;
        if (cost < best) [best, origin] = [cost, i];
      });
      next.push(best + ASTRAY * one.astray ** 2);
      origins.push(origin);
    }
    cameFrom.push(origins);
    [costs, before] = [next, layer];
  }
  const last = before.map((one, i) => (costs[i] as number) + (1 - index.likenessOf(one.record, to)) ** 2);
  let at = last.indexOf(Math.min(...last));
  const path: Candidate[] = [];
  for (let step = layers.length - 1; step >= 0; step--) {
    path.push(layers[step]?.[at] as Candidate);
    at = cameFrom[step]?.[at] as number;
  }
  return path.reverse();
}
