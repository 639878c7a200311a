// Databases, manifests and lists of files as an attacker would send them: valid data with one to three random changes
// of any kind.
import Database from 'better-sqlite3';
import { damageBytes } from './damage.ts';

type Db = Database.Database;
type Random = () => number;

const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;
const DEEP_JSON = '['.repeat(50_000);

export const HOSTILE_SETTINGS: Record<string, unknown> = {
  ffmpeg_path: '/tmp/evil',
  fpcalc_path: '/tmp/evil',
  streamsrc_command: '/tmp/evil',
  streamsrc_enabled: true,
  streamsrc_provider: 'ext',
  local_media_import_path: '/etc',
  backup_target: '/tmp',
  storage_root: '/etc',
  storage_backend: 's3',
  data_dir: '/tmp',
  host: '0.0.0.0',
  allowed_hosts: 'evil.example',
  trusted_proxies: '0.0.0.0/0',
  musicbrainz_base_url: 'http://evil.example',
  s3_endpoint: 'http://evil.example',
  admin_username: 'mallory',
  admin_password: 'known to everybody',
  jwt_secret: 'known to everybody!',
  unheard_of: 'x',
};

const VALUES: readonly unknown[] = [
  null,
  -1,
  0,
  1,
  2,
  0.5,
  9007199254740993n,
  9223372036854775807n,
  -9223372036854775808n,
  1e308,
  Infinity,
  '',
  'x',
  '1',
  'NULL',
  '\0',
  '../../../etc/passwd',
  '/etc/shadow',
  'file:/etc/shadow',
  'file:../../etc/shadow',
  'file:etc:/shadow',
  'file:a/\\x2e\\x2e/b',
  'local:../../../etc/shadow',
  'local:audio/../../secrets.json',
  'local:library.json',
  's3:audio/00/x.mp3',
  'covers/../../secrets.json',
  'javascript:alert(1)',
  'file:///etc/shadow',
  '$argon2id$v=19$m=4194304,t=999,p=99$c2FsdHNhbHQ$aGFzaGhhc2g',
  '{}',
  '[]',
  'null',
  '{"__proto__":{"is_superuser":1}}',
  '[{"url":"javascript:alert(1)"}]',
  DEEP_JSON,
  'x'.repeat(3_000_000),
  Buffer.alloc(0),
  Buffer.alloc(100, 0xff),
];

/** Length of a very long text in characters. */
const LONG_TEXT_LENGTH = 100_000;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the names of ordinary tables that have rows. */
function filledTables(db: Db): string[] {
  return db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .pluck()
    .all()
    .filter((name) => !name.startsWith('search_') && db.prepare(`SELECT 1 FROM ${quoted(name)}`).get() !== undefined);
}

const columnsOf = (db: Db, table: string): string[] =>
  db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
const ofOneRow = (table: string, random: Random): string =>
  `(SELECT count(*) FROM ${quoted(table)}) > 0 LIMIT 1 OFFSET ${Math.floor(random() * 5)}`;

type Change = (db: Db, random: Random) => void;

/** Changes a database; a change that the schema refuses has no effect. */
function attempt(db: Db, sql: string, ...values: unknown[]): void {
  try {
    if (values.length > 0) db.prepare(sql).run(...values);
    else db.exec(sql);
  } catch (error) {
    if (!(error instanceof Database.SqliteError || error instanceof RangeError)) throw error;
  }
}

const CHANGES: Record<string, Change> = {
  cell(db, random) {
    const table = pick(filledTables(db), random);
    const column = pick(columnsOf(db, table), random);
    const value = pick(VALUES, random);
    // a long text in all rows would exceed the memory
    const isShort = typeof value !== 'string' || value.length < LONG_TEXT_LENGTH;
    const condition = isShort && random() < 0.2 ? '' : ` WHERE ${ofOneRow(table, random)}`;
    attempt(db, `UPDATE ${quoted(table)} SET ${quoted(column)} = ?${condition}`, value);
  },
  otherColumn(db, random) {
    const table = pick(filledTables(db), random);
    const columns = columnsOf(db, table);
    attempt(db, `UPDATE ${quoted(table)} SET ${quoted(pick(columns, random))} = ${quoted(pick(columns, random))}`);
  },
  removedRows(db, random) {
    const table = pick(filledTables(db), random);
    attempt(db, `DELETE FROM ${quoted(table)}${random() < 0.3 ? '' : ` WHERE ${ofOneRow(table, random)}`}`);
  },
  repeatedRow(db, random) {
    const table = pick(filledTables(db), random);
    const columns = columnsOf(db, table);
    const changedColumn = pick(columns, random);
    const from = columns.map((name) => (name === changedColumn ? '?' : quoted(name))).join(', ');
    attempt(db, `INSERT INTO ${quoted(table)} SELECT ${from} FROM ${quoted(table)} LIMIT 1`, pick(VALUES, random));
  },
  power(db, random) {
    attempt(
      db,
      pick(
        [
          "INSERT INTO music_folders (key, name, path, mode, created_at) VALUES ('etc', 'etc', '/etc', 'reference', 1)",
          `INSERT INTO jobs (task, payload, status, max_attempts, run_at, created_at)
            VALUES ('backup_task', '{"to":"/tmp"}', 'queued', 3, 0, 0)`,
          'INSERT INTO sessions (id, user_id, created_at, expires_at, last_used_at) VALUES (1, 1, 1, 9000000000000, 1)',
          `INSERT INTO app_passwords (user_id, name, sealed, salt, lookup, created_at)
            VALUES (1, 'mine', x'00', x'00', 'known', 1)`,
          `INSERT INTO users (username, username_key, password_hash, is_superuser, created_at)
            VALUES ('mallory', 'mallory', '', 1, 1)`,
          `UPDATE users SET is_superuser = 1, can_edit = 1, can_upload = 1, can_share = 1, quota_bytes = NULL,
            hides_playing = 0, max_bitrate_kbps = NULL, password_hash = ''`,
          'UPDATE users SET id = id + 1000',
          "UPDATE users SET username_key = 'admin' WHERE username_key <> 'admin'",
          "UPDATE tracks SET storage_uri = 'file:etc:/shadow'",
          "INSERT INTO orphaned_covers (key, album_id) SELECT 'covers/1.jpg', 1",
          "INSERT INTO shares (user_id, token, created_at) VALUES (1, 'known', 1)",
          'UPDATE sqlite_sequence SET seq = 9223372036854775807',
          "UPDATE sqlite_sequence SET seq = 'x'",
          'DELETE FROM sqlite_sequence',
        ],
        random,
      ),
    );
  },
  schema(db, random) {
    const table = pick(filledTables(db), random);
    attempt(
      db,
      pick(
        [
          'CREATE TABLE mine (a)',
          'CREATE TABLE settings (name TEXT, value TEXT)',
          `CREATE TRIGGER mine AFTER INSERT ON ${table} BEGIN UPDATE users SET is_superuser = 1; END`,
          'CREATE VIEW mine AS SELECT * FROM users',
          `CREATE INDEX mine ON ${table} (zeroblob(1000))`,
          'CREATE VIRTUAL TABLE mine USING fts5(a)',
          'CREATE VIRTUAL TABLE mine USING rtree(a, b, c)',
          `ALTER TABLE ${table} ADD COLUMN mine TEXT DEFAULT 'x'`,
          `ALTER TABLE ${table} ADD COLUMN mine BLOB GENERATED ALWAYS AS (zeroblob(100000000))`,
          `ALTER TABLE ${table} RENAME TO mine`,
          `ALTER TABLE ${table} RENAME COLUMN ${pick(columnsOf(db, table), random)} TO mine`,
          `DROP TABLE ${table}`,
          `ALTER TABLE ${table} RENAME TO hidden; CREATE VIEW ${table} AS SELECT * FROM hidden`,
          'PRAGMA user_version = 99; PRAGMA application_id = 1',
          'PRAGMA journal_mode = WAL',
        ],
        random,
      ),
    );
  },
  writtenSchema(db, random) {
    db.unsafeMode(true);
    attempt(db, 'PRAGMA writable_schema = ON');
    const text = pick(
      [
        "replace(sql, 'text', 'text CHECK (zeroblob(1000000000) IS NOT NULL)')",
        "sql || ' x'",
        "''",
        'NULL',
        "'CREATE TABLE tracks AS SELECT 1'",
        "replace(sql, 'integer', 'blob')",
      ],
      random,
    );
    const row = `name = (SELECT name FROM sqlite_schema ORDER BY name LIMIT 1 OFFSET ${Math.floor(random() * 150)})`;
    attempt(db, `UPDATE sqlite_schema SET sql = ${text} WHERE ${row}`);
    attempt(
      db,
      `UPDATE sqlite_schema SET rootpage = ${Math.floor(random() * 300)} WHERE ${random() < 0.5 ? row : '0'}`,
    );
    attempt(db, 'PRAGMA writable_schema = OFF');
    db.unsafeMode(false);
  },
  migrations(db, random) {
    attempt(
      db,
      pick(
        [
          "INSERT INTO migrations VALUES ('9999_later', 'x', 1)",
          "UPDATE migrations SET hash = 'x' WHERE name LIKE '0010%'",
          'DELETE FROM migrations',
          "DELETE FROM migrations WHERE name > '0020'",
          "UPDATE migrations SET name = zeroblob(5000000) WHERE name LIKE '0041%'",
          'UPDATE migrations SET applied_at = 1e300',
        ],
        random,
      ),
    );
  },
  nested(db, random) {
    const column = pick(
      [
        ['trashed_tracks', 'snapshot'],
        ['tracks', 'provenance'],
        ['playlists', 'rules'],
        ['track_edits', 'changes'],
        ['lyrics', 'lines'],
        ['found_lyrics', 'lines'],
      ] as const,
      random,
    );
    const [table, name] = column;
    const text = db.prepare<[], string>(`SELECT ${name} FROM ${table} WHERE ${name} IS NOT NULL`).pluck().get();
    if (typeof text !== 'string' || !/^[[{]/.test(text)) return;
    attempt(db, `UPDATE ${table} SET ${name} = ?`, JSON.stringify(withChange(JSON.parse(text), random)));
  },
};

/** Returns a JSON value with one part changed, added or removed. */
export function withChange(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.1)
    return pick(
      [
        ...VALUES.filter((hostileValue) => typeof hostileValue === 'string' || typeof hostileValue === 'number'),
        null,
        [],
        {},
        [value],
        { $blob: 'AA==' },
      ],
      random,
    );
  if (Array.isArray(value)) {
    const changedIndex = Math.floor(random() * value.length);
    if (value.length === 0 || random() < 0.1)
      return [...value, ...value, { table: 'users', rows: [{ is_superuser: 1 }] }];
    return value.map((element: unknown, index) => (index === changedIndex ? withChange(element, random) : element));
  }
  const entries = Object.entries(value);
  const changedIndex = Math.floor(random() * entries.length);
  const name = pick(['id", password_hash', 'is_superuser', '__proto__', 'storage_uri', 'x) VALUES (1); --'], random);
  if (entries.length === 0 || random() < 0.15) return Object.fromEntries([...entries, [name, 1]]);
  if (random() < 0.1) return Object.fromEntries(entries.filter((_, n) => n !== changedIndex));
  return Object.fromEntries(
    entries.map(([key, element], index) => [key, index === changedIndex ? withChange(element, random) : element]),
  );
}

export interface ChangedDatabase {
  bytes: Buffer;
  /** Names of the changes that were made. */
  changes: string[];
}

/**
 * Makes one change. Returns false if earlier changes prevent it by renamed tables or columns, or an unreadable schema.
 */
function apply(db: Db, name: string, random: Random, isFirst: boolean): boolean {
  try {
    CHANGES[name]?.(db, random);
    return true;
  } catch (error) {
    if (isFirst || !(error instanceof Database.SqliteError)) throw error;
    return false;
  }
}

export function hostileDatabase(intactDatabase: Buffer, random: Random): ChangedDatabase {
  if (random() < 0.15)
    return { bytes: damageBytes(intactDatabase, (limit) => Math.floor(random() * limit)), changes: ['damagedBytes'] };
  const db = new Database(Buffer.from(intactDatabase));
  const names = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(Object.keys(CHANGES), random));
  try {
    db.pragma('foreign_keys = OFF');
    const changes = names.filter((name, n) => apply(db, name, random, n === 0));
    return { bytes: db.serialize(), changes };
  } finally {
    db.close();
  }
}
