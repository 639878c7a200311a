import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { int, sqliteTable } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { writtenRow } from '../../../server/db/client.ts';

const server = join(import.meta.dirname, '..', '..', '..', 'server');

test('a write that fails at its commit throws, although it returned its row', () => {
  const songs = sqliteTable('songs', { albumId: int('album_id') });
  const client = new Database(':memory:');
  client.exec(`PRAGMA foreign_keys = ON; CREATE TABLE albums (id INTEGER PRIMARY KEY);
    CREATE TABLE songs (album_id INTEGER REFERENCES albums (id) DEFERRABLE INITIALLY DEFERRED)`);
  const insertQuery = drizzle(client).insert(songs).values({ albumId: 7 }).returning();
  expect(() => writtenRow(insertQuery)).toThrow('FOREIGN KEY constraint failed');
  client.exec('INSERT INTO albums VALUES (7)');
  expect(writtenRow(insertQuery)).toEqual({ albumId: 7 });
  client.close();
});

test('no write with RETURNING is read with get(), which would not throw', () => {
  const faultyFiles = globSync('**/*.ts', { cwd: server }).flatMap((file) => {
    const code = readFileSync(join(server, file), 'utf8');
    const names = code
      .split(/^ *(?=const )/m)
      .filter((declaration) => declaration.split(';', 1)[0]?.includes('RETURNING'))
      .map((declaration) => /^const (\w+)/.exec(declaration)?.[1]);
    const isReadWithGet = names.some((name) => new RegExp(`\\b${name}\\.get\\(`).test(code));
    return isReadWithGet || /\.returning\([^)]*\)\s*\.get\(/.test(code) ? [file] : [];
  });
  expect(faultyFiles).toEqual([]);
});
