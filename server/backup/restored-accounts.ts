// Decides about accounts, sessions and shares when a library is replaced. An export never changes rights, a backup does
// so only after a confirmation, and no ended session becomes valid again.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';
import { RIGHTS } from '../db/rights.ts';
import { hashInKey } from '../storage/local-paths.ts';
import { FILE_SCHEME, splitUri } from '../storage/uri.ts';

/** Tables whose rows give access to an account, or reach other services in its name. */
const ACCESS_TABLES = ['app_passwords', 'scrobble_accounts'];
const RIGHT_NAMES = Object.values(RIGHTS).map(({ name }) => name);

/**
 * Which accounts the restored library gets. `here`: those of the replaced library; other accounts get no password and
 * no rights. `backup`: those of the backup, but without the keys for addresses that are unknown here.
 * `backup_with_keys`: those of the backup, with all keys, because it is encrypted and nobody else can have edited it.
 */
type AccountsChoice = 'here' | 'backup' | 'backup_with_keys';
/** Which sessions stay valid. `both`: the sessions of the replaced library that are also in the backup. */
type SessionsChoice = 'none' | 'here' | 'both' | 'backup';

/**
 * Decides about the accounts and sessions of `restoredPath`, a foreign library that will replace the library
 * `replacedPath`.
 */
export function applyAccountChoice(
  replacedPath: string,
  restoredPath: string,
  { accounts, sessions }: { accounts: AccountsChoice; sessions: SessionsChoice },
): void {
  const db = new Database(restoredPath);
  try {
    db.pragma('foreign_keys = ON');
    if (existsSync(replacedPath)) db.prepare('ATTACH ? AS old').run(replacedPath);
    else db.exec("ATTACH ':memory:' AS old");
    db.transaction(() => {
      const tables = new Set(oldTables(db));
      if (accounts === 'here') keepAccounts(db, tables);
      else if (accounts === 'backup') stopForeignAddresses(db, tables);
      if (tables.has('shares')) keepShares(db);
      if (accounts === 'here') deleteOtherShares(db, tables.has('shares'));
      if (sessions !== 'backup') keepSessions(db, tables, sessions);
      if (tables.has('users')) preserveTokenVersions(db);
      if (tables.has('sqlite_sequence')) preserveSessionIds(db);
    })();
  } finally {
    db.close();
  }
}

const oldTables = (db: Sqlite): string[] =>
  db.prepare<[], string>("SELECT name FROM old.sqlite_schema WHERE type = 'table'").pluck().all();

const columnsIn = (db: Sqlite, schema: 'main' | 'old', table: string): string[] =>
  db.prepare<[string, string], string>('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema);

/** Returns the columns that both databases have; the replaced library may be of an earlier version. */
function commonColumns(db: Sqlite, table: string, excluded: readonly string[] = []): string[] {
  const ownColumns = new Set(columnsIn(db, 'main', table));
  return columnsIn(db, 'old', table).filter((name) => ownColumns.has(name) && !excluded.includes(name));
}

/**
 * Gives each account all fields and app passwords of the account in `old` with the same name. Other accounts get no
 * password and no rights; accounts that only `old` has are added.
 */
function keepAccounts(db: Sqlite, tables: ReadonlySet<string>): void {
  db.exec(`UPDATE main.users SET password_hash = '', is_superuser = 0, max_bitrate_kbps = NULL, quota_bytes = NULL,
      ${RIGHT_NAMES.map((name) => `${name} = 0`).join(', ')}`);
  for (const table of ACCESS_TABLES) db.exec(`DELETE FROM main.${table}`);
  if (tables.has('users')) keepUsers(db);
  for (const table of ACCESS_TABLES) if (tables.has(table)) copyUserRows(db, table);
  keepStationsPublic(db, tables.has('radio_stations'));
}

function keepUsers(db: Sqlite): void {
  const columns = commonColumns(db, 'users', ['id']);
  const names = columns.join(', ');
  db.exec(`UPDATE main.users SET ${columns.map((name) => `${name} = o.${name}`).join(', ')}
      FROM old.users o WHERE o.username_key = main.users.username_key;
    INSERT INTO main.users (id, ${names}) SELECT id, ${names} FROM old.users
      WHERE username_key NOT IN (SELECT username_key FROM main.users) AND id NOT IN (SELECT id FROM main.users);
    INSERT INTO main.users (${names}) SELECT ${names} FROM old.users
      WHERE username_key NOT IN (SELECT username_key FROM main.users)`);
}

/** Copies rows of accounts from `old`, matching accounts by name. */
function copyUserRows(db: Sqlite, table: string, whereSql = ''): void {
  const columns = commonColumns(db, table, ['user_id']);
  db.exec(`INSERT INTO main.${table} (user_id, ${columns.join(', ')})
    SELECT main.users.id, ${columns.map((name) => `o.${name}`).join(', ')} FROM old.${table} o
      JOIN old.users ON old.users.id = o.user_id
      JOIN main.users ON main.users.username_key = old.users.username_key ${whereSql}`);
}

/**
 * Clears `added_by` of stations that are unknown here. A station of an administrator may be in the local network, and a
 * backup could claim that any address was added by one.
 */
function keepStationsPublic(db: Sqlite, hasStations: boolean): void {
  if (!columnsIn(db, 'main', 'radio_stations').includes('added_by')) return;
  const isKnownSql =
    hasStations && columnsIn(db, 'old', 'radio_stations').includes('added_by')
      ? `(added_by, stream_url) IN (SELECT m.id, o.stream_url FROM old.radio_stations o
          JOIN old.users u ON u.id = o.added_by JOIN main.users m ON m.username_key = u.username_key)`
      : 'false';
  db.exec(`UPDATE main.radio_stations SET added_by = NULL WHERE added_by IS NOT NULL AND NOT ${isKnownSql}`);
}

/**
 * Stops scrobbling to addresses that are unknown here, so that a key is sent only to the address for which a person
 * gave it.
 */
function stopForeignAddresses(db: Sqlite, tables: ReadonlySet<string>): void {
  const isKnownSql = tables.has('scrobble_accounts')
    ? `(user_id, service, url) IN (SELECT m.id, o.service, o.url FROM old.scrobble_accounts o
        JOIN old.users u ON u.id = o.user_id JOIN main.users m ON m.username_key = u.username_key)`
    : 'false';
  db.prepare(
    `UPDATE main.scrobble_accounts SET is_stopped = 1, problem = ? WHERE url IS NOT NULL AND NOT ${isKnownSql}`,
  ).run('Its address came with a backup. Sign in again.');
}

/**
 * Keeps the shares of this server. A share that both libraries have stays as it is here, with those of its tracks whose
 * audio still exists; the version in the backup is dropped.
 */
function keepShares(db: Sqlite): void {
  db.function('audio_of', { deterministic: true, varargs: true }, (...values) => audioOf(values));
  const columns = commonColumns(db, 'shares', ['id', 'user_id', 'token']);
  const oldColumns = new Set(columnsIn(db, 'old', 'tracks'));
  const section = ['section_start', 'section_end']
    .map((column) => (oldColumns.has(column) ? `t.${column}` : 'NULL'))
    .join(', ');
  db.exec(`
    DELETE FROM main.shares WHERE token IN (SELECT s.token FROM old.shares s JOIN old.users u ON u.id = s.user_id
      WHERE u.username_key NOT IN (SELECT username_key FROM main.users));
    UPDATE main.shares SET user_id = o.owner_id, ${columns.map((name) => `${name} = o.${name}`).join(', ')} FROM (
      SELECT s.*, m.id AS owner_id FROM old.shares s JOIN old.users u ON u.id = s.user_id
        JOIN main.users m ON m.username_key = u.username_key
    ) o WHERE o.token = main.shares.token;
    DELETE FROM main.share_tracks WHERE share_id IN (SELECT id FROM main.shares
      WHERE token IN (SELECT token FROM old.shares));
    CREATE TEMP TABLE audio AS
      SELECT id, audio_of(storage_uri, source, source_id, section_start, section_end) AS audio FROM main.tracks
        WHERE EXISTS (SELECT 1 FROM main.shares WHERE token IN (SELECT token FROM old.shares));
    CREATE INDEX temp.audio_audio ON audio (audio);
    INSERT INTO main.share_tracks (share_id, position, track_id) SELECT * FROM (
      SELECT m.id, s.position, (
        SELECT a.id FROM temp.audio a WHERE a.audio IN (
          audio_of(t.storage_uri, t.source, t.source_id, ${section}),
          iif(t.content_hash IS NULL, NULL, audio_of('hash:' || t.content_hash, t.source, t.source_id, ${section}))
        ) ORDER BY a.id <> t.id, a.id LIMIT 1
      ) AS track_id FROM old.share_tracks s JOIN old.shares o ON o.id = s.share_id
        JOIN main.shares m ON m.token = o.token JOIN old.tracks t ON t.id = s.track_id
    ) WHERE track_id IS NOT NULL;
    DROP TABLE temp.audio`);
}

/**
 * Returns a key for the audio of a track: the hash of a stored file, whatever the storage, or the path in a music
 * folder.
 */
function audioOf([uri, source, sourceId, ...section]: unknown[]): string {
  if (typeof uri !== 'string') return JSON.stringify([source, sourceId]);
  const { scheme, path } = splitUri(uri);
  return JSON.stringify([scheme === FILE_SCHEME ? uri : hashInKey(path), ...section]);
}

/** Deletes the shares that this server does not have, so that a deleted share does not come back. */
const deleteOtherShares = (db: Sqlite, oldHasSharesTable: boolean): void =>
  void db.exec(
    `DELETE FROM main.shares${oldHasSharesTable ? ' WHERE token NOT IN (SELECT token FROM old.shares)' : ''}`,
  );

/**
 * Keeps only sessions that have not ended here, so that no ended session becomes valid again. Ids of users are taken
 * into account, because a token names its user by the id.
 */
function keepSessions(db: Sqlite, tables: ReadonlySet<string>, choice: 'none' | 'here' | 'both'): void {
  db.exec(
    `CREATE TEMP TABLE backed_up AS SELECT id, user_id, created_at FROM main.sessions; DELETE FROM main.sessions`,
  );
  if (choice !== 'none' && tables.has('sessions'))
    copyUserRows(
      db,
      'sessions',
      `AND main.users.id = old.users.id${
        choice === 'both' ? ' AND (o.id, o.user_id, o.created_at) IN (SELECT * FROM temp.backed_up)' : ''
      }`,
    );
  db.exec('DROP TABLE temp.backed_up');
}

/**
 * Keeps the higher token version, so that a token that a new password ended does not become valid when the old password
 * comes back.
 */
const preserveTokenVersions = (db: Sqlite): void =>
  void db.exec(`UPDATE main.users SET token_version = max(main.users.token_version, o.token_version)
    FROM old.users o WHERE o.username_key = main.users.username_key`);

/** Ensures that no session gets an id that `old` has used: tokens with that id may not have expired. */
const preserveSessionIds = (db: Sqlite): void =>
  void db.exec(`UPDATE main.sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(seq), 0) FROM old.sqlite_sequence
    WHERE name = 'sessions')) WHERE name = 'sessions'`);
