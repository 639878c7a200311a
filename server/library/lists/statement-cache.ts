// Cache of prepared statements by their text. Lists combine fixed pieces of SQL, so there are few texts; the limit is
// for the many combinations of filters.
//
// SQLite compiles a statement again when a parameter is bound whose value could change its plan, and the driver clears
// the parameters after each run. A unary plus before the parameter prevents that and changes no value. The statements
// that nearly every request runs have it: rows of tracks take 6 µs instead of 88, of albums 5 instead of 46, of artists
// 7 instead of 68, and signing in 3 instead of 16.
import type { Statement } from 'better-sqlite3';
import type { Sqlite } from '../../db/client.ts';
import type { RowOf } from '../../db/rows.ts';
import type { changeCounts } from '../../db/schema.ts';
import { defineNamesHold } from '../search-index/search-names.ts';

/** What lists depend on. `library`: rows of tracks, albums and artists; `likes`: likes and ratings; `plays`: plays. */
export const TOPICS = ['library', 'likes', 'plays'] as const;
/**
 * `files` stands for what scans know of files. Changes of files are not counted, so results that depend on them are not
 * cached.
 */
export type Topic = (typeof TOPICS)[number] | 'files';
type ChangeCount = RowOf<typeof changeCounts, 'topic' | 'changes'>;
export type Params = Record<string, string | number | null>;
export type Statements = ReturnType<typeof createStatements>;

const MAX_CACHED_STATEMENTS = 400;

export function createStatements(client: Sqlite) {
  const cache = new Map<string, Statement>();
  defineNamesHold(client);
  const changes = client.prepare<[], ChangeCount>('SELECT topic, changes FROM change_counts');

  function prepare(sql: string, pluck: boolean): Statement {
    const key = pluck ? `1${sql}` : sql;
    let statement = cache.get(key);
    if (!statement) {
      statement = client.prepare(sql);
      if (pluck) statement.pluck();
      if (cache.size >= MAX_CACHED_STATEMENTS) cache.delete(cache.keys().next().value as string);
      cache.set(key, statement);
    }
    return statement;
  }

  return {
    rows: <T>(sql: string, params: Params): T[] => prepare(sql, false).all(params) as T[],
    row: <T>(sql: string, params: Params): T | undefined => prepare(sql, false).get(params) as T | undefined,
    /** Returns the first column of every row. */
    column: <T>(sql: string, params: Params): T[] => prepare(sql, true).all(params) as T[],
    value: <T>(sql: string, params: Params): T => prepare(sql, true).get(params) as T,
    /**
     * Returns a version that changes whenever data of these topics was written, which makes earlier results outdated.
     */
    version: (topics: readonly Topic[] = TOPICS): string =>
      changes
        .all()
        .filter(({ topic }) => topics.includes(topic))
        .map((count) => count.changes)
        .join(':'),
    /** Runs reads that all see the same state of the database. */
    inSnapshot: <T>(read: () => T): T => client.transaction(read)(),
  };
}

/** Returns the items in the order of the ids; unknown ids are skipped. */
export function inOrder<T extends { id: number }>(items: readonly T[], ids: readonly number[]): T[] {
  const byId = new Map<number, T>(items.map((item) => [item.id, item]));
  return ids.map((id) => byId.get(id)).filter((item) => item !== undefined);
}
