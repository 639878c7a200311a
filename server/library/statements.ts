// Prepared statements kept by their text. The lists put their SQL together from fixed pieces, so the number of texts is small;
// the bound is there for the many ways in which filters combine.
import type { Statement } from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';

export type Params = Record<string, string | number | null>;
export type Statements = ReturnType<typeof createStatements>;

const KEEP = 400;

export function createStatements(client: Sqlite) {
  const cache = new Map<string, Statement>();
  const version = client.prepare<[], string>("SELECT total_changes() || ':' || (SELECT data_version FROM pragma_data_version)").pluck();

  function prepared(sql: string, pluck: boolean): Statement {
    const key = pluck ? `1${sql}` : sql;
    let statement = cache.get(key);
    if (!statement) {
      statement = client.prepare(sql);
      if (pluck) statement.pluck();
      if (cache.size >= KEEP) cache.delete(cache.keys().next().value as string);
      cache.set(key, statement);
    }
    return statement;
  }

  return {
    rows: <T>(sql: string, params: Params): T[] => prepared(sql, false).all(params) as T[],
    row: <T>(sql: string, params: Params): T | undefined => prepared(sql, false).get(params) as T | undefined,
    /** The first column of every row. */
    column: <T>(sql: string, params: Params): T[] => prepared(sql, true).all(params) as T[],
    value: <T>(sql: string, params: Params): T => prepared(sql, true).get(params) as T,
    /** Another text whenever anything was written, by this connection or another; what was counted before may then be wrong. */
    version: (): string => version.get() ?? '',
  };
}

/** The items in the order of the ids. */
export function inOrder<T extends { id: number }>(items: readonly T[], ids: readonly number[]): T[] {
  const byId = new Map<number, T>(items.map((item) => [item.id, item]));
  return ids.map((id) => byId.get(id)).filter((item) => item !== undefined);
}
