// Writes the rows of covers in batches, because each commit blocks the main thread until the disk has written it.
import type { MainDb } from '../db/client.ts';
import { hasAlbum, insertFoundCover, type CoverRow } from './queries.ts';

const MAX_WAIT_MS = 50;

interface PendingRow {
  row: CoverRow;
  resolve: (isStored: boolean) => void;
  reject: (error: unknown) => void;
}

export type CoverRowWriter = ReturnType<typeof createCoverRowWriter>;

export function createCoverRowWriter(db: MainDb) {
  let pendingRows: PendingRow[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    const batch = pendingRows;
    pendingRows = [];
    clearTimeout(timer);
    timer = undefined;
    if (batch.length === 0) return;
    try {
      const results = db.transaction(
        (tx) => batch.map(({ row }) => hasAlbum(tx, row.albumId) && insertFoundCover(tx, row)),
        {
          behavior: 'immediate',
        },
      );
      batch.forEach(({ resolve }, i) => resolve(results[i] === true));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    /**
     * Inserts a row. Resolves when the row is on disk; with false when the album already has a cover or no longer
     * exists.
     */
    insert: (row: CoverRow): Promise<boolean> =>
      new Promise((resolve, reject) => {
        pendingRows.push({ row, resolve, reject });
        timer ??= setTimeout(flush, MAX_WAIT_MS);
      }),
    flush,
  };
}
