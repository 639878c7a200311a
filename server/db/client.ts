// Opens the library's database: pragmas, migrations, slow-query log. Everything else receives the `Db` value.
import Database from 'better-sqlite3';
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { RunResult } from 'better-sqlite3';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { AppError, isDatabaseLocked, isDiskFull, messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { migrate } from './migrate.ts';

export type Sqlite = Database.Database;
/** The database, or a transaction on it. Query functions take this. */
export type Db = BaseSQLiteDatabase<'sync', RunResult>;
/** The database itself: starts transactions, and `$client` is the bare connection for prepared hot paths. */
export type MainDb = BetterSQLite3Database & { $client: Sqlite };

interface OpenOptions {
  path: string;
  migrationsDir: string;
  log: Log;
}

/**
 * Opens (or makes) the database and brings it up to date. Throws an AppError whose text names the file and what to do
 * when it is not a database, is damaged, or cannot be written.
 */
export function openDatabase({ path, migrationsDir, log }: OpenOptions): MainDb {
  const client = connect(path);
  try {
    migrate(client, migrationsDir, log);
  } catch (error) {
    client.close();
    throw asOpenFault(error, path);
  }
  client.pragma('busy_timeout = 0'); // from here on requests are served on this thread
  return drizzle(client);
}

function connect(path: string): Sqlite {
  let client: Sqlite | undefined;
  try {
    client = new Database(path);
    applyPragmas(client);
    // reads the first pages only; a full check would take longer the larger the library
    client.prepare('SELECT count(*) FROM sqlite_schema').get();
    return client;
  } catch (cause) {
    client?.close();
    throw asOpenFault(cause, path);
  }
}

/** A sentence that names the file, what is wrong with it, and what helps. */
export function asOpenFault(cause: unknown, path: string): unknown {
  if (cause instanceof AppError || isDiskFull(cause)) return cause;
  if (isDatabaseLocked(cause))
    return new AppError(
      'unavailable',
      `Another program has locked the database ${path}. Close that program and start again.`,
      { cause },
    );
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const why = messageOf(cause);
  if (/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code))
    return new AppError(
      'unavailable',
      `The database ${path} cannot be opened or written (${why}). Check the ` +
        'permissions of the file and its folder.',
      { cause },
    );
  return new AppError(
    'unavailable',
    `The database ${path} cannot be opened (${why}). Restore it from a backup (tonearm restore --from DIR), or move ` +
      'it away and run "tonearm rebuild", which makes a new one from the stored audio.',
    { cause },
  );
}

/** The settings of every connection; scan workers and the command line use them too. */
export function applyPragmas(client: Sqlite): void {
  client.pragma('busy_timeout = 10000');
  client.pragma('journal_mode = WAL');
  client.pragma('synchronous = FULL'); // a like is on disk when it is answered
  client.pragma('foreign_keys = ON');
  client.pragma('cache_size = -16000'); // 16 MB
  client.pragma('temp_store = MEMORY');
  client.pragma('journal_size_limit = 67108864');
}

/** For /health: whether a table can be read. */
export function canReadTable(db: MainDb, table: 'users' | 'jobs'): boolean {
  try {
    db.$client.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get();
    return true;
  } catch {
    return false; // what /health is there to say
  }
}

/**
 * Returns the row that a write with RETURNING gives. The driver's `get` ends a statement at its first row without
 * looking whether the commit went well: on a full disk it would give the row of a write that was never stored.
 */
export const writtenRow = <Write extends { get(): unknown; all(): unknown[] }>(write: Write) =>
  write.all()[0] as ReturnType<Write['get']>;

/**
 * Commits without waiting for the disk, for data that can be recreated if a power failure loses it: every fsync would
 * block all requests.
 */
export function withRelaxedCommit<T>(client: Sqlite, write: () => T): T {
  if (client.inTransaction) return write(); // part of the caller's transaction
  client.pragma('synchronous = NORMAL');
  try {
    return write();
  } finally {
    client.pragma('synchronous = FULL');
  }
}
