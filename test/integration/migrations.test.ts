// Migrations: together they create the tables of schema.ts, each is applied once and completely, and an unknown history
// is refused.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { is } from 'drizzle-orm';
import {
  getTableConfig,
  SQLiteBaseInteger,
  SQLiteSyncDialect,
  SQLiteTable,
  type SQLiteColumn,
} from 'drizzle-orm/sqlite-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyPragmas, type Sqlite } from '../../server/db/client.ts';
import { migrate } from '../../server/db/migrate.ts';
import * as schema from '../../server/db/schema.ts';
import { AppError } from '../../server/errors.ts';
import { createLog } from '../../server/log/log.ts';

const log = createLog('silent');
let dir: string;
let open: Sqlite[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-migrations-'));
});
afterEach(() => {
  for (const client of open) client.close();
  open = [];
  rmSync(dir, { recursive: true, force: true });
});

function connectIn(folder: string): Sqlite {
  const client = new Database(join(folder, 'test.db'));
  applyPragmas(client);
  client.pragma('synchronous = OFF');
  return client;
}
function connect(): Sqlite {
  const client = connectIn(dir);
  open.push(client);
  return client;
}
const rows = <T>(client: Sqlite, sql: string, ...params: unknown[]): T[] =>
  client.prepare<unknown[], T>(sql).all(...params);
const names = (client: Sqlite, type = 'table'): string[] =>
  rows<{ name: string }>(
    client,
    "SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%' ORDER BY name",
    type,
  ).map((row) => row.name);
const schemaOf = (client: Sqlite): unknown => rows(client, 'SELECT type, name, sql FROM sqlite_schema ORDER BY name');
const appliedMigrations = (client: Sqlite): string[] =>
  rows<{ name: string }>(client, 'SELECT name FROM migrations ORDER BY name').map((row) => row.name);

describe("the product's own", () => {
  const tables = Object.values(schema)
    .filter((value) => is(value, SQLiteTable))
    .map((table) => getTableConfig(table));
  const dialect = new SQLiteSyncDialect();
  let ownPath: string;
  let client: Sqlite;
  beforeAll(() => {
    ownPath = mkdtempSync(join(tmpdir(), 'tonearm-migrated-'));
    migrate((client = connectIn(ownPath)), 'migrations', log);
  });
  afterAll(() => {
    client.close();
    rmSync(ownPath, { recursive: true, force: true });
  });

  test('create the tables of the schema and no others', () => {
    const otherNames = names(client).filter(
      (name) => name !== 'migrations' && !/^search_(trigrams|grams|lyrics)/.test(name),
    );
    expect(otherNames).toEqual(tables.map((table) => table.name).toSorted());
  });

  test.each(tables.map((table) => [table.name, table] as const))(
    'make %s with its columns',
    (name, { columns, primaryKeys }) => {
      const defaultOf = (column: SQLiteColumn): string | null =>
        column.hasDefault && column.default !== undefined ? JSON.stringify(column.default).replaceAll('"', "'") : null;
      const composite = primaryKeys[0]?.columns.map((column) => column.name) ?? [];
      expect(
        rows(
          client,
          'SELECT name, lower(type) AS type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid',
          name,
        ),
      ).toEqual(
        columns.map((column) => ({
          name: column.name,
          type: column.getSQLType(),
          notnull: Number(column.notNull),
          dflt_value: defaultOf(column),
          pk: composite.length > 0 ? composite.indexOf(column.name) + 1 : Number(column.primary),
        })),
      );
      const { sql } = rows<{ sql: string }>(client, 'SELECT sql FROM sqlite_schema WHERE name = ?', name)[0] as {
        sql: string;
      };
      const [id] = columns;
      expect(/autoincrement/i.test(sql)).toBe(is(id, SQLiteBaseInteger) && id.autoIncrement);
    },
  );

  test.each(tables.map((table) => [table.name, table] as const))('make %s with its indexes', (name, { indexes }) => {
    const indexRows = rows<{ name: string; isUnique: number; sql: string }>(
      client,
      'SELECT i.name, i."unique" AS isUnique, s.sql FROM pragma_index_list(?) i JOIN sqlite_schema s ON s.name = i.name WHERE i.origin = \'c\' ORDER BY i.name',
      name,
    );
    const createdIndexes = indexRows.map(({ name: index, isUnique, sql }) => ({
      name: index,
      isUnique: isUnique === 1,
      where: / WHERE (.*)$/s.exec(sql)?.[1],
      columns: rows<{ name: string | null }>(client, 'SELECT name FROM pragma_index_info(?) ORDER BY seqno', index).map(
        (column) => column.name,
      ),
    }));
    expect(createdIndexes).toEqual(
      indexes
        .map(({ config }) => ({
          name: config.name,
          isUnique: config.unique,
          where: config.where && dialect.sqlToQuery(config.where).sql,
          // an index on an expression has null here
          columns: config.columns.map((column) => ('name' in column ? column.name : null)),
        }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
  });

  test.each(tables.map((table) => [table.name, table] as const))(
    'make %s with its references',
    (name, { foreignKeys }) => {
      const order = (lines: string[]): string[] => lines.toSorted();
      const foreignKeyRows = rows<Record<'from' | 'table' | 'to' | 'on_delete' | 'on_update', string>>(
        client,
        'SELECT * FROM pragma_foreign_key_list(?)',
        name,
      );
      expect(
        order(
          foreignKeyRows.map((key) =>
            `${key.from} → ${key.table}.${key.to} ${key.on_delete} ${key.on_update}`.toLowerCase(),
          ),
        ),
      ).toEqual(
        order(
          foreignKeys.map((key) => {
            const {
              columns: [from],
              foreignColumns: [to],
              foreignTable,
            } = key.reference();
            return `${from?.name} → ${getTableConfig(foreignTable).name}.${to?.name} ${key.onDelete ?? 'no action'} ${key.onUpdate ?? 'no action'}`;
          }),
        ),
      );
    },
  );

  test('create tables without row ids where the schema says so', () => {
    const tablesWithoutRowId = rows<{ name: string }>(
      client,
      "SELECT name FROM pragma_table_list WHERE wr = 1 AND name NOT LIKE 'search_trigrams%' AND name NOT LIKE 'search_grams%' AND name NOT LIKE 'search_lyrics%' ORDER BY name",
    ).map((row) => row.name);
    expect(tablesWithoutRowId).toEqual([
      'album_artists',
      'album_genres',
      'album_keys',
      'bookmarks',
      'change_counts',
      'duplicate_dismissals',
      'duplicate_pairs',
      'enrichment_matches',
      'fingerprint_pieces',
      'library_totals',
      'like_states',
      'play_counts',
      'playlist_past_entries',
      'playlist_versions',
      'remote_ids',
      'search_words',
      'share_tracks',
      'source_files',
      'tag_plays',
      'track_album_artists',
      'track_artists',
      'track_credits',
      'track_genres',
      'track_tags',
    ]);
  });

  test('create the triggers for counts, and the search index', () => {
    expect(names(client, 'trigger')).toEqual([
      'album_artists_delete',
      'album_artists_insert',
      'album_covers_delete',
      'album_covers_replace',
      'albums_delete_artist',
      'albums_delete_changes',
      'albums_delete_year',
      'albums_insert_artist',
      'albums_insert_changes',
      'albums_insert_year',
      'albums_keep_cover',
      'albums_update_artist',
      'albums_update_artists',
      'albums_update_changes',
      'albums_update_year',
      'artist_pictures_delete',
      'artists_delete_changes',
      'artists_insert_changes',
      'artists_update_changes',
      'downloads_job_added',
      'downloads_job_changed',
      'duplicate_members_delete',
      'found_lyrics_delete_pending',
      'found_lyrics_insert_pending',
      'found_lyrics_update_pending',
      'like_states_delete_changes',
      'like_states_insert_changes',
      'like_states_update_changes',
      'lyrics_delete_pending',
      'lyrics_insert_pending',
      'lyrics_update_pending',
      'play_counts_delete_changes',
      'play_counts_insert_changes',
      'play_counts_update_changes',
      'playlist_entries_delete',
      'playlist_entries_insert',
      'playlist_entries_update_track',
      'plays_insert_counts',
      'plays_update_counts',
      'tag_plays_delete_counts',
      'tag_plays_insert_counts',
      'track_album_artists_delete',
      'track_album_artists_insert',
      'track_artists_delete',
      'track_artists_delete_changes',
      'track_artists_delete_counts',
      'track_artists_insert',
      'track_artists_insert_counts',
      'track_genres_delete',
      'track_genres_insert',
      'tracks_audio_replaced',
      'tracks_delete_album',
      'tracks_delete_album_artists',
      'tracks_delete_changes',
      'tracks_delete_counts',
      'tracks_delete_genres',
      'tracks_delete_playlists',
      'tracks_delete_totals',
      'tracks_edited_by_hand',
      'tracks_insert_counts',
      'tracks_renamed',
      'tracks_replaced_audio',
      'tracks_update_album',
      'tracks_update_album_artists',
      'tracks_update_album_counts',
      'tracks_update_changes',
      'tracks_update_genres',
      'tracks_update_playlists',
      'tracks_update_totals',
    ]);
    for (const table of ['search_trigrams', 'search_grams'])
      expect(rows(client, `SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0 }]);
  });

  test('leave an intact database with foreign keys on', () => {
    expect(client.pragma('foreign_key_check')).toEqual([]);
    expect(client.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    expect(client.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(() => client.exec("INSERT INTO album_keys (key, album_id) VALUES ('x', 99)")).toThrow(/FOREIGN KEY/);
  });

  test('do nothing the second time', () => {
    const [schemaBefore, history] = [schemaOf(client), rows(client, 'SELECT * FROM migrations')];
    migrate(client, 'migrations', log);
    const secondClient = connectIn(ownPath);
    migrate(secondClient, 'migrations', log);
    secondClient.close();
    expect([schemaOf(client), rows(client, 'SELECT * FROM migrations')]).toEqual([schemaBefore, history]);
  });

  test('are the same with Windows line endings', () => {
    const copy = join(dir, 'copy');
    cpSync('migrations', copy, { recursive: true });
    for (const name of appliedMigrations(client))
      writeFileSync(
        join(copy, `${name}.sql`),
        readFileSync(join(copy, `${name}.sql`), 'utf8').replaceAll('\n', '\r\n'),
      );
    expect(() => migrate(client, copy, log)).not.toThrow();
  });
});

test('tracks without an album get one without a name, and the counts follow', () => {
  const older = join(dir, 'older');
  cpSync('migrations', older, { recursive: true });
  const isLater = (name: string): boolean => name >= '0028' && name.endsWith('.sql');
  for (const name of readdirSync(older).filter(isLater)) rmSync(join(older, name));
  const client = connect();
  migrate(client, older, log);
  client.exec(`INSERT INTO artists (name, name_key, sort_name, sort_key, created_at, updated_at)
    VALUES ('Ada', 'ada', 'Ada', 'ada', 0, 0)`);
  const insert = client.prepare(`INSERT INTO tracks (title, title_sort, artist_id, artist_sort, album_sort, source,
    source_id, duration_ms, disc_number, availability, metadata_status, created_at, updated_at)
    VALUES ('T', 't', ?, '', '', 'upload', ?, 1000, ?, 'available', 'pending', 0, 0)`);
  [1, 1, null].forEach((artist, i) => insert.run(artist, String(i), i === 1 ? 2 : null));
  migrate(client, 'migrations', log);
  expect(
    rows(
      client,
      `SELECT x.name, a.title, a.track_count, a.disc_count, a.duration_ms, group_concat(t.source_id) AS tracks
        FROM albums a JOIN artists x ON x.id = a.artist_id JOIN tracks t ON t.album_id = a.id GROUP BY a.id ORDER BY 1`,
    ),
  ).toEqual([
    {
      name: 'Ada',
      title: '[Unknown Album]',
      track_count: 2,
      disc_count: 2,
      duration_ms: 2000,
      tracks: '0,1',
    },
    {
      name: '[Unknown Artist]',
      title: '[Unknown Album]',
      track_count: 1,
      disc_count: 1,
      duration_ms: 1000,
      tracks: '2',
    },
  ]);
  client.exec("DELETE FROM tracks WHERE source_id = '1'");
  expect(rows(client, 'SELECT disc_count FROM albums')).toEqual([{ disc_count: 1 }, { disc_count: 1 }]);
});

describe('a history', () => {
  const write = (files: Record<string, string>): void => {
    for (const [name, sql] of Object.entries(files)) writeFileSync(join(dir, `${name}.sql`), sql);
  };
  const BREAK = '\n--> statement-breakpoint\n';
  const runMigrations = (client = connect()): Sqlite => {
    migrate(client, dir, log);
    return client;
  };
  const refusal = (attempt: () => unknown): string => {
    try {
      attempt();
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      return (error as AppError).message;
    }
    throw new Error('was not refused');
  };

  beforeEach(() =>
    write({
      '0001_one': `CREATE TABLE parents (id INTEGER PRIMARY KEY);${BREAK}CREATE TABLE children (parent INTEGER REFERENCES parents(id) ON DELETE CASCADE);`,
      '0002_two': `INSERT INTO parents VALUES (1), (2);${BREAK}INSERT INTO children VALUES (1), (2);`,
    }),
  );

  test('is applied in the order of names, ignoring other files', () => {
    write({ '0010_ten': 'CREATE TABLE tens (id);', '0009_nine': 'CREATE TABLE nines (id);' });
    writeFileSync(join(dir, 'README.md'), 'not SQL');
    const client = runMigrations();
    expect(appliedMigrations(client)).toEqual(['0001_one', '0002_two', '0009_nine', '0010_ten']);
    expect(rows(client, 'SELECT rowid, name FROM migrations ORDER BY rowid').at(2)).toMatchObject({
      name: '0009_nine',
    });
    expect(rows(client, 'SELECT * FROM children')).toHaveLength(2);
  });

  test('continues where an earlier version stopped', () => {
    runMigrations();
    write({ '0003_three': 'CREATE TABLE threes (id);' });
    expect(names(runMigrations())).toContain('threes');
  });

  test('with an edited migration is refused', () => {
    const client = runMigrations();
    write({
      '0001_one': 'CREATE TABLE parents (id INTEGER PRIMARY KEY, name TEXT);',
      '0003_three': 'CREATE TABLE threes (id);',
    });
    expect(refusal(() => runMigrations(client))).toMatch(/another text of migration 0001_one/);
    expect(names(client)).not.toContain('threes');
  });

  test.each([
    ['0000_zero', /lacks migration 0000_zero, which sorts before 0001_one/],
    ['0001_zz', /lacks migration 0001_zz, which sorts before 0002_two/],
  ])('with %s inserted is refused', (name, errorPattern) => {
    const client = runMigrations();
    write({ [name]: 'CREATE TABLE late (id);' });
    expect(refusal(() => runMigrations(client))).toMatch(errorPattern);
    expect(names(client)).not.toContain('late');
  });

  test('of a newer version is refused', () => {
    write({ '0003_three': 'CREATE TABLE threes (id);' });
    const client = runMigrations();
    rmSync(join(dir, '0003_three.sql'));
    expect(refusal(() => runMigrations(client))).toMatch(
      /migration 0003_three, which this version does not know.*update/,
    );
  });

  test('with a renamed migration is refused', () => {
    const client = runMigrations();
    renameSync(join(dir, '0002_two.sql'), join(dir, '0002_deux.sql'));
    expect(refusal(() => runMigrations(client))).toMatch(/0002_two, which this version does not know/);
  });

  test('stops at a migration that fails, without its changes', () => {
    const client = runMigrations();
    const schemaBefore = schemaOf(client);
    write({
      '0003_good': 'CREATE TABLE goods (id);',
      '0004_bad': `CREATE TABLE bads (id);${BREAK}DELETE FROM children;${BREAK}INSERT INTO nowhere VALUES (1);`,
      '0005_after': 'CREATE TABLE afters (id);',
    });
    expect(() => runMigrations(client)).toThrow(/nowhere/);
    expect(appliedMigrations(client)).toEqual(['0001_one', '0002_two', '0003_good']);
    expect(names(client)).toEqual(['children', 'goods', 'migrations', 'parents']);
    expect(rows(client, 'SELECT * FROM children')).toHaveLength(2);
    expect(schemaOf(client)).not.toEqual(schemaBefore);
    expect(client.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(client.inTransaction).toBe(false);

    write({ '0004_bad': 'CREATE TABLE bads (id);' });
    expect(appliedMigrations(runMigrations(client))).toEqual([
      '0001_one',
      '0002_two',
      '0003_good',
      '0004_bad',
      '0005_after',
    ]);
  });

  test('stops at a migration that breaks references', () => {
    const client = runMigrations();
    write({ '0003_orphans': 'DELETE FROM parents WHERE id = 2;' });
    expect(refusal(() => runMigrations(client))).toMatch(/1 broken references after migration 0003_orphans/);
    expect(rows(client, 'SELECT * FROM parents')).toHaveLength(2);
    expect(appliedMigrations(client)).not.toContain('0003_orphans');
  });

  test('may rebuild a table that others refer to', () => {
    const client = runMigrations();
    write({
      '0003_rebuild': [
        'CREATE TABLE new_parents (id INTEGER PRIMARY KEY, name TEXT);',
        'INSERT INTO new_parents (id) SELECT id FROM parents;',
        'DROP TABLE parents;',
        'ALTER TABLE new_parents RENAME TO parents;',
      ].join(BREAK),
    });
    runMigrations(client);
    expect(rows(client, 'SELECT * FROM children')).toHaveLength(2);
    client.exec('DELETE FROM parents WHERE id = 1');
    expect(rows(client, 'SELECT * FROM children')).toEqual([{ parent: 2 }]);
  });

  test('that another process applies at the same time is applied once', () => {
    const [client, otherClient] = [connect(), connect()];
    const pragma = client.pragma.bind(client);
    client.pragma = (text, options) => {
      // another process migrates between reading the applied migrations and applying the rest
      if (text === 'foreign_keys = OFF') runMigrations(otherClient);
      return pragma(text, options);
    };
    runMigrations(client);
    expect(appliedMigrations(client)).toEqual(['0001_one', '0002_two']);
    expect(rows(client, 'SELECT * FROM children')).toHaveLength(2);
  });
});

test('the last database from before an update is kept, also when the update is killed', () => {
  const allMigrations = readdirSync('migrations').filter((name) => name.endsWith('.sql'));
  const folderUpTo = (count: number): string => {
    const folder = join(dir, `first-${count}`);
    for (const name of allMigrations.slice(0, count)) cpSync(join('migrations', name), join(folder, name));
    return folder;
  };
  const copies = (): string[] => readdirSync(dir).filter((name) => name.includes('.before-'));
  const client = connect();
  migrate(client, folderUpTo(3), log);
  expect(copies()).toEqual([]); // the database was created, not updated
  migrate(client, folderUpTo(5), log);
  const nameOf = (count: number): string => allMigrations[count - 1]?.replace('.sql', '') ?? '';
  const [copy = ''] = copies();
  expect(copies()).toEqual([`test.db.before-${nameOf(5)}.at-${nameOf(3)}`]);
  const migrationsIn = (name: string): number => {
    const keptDatabase = new Database(join(dir, name), { readonly: true });
    open.push(keptDatabase);
    return rows(keptDatabase, 'SELECT name FROM migrations').length;
  };
  expect(migrationsIn(copy)).toBe(3);

  // the copy of the first attempt stays when a second attempt follows a kill
  const killedDatabase = new Database(join(dir, 'killed.db'));
  open.push(killedDatabase);
  migrate(killedDatabase, folderUpTo(4), log);
  const firstCopy = join(dir, `killed.db.before-${nameOf(5)}.at-${nameOf(3)}`);
  writeFileSync(firstCopy, 'the first attempt');
  migrate(killedDatabase, folderUpTo(5), log);
  expect(readFileSync(firstCopy, 'utf8')).toBe('the first attempt');
  rmSync(firstCopy);
  migrate(client, folderUpTo(6), log);
  expect(copies()).toEqual([`test.db.before-${nameOf(6)}.at-${nameOf(5)}`]);

  // after a downgrade and another update, or a kill during the copy, the copy shows the state before this update
  const restoredDatabase = new Database(join(dir, 'back.db'));
  open.push(restoredDatabase);
  migrate(restoredDatabase, folderUpTo(3), log);
  const [earlier, unfinished] = [`back.db.before-${nameOf(5)}.at-${nameOf(3)}`, `back.db.before-${nameOf(5)}.at-0.new`];
  for (const name of [earlier, unfinished]) writeFileSync(join(dir, name), 'the first update');
  migrate(restoredDatabase, folderUpTo(5), log);
  expect(copies().filter((name) => name.startsWith('back'))).toEqual([earlier]);
  expect(migrationsIn(earlier)).toBe(3);
});

test('keeping the database leaves it locked against other processes, and a full disk does not prevent the update', () => {
  const files = readdirSync('migrations').filter((name) => name.endsWith('.sql'));
  const someDir = join(dir, 'some');
  for (const name of files.slice(0, 3)) cpSync(join('migrations', name), join(someDir, name));
  const client = connect();
  migrate(client, someDir, log);
  const pragma = client.pragma.bind(client);
  client.pragma = (text, options) => {
    if (text === 'journal_mode = DELETE') throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    return pragma(text, options);
  };
  cpSync(join('migrations', files[3] ?? ''), join(someDir, files[3] ?? ''));
  migrate(client, someDir, log);
  expect(appliedMigrations(client)).toHaveLength(4);
  expect(readdirSync(dir).filter((name) => name.includes('.before-'))).toEqual([]);

  client.pragma = pragma;
  cpSync(join('migrations', files[4] ?? ''), join(someDir, files[4] ?? ''));
  migrate(client, someDir, log);
  const otherProcess = `const db = new (require('better-sqlite3'))(process.argv[1], { timeout: 0 });
    try { console.log(db.pragma('journal_mode = DELETE', { simple: true })); } catch (error) { console.log(error.code); }`;
  expect(spawnSync(process.execPath, ['-e', otherProcess, join(dir, 'test.db')], { encoding: 'utf8' }).stdout).toBe(
    'SQLITE_BUSY\n',
  );
});
