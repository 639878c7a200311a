// Makes a database of our own with the rows of a foreign one: an empty database at the same migration gets the rows of
// known tables, each value checked, and is then migrated further. The foreign file is only read; its triggers, views
// and other tables are ignored.
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';
import { databaseAtLevel, levelOf, migrateFurther } from '../db/migrate.ts';
import { AppError } from '../errors.ts';
import { MAX_ID, type Scope } from './column-rules.ts';
import { databaseError, copyRows, toMessageText } from './foreign-rows.ts';
import { isIncluded, KNOWN_TABLES } from './known-tables.ts';

export interface ForeignLibrary {
  from: string;
  to: string;
  migrationsDir: string;
  scope: Scope;
}

/**
 * Copies the library at `from` to `to`. Throws `unavailable`, naming the table, the row and the column of the error,
 * and then leaves no file at `to`.
 */
export function copyForeignLibrary({ from, to, migrationsDir, scope }: ForeignLibrary): void {
  try {
    const foreignDatabase = openUntrusted(from);
    try {
      const level = levelOf(foreignDatabase, migrationsDir);
      assertIntact(foreignDatabase);
      writeFileSync(to, databaseAtLevel(migrationsDir, level), { mode: 0o600 });
      fillDatabase(to, foreignDatabase, { migrationsDir, scope, level });
    } finally {
      foreignDatabase.close();
    }
    flush(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw asDatabaseError(error);
  } finally {
    for (const suffix of ['-wal', '-shm', '-journal'])
      for (const path of [from, to]) rmSync(path + suffix, { force: true });
  }
}

/** Opens a database that anybody may have made: no code in the file runs, and nothing is written to it. */
export function openUntrusted(path: string): Sqlite {
  const client = new Database(path, { readonly: true, fileMustExist: true });
  client.pragma('trusted_schema = OFF');
  client.pragma('cell_size_check = ON');
  client.pragma('query_only = ON');
  client.pragma('mmap_size = 0');
  return client;
}

function assertIntact(foreignDatabase: Sqlite): void {
  const fault: unknown = foreignDatabase.pragma('integrity_check(1)', { simple: true });
  if (fault !== 'ok') throw new AppError('unavailable', `The database is damaged: ${toMessageText(String(fault))}.`);
}

function fillDatabase(
  to: string,
  foreignDatabase: Sqlite,
  { migrationsDir, scope, level }: { migrationsDir: string; scope: Scope; level: number },
): void {
  const ownDatabase = new Database(to);
  try {
    ownDatabase.pragma('journal_mode = MEMORY');
    ownDatabase.pragma('synchronous = OFF'); // no syncing is needed: after a power cut the restore starts again
    ownDatabase.pragma('foreign_keys = OFF'); // all references are checked once at the end, by assertReferences
    ownDatabase.transaction(() => {
      for (const table of KNOWN_TABLES)
        if (isIncluded(table, scope)) copyRows(table, foreignDatabase, ownDatabase, scope);
      preserveLastIds(foreignDatabase, ownDatabase);
      copyMigrationTimes(foreignDatabase, ownDatabase);
    })();
    assertReferences(ownDatabase);
    migrateFurther(ownDatabase, migrationsDir, level);
    ownDatabase.transaction(() => requestSearchRebuild(ownDatabase))();
    ownDatabase.pragma('journal_mode = DELETE');
  } finally {
    ownDatabase.close();
  }
}

/** Keeps the highest ids that were ever assigned, so that a new row never gets the id of a deleted one. */
function preserveLastIds(foreignDatabase: Sqlite, ownDatabase: Sqlite): void {
  const findLastId = foreignDatabase.prepare<[string]>('SELECT max(seq) FROM sqlite_sequence WHERE name = ?').pluck();
  const raiseLastId = ownDatabase.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?');
  const insertSequence = ownDatabase.prepare(
    `INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)`,
  );
  const names = ownDatabase
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
    .pluck()
    .all();
  for (const name of names) {
    const seq = findLastId.get(name) ?? 0;
    if (!Number.isSafeInteger(seq) || Number(seq) < 0 || Number(seq) > MAX_ID)
      throw databaseError('sqlite_sequence', `the last id of ${name} is out of range`);
    insertSequence.run(name, name);
    raiseLastId.run(seq, name);
  }
}

function copyMigrationTimes(foreignDatabase: Sqlite, ownDatabase: Sqlite): void {
  const setTime = ownDatabase.prepare('UPDATE migrations SET applied_at = ? WHERE name = ?');
  for (const name of ownDatabase.prepare<[], string>('SELECT name FROM migrations').pluck().all()) {
    const appliedAt = foreignDatabase
      .prepare<[string]>('SELECT applied_at FROM migrations WHERE name = ?')
      .pluck()
      .get(name);
    if (Number.isSafeInteger(appliedAt)) setTime.run(appliedAt, name);
  }
}

function assertReferences(ownDatabase: Sqlite): void {
  const [brokenReference] = ownDatabase.pragma('foreign_key_check') as {
    table: string;
    rowid: number | null;
    parent: string;
  }[];
  if (brokenReference)
    throw databaseError(
      `${brokenReference.table}${brokenReference.rowid === null ? '' : ` ${brokenReference.rowid}`}`,
      `refers to ${brokenReference.parent} that do not exist`,
    );
}

/** Marks the search index as missing, so that it is rebuilt after the next start. */
function requestSearchRebuild(ownDatabase: Sqlite): void {
  ownDatabase.exec(`INSERT OR REPLACE INTO search_rebuild (kind, last_id)
      SELECT 'artist', 0 WHERE EXISTS (SELECT 1 FROM artists)
      UNION ALL SELECT 'album', 0 WHERE EXISTS (SELECT 1 FROM albums)
      UNION ALL SELECT 'track', 0 WHERE EXISTS (SELECT 1 FROM tracks)`);
}

function flush(path: string): void {
  const fd = openSync(path, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Converts errors of SQLite, which mean that the file is damaged. */
function asDatabaseError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!/^SQLITE_(?!FULL)/.test(code)) return error;
  return new AppError(
    'unavailable',
    `The database is damaged: ${toMessageText((error as Error).message)}. Nothing was changed.`,
    {
      cause: error,
    },
  );
}
