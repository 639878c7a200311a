// Which items match the filters of a list, a bit per id: 125 KB for a million tracks. Cached until something changes.
import type { Filter } from './filters.ts';
import { setOf, topicsOf, type IdList } from './id-list.ts';
import { asText, fromText } from './id-text.ts';
import { createResultCache } from './result-cache.ts';
import type { Statements } from './statement-cache.ts';

export interface IdSet {
  has(id: number): boolean;
  /** Upper bound of the ids. */
  maxId: number;
  bits: Uint32Array;
}

export type IdSets = ReturnType<typeof createIdSets>;

const KEEP = 32;

export function createIdSets(statements: Statements) {
  const kept = createResultCache<IdSet>(statements, KEEP);

  function read({ itemType }: IdList, where: string, params: IdList['params']): IdSet {
    const maxId = statements.value<number | null>(`SELECT max(id) FROM ${itemType}s`, {}) ?? 0;
    const bits = new Uint32Array((maxId >>> 5) + 1);
    const found = statements.value<string | null>(asText(`SELECT i.id FROM ${itemType}s i ${where}`), params);
    for (const id of fromText(found)) if (id <= maxId) bits[id >>> 5] = (bits[id >>> 5] as number) | (1 << (id & 31));
    return toSet(bits, maxId);
  }

  const keyOf = (list: IdList, filter: Filter): string =>
    JSON.stringify([list.itemType, filter.each, filter.params, filter.ofLikes && list.userId]);

  function ofFilter(list: IdList, filter: Filter): IdSet {
    const { not } = filter;
    const make = (): IdSet =>
      not ? without(all(list), ofFilter(list, not)) : read(list, `WHERE ${setOf(filter)}`, list.params);
    return kept.get(topicsOf({ filters: [filter] }), keyOf(list, filter), make);
  }

  const all = (list: IdList): IdSet => kept.get(['library'], list.itemType, () => read(list, '', {}));

  return {
    /** Items that match all filters of the list; without filters, all items. */
    of(list: IdList): IdSet {
      const [first, ...others] = list.filters.map((filter) => ofFilter(list, filter));
      return first ? others.reduce(both, first) : all(list);
    },
    /** True if all filters are cached. */
    isKnown: (list: IdList): boolean =>
      list.filters.every((filter) => kept.find(topicsOf({ filters: [filter] }), keyOf(list, filter)) !== undefined),
  };
}

const toSet = (bits: Uint32Array, maxId: number): IdSet => ({
  bits,
  maxId,
  has: (id) => id <= maxId && ((bits[id >>> 5] as number) & (1 << (id & 31))) !== 0,
});

const both = (a: IdSet, b: IdSet): IdSet =>
  toSet(
    a.bits.map((bits, at) => bits & (b.bits[at] ?? 0)),
    Math.min(a.maxId, b.maxId),
  );

const without = (a: IdSet, b: IdSet): IdSet =>
  toSet(
    a.bits.map((bits, at) => bits & ~(b.bits[at] ?? 0)),
    a.maxId,
  );
