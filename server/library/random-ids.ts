// Pages of a seeded random order. A large list is not shuffled as a whole: positions are tried in batches until the
// page is full, and the ids found are kept for the next page. Small lists, and deep pages of large ones, are computed
// as a whole from the bit set of matches, four bytes per item.
import type { Page } from '../http/paging.ts';
import { setOf, topicsOf, whereOf, type IdList } from './list-definition.ts';
import type { IdSets } from './filter-matches.ts';
import { changedOf, matching, mendedIds } from './mending.ts';
import { createResultCache, type Mend } from './result-cache.ts';
import { seededOrder, type SeededOrder } from './seeded-order.ts';
import type { Statements } from './statement-cache.ts';

/** The start of an order, as far as it was needed so far. */
interface Found {
  order: SeededOrder;
  ids: number[];
  nextPlace: number;
  all?: Int32Array;
}

const KEEP = 2;
const LAY_OUT_AT_ONCE = 5_000;
const FAR = 2_000;

export function createRandomIds(statements: Statements, sets: IdSets) {
  const kept = createResultCache<Found>(statements, KEEP);

  function page(list: IdList, { seed, total, limit, offset }: Page & { seed: number; total: number }): number[] {
    const found = kept.get(
      topicsOf(list),
      JSON.stringify([list.itemType, whereOf(list.filters.map(setOf)), list.params, seed]),
      () => start(list, seed),
      mend(list, seed),
    );
    const end = Math.min(offset + limit, total);
    if (total <= LAY_OUT_AT_ONCE || end > FAR) found.all ??= layOut(found.order, list, total);
    if (found.all) return Array.from(found.all.subarray(offset, end));
    while (found.ids.length < end && found.nextPlace < found.order.size) walk(found, list, end, total);
    return found.ids.slice(offset, end);
  }

  function start({ itemType }: IdList, seed: number): Found {
    const maxId = statements.value<number | null>(`SELECT max(id) FROM ${itemType}s`, {}) ?? 0;
    return { order: seededOrder(seed, maxId), ids: [], nextPlace: 0 };
  }

  const mend =
    (list: IdList, seed: number): Mend<Found> =>
    ({ order, all }, changes) => {
      const next = start(list, seed);
      const changed = all && next.order.size === order.size ? changedOf(statements, list, changes) : undefined;
      if (!all || !changed) return undefined;
      const { placeOf } = order;
      const matches = () => matching(statements, list, changed).sort((a, b) => placeOf(a) - placeOf(b));
      return { ...next, all: mendedIds(all, changed, matches, (a, b) => placeOf(a) < placeOf(b)) };
    };

  /** Sorts a sparse list by position; for a dense one, goes through all positions. */
  function layOut({ size, idAt, placeOf }: SeededOrder, list: IdList, total: number): Int32Array {
    if (total * 10 < size) {
      const ids = statements.column<number>(
        `SELECT i.id FROM ${list.itemType}s i ${whereOf(list.filters.map(setOf))}`,
        list.params,
      );
      return Int32Array.from(Float64Array.from(ids, placeOf).sort(), idAt);
    }
    const set = sets.of(list);
    const all = new Int32Array(total);
    for (let place = 0, at = 0; place < size && at < total; place++) {
      const id = idAt(place);
      if (set.has(id)) all[at++] = id;
    }
    return all;
  }

  function walk(found: Found, { itemType, filters, params }: IdList, end: number, total: number): void {
    const { order, ids } = found;
    const batch = Math.ceil(((end - ids.length) * order.size * 1.2) / total) + 20;
    const last = Math.min(found.nextPlace + batch, order.size);
    const candidates: number[] = [];
    for (let place = found.nextPlace; place < last; place += 1) candidates.push(order.idAt(place));
    const fitting = new Set(
      statements.column<number>(
        `SELECT i.id FROM json_each(@candidates) c CROSS
          JOIN ${itemType}s i ON i.id = c.value ${whereOf(filters.map(({ each }) => each))}`,
        { ...params, candidates: JSON.stringify(candidates) },
      ),
    );
    for (const id of candidates) if (fitting.has(id)) ids.push(id);
    found.nextPlace = last;
  }

  return { page };
}
