// Writes the search text of rows from before a migration made the search tables anew: a little at a time beside
// everything else, from where it stopped when the server did. Until it is through, older rows are found by the
// beginning of their names only.
import type { MainDb } from '../db/client.ts';
import type { YieldToRequests } from '../jobs/yield-to-requests.ts';
import type { Log } from '../log/log.ts';
import type { SearchIndex } from './search-index.ts';
import type { SearchKind } from './search-names.ts';

/** Some milliseconds. */
const AT_ONCE = 100;

export interface SearchRebuildDeps {
  db: MainDb;
  search: SearchIndex;
  log: Log;
  yieldToRequests: YieldToRequests;
}

/** Resolves when nothing is left to do, or the database was closed. */
export async function rebuildSearch({ db, search, log, yieldToRequests }: SearchRebuildDeps): Promise<void> {
  const client = db.$client;
  const left = client
    .prepare<[], { kind: SearchKind; lastId: number }>(
      'SELECT kind, last_id AS lastId FROM search_rebuild ORDER BY kind',
    )
    .all();
  if (left.length === 0) return;
  log.info({ kinds: left.map(({ kind }) => kind) }, 'search is being rebuilt');
  const note = client.prepare('UPDATE search_rebuild SET last_id = ? WHERE kind = ?');
  const end = client.prepare('DELETE FROM search_rebuild WHERE kind = ?');

  for (const { kind, lastId } of left) {
    const next = client
      .prepare<[number, number], number>(`SELECT id FROM ${kind}s WHERE id > ? ORDER BY id LIMIT ?`)
      .pluck();
    const writeSome = client.transaction((after: number): number | undefined => {
      const ids = next.all(after, AT_ONCE);
      for (const id of ids) search.set(kind, id);
      const last = ids.at(-1);
      if (last === undefined) end.run(kind);
      else note.run(last, kind);
      return last;
    }).immediate;
    for (let after: number | undefined = lastId; after !== undefined;) {
      await yieldToRequests();
      if (!client.open) return;
      after = writeSome(after);
    }
  }
  log.info({}, 'search was rebuilt');
}
