import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compileLate } from '../../server/db/late-statements.ts';
import { startServer } from '../support/server.ts';

let client: Database.Database;

beforeEach(() => {
  client = new Database(':memory:');
  compileLate(client);
});
afterEach(() => client.close());

test('a statement is compiled when it first runs, in the mode that was set before', () => {
  const names = client.prepare('SELECT name, length FROM songs ORDER BY name');
  const first = client.prepare('SELECT name FROM songs WHERE length > ?').pluck();
  const rows = client.prepare('SELECT name, length FROM songs').raw();
  const insert = client.prepare('INSERT INTO songs VALUES (@name, @length)');
  client.exec('CREATE TABLE songs (name, length)'); // none of them could have been compiled before

  expect(insert.run({ name: 'Ocean', length: 9 }).changes).toBe(1);
  expect(names.all()).toEqual([{ name: 'Ocean', length: 9 }]);
  expect([first.get(5), first.get(10)]).toEqual(['Ocean', undefined]);
  expect([...rows.iterate()]).toEqual([['Ocean', 9]]);
  expect(rows.raw(false).all()).toEqual([{ name: 'Ocean', length: 9 }]);
});

test('a faulty statement fails each time it runs', () => {
  const faulty = client.prepare('SELECT name FROM nowhere');
  expect(() => faulty.all()).toThrow(/no such table/);
  expect(() => faulty.get()).toThrow(/no such table/);
});

test('every statement that a start makes can be compiled', async () => {
  const { prepare } = Database.prototype;
  const texts = new Set<string>();
  Object.defineProperty(Database.prototype, 'prepare', {
    configurable: true,
    get: () => prepare,
    set(late: typeof prepare) {
      const noted = (text: string) => (texts.add(text), late(text));
      Object.defineProperty(this, 'prepare', { value: noted });
    },
  });
  try {
    const server = await startServer();
    try {
      for (const text of texts) expect(() => prepare.call(server.app.db.$client, text), text).not.toThrow();
    } finally {
      await server.close();
    }
  } finally {
    Object.defineProperty(Database.prototype, 'prepare', { configurable: true, writable: true, value: prepare });
  }
  expect(texts.size).toBeGreaterThan(300);
});
