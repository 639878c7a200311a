// Brings what was read before up to date with the items that were written since, by the rows of changed_items, instead
// of reading it again. All within one transaction: places are found among items that did not change.
import { whereOf, type IdList } from './id-list.ts';
import type { ItemType } from '../db/schema.ts';
import type { Change, Statements } from './statement-cache.ts';

/** More are read anew: finding the place of one takes some 0.1 ms at a million. */
const MOST = 100;

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
  if (filters.some(({ unrecorded }) => unrecorded)) return undefined;
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

/** `matches` gives those of the changed that are in the list now, in its order. */
export function mendedIds(
  ids: Int32Array,
  changed: ReadonlySet<number>,
  matches: () => number[],
  isBefore: (a: number, b: number) => boolean,
): Int32Array {
  if (changed.size === 0) return ids;
  const found = matches();
  const mended = new Int32Array(ids.length + found.length);
  let size = without(ids, changed, mended);
  const places: number[] = [];
  for (const id of found) {
    let [low, high] = [places.at(-1) ?? 0, size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(id, mended[middle] as number)) high = middle;
      else low = middle + 1;
    }
    places.push(low);
  }
  for (let n = found.length - 1, end = size; n >= 0; n--) {
    const place = places[n] as number;
    mended.copyWithin(place + n + 1, place, end);
    mended[place + n] = found[n] as number;
    end = place;
  }
  size += found.length;
  return mended.subarray(0, size);
}

/** Copies all but these; gives how many there are. */
function without(ids: Int32Array, these: ReadonlySet<number>, into: Int32Array): number {
  const isOut = new Uint8Array(Math.max(...these) + 1);
  for (const id of these) isOut[id] = 1;
  let size = 0;
  for (const id of ids) if (id >= isOut.length || isOut[id] === 0) into[size++] = id;
  return size;
}
