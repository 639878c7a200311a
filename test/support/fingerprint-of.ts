// Returns the whole state of a server as one text, which changes when anything is written: the rows of every table, the
// files and their times.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Sqlite } from '../../server/db/client.ts';

/** Returns a hash of the rows of each table. */
export function hashTables(client: Sqlite, skippedTables: string[] = []): Record<string, string> {
  const names = client
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )
    .pluck()
    .all();
  return Object.fromEntries(
    names
      .filter((name) => !skippedTables.includes(name))
      .map((name) => {
        const hash = createHash('sha256');
        for (const row of client.prepare<[], unknown[]>(`SELECT * FROM "${name}" ORDER BY 1`).raw().iterate())
          hash.update(
            JSON.stringify(row, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
          );
        return [name, hash.digest('hex')];
      }),
  );
}

/** Lists every file, folder and link below a folder, with size and time. */
export const listTree = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const { size, mtimeMs } = lstatSync(path);
    return [`${path} ${size} ${mtimeMs}`, ...(entry.isDirectory() ? listTree(path) : [])];
  });
