// Reads ids in a seeded random order. For the first pages of a large list, places of the order are tried until a page
// is full; deeper pages are read from the whole list.
import type { Page } from '../../http/paging.ts';
import { conditionsOf, whereOf, type IdList } from './list-definition.ts';
import { seededOrder, type SeededOrder } from './seeded-order.ts';
import type { Statements } from './statement-cache.ts';

/** The number of places that are tried beyond those that yield a full page on average. */
const EXTRA_PLACES = 20;

const orderOf = (statements: Statements, { itemType }: IdList, seed: number): SeededOrder =>
  seededOrder(seed, statements.value<number | null>(`SELECT max(id) FROM ${itemType}s`, {}) ?? 0);

/** Returns how many places have to be tried for a page on average. */
export const placesToTry = (statements: Statements, list: IdList, { limit, offset }: Page, total: number): number =>
  ((offset + limit) * orderOf(statements, list, 0).size) / total;

/** Reads the page by trying place after place until it is full. */
export function readRandomPage(
  statements: Statements,
  list: IdList,
  seed: number,
  { limit, offset }: Page,
  total: number,
): number[] {
  const { size, idAt } = orderOf(statements, list, seed);
  const end = Math.min(offset + limit, total);
  const ids: number[] = [];
  for (let place = 0; ids.length < end && place < size;) {
    const nextPlace = Math.min(size, place + Math.ceil(((end - ids.length) * size) / total) + EXTRA_PLACES);
    const candidates = Array.from({ length: nextPlace - place }, (_, n) => idAt(place + n));
    const matchingIds = new Set(
      statements.column<number>(
        `SELECT i.id FROM json_each(@candidates) c CROSS JOIN ${list.itemType}s i ON i.id = c.value
          ${whereOf(list.filters.map(({ condition }) => condition))}`,
        { ...list.params, candidates: JSON.stringify(candidates) },
      ),
    );
    ids.push(...candidates.filter((id) => matchingIds.has(id)));
    place = nextPlace;
  }
  return ids.slice(offset, end);
}

/** Returns the ids of the whole list. */
export function readWholeRandomOrder(statements: Statements, list: IdList, seed: number): Int32Array {
  const { placeOf, idAt } = orderOf(statements, list, seed);
  const ids = statements.column<number>(
    `SELECT i.id FROM ${list.itemType}s i ${whereOf(conditionsOf(list.filters))}`,
    list.params,
  );
  return Int32Array.from(Float64Array.from(ids, placeOf).sort(), idAt);
}
