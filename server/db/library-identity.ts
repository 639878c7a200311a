// Tells which library a database belongs to, and what the file at its path contains before anything is written to it.
// The id of the library is also in the storage (storage/library-mark.ts), and in the header of its backups.
import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { asOpenFault, type Sqlite } from './client.ts';

/**
 * `new`: no file, an empty one, or one without tables · `foreign`: a database of another program. `isBlank`: the
 * library has no account and no track.
 */
export type DatabaseState =
  | { kind: 'new'; fileExists: boolean }
  | { kind: 'foreign' }
  | { kind: 'library'; id: string | undefined; isBlank: boolean };

/** Reads what the file contains. Throws like `openDatabase` for a file that cannot be opened. */
export function lookAtDatabase(path: string): DatabaseState {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined || size === 0) return { kind: 'new', fileExists: size === 0 };
  let client: Sqlite | undefined;
  try {
    // a journal is left by a write that was interrupted before the database had a WAL; only a writer can roll it back
    client = new Database(path, { readonly: !existsSync(`${path}-journal`), fileMustExist: true });
    return stateOf(client);
  } catch (cause) {
    throw asOpenFault(cause, path);
  } finally {
    client?.close();
  }
}

function stateOf(client: Sqlite): DatabaseState {
  const tables = new Set(
    client.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all(),
  );
  if (tables.size === 0) return { kind: 'new', fileExists: true };
  if (!tables.has('migrations')) return { kind: 'foreign' };
  const hasRows = (table: string): boolean =>
    tables.has(table) && client.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
  return {
    kind: 'library',
    id: tables.has('library_identity') ? findId(client) : undefined,
    isBlank: !hasRows('users') && !hasRows('tracks'),
  };
}

const findId = (client: Sqlite): string | undefined =>
  client.prepare<[], string>('SELECT id FROM library_identity').pluck().get();

/** Returns the id of the library. If it has no id yet, `newId` is stored. */
export function libraryId(client: Sqlite, newId: string = randomUUID()): string {
  const storedId = findId(client);
  if (storedId === undefined) client.prepare('INSERT INTO library_identity (id) VALUES (?)').run(newId);
  return storedId ?? newId;
}

const COVER_KEY = /^covers\/([1-9]\d{0,14})\./;

/** Ensures that new albums get no id for which the storage has a cover, since covers are named by the ids of albums. */
export async function skipCovers(
  client: Sqlite,
  storage: { list: (prefix: string) => AsyncIterable<{ key: string }> },
): Promise<void> {
  let highest = 0;
  for await (const { key } of storage.list('covers/'))
    highest = Math.max(highest, Number(COVER_KEY.exec(key)?.[1] ?? 0));
  client
    .prepare(
      `INSERT INTO sqlite_sequence (name, seq) SELECT 'albums', 0
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'albums')`,
    )
    .run();
  client.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'albums'").run(highest);
}

/** Returns whether any track's audio is in the storage backend of that name. */
export const hasAudioIn = (client: Sqlite, backend: string): boolean =>
  client.prepare<[string]>("SELECT 1 FROM stored_audio WHERE storage_uri LIKE ? || ':%' LIMIT 1").get(backend) !==
  undefined;
