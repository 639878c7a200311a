// Makes a database of our own with the rows of one from elsewhere: an empty one as its migrations make it, into which
// the rows of known tables are copied, each value judged, and which is then migrated further. The foreign file is only
// read. What its triggers, views and other tables are is never looked at, beyond that it has none of its own.
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';
import { databaseAtLevel, levelOf, migrateFurther } from '../db/migrate.ts';
import { AppError } from '../errors.ts';
import { MAX_ID, type Scope } from './column-rules.ts';
import { bad, copyRows, shown } from './foreign-rows.ts';
import { comesWith, KNOWN_TABLES } from './known-tables.ts';

export interface ForeignLibrary {
  from: string;
  to: string;
  migrationsDir: string;
  scope: Scope;
}

/** Throws `unavailable` with the table, the row and the column of what is wrong, and leaves no file at `to` then. */
export function takeLibrary({ from, to, migrationsDir, scope }: ForeignLibrary): void {
  try {
    const foreign = openUntrusted(from);
    try {
      const level = levelOf(foreign, migrationsDir);
      assertSound(foreign);
      writeFileSync(to, databaseAtLevel(migrationsDir, level), { mode: 0o600 });
      fill(to, foreign, { migrationsDir, scope, level });
    } finally {
      foreign.close();
    }
    flush(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw asRefusal(error);
  } finally {
    for (const ending of ['-wal', '-shm', '-journal'])
      for (const path of [from, to]) rmSync(path + ending, { force: true });
  }
}

/** Nothing in the file runs, and nothing is written to it. */
export function openUntrusted(path: string): Sqlite {
  const client = new Database(path, { readonly: true, fileMustExist: true });
  client.pragma('trusted_schema = OFF');
  client.pragma('cell_size_check = ON');
  client.pragma('query_only = ON');
  client.pragma('mmap_size = 0');
  return client;
}

function assertSound(foreign: Sqlite): void {
  const fault: unknown = foreign.pragma('integrity_check(1)', { simple: true });
  if (fault !== 'ok') throw new AppError('unavailable', `The database is damaged: ${shown(String(fault))}.`);
}

function fill(
  to: string,
  foreign: Sqlite,
  { migrationsDir, scope, level }: { migrationsDir: string; scope: Scope; level: number },
): void {
  const ours = new Database(to);
  try {
    ours.pragma('journal_mode = MEMORY');
    ours.pragma('synchronous = OFF'); // after a power cut all of it is made again
    ours.pragma('foreign_keys = OFF'); // checked below, in one go
    ours.transaction(() => {
      for (const table of KNOWN_TABLES) if (comesWith(table, scope)) copyRows(table, foreign, ours, scope);
      keepIdsFromComingBack(foreign, ours);
      copyTimesOfMigrations(foreign, ours);
    })();
    assertReferences(ours);
    migrateFurther(ours, migrationsDir, level);
    ours.transaction(() => settle(ours))();
    ours.pragma('journal_mode = DELETE');
  } finally {
    ours.close();
  }
}

/** An id that was given once is not given again, so what was deleted is not mistaken for what comes. */
function keepIdsFromComingBack(foreign: Sqlite, ours: Sqlite): void {
  const highest = foreign.prepare<[string]>('SELECT max(seq) FROM sqlite_sequence WHERE name = ?').pluck();
  const raise = ours.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?');
  const add = ours.prepare(
    `INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)`,
  );
  const names = ours
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
    .pluck()
    .all();
  for (const name of names) {
    const seq = highest.get(name) ?? 0;
    if (!Number.isSafeInteger(seq) || Number(seq) < 0 || Number(seq) > MAX_ID)
      throw bad('sqlite_sequence', `the last id of ${name} is out of range`);
    add.run(name, name);
    raise.run(seq, name);
  }
}

function copyTimesOfMigrations(foreign: Sqlite, ours: Sqlite): void {
  const set = ours.prepare('UPDATE migrations SET applied_at = ? WHERE name = ?');
  for (const name of ours.prepare<[], string>('SELECT name FROM migrations').pluck().all()) {
    const at = foreign.prepare<[string]>('SELECT applied_at FROM migrations WHERE name = ?').pluck().get(name);
    if (Number.isSafeInteger(at)) set.run(at, name);
  }
}

function assertReferences(ours: Sqlite): void {
  const [broken] = ours.pragma('foreign_key_check') as { table: string; rowid: number | null; parent: string }[];
  if (broken)
    throw bad(
      `${broken.table}${broken.rowid === null ? '' : ` ${broken.rowid}`}`,
      `refers to ${broken.parent} that are not there`,
    );
}

/** The search is made anew after the next start. */
function settle(ours: Sqlite): void {
  ours.exec(`INSERT OR REPLACE INTO search_rebuild (kind, last_id)
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

/** SQLite's own faults are those of a damaged file. */
function asRefusal(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!/^SQLITE_(?!FULL)/.test(code)) return error;
  return new AppError(
    'unavailable',
    `The database is damaged: ${shown((error as Error).message)}. Nothing was changed.`,
    {
      cause: error,
    },
  );
}
