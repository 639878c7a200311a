// Reads long lists in pieces, with other requests served in between, so that a client's sync does not block playback.
import type { Page } from '../http/paging.ts';
import { Pieces } from '../http/streamed-lists.ts';
import { partsOf, waitForTurn } from '../runtime/time-slices.ts';
import type { Fields } from './xml.ts';

/**
 * The number of rows that are read and written before other requests get a turn, about 1 ms and 30 KB (see
 * http/streamed-lists.ts).
 */
const ROWS_PER_PIECE = 30;
const IDS_PER_PAGE = 5_000;

/** Yields at most `limit` rows from `offset` on. `read` returns fewer than requested only at the end. */
export async function* pagesOf<T>(
  { limit, offset }: Page,
  read: (page: Page) => readonly T[] | Promise<readonly T[]>,
  size = ROWS_PER_PIECE,
): AsyncGenerator<readonly T[]> {
  for (let readCount = 0; readCount < limit;) {
    const pageLimit = Math.min(size, limit - readCount);
    const page = await read({ limit: pageLimit, offset: offset + readCount });
    yield page;
    if (page.length < pageLimit) return;
    readCount += page.length;
    if (readCount < limit) await waitForTurn();
  }
}

/** Reads all parts, for lists that are sorted differently. */
export async function collect<T>(parts: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const part of parts) for (const item of part) items.push(item);
  return items;
}

export const collectIds = <T>(read: (page: Page) => readonly T[]): Promise<T[]> =>
  collect(pagesOf(ALL, read, IDS_PER_PAGE));

/** Creates a list of a response, which is converted while its rows are read. */
export const listOf = <T>(
  parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
  toFields: (item: T) => Fields,
): Pieces<Fields> => new Pieces(mapParts(parts, toFields));

async function* mapParts<T>(
  parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
  toFields: (item: T) => Fields,
): AsyncGenerator<Fields[]> {
  for await (const part of parts) yield part.map((item) => toFields(item));
}

/** Creates a list of rows that are already in memory. */
export const listOfRows = <T>(items: readonly T[], toFields: (item: T) => Fields): Pieces<Fields> =>
  listOf(partsOf(items, ROWS_PER_PIECE), toFields);

/** Creates a list of rows that are read by their ids. */
export const listOfIds = <I, T>(
  ids: readonly I[],
  read: (ids: readonly I[]) => readonly T[],
  toFields: (item: T) => Fields,
): Pieces<Fields> => listOf(rowsOf(ids, read), toFields);

export async function* rowsOf<I, T>(
  ids: readonly I[],
  read: (ids: readonly I[]) => readonly T[],
): AsyncGenerator<readonly T[]> {
  let isFirst = true;
  for (const part of partsOf(ids, ROWS_PER_PIECE)) {
    if (!isFirst) await waitForTurn();
    isFirst = false;
    yield read(part);
  }
}

/** Yields one list after the other. */
export async function* concat<T>(...lists: (AsyncIterable<readonly T[]> | Iterable<readonly T[]>)[]) {
  for (const list of lists) yield* list;
}

export const ALL: Page = { limit: 1_000_000, offset: 0 };
