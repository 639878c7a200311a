// Makes data folders as version 0.1.0 left them, from its migrations, which never change, and filled by SQL.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { hashPassword } from '../../server/auth/passwords.ts';
import { migrate } from '../../server/db/migrate.ts';
import { root } from './product.ts';
import { ADMIN, quiet } from './server.ts';

/** The migrations of version 0.1.0, with a hash of each text. */
const MIGRATIONS: Record<string, string> = {
  '0000_initial': '9b6ea8340f5107b76dd74d8f4972d9e35a992d37cd3bd2d6b1d0ff89c8d2e4f9',
  '0001_aggregates_and_search': '3faadb6593b907492c5915ce12ee8291eac15f1d7ba915e30fc8f6bd7be7db51',
  '0002_enrichment': 'cd69177847154fd39efcea7df7a90ce1271645d87938225a7e90d1276ef65fe9',
  '0003_fingerprints': '7a48ed41940743d44d54d77c4af093344d67c2f4d71a373025b1c533f023e4e0',
  '0004_covers': '640fd8e9cc67b7a29fd1df422e717697087292b61fe6afa419da78f34b796a89',
  '0005_playlists': '7df40a58480d5e5eac5d319d8ac60add9d3288debcf6242dfd7ce31f65454a3c',
  '0006_history': '33e868a21e163072c847c54f68895ee901ffe5369d0a0414a2d69a3d285c0e3f',
  '0007_search': '3cba8a4b0d720ea7af39e5394a4185e94e94cc0f6151b29d2a353b6d32af3693',
  '0008_subsonic': '67814820e73aa2311f3cb1fdf42b7f9e87e307ef08b581c108c9d422492b6b02',
  '0009_downloads': '2813e9ea1d9f27f11236083994a64dd5b0ab2c33201589e4b492c524a31cbf5f',
  '0010_storage': '7da0c0c980df34ab5e38ff2c7571cdede296ebfafd853b61c7e68ba4ae2de727',
  '0011_backup_and_covers': '0b6adee29f2a14483e4792e5742da902d062b045ff3a414cdac3d4778637a7cc',
};
const START_MS = Date.parse('2026-11-20T12:00:00Z');
const HEX_HASH = `printf('%064x', n * 7919)`;

/** Where the audio is stored. */
export type Place = 'local' | 's3' | 'reference';
const URI: Record<Place, string> = {
  local: `'local:audio/' || substr(${HEX_HASH}, 1, 2) || '/' || ${HEX_HASH} || '.mp3'`,
  s3: `'s3:audio/' || substr(${HEX_HASH}, 1, 2) || '/' || ${HEX_HASH} || '.mp3'`,
  reference: `'file:Artist/Album/' || n || '.mp3'`,
};

export async function makeFirstRelease(dir: string, audioPlace: Place, tracks: number): Promise<void> {
  mkdirSync(dir, { recursive: true });
  const db = new Database(join(dir, 'tonearm.db'));
  const migrations = mkdtempSync(join(tmpdir(), 'tonearm-first-release-'));
  try {
    for (const [name, hash] of Object.entries(MIGRATIONS)) {
      const file = join(root, 'migrations', `${name}.sql`);
      const actualHash = createHash('sha256').update(readFileSync(file)).digest('hex');
      if (actualHash !== hash) throw new Error(`${name} is not as it was released`);
      copyFileSync(file, join(migrations, `${name}.sql`));
    }
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = OFF');
    migrate(db, migrations, quiet);
    db.transaction(() => fill(db, audioPlace, tracks)).immediate();
    const setPassword = db.prepare('UPDATE users SET password_hash = ?');
    setPassword.run(await hashPassword(ADMIN.password));
  } finally {
    db.close();
    rmSync(migrations, { recursive: true });
  }
}

/** Fills every table with user data, in the proportions of a used library. */
function fill(db: Database.Database, audioPlace: Place, tracks: number): void {
  const fewTracks = Math.ceil(tracks / 10);
  const numbers = (count: number): string =>
    `WITH RECURSIVE k (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k WHERE n < ${count})`;
  const hash = audioPlace === 'reference' ? 'NULL' : HEX_HASH;
  const insertRows = (count: number, insert: string): void => {
    const [insertClause = '', values = ''] = insert.split(/\sVALUES\s/);
    db.exec(`${insertClause} ${numbers(count)} SELECT ${values} FROM k`);
  };
  db.exec(`INSERT INTO users (id, username, username_key, password_hash, is_superuser, created_at) VALUES
    (1, '${ADMIN.username}', '${ADMIN.username}', '', 1, ${START_MS}), (2, 'listener', 'listener', '', 0, ${START_MS});
    UPDATE users SET app_password = randomblob(40), app_password_salt = randomblob(16), app_password_lookup = 'abc'
      WHERE id = 2`);
  insertRows(
    fewTracks,
    `INSERT INTO artists (id, name, name_key, sort_name, sort_key, created_at, updated_at) VALUES
      n, 'Artist ' || n, 'artist ' || n, 'Artist ' || n, 'artist ' || n, ${START_MS}, ${START_MS}`,
  );
  insertRows(
    fewTracks,
    `INSERT INTO albums (id, title, title_sort, artist_id, artist_sort, year, created_at, updated_at) VALUES
      n, 'Album ' || n, 'album ' || n, n, 'artist ' || n, 1970 + n % 50, ${START_MS}, ${START_MS}`,
  );
  insertRows(fewTracks, `INSERT INTO album_keys (key, album_id) VALUES 't:' || n || ':album ' || n, n`);
  insertRows(
    tracks,
    `INSERT INTO tracks (id, title, title_sort, artist_id, artist_name, artist_sort, album_id, album_sort, genre, year,
        track_number, duration_ms, size_bytes, format, codec, source, source_id, storage_uri, content_hash, audio_hash,
        availability, metadata_status, provenance, created_at, updated_at) VALUES
      n, 'Track ' || n, 'track ' || n, 1 + n % ${fewTracks}, 'Artist ' || (1 + n % ${fewTracks}), 'artist ' || (1 + n % ${fewTracks}),
      1 + n % ${fewTracks}, 'album ' || (1 + n % ${fewTracks}), 'Rock', 1970 + n % 50, n % 12, 1000 * n, 4000 + n, 'mp3', 'mp3',
      iif(n % 7 = 0, 'upload', 'local_folder'), 'Artist/Album/' || n || '.mp3', ${URI[audioPlace]}, ${hash}, 'v1:' || n,
      'available', iif(n % 5 = 0, 'manual', 'enriched'), iif(n % 5 = 0, '{"title":"manual"}', NULL), ${START_MS} + n, ${START_MS}`,
  );
  insertRows(
    tracks,
    `INSERT INTO track_artists (track_id, position, artist_id, credit) VALUES n, 0, 1 + n % ${fewTracks}, 'A'`,
  );
  db.exec(`INSERT INTO genres (id, name, name_key) VALUES (1, 'Rock', 'rock')`);
  insertRows(tracks, `INSERT INTO track_genres (track_id, position, genre_id) VALUES n, 0, 1`);
  db.exec(`INSERT INTO source_folders (id, source, path) VALUES (1, 'local_folder', 'Artist/Album')`);
  insertRows(
    tracks,
    `INSERT INTO source_files (folder_id, name, size_bytes, mtime_us, dev, ino, state, track_id) VALUES
      1, n || '.mp3', 4000 + n, ${START_MS}, 1, n, 'track', n`,
  );
  insertRows(
    fewTracks,
    `INSERT INTO like_events (user_id, item_type, item_id, liked, rating, created_at) VALUES
      1 + n % 2, 'track', n, 1, n % 6, ${START_MS} + n`,
  );
  insertRows(
    fewTracks,
    `INSERT INTO like_states (user_id, item_type, item_id, liked, rating, since) VALUES
      1 + n % 2, 'track', n, 1, n % 6, ${START_MS} + n`,
  );
  insertRows(
    tracks,
    `INSERT INTO plays (user_id, track_id, title, artist_name, played_at, played_ms, client, song_key) VALUES
      1 + n % 2, 1 + n * 31 % ${tracks}, 'Track', 'Artist', ${START_MS} - n * 60000, 1000, 'web', n`,
  );
  insertRows(
    20,
    `INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES n, 1 + n % 2, 'Mix ' || n, ${START_MS}, ${START_MS}`,
  );
  insertRows(
    20,
    `INSERT INTO playlist_versions (playlist_id, version, change, added, removed, moved, track_count, user_id,
        created_at) VALUES n, 1, 'create', 0, 0, 0, 0, 1, ${START_MS}`,
  );
  insertRows(
    fewTracks,
    `INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES 1 + n % 20, n * 1000, n, ${START_MS}`,
  );
  insertRows(fewTracks, `INSERT INTO lyrics (track_id, synced, lines) VALUES n, 0, '[{"text":"la"}]'`);
  insertRows(
    fewTracks,
    `INSERT INTO album_covers (album_id, key, etag, origin, checked_at) VALUES
    n, 'covers/' || n || '.jpg', printf('%032x', n), 'manual', ${START_MS}`,
  );
  insertRows(
    fewTracks,
    `INSERT INTO track_fingerprints (track_id, version, duration_ms, raw, created_at) VALUES
    n, 'cp1', 1000 * n, zeroblob(400), ${START_MS}`,
  );
  insertRows(
    fewTracks,
    `INSERT INTO bookmarks (user_id, track_id, position_ms, created_at, updated_at) VALUES
    1 + n % 2, n, 5, ${START_MS}, ${START_MS}`,
  );
  db.exec(`INSERT INTO play_queues (user_id, track_ids, current_index, position_ms, updated_at) VALUES
      (1, '[1,2,3]', 1, 500, ${START_MS});
    INSERT INTO radio_stations (name, stream_url, created_at) VALUES ('Station', 'http://127.0.0.1:9/', ${START_MS});
    INSERT INTO shares (id, token, user_id, created_at) VALUES (1, 'token', 1, ${START_MS});
    INSERT INTO share_tracks (share_id, position, track_id) VALUES (1, 0, 1)`);
}

/** Tables that every start writes or that are derived from others; their content is not compared. */
const MOVING = new Set(['migrations', 'library_identity', 'jobs', 'queue_tasks', 'change_counts', 'album_keys']);
const MOVING_COLUMNS = new Set(['users.last_seen_at']);
/** Returns SQL for a column that a later migration moved to the default app password. */
const ofDefault = (column: string): string =>
  `(SELECT ${column} FROM app_passwords WHERE user_id = users.id AND name = 'default')`;
const MOVED_COLUMNS: Record<string, string> = {
  'users.app_password': ofDefault('sealed'),
  'users.app_password_salt': ofDefault('salt'),
  'users.app_password_lookup': ofDefault('lookup'),
};

/** Returns a hash of all rows by table and columns. A later version has the same tables and columns, and more. */
export function contentsOf(dir: string, onlyTables?: Record<string, string>): Record<string, string> {
  const db = new Database(join(dir, 'tonearm.db'));
  try {
    const tables =
      onlyTables === undefined
        ? db
            .prepare<[], string>(
              `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
                AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_%' ORDER BY name`,
            )
            .pluck()
            .all()
            .filter((table) => !MOVING.has(table))
            .map((table) => `${table}: ${columnsOf(db, table).join(', ')}`)
        : Object.keys(onlyTables);
    return Object.fromEntries(tables.map((table) => [table, rowsOf(db, table)]));
  } finally {
    db.close();
  }
}

const columnsOf = (db: Database.Database, table: string): string[] =>
  db
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY cid')
    .pluck()
    .all(table)
    .filter((column) => !MOVING_COLUMNS.has(`${table}.${column}`));

function rowsOf(db: Database.Database, name: string): string {
  const [table = '', list = ''] = name.split(': ');
  const existingColumns = new Set(columnsOf(db, table));
  const columns = list
    .split(', ')
    .map((column) => (existingColumns.has(column) ? column : MOVED_COLUMNS[`${table}.${column}`]));
  if (columns.includes(undefined)) throw new Error(`A column of ${table} is gone: MOVED has to say what became of it`);
  const hash = createHash('sha256');
  let count = 0;
  const order = columns.map((_, n) => n + 1).join(', ');
  const rows = db.prepare<[], unknown[]>(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${order}`).raw();
  for (const row of rows.iterate()) {
    hash.update(JSON.stringify(row));
    count++;
  }
  return `${count} rows, ${hash.digest('hex').slice(0, 16)}`;
}

/** Returns how many of the existing migrations a folder's database has. */
export function migrationsIn(dir: string): { appliedCount: number; totalCount: number } {
  const db = new Database(join(dir, 'tonearm.db'));
  try {
    const appliedCount = db.prepare<[], number>('SELECT count(*) FROM migrations').pluck().get() ?? 0;
    return {
      appliedCount,
      totalCount: readdirSync(join(root, 'migrations')).filter((name) => name.endsWith('.sql')).length,
    };
  } finally {
    db.close();
  }
}
