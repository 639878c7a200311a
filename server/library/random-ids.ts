// Pages of a seeded random order. A large list is never shuffled as a whole: places of the order are tried in turn, a batch at a
// time, until the page is full, and what was found is kept for the next page. Small lists, and pages very far into a large one,
// are sorted by place in one go.
import type { ItemType } from '../db/schema.ts';
import { seededOrder, type SeededOrder } from './seeded-order.ts';
import type { Params, Statements } from './statements.ts';

export interface RandomPage {
  list: { itemType: ItemType; where: string; params: Params };
  seed: number;
  total: number;
  limit: number;
  offset: number;
}

/** The beginning of an order, as far as it was needed. */
interface Found { order: SeededOrder; ids: number[]; nextPlace: number; all?: Int32Array }

const KEEP = 8;
const SORT_AT_ONCE = 5_000;
const FAR = 20_000;

export function createRandomIds(statements: Statements) {
  const cache = new Map<string, Found>();
  let cacheOf = '';

  function page({ list, seed, total, limit, offset }: RandomPage): number[] {
    const found = lookUp(list, seed);
    const end = Math.min(offset + limit, total);
    if (total <= SORT_AT_ONCE || end > FAR) found.all ??= sortAll(found.order, list);
    if (found.all) return Array.from(found.all.subarray(offset, end));
    while (found.ids.length < end && found.nextPlace < found.order.size) walk(found, list, end, total);
    return found.ids.slice(offset, end);
  }

  function lookUp({ itemType, where, params }: RandomPage['list'], seed: number): Found {
    const version = statements.version();
    if (version !== cacheOf) cache.clear();
    cacheOf = version;
    const key = JSON.stringify([itemType, where, params, seed]);
    const known = cache.get(key);
    if (known) return known;
    const maxId = statements.value<number | null>(`SELECT max(id) FROM ${itemType}s`, {}) ?? 0;
    const found: Found = { order: seededOrder(seed, maxId), ids: [], nextPlace: 0 };
    if (cache.size >= KEEP) cache.delete(cache.keys().next().value as string);
    cache.set(key, found);
    return found;
  }

  function sortAll({ placeOf, idAt }: SeededOrder, { itemType, where, params }: RandomPage['list']): Int32Array {
    const ids = statements.column<number>(`SELECT i.id FROM ${itemType}s i ${where}`, params);
    return Int32Array.from(Float64Array.from(ids, placeOf).sort(), idAt);
  }

  function walk(found: Found, { itemType, where, params }: RandomPage['list'], end: number, total: number): void {
    const { order, ids } = found;
    const batch = Math.ceil(((end - ids.length) * order.size * 1.2) / total) + 20;
    const last = Math.min(found.nextPlace + batch, order.size);
    const candidates: number[] = [];
    for (let place = found.nextPlace; place < last; place += 1) candidates.push(order.idAt(place));
    const fitting = new Set(statements.column<number>(
      `SELECT i.id FROM json_each(@candidates) c CROSS JOIN ${itemType}s i ON i.id = c.value ${where}`,
      { ...params, candidates: JSON.stringify(candidates) },
    ));
    for (const id of candidates) if (fitting.has(id)) ids.push(id);
    found.nextPlace = last;
  }

  return { page };
}
