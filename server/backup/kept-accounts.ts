// Accounts of the library that is replaced, which go on as they are: an export never changes who may do what, and a
// backup only after a yes.
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';
import { RIGHTS } from '../db/rights.ts';
import { existsSync } from 'node:fs';

/** What belongs to an account and gives access, or reaches other services in its name. */
const ACCESS_TABLES = ['app_passwords', 'scrobble_accounts'];
const RIGHT_NAMES = Object.values(RIGHTS).map(({ name }) => name);

interface KeepOptions {
  /** Of a restore: whoever is signed in stays so. */
  withSessions: boolean;
}

/**
 * Accounts of `to` become those of `from` in every field where the names are the same, with their app passwords. Others
 * in `to` have no password and no rights; those that only `from` has are added. Shares stay as far as `from` still has
 * them. Tokens of `from` are of no other session in `to`: the ids of its sessions are not given again.
 */
export function keepAccounts(from: string, to: string, { withSessions }: KeepOptions): void {
  const db = new Database(to);
  try {
    db.pragma('foreign_keys = ON');
    if (existsSync(from)) db.prepare('ATTACH ? AS old').run(from);
    else db.exec("ATTACH ':memory:' AS old");
    db.transaction(() => {
      const tables = new Set(oldTables(db));
      db.exec(`UPDATE main.users SET password_hash = '', is_superuser = 0, max_bitrate_kbps = NULL, quota_bytes = NULL,
          ${RIGHT_NAMES.map((name) => `${name} = 0`).join(', ')}`);
      for (const table of ['sessions', ...ACCESS_TABLES]) db.exec(`DELETE FROM main.${table}`);
      if (tables.has('users')) keepUsers(db);
      for (const table of ACCESS_TABLES) if (tables.has(table)) copyOfUsers(db, table);
      // a token names its user by the id
      if (withSessions && tables.has('sessions')) copyOfUsers(db, 'sessions', 'AND main.users.id = old.users.id');
      keepShares(db, tables.has('shares'));
    })();
  } finally {
    db.close();
  }
}

/** No session of `to` gets an id that `from` has given: its tokens stay valid as long as they say. */
export function keepSessionIds(from: string, to: string): void {
  if (!existsSync(from)) return;
  const db = new Database(to);
  try {
    db.prepare('ATTACH ? AS old').run(from);
    if (!oldTables(db).includes('sqlite_sequence')) return;
    db.exec(`UPDATE main.sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(seq), 0) FROM old.sqlite_sequence
      WHERE name = 'sessions')) WHERE name = 'sessions'`);
  } finally {
    db.close();
  }
}

const oldTables = (db: Sqlite): string[] =>
  db.prepare<[], string>("SELECT name FROM old.sqlite_schema WHERE type = 'table'").pluck().all();

/** The columns that both have; the library that is replaced may be of an earlier version. */
function commonColumns(db: Sqlite, table: string, except: readonly string[] = []): string[] {
  const of = (schema: string): string[] =>
    db.prepare<[string, string], string>('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema);
  const ours = new Set(of('main'));
  return of('old').filter((name) => ours.has(name) && !except.includes(name));
}

function keepUsers(db: Sqlite): void {
  const columns = commonColumns(db, 'users', ['id']);
  const names = columns.join(', ');
  db.exec(`UPDATE main.users SET ${columns.map((name) => `${name} = o.${name}`).join(', ')}
      FROM old.users o WHERE o.username_key = main.users.username_key;
    INSERT INTO main.users (id, ${names}) SELECT id, ${names} FROM old.users
      WHERE username_key NOT IN (SELECT username_key FROM main.users) AND id NOT IN (SELECT id FROM main.users);
    INSERT INTO main.users (${names}) SELECT ${names} FROM old.users
      WHERE username_key NOT IN (SELECT username_key FROM main.users)`);
}

/** Rows of accounts, by the name of the account. */
function copyOfUsers(db: Sqlite, table: string, where = ''): void {
  const columns = commonColumns(db, table, ['user_id']);
  db.exec(`INSERT INTO main.${table} (user_id, ${columns.join(', ')})
    SELECT main.users.id, ${columns.map((name) => `o.${name}`).join(', ')} FROM old.${table} o
      JOIN old.users ON old.users.id = o.user_id
      JOIN main.users ON main.users.username_key = old.users.username_key ${where}`);
}

/** A share that was deleted since does not come back, and nobody's becomes another's. */
function keepShares(db: Sqlite, isThere: boolean): void {
  if (!isThere) return void db.exec('DELETE FROM main.shares');
  db.exec(`DELETE FROM main.shares WHERE token NOT IN (SELECT token FROM old.shares);
    UPDATE main.shares SET expires_at = o.expires_at, user_id = o.user_id FROM (
      SELECT s.token, s.expires_at, m.id AS user_id FROM old.shares s JOIN old.users u ON u.id = s.user_id
        JOIN main.users m ON m.username_key = u.username_key
    ) o WHERE o.token = main.shares.token`);
}
