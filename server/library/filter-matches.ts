// Which items match the filters of a list, a bit per id: 125 KB for a million tracks. Cached, and mended after a write.
import type { Filter } from './filters.ts';
import { setOf, topicsOf, type IdList } from './list-definition.ts';
import { asText, fromText } from './ids-as-text.ts';
import { changedOf, matching } from './mending.ts';
import { createResultCache, type Mend } from './result-cache.ts';
import type { Statements } from './statement-cache.ts';

export interface IdSet {
  has(id: number): boolean;
  /** Upper bound of the ids. */
  maxId: number;
  bits: Uint32Array;
  size: () => number;
}

export type IdSets = ReturnType<typeof createIdSets>;

const KEEP = 32;

export function createIdSets(statements: Statements) {
  const kept = createResultCache<IdSet>(statements, KEEP);

  const maxIdOf = ({ itemType }: Pick<IdList, 'itemType'>): number =>
    statements.value<number | null>(`SELECT max(id) FROM ${itemType}s`, {}) ?? 0;

  function read(list: IdList, where: string, params: IdList['params']): IdSet {
    const maxId = maxIdOf(list);
    const bits = new Uint32Array((maxId >>> 5) + 1);
    const found = statements.value<string | null>(asText(`SELECT i.id FROM ${list.itemType}s i ${where}`), params);
    for (const id of fromText(found)) if (id <= maxId) bits[id >>> 5] = (bits[id >>> 5] as number) | (1 << (id & 31));
    return toSet(bits, maxId);
  }

  const keyOf = (list: IdList, filter: Filter): string =>
    JSON.stringify([list.itemType, filter.each, filter.params, filter.ofLikes && list.userId]);

  function ofFilter(list: IdList, filter: Filter): IdSet {
    const { not } = filter;
    const make = (): IdSet =>
      not ? without(all(list), ofFilter(list, not)) : read(list, `WHERE ${setOf(filter)}`, list.params);
    return kept.get(topicsOf({ filters: [filter] }), keyOf(list, filter), make, mend(list, [filter]));
  }

  const all = (list: IdList): IdSet => kept.get(['library'], list.itemType, () => read(list, '', {}), mend(list, []));

  const mend =
    ({ itemType, params }: IdList, filters: Filter[]): Mend<IdSet> =>
    ({ bits }, changes) => {
      const list = { itemType, filters, params };
      const changed = changedOf(statements, list, changes);
      if (!changed) return undefined;
      const maxId = maxIdOf(list);
      const mended = new Uint32Array((maxId >>> 5) + 1);
      mended.set(bits.subarray(0, mended.length));
      for (const id of changed) {
        const at = id >>> 5; // also of one above `maxId`, which was deleted
        if (at < mended.length) mended[at] = (mended[at] as number) & ~(1 << (id & 31));
      }
      for (const id of matching(statements, list, changed))
        mended[id >>> 5] = (mended[id >>> 5] as number) | (1 << (id & 31));
      return toSet(mended, maxId);
    };

  return {
    /** Items that match all filters of the list; without filters, all items. */
    of(list: IdList): IdSet {
      const [first, ...others] = list.filters.map((filter) => ofFilter(list, filter));
      return first ? others.reduce(both, first) : all(list);
    },
    /** True if all filters are cached. */
    isKnown: (list: IdList): boolean =>
      list.filters.every(
        (filter) => kept.find(topicsOf({ filters: [filter] }), keyOf(list, filter), mend(list, [filter])) !== undefined,
      ),
  };
}

const toSet = (bits: Uint32Array, maxId: number): IdSet => ({
  bits,
  maxId,
  size: () => bits.reduce((size, some) => size + ones(some), 0),
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

/** How many of its bits are set. */
function ones(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
