// Checks that an export reads each row of a large library once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createExportPaths } from '../../../server/backup/export-paths.ts';

it('tracks are read by id in pages, with or without an album', () => {
  const library = new Database(':memory:');
  for (const name of readdirSync('migrations')
    .filter((file) => file.endsWith('.sql'))
    .sort())
    library.exec(readFileSync(join('migrations', name), 'utf8'));
  const statements: string[] = [];
  const prepare = library.prepare.bind(library);
  library.prepare = (sql: string) => {
    statements.push(sql);
    return prepare(sql);
  };
  createExportPaths(library, ':memory:').close();
  const pagedStatements = statements.filter((sql) => sql.includes('.id > ?'));
  expect(pagedStatements).toHaveLength(2);
  for (const sql of pagedStatements) {
    const plan = prepare<[]>(`EXPLAIN QUERY PLAN ${sql.replaceAll('?', '1')}`).all();
    expect(JSON.stringify(plan)).toContain('INTEGER PRIMARY KEY (rowid>');
  }
  library.close();
});
