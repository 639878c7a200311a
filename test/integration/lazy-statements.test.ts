import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compileLate } from '../../server/db/lazy-statements.ts';
import { startServer } from '../support/server.ts';

let client: Database.Database;

beforeEach(() => {
  client = new Database(':memory:');
  compileLate(client);
});
afterEach(() => client.close());

/** The driver makes a function for the rows of a statement whenever SQLite compiled it. */
function compilations(run: () => unknown): number {
  const { Function } = globalThis;
  let made = 0;
  globalThis.Function = new Proxy(Function, {
    apply(target, self, args: string[]) {
      made++;
      return Reflect.apply(target, self, args) as unknown;
    },
  });
  try {
    run();
  } finally {
    globalThis.Function = Function;
  }
  return made;
}

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

test.each([
  ['SELECT id FROM songs WHERE id > ? ORDER BY id LIMIT ? OFFSET ?', [0, 5, 0]],
  ['SELECT s.id FROM songs s LEFT JOIN likes l ON l.user_id=? AND l.song_id = s.id WHERE s.id > ?', [1, 0]],
])('is compiled once, and by the driver alone whenever it runs: %s', (text, params) => {
  const alone = new Database(':memory:');
  const counts = [client, alone].map((db) => {
    db.exec(`CREATE TABLE songs (id INTEGER PRIMARY KEY); INSERT INTO songs VALUES (1);
      CREATE TABLE likes (user_id, song_id, since, PRIMARY KEY (user_id, song_id)) WITHOUT ROWID;
      CREATE INDEX likes_since ON likes (user_id, since)`);
    const statement = db.prepare(text);
    return compilations(() => [1, 2, 3].map(() => statement.all(params)));
  });
  expect(counts).toEqual([1, 3]);
  alone.close();
});

test('statements of one text are compiled once, each in its mode', () => {
  client.exec("CREATE TABLE songs (id INTEGER PRIMARY KEY, name); INSERT INTO songs (name) VALUES ('Ocean'), ('Sea')");
  const text = 'SELECT id, name FROM songs WHERE id = ?';
  const statement = client.prepare(text);
  const [ocean, first] = [{ id: 1, name: 'Ocean' }, [1, 'Ocean']];
  const found = compilations(() => {
    for (const _ of [1, 2]) {
      expect([statement.get(1), statement.raw().get(1), statement.get(1)]).toEqual([ocean, first, first]);
      expect([client.prepare(text).get(1), client.prepare(text).pluck().get(1)]).toEqual([ocean, 1]);
      expect([statement.pluck(false).get(1), statement.raw(false).get(1)]).toEqual([first, ocean]);
    }
  });
  expect(found).toBe(1); // only rows that are objects are counted
});

test('a statement can run while another one of its text gives rows', () => {
  client.exec("CREATE TABLE songs (id INTEGER PRIMARY KEY, name); INSERT INTO songs (name) VALUES ('Ocean'), ('Sea')");
  const names = (): string[] => client.prepare<[], string>('SELECT name FROM songs').pluck().all();
  const seen = [];
  for (const name of client.prepare('SELECT name FROM songs').pluck().iterate()) seen.push([name, ...names()]);
  expect(seen).toEqual([
    ['Ocean', 'Ocean', 'Sea'],
    ['Sea', 'Ocean', 'Sea'],
  ]);
});

test('hundreds of texts later, a statement that is still held runs, and so does one that was let go', () => {
  const held = client.prepare('SELECT 1').pluck();
  expect(held.get()).toBe(1);
  for (let i = 0; i < 2_000; i++) expect(client.prepare(`SELECT ${i} + 1`).pluck().get()).toBe(i + 1);
  expect([held.get(), client.prepare('SELECT 1').pluck().get(), client.prepare('SELECT 7 + 1').pluck().get()]).toEqual([
    1, 1, 8,
  ]);
});

test.each<[string, unknown[]]>([
  ["SELECT id FROM songs WHERE name = '=?' AND id = ? -- = ?", [1]],
  ['SELECT id AS "=?" FROM songs WHERE name IS ?', ['=?']],
])('parameters are where they were: %s', (text, params) => {
  client.exec("CREATE TABLE songs (id INTEGER PRIMARY KEY, name); INSERT INTO songs (name) VALUES ('=?'), ('Ocean')");
  expect(client.prepare(text).pluck().all(params)).toEqual([1]);
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

test('a write that fails when it is committed throws, however many of its rows are asked for', () => {
  client.exec(`PRAGMA foreign_keys = ON; CREATE TABLE albums (id INTEGER PRIMARY KEY);
    CREATE TABLE songs (album_id INTEGER REFERENCES albums (id) DEFERRABLE INITIALLY DEFERRED)`);
  const insert = client.prepare('INSERT INTO songs VALUES (?) RETURNING album_id').pluck();
  expect(() => insert.get(7)).toThrow('FOREIGN KEY constraint failed');

  client.exec('INSERT INTO albums VALUES (7)');
  expect(insert.get(7)).toBe(7);
  expect(client.prepare('SELECT count(*) FROM songs').pluck().get()).toBe(1);
});
