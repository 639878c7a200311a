// Opens the library's database: pragmas, migrations, slow-query log. All other modules get the `Db` value.
import Database from 'better-sqlite3';
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { RunResult } from 'better-sqlite3';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { AppError, isDatabaseLocked, isDiskFull, messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { migrate } from './migrate.ts';

export type Sqlite = Database.Database;
/** The database or a transaction on it, as query functions take it. */
export type Db = BaseSQLiteDatabase<'sync', RunResult>;
/**
 * The database itself, which can start transactions. `$client` is the bare connection, for prepared statements where
 * speed matters.
 */
export type MainDb = BetterSQLite3Database & { $client: Sqlite };

interface OpenOptions {
  path: string;
  migrationsDir: string;
  log: Log;
}

/**
 * Opens or creates the database and migrates it. Throws an AppError that names the file and says what to do when the
 * file is not a database, is damaged, or cannot be written.
 */
export function openDatabase({ path, migrationsDir, log }: OpenOptions): MainDb {
  const client = connect(path);
  try {
    migrate(client, migrationsDir, log);
  } catch (error) {
    client.close();
    throw asOpenFault(error, path);
  }
  client.pragma('busy_timeout = 0'); // from now on this thread serves requests, so no statement may wait for a lock
  return drizzle(client);
}

function connect(path: string): Sqlite {
  let client: Sqlite | undefined;
  try {
    client = new Database(path);
    applyPragmas(client);
    // this reads only the first pages; a full check would take longer the larger the library
    client.prepare('SELECT count(*) FROM sqlite_schema').get();
    return client;
  } catch (cause) {
    client?.close();
    throw asOpenFault(cause, path);
  }
}

/** Returns an error whose message names the file, what is wrong with it, and what helps. */
export function asOpenFault(cause: unknown, path: string): unknown {
  if (cause instanceof AppError || isDiskFull(cause)) return cause;
  if (isDatabaseLocked(cause))
    return new AppError(
      'unavailable',
      `Another program has locked the database ${path}. Close that program and start again.`,
      { cause },
    );
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = messageOf(cause);
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code))
    return new AppError(
      'unavailable',
      `The database ${path} cannot be opened or written (${reason}). Check the ` +
        'permissions of the file and its folder.',
      { cause },
    );
  return new AppError(
    'unavailable',
    `The database ${path} cannot be opened (${reason}). Restore it from a backup (tonearm restore --from DIR), or ` +
      'move it away and run "tonearm rebuild", which makes a new one from the stored audio.',
    { cause },
  );
}

/** Applies the settings of every connection, including those of scan workers and the command line. */
export function applyPragmas(client: Sqlite): void {
  client.pragma('busy_timeout = 10000');
  client.pragma('journal_mode = WAL');
  client.pragma('synchronous = FULL'); // FULL: for example, a like is on disk when the request is answered
  client.pragma('foreign_keys = ON');
  client.pragma('cache_size = -16000'); // 16 MB
  client.pragma('temp_store = MEMORY');
  client.pragma('journal_size_limit = 67108864');
}

/** Returns whether a table can be read, for /health. */
export function canReadTable(db: MainDb, table: 'users' | 'jobs'): boolean {
  try {
    db.$client.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get();
    return true;
  } catch {
    return false; // any error means that the table cannot be read
  }
}

/**
 * Returns the row of a write with RETURNING. The driver's `get` is not used, because it stops after the first row and
 * does not notice a failed commit: on a full disk it would return a row that was never stored.
 */
export const writtenRow = <Write extends { get(): unknown; all(): unknown[] }>(write: Write) =>
  write.all()[0] as ReturnType<Write['get']>;

/**
 * Commits without waiting for the disk, because every fsync would block all requests. For data that can be recreated if
 * a power failure loses it.
 */
export function withRelaxedCommit<T>(client: Sqlite, write: () => T): T {
  if (client.inTransaction) return write(); // the write belongs to the caller's transaction
  client.pragma('synchronous = NORMAL');
  try {
    return write();
  } finally {
    client.pragma('synchronous = FULL');
  }
}
