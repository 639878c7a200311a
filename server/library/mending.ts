// Brings what was read before up to date with the items that were written since, by the rows of changed_items, instead
// of reading it again. All within one transaction: places are found among items that did not change.
import { whereOf, type IdList } from './list-definition.ts';
import type { ItemType } from '../db/schema.ts';
import type { Change, Statements } from './statement-cache.ts';

/** More are read anew: finding the place of one takes some 0.2 ms at a million. */
export const MOST = 100;

const KINDS: Record<ItemType, readonly string[]> = {
  track: ['track'],
  album: ['album', 'album_name'],
  artist: ['artist', 'artist_name'],
};

/** Items that a filter may treat differently because others changed, by the ids of those. */
const REACHED: Record<ItemType, string> = {
  track: `SELECT t.id FROM json_each(@album_name) k CROSS JOIN tracks t ON t.album_id = k.value
    UNION SELECT c.track_id FROM json_each(@artist_name) k CROSS JOIN track_artists c ON c.artist_id = k.value
    UNION SELECT t.id FROM json_each(@artist_name) k CROSS JOIN albums a ON a.artist_id = k.value
      CROSS JOIN tracks t ON t.album_id = a.id`,
  album: `SELECT t.album_id FROM json_each(@track) k CROSS JOIN tracks t ON t.id = k.value AND t.album_id IS NOT NULL
    UNION SELECT a.id FROM json_each(@artist_name) k CROSS JOIN albums a ON a.artist_id = k.value`,
  artist: `SELECT c.artist_id FROM json_each(@track) k CROSS JOIN track_artists c ON c.track_id = k.value
    UNION SELECT a.artist_id FROM json_each(@track) k CROSS JOIN tracks t ON t.id = k.value
      CROSS JOIN albums a ON a.id = t.album_id AND a.artist_id IS NOT NULL
    UNION SELECT a.artist_id FROM json_each(@album) k
      CROSS JOIN albums a ON a.id = k.value AND a.artist_id IS NOT NULL`,
};

type Filtered = Pick<IdList, 'itemType' | 'filters'>;

/** Items whose place in the list, or whether they are in it, may have changed. Undefined where that is not known. */
export function changedOf(
  statements: Statements,
  { itemType, filters }: Filtered,
  changes: readonly Change[],
): Set<number> | undefined {
  const changed = new Set(changes.filter(({ kind }) => KINDS[itemType].includes(kind)).map(({ itemId }) => itemId));
  if (filters.length > 0 && changed.size <= MOST) {
    const idsOf = (wanted: string): string =>
      JSON.stringify([...new Set(changes.filter(({ kind }) => kind === wanted).map(({ itemId }) => itemId))]);
    const ids = { track: idsOf('track'), album: idsOf('album') };
    const names = { album_name: idsOf('album_name'), artist_name: idsOf('artist_name') };
    const reached = statements.column<number>(`${REACHED[itemType]} LIMIT @most`, { ...ids, ...names, most: MOST + 1 });
    for (const id of reached) changed.add(id);
  }
  return changed.size <= MOST ? changed : undefined;
}

/** Those of the items that exist and match, in the order of the list. */
export function matching(
  statements: Statements,
  { itemType, filters, params }: Pick<IdList, 'itemType' | 'filters' | 'params'>,
  ids: Iterable<number>,
  { from, orderBy } = { from: `${itemType}s i`, orderBy: 'i.id' },
): number[] {
  const where = whereOf(['i.id IN (SELECT value FROM json_each(@changed))', ...filters.map(({ each }) => each)]);
  return statements.column<number>(`SELECT i.id FROM ${from} ${where} ORDER BY ${orderBy}`, {
    ...params,
    changed: JSON.stringify([...ids]),
  });
}

type Ordered = Pick<IdList, 'itemType' | 'filters' | 'params'> & {
  order: { gather: { from: string; orderBy: string } };
};

/** The ids of a list with those that changed taken out and put where they belong now. */
export function mendedOrder(
  statements: Statements,
  list: Ordered,
  ids: Int32Array,
  changed: ReadonlySet<number>,
): Int32Array {
  const { from, orderBy } = list.order.gather;
  const first = `SELECT i.id FROM ${from} WHERE i.id IN (@a, @b) ORDER BY ${orderBy} LIMIT 1`;
  return mendedIds(
    ids,
    changed,
    () => matching(statements, list, changed, list.order.gather),
    (a, b) => statements.value<number>(first, { ...list.params, a, b }) === a,
  );
}

/** `matches` gives those of the changed that are in the list now, in its order. Changes `ids` unless they are more. */
export function mendedIds(
  ids: Int32Array,
  changed: ReadonlySet<number>,
  matches: () => number[],
  isBefore: (a: number, b: number) => boolean,
): Int32Array {
  if (changed.size === 0) return ids;
  const gone = placesOf(ids, changed);
  const found = matches();
  const places: number[] = []; // among those that did not change
  for (const id of found) {
    let [low, high] = [places.at(-1) ?? 0, ids.length - gone.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(id, ids[placeWithout(gone, middle)] as number)) high = middle;
      else low = middle + 1;
    }
    places.push(low);
  }
  const isSame = found.every((id, n) => gone[n] === (places[n] as number) + n && ids[gone[n]] === id);
  return isSame && found.length === gone.length ? ids : moved(ids, gone, found, places);
}

function moved(ids: Int32Array, gone: readonly number[], found: readonly number[], places: readonly number[]) {
  const size = ids.length - gone.length + found.length;
  const mended = size > ids.length ? new Int32Array(size) : ids;
  if (mended !== ids) mended.set(ids);
  let end = gone[0] ?? ids.length;
  for (const [n, place] of gone.entries()) {
    const next = gone[n + 1] ?? ids.length;
    mended.copyWithin(end, place + 1, next);
    end += next - place - 1;
  }
  for (let n = found.length - 1; n >= 0; n--) {
    const place = places[n] as number;
    mended.copyWithin(place + n + 1, place, end);
    mended[place + n] = found[n] as number;
    end = place;
  }
  return mended.subarray(0, size);
}

/** From here on all are gone through once, which takes longer than to look for a few. */
const MANY = 8;

/** Ascending. */
function placesOf(ids: Int32Array, these: ReadonlySet<number>): number[] {
  if (these.size < MANY)
    return [...these]
      .map((id) => ids.indexOf(id))
      .filter((at) => at >= 0)
      .sort((a, b) => a - b);
  const isOne = new Uint8Array(Math.max(...these) + 1);
  for (const id of these) isOne[id] = 1;
  const places: number[] = [];
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] as number;
    if (id < isOne.length && isOne[id] === 1) places.push(at);
  }
  return places;
}

/** The place of the nth that is not gone. */
function placeWithout(gone: readonly number[], n: number): number {
  let place = n;
  for (const skipped of gone) {
    if (skipped > place) break;
    place++;
  }
  return place;
}
