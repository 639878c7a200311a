// Long lists in pieces: others get their turn between two of them, so that a phone's first sync does not hold up the
// music.
import { setImmediate as turn } from 'node:timers/promises';
import type { Page } from '../http/paging.ts';
import { Fault } from './errors.ts';
import type { Params } from './params.ts';

const PIECE = 500;

/** Everything from `offset`, `limit` at most. `read` gives fewer than asked for only at the end. */
export async function inPieces<T>(
  { limit, offset }: Page,
  read: (page: Page) => readonly T[] | Promise<readonly T[]>,
): Promise<T[]> {
  const items: T[] = [];
  while (items.length < limit) {
    const wanted = Math.min(PIECE, limit - items.length);
    const piece = await read({ limit: wanted, offset: offset + items.length });
    items.push(...piece);
    if (piece.length < wanted) break;
    await turn();
  }
  return items;
}

/** Rows of many ids. */
export async function rowsOf<I, T>(ids: readonly I[], read: (ids: readonly I[]) => readonly T[]): Promise<T[]> {
  const items: T[] = [];
  for (let at = 0; at < ids.length; at += PIECE) {
    if (at > 0) await turn();
    items.push(...read(ids.slice(at, at + PIECE)));
  }
  return items;
}

export const ALL: Page = { limit: 1_000_000, offset: 0 };

/** There is one music folder, 1; its number may be left out. */
export function checkMusicFolder(params: Params): void {
  const id = params.int('musicFolderId');
  if (id !== undefined && id > 1) throw new Fault(70, `There is no music folder ${id}.`);
}
