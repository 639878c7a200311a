// What an export reads of a large library is read once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createExportPaths } from '../../../server/backup/export-paths.ts';

it('tracks are read by their ids, a part at a time, with or without an album', () => {
  const library = new Database(':memory:');
  for (const name of readdirSync('migrations')
    .filter((file) => file.endsWith('.sql'))
    .sort())
    library.exec(readFileSync(join('migrations', name), 'utf8'));
  const asked: string[] = [];
  const prepare = library.prepare.bind(library);
  library.prepare = (sql: string) => {
    asked.push(sql);
    return prepare(sql);
  };
  createExportPaths(library, ':memory:').close();
  const paged = asked.filter((sql) => sql.includes('.id > ?'));
  expect(paged).toHaveLength(2);
  for (const sql of paged) {
    const plan = prepare<[]>(`EXPLAIN QUERY PLAN ${sql.replaceAll('?', '1')}`).all();
    expect(JSON.stringify(plan)).toContain('INTEGER PRIMARY KEY (rowid>');
  }
  library.close();
});
