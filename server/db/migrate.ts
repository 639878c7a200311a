// Our own small migrator. Drizzle's skips a migration older than the last applied one, cannot switch foreign keys off
// around a table rebuild, and does not notice an edited file. Applied migrations are recorded by name and by the hash
// of their text.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { AppError, isDatabaseLocked, isDiskFull } from '../errors.ts';
import type { Log } from '../log/log.ts';

interface Migration {
  name: string;
  hash: string;
  statements: string[];
}

/** Suffix of the file while a copy is being made. */
const UNFINISHED_SUFFIX = '.new';
const MIGRATIONS_TABLE =
  'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, hash TEXT NOT NULL, applied_at INTEGER NOT NULL)';
/** Maximum size of the name and the hash of a migration in a foreign database. */
const MAX_NAME_BYTES = 400;

/**
 * Applies pending migrations, each in a separate transaction. Refuses an edited, missing or out-of-order migration.
 * Before, a copy of the database is kept, because an earlier version cannot open the migrated one.
 */
export function migrate(client: Database, dir: string, log: Log): void {
  client.exec(MIGRATIONS_TABLE);
  const appliedMigrations = client
    .prepare<[], { name: string; hash: string }>('SELECT name, hash FROM migrations ORDER BY name')
    .all();
  const files = readMigrations(dir);
  assertHistory(appliedMigrations, files);
  const pendingMigrations = files.slice(appliedMigrations.length);
  if (pendingMigrations.length === 0) return;
  const [from, to] = [appliedMigrations.at(-1)?.name, pendingMigrations.at(-1)?.name];
  if (from !== undefined && to !== undefined && !client.memory) keepCopy(client, log, { from, to });

  // table rebuilds need foreign keys off, and this pragma has no effect inside a transaction
  client.pragma('foreign_keys = OFF');
  try {
    for (const migration of pendingMigrations) applyOne(client, migration);
  } finally {
    client.pragma('foreign_keys = ON');
  }
  if (from === undefined) log.info('database made');
  else log.info({ from, to, migrations: pendingMigrations.length }, 'database updated');
}

/**
 * Returns the number of our migrations that a foreign database has had. Throws `unavailable` when `migrate` would
 * refuse the database, and when its schema is not exactly the one that these migrations make.
 */
export function levelOf(foreignDatabase: Database, dir: string): number {
  const files = readMigrations(dir);
  const appliedMigrations = foreignDatabase
    .prepare<[number], { name: string; hash: string }>(
      `SELECT name, hash FROM migrations WHERE octet_length(name) + octet_length(hash) < ${MAX_NAME_BYTES}
        ORDER BY name LIMIT ?`,
    )
    .all(files.length + 1);
  if (appliedMigrations.length === 0) throw refusal('is not a Tonearm database');
  assertHistory(appliedMigrations, files);
  const expectedClient = new Sqlite(databaseAtLevel(dir, appliedMigrations.length));
  try {
    const [expectedSchema, actualSchema] = [schemaOf(expectedClient), schemaOf(foreignDatabase)];
    for (const [name, sql] of actualSchema)
      if (expectedSchema.get(name) !== sql) throw refusal(`has a ${quoteName(name)} that its version does not make`);
    for (const name of expectedSchema.keys()) if (!actualSchema.has(name)) throw refusal(`lacks the ${name}`);
  } finally {
    expectedClient.close();
  }
  return appliedMigrations.length;
}

/**
 * A cache of empty databases, by folder and number of their migrations: making a database takes longer than filling it.
 */
const emptyDatabases = new Map<string, Buffer>();

/** Returns the bytes of an empty database with the first `level` migrations. */
export function databaseAtLevel(dir: string, level: number): Buffer {
  const key = `${level} ${dir}`;
  const cachedBytes = emptyDatabases.get(key);
  if (cachedBytes) return cachedBytes;
  const client = new Sqlite(':memory:');
  try {
    client.exec(MIGRATIONS_TABLE);
    client.pragma('foreign_keys = OFF');
    for (const migration of readMigrations(dir).slice(0, level)) applyOne(client, migration);
    const bytes = client.serialize();
    emptyDatabases.set(key, bytes);
    return bytes;
  } finally {
    client.close();
  }
}

/** Applies the migrations after the first `level`. For a database that nobody uses yet, so no copy is kept. */
export function migrateFurther(client: Database, dir: string, level: number): void {
  client.pragma('foreign_keys = OFF');
  for (const migration of readMigrations(dir).slice(level)) applyOne(client, migration);
}

/** Quotes a name from a foreign database for a message. */
const quoteName = (name: string): string => JSON.stringify(name.slice(0, MAX_NAME_BYTES)).slice(1, -1);

/** Tables with statistics, which differ between versions of SQLite. */
const STATISTICS = /^sqlite_stat\d$/;

/**
 * Returns everything in the schema by kind and name. Blanks and quotes are left out, because versions of SQLite write
 * them differently.
 */
const schemaOf = (client: Database): Map<string, string> =>
  new Map(
    client
      .prepare<[], { type: string; name: string; sql: string | null }>('SELECT type, name, sql FROM sqlite_schema')
      .all()
      .filter(({ name }) => !STATISTICS.test(name))
      .map(({ type, name, sql }) => [`${type} ${name}`, (sql ?? '').replaceAll(/[\s"`']/g, '')]),
  );

/**
 * Copies the database before an update. The copy is named by both versions. The copy of an interrupted update is kept,
 * because the database already contains a part of that update. Only the last update can be undone. Without space for a
 * copy, the update goes on without one.
 */
function keepCopy(client: Database, log: Log, { from, to }: { from: string; to: string }): void {
  const [folder, copyPrefix] = [dirname(client.name), `${basename(client.name)}.before-`];
  const copy = `${copyPrefix}${to}.at-${from}`;
  const names = readdirSync(folder).filter((name) => name.startsWith(copyPrefix));
  const isInterrupted = (name: string): boolean =>
    name.startsWith(`${copyPrefix}${to}.at-`) && name < copy && !name.endsWith(UNFINISHED_SUFFIX);
  if (names.some(isInterrupted)) return;
  for (const name of names) rmSync(join(folder, name));
  const unfinishedPath = join(folder, copy + UNFINISHED_SUFFIX);
  try {
    copyTo(client, unfinishedPath);
    renameSync(unfinishedPath, join(folder, copy));
  } catch (error) {
    rmSync(unfinishedPath, { force: true });
    if (!isDiskFull(error)) throw error;
    log.warn({ err: error }, 'not enough space to keep a copy of the database from before the update');
  }
}

function copyTo(client: Database, path: string): void {
  try {
    client.pragma('journal_mode = DELETE'); // without a WAL everything is in one file
  } catch (error) {
    if (!isDatabaseLocked(error)) throw error;
    // another connection uses the database, so its journal mode cannot be changed
    return void client.prepare('VACUUM INTO ?').run(path);
  }
  try {
    copyFileSync(client.name, path, constants.COPYFILE_FICLONE);
  } finally {
    // this also locks the file again: when a process closes a file, POSIX releases the locks of all its connections on
    // it
    client.pragma('journal_mode = WAL');
  }
  const fd = openSync(path, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function readMigrations(dir: string): Migration[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(dir, file), 'utf8').replaceAll('\r\n', '\n');
      return {
        name: file.slice(0, -'.sql'.length),
        hash: createHash('sha256').update(text).digest('hex'),
        statements: text
          .split('--> statement-breakpoint')
          .map((s) => s.trim())
          .filter(Boolean),
      };
    });
}

function assertHistory(appliedMigrations: { name: string; hash: string }[], files: Migration[]): void {
  appliedMigrations.forEach((row, i) => {
    const file = files[i];
    if (file?.name === row.name && file.hash === row.hash) return;
    const namesake = files.find((m) => m.name === row.name);
    if (!namesake)
      throw refusal(
        `has migration ${row.name}, which this version does not know. It was made by a newer version: update Tonearm`,
      );
    if (namesake.hash !== row.hash)
      throw refusal(`was made by another text of migration ${row.name}. A released migration must not be edited`);
    throw refusal(
      `lacks migration ${file?.name ?? ''}, which sorts before ${row.name}. Migrations must be applied in order`,
    );
  });
}

const refusal = (problem: string): AppError => new AppError('unavailable', `The database ${problem}.`);

function applyOne(client: Database, migration: Migration): void {
  const findApplied = client.prepare('SELECT 1 FROM migrations WHERE name = ?');
  client
    .transaction(() => {
      if (findApplied.get(migration.name)) return; // another process that was started at the same time has applied it
      for (const statement of migration.statements) client.exec(statement);
      const violations = client.pragma('foreign_key_check') as unknown[];
      if (violations.length > 0)
        throw refusal(`would hold ${violations.length} broken references after migration ${migration.name}`);
      client
        .prepare('INSERT INTO migrations (name, hash, applied_at) VALUES (?, ?, ?)')
        .run(migration.name, migration.hash, Date.now());
    })
    .immediate();
}
