// Reads long lists in pieces and yields to other requests in between, so that a client's sync does not block playback.
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Page } from '../http/paging.ts';
import { Fault } from './errors.ts';
import type { Params } from './params.ts';

const PIECE = 500;

/** Up to `limit` items from `offset` on. `read` returns fewer than requested only at the end. */
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
    await yieldToRequests();
  }
  return items;
}

export async function rowsOf<I, T>(ids: readonly I[], read: (ids: readonly I[]) => readonly T[]): Promise<T[]> {
  const items: T[] = [];
  for (let at = 0; at < ids.length; at += PIECE) {
    if (at > 0) await yieldToRequests();
    items.push(...read(ids.slice(at, at + PIECE)));
  }
  return items;
}

export const ALL: Page = { limit: 1_000_000, offset: 0 };

/** Throws 70 for any music folder but 1, the only one. */
export function checkMusicFolder(params: Params): void {
  const id = params.int('musicFolderId');
  if (id !== undefined && id > 1) throw new Fault(70, `There is no music folder ${id}.`);
}
