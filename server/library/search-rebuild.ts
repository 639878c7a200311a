// Rebuilds the search text of existing rows after a migration recreated the search tables: in small steps in the
// background, and across restarts. Until it is done, these rows are only found by the start of their names.
import type { MainDb } from '../db/client.ts';
import { whenUnlocked } from '../db/locked.ts';
import type { RowAs } from '../db/rows.ts';
import type { searchRebuild } from '../db/schema.ts';
import type { Log } from '../log/log.ts';
import type { SearchIndex } from './search-index.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** Rows per transaction: a few ms. */
const AT_ONCE = 100;

interface SearchRebuildDeps {
  db: MainDb;
  search: SearchIndex;
  log: Log;
}

/** Resolves when done or when the database was closed. */
export async function rebuildSearch({ db, search, log }: SearchRebuildDeps): Promise<void> {
  const client = db.$client;
  const left = client
    .prepare<[], RowAs<typeof searchRebuild, 'kind' | 'lastId'>>(
      'SELECT kind, last_id AS lastId FROM search_rebuild ORDER BY kind',
    )
    .all();
  if (left.length === 0) return;
  log.info({ kinds: left.map(({ kind }) => kind) }, 'search is being rebuilt');
  const note = client.prepare('UPDATE search_rebuild SET last_id = ? WHERE kind = ?');
  const end = client.prepare('DELETE FROM search_rebuild WHERE kind = ?');
  const count = client.prepare("UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'");

  for (const { kind, lastId } of left) {
    const next = client
      .prepare<[number, number], number>(`SELECT id FROM ${kind}s WHERE id > ? ORDER BY id LIMIT ?`)
      .pluck();
    const writeSome = client.transaction((after: number): number | undefined => {
      const ids = next.all(after, AT_ONCE);
      search.startBatch();
      try {
        for (const id of ids) search.set(kind, id);
        search.writeBatch();
      } finally {
        search.endBatch();
      }
      const last = ids.at(-1);
      if (last === undefined) {
        end.run(kind);
        count.run(); // what lists keep was found with a part of it
      } else note.run(last, kind);
      return last;
    }).immediate;
    for (let after: number | undefined = lastId; after !== undefined;) {
      await yieldIfDue();
      if (!client.open) return;
      const from: number = after;
      after = await whenUnlocked<number | undefined>(
        () => writeSome(from),
        () => client.open,
      );
    }
  }
  log.info({}, 'search has been rebuilt');
}
