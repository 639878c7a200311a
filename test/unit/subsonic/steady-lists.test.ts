import { describe, expect, it } from 'vitest';
import { createSteadyLists, type ListSource } from '../../../server/subsonic/steady-lists.ts';
import { seededRandom } from '../../support/test-random.ts';

/** Creates a list that can change, and that is read in pages of four. */
function createList(initialRows: number[]) {
  let rows = initialRows;
  let now = 0;
  const steady = createSteadyLists({ now: () => now });
  const source: ListSource = {
    key: 'a',
    read: async ({ limit, offset }) => ({ ids: rows.slice(offset, offset + limit), total: rows.length }),
    filterExisting: (ids) => ids.filter((id) => rows.includes(id)),
  };
  return {
    page: async (offset: number, limit = 4, key = 'a') => [
      ...(await steady.page({ ...source, key }, { limit, offset })).ids,
    ],
    change: (next: (rows: number[]) => number[]) => void (rows = next(rows)),
    wait: (ms: number) => void (now += ms),
  };
}
const TEN_IDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

describe('a list that is read page by page', () => {
  it('does not repeat what rows in front push on', async () => {
    const { page, change } = createList(TEN_IDS);
    expect(await page(0)).toEqual([1, 2, 3, 4]);
    change((rows) => [11, 12, ...rows]);
    expect(await page(4)).toEqual([11, 12, 5, 6]);
    change((rows) => [13, ...rows]);
    expect([await page(8), await page(12)]).toEqual([[7, 8, 9, 10], []]);
  });

  it('skips nothing when rows are gone, and has no short page before the last one', async () => {
    const { page, change } = createList(TEN_IDS);
    await page(0);
    change((rows) => rows.filter((id) => ![1, 2, 6].includes(id)));
    expect(await page(4)).toEqual([5, 7, 8, 9]);
    change((rows) => rows.filter((id) => id !== 10));
    expect(await page(8)).toEqual([]);
  });

  it('keeps to one order when its pages are asked for at once, the first one last', async () => {
    const { page, change } = createList(TEN_IDS);
    const laterPages = [page(8), page(4)];
    change((rows) => rows.toReversed());
    expect(await Promise.all([...laterPages, page(0)])).toEqual([
      [2, 1],
      [6, 5, 4, 3],
      [10, 9, 8, 7],
    ]);
    change((rows) => rows.toReversed());
    expect(await page(0)).toEqual([1, 2, 3, 4]);
  });

  it('is kept while a caller asks for none of it, as in a search for another kind', async () => {
    const { page, change } = createList(TEN_IDS);
    await page(0);
    change((rows) => rows.slice(1));
    expect([await page(0, 0), await page(4)]).toEqual([[], [5, 6, 7, 8]]);
  });

  it('is forgotten for the newest of a thousand others', async () => {
    const { page, change } = createList(TEN_IDS);
    await page(0);
    change((rows) => rows.slice(1));
    for (let n = 0; n < 1_000; n++) await page(0, 4, `other ${n}`);
    expect(await page(4)).toEqual([6, 7, 8, 9]);
  });

  it('begins anew with its first page, for another caller, and after a while', async () => {
    const { page, change, wait } = createList(TEN_IDS);
    await page(0);
    await page(4);
    change((rows) => rows.slice(1));
    expect([await page(4), await page(4, 4, 'b')]).toEqual([
      [5, 6, 7, 8],
      [6, 7, 8, 9],
    ]);
    expect([await page(0), await page(4)]).toEqual([
      [2, 3, 4, 5],
      [6, 7, 8, 9],
    ]);
    change(() => [20, 21, 22, 23, 24]);
    wait(3_600_000);
    expect(await page(4)).toEqual([24]);
  });

  it('has every row once that is there all the time, whatever comes and goes', async () => {
    const random = seededRandom(7);
    for (let run = 0; run < 200; run++) {
      const { page, change } = createList(TEN_IDS.map((id) => id * 10));
      const permanentIds = new Set(TEN_IDS.map((id) => id * 10));
      let next = 1_000;
      const seenIds: number[] = [];
      for (let offset = 0; ; offset += 3) {
        const foundIds = await page(offset, 3);
        seenIds.push(...foundIds);
        if (foundIds.length < 3) break;
        change((rows) => {
          const [position, removedId] = [
            Math.floor(random() * rows.length),
            rows[Math.floor(random() * rows.length)] ?? 0,
          ];
          permanentIds.delete(removedId);
          const remainingRows =
            random() < 0.5 ? rows.filter((id) => id !== removedId) : (permanentIds.add(removedId), rows);
          return random() < 0.5 ? remainingRows.toSpliced(position, 0, next++) : remainingRows;
        });
        for (const id of permanentIds) if (id >= 1_000) permanentIds.delete(id);
      }
      expect(new Set(seenIds).size).toBe(seenIds.length);
      expect([...permanentIds].filter((id) => !seenIds.includes(id))).toEqual([]);
    }
  });
});
