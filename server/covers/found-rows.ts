// Writes the rows of finders in batches, because each commit blocks the main thread until the disk is done.
import type { MainDb } from '../db/client.ts';
import { hasAlbum, insertFound, type CoverRow } from './queries.ts';

const MAX_WAIT_MS = 50;

interface Waiting {
  row: CoverRow;
  resolve: (isKept: boolean) => void;
  reject: (error: unknown) => void;
}

export type FoundRows = ReturnType<typeof createFoundRows>;

export function createFoundRows(db: MainDb) {
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    const batch = waiting;
    waiting = [];
    clearTimeout(timer);
    timer = undefined;
    if (batch.length === 0) return;
    try {
      const kept = db.transaction((tx) => batch.map(({ row }) => hasAlbum(tx, row.albumId) && insertFound(tx, row)), {
        behavior: 'immediate',
      });
      batch.forEach(({ resolve }, i) => resolve(kept[i] === true));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    /** Resolves when the row is on disk; false when the album already has a cover, or is gone. */
    insert: (row: CoverRow): Promise<boolean> =>
      new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject });
        timer ??= setTimeout(flush, MAX_WAIT_MS);
      }),
    flush,
  };
}
