// Long lists are read in pieces, with other requests in between, so that a client's sync does not block playback.
import type { Page } from '../http/paging.ts';
import { Pieces } from '../http/streamed-lists.ts';
import { partsOf, turn } from '../runtime/time-slices.ts';
import type { Fields } from './xml.ts';

/** Rows that are read and written before others have their turn: 1 ms, 30 KB of text (see http/streamed-lists.ts). */
const PIECE = 30;
const IDS = 5_000;

/** Everything from `offset`, `limit` at most. `read` gives fewer than asked for only at the end. */
export async function* pagesOf<T>(
  { limit, offset }: Page,
  read: (page: Page) => readonly T[] | Promise<readonly T[]>,
  size = PIECE,
): AsyncGenerator<readonly T[]> {
  for (let done = 0; done < limit;) {
    const wanted = Math.min(size, limit - done);
    const page = await read({ limit: wanted, offset: offset + done });
    yield page;
    if (page.length < wanted) return;
    done += page.length;
    if (done < limit) await turn();
  }
}

/** For what is put into another order. */
export async function allOf<T>(parts: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const part of parts) for (const item of part) items.push(item);
  return items;
}

export const allIds = <T>(read: (page: Page) => readonly T[]): Promise<T[]> => allOf(pagesOf(ALL, read, IDS));

/** A list of an answer, made of rows as they are read. */
export const listOf = <T>(
  parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
  toFields: (item: T) => Fields,
): Pieces<Fields> => new Pieces(mapped(parts, toFields));

async function* mapped<T>(
  parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>,
  toFields: (item: T) => Fields,
): AsyncGenerator<Fields[]> {
  for await (const part of parts) yield part.map((item) => toFields(item));
}

/** Of rows that are there. */
export const listOfRows = <T>(items: readonly T[], toFields: (item: T) => Fields): Pieces<Fields> =>
  listOf(partsOf(items, PIECE), toFields);

/** Of rows by their ids. */
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
  for (const part of partsOf(ids, PIECE)) {
    if (!isFirst) await turn();
    isFirst = false;
    yield read(part);
  }
}

/** One list after the other. */
export async function* chained<T>(...lists: (AsyncIterable<readonly T[]> | Iterable<readonly T[]>)[]) {
  for (const list of lists) yield* list;
}

export const ALL: Page = { limit: 1_000_000, offset: 0 };
