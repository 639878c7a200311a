// Rebuilds the search text of existing rows after a migration recreated the search tables: in small steps in the
// background, and across restarts. Until the rebuild is finished, these rows are only found by the start of their
// names.
import type { MainDb } from '../../db/client.ts';
import { whenUnlocked } from '../../db/wait-for-unlock.ts';
import type { RowAs } from '../../db/rows.ts';
import type { searchRebuild } from '../../db/schema.ts';
import type { Log } from '../../log/log.ts';
import type { SearchIndex } from './search-index.ts';
import { yieldIfDue } from '../../runtime/time-slices.ts';

/** The number of rows per transaction, which takes a few ms. */
const ROWS_PER_TRANSACTION = 100;

interface SearchRebuildDeps {
  db: MainDb;
  search: SearchIndex;
  log: Log;
}

/** Rebuilds the search text. Resolves when the rebuild is finished or the database was closed. */
export async function rebuildSearch({ db, search, log }: SearchRebuildDeps): Promise<void> {
  const client = db.$client;
  const unfinishedKinds = client
    .prepare<[], RowAs<typeof searchRebuild, 'kind' | 'lastId'>>(
      'SELECT kind, last_id AS lastId FROM search_rebuild ORDER BY kind',
    )
    .all();
  if (unfinishedKinds.length === 0) return;
  log.info({ kinds: unfinishedKinds.map(({ kind }) => kind) }, 'the search index is being rebuilt');
  const saveProgress = client.prepare('UPDATE search_rebuild SET last_id = ? WHERE kind = ?');
  const deleteKind = client.prepare('DELETE FROM search_rebuild WHERE kind = ?');
  const countChange = client.prepare("UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'");

  for (const { kind, lastId } of unfinishedKinds) {
    const listNextIds = client
      .prepare<[number, number], number>(`SELECT id FROM ${kind}s WHERE id > ? ORDER BY id LIMIT ?`)
      .pluck();
    const writeNextRows = client.transaction((afterId: number): number | undefined => {
      const ids = listNextIds.all(afterId, ROWS_PER_TRANSACTION);
      search.startBatch();
      try {
        for (const id of ids) search.set(kind, id);
        search.writeBatch();
      } finally {
        search.endBatch();
      }
      const lastWrittenId = ids.at(-1);
      if (lastWrittenId === undefined) {
        deleteKind.run(kind);
        countChange.run(); // invalidates cached lists, which were found with an incomplete index
      } else saveProgress.run(lastWrittenId, kind);
      return lastWrittenId;
    }).immediate;
    for (let position: number | undefined = lastId; position !== undefined;) {
      await yieldIfDue();
      if (!client.open) return;
      const from: number = position;
      position = await whenUnlocked<number | undefined>(
        () => writeNextRows(from),
        () => client.open,
      );
    }
  }
  log.info({}, 'the search index has been rebuilt');
}
