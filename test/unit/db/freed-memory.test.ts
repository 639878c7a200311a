import { expect, test } from 'vitest';
import Database from 'better-sqlite3';
import { returnFreedMemory } from '../../../server/db/freed-memory.ts';

const MB = 2 ** 20;
const onGlibc = test.skipIf(process.platform !== 'linux');

onGlibc('what SQLite has freed goes back to the system, and nothing is harmed', () => {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE pieces (id INTEGER PRIMARY KEY, bytes BLOB)');
  const insert = db.prepare('INSERT INTO pieces (bytes) VALUES (randomblob(3000))');
  db.transaction(() => {
    for (let i = 0; i < 20_000; i++) insert.run();
  })();
  db.exec('DELETE FROM pieces WHERE id % 400 <> 0; VACUUM');
  const before = process.memoryUsage.rss();
  expect(returnFreedMemory(db)).toBe(true);
  expect(before - process.memoryUsage.rss()).toBeGreaterThan(20 * MB);
  expect(returnFreedMemory(db)).toBe(true); // also when there is nothing
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(() => db.exec("SELECT load_extension('libc.so.6', 'malloc_trim')")).toThrow(/not authorized/);
  db.close();
});

test('a system without glibc says so', () => {
  const loadExtension = (): void => {
    throw new Error('libc.so.6.so: cannot open shared object file: No such file or directory');
  };
  expect(returnFreedMemory({ loadExtension })).toBe(false);
});
