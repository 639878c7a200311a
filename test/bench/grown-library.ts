// A large library that is many copies of a smaller one, made in SQL: ten million tracks in minutes instead of hours.
// Artists get a number behind their name; titles repeat. Likes and plays stay those of the first copy.
import type { Sqlite } from '../../server/db/client.ts';
import { gramsOf } from '../../server/library/search-grams.ts';
import { searchBase } from '../../server/library/search-index.ts';
import { namesOf, textOf, type SearchKind } from '../../server/library/search-names.ts';

const TABLES = ['artists', 'albums', 'album_covers', 'album_genres', 'tracks', 'track_artists', 'track_genres'];
/** Columns of a copy that are not those of the row it copies; `k` is the number of the copy. */
const OF_COPY: Record<string, Record<string, string>> = {
  artists: {
    id: 'id + k * :artists',
    name: "name || ' ' || k",
    name_key: "name_key || ' ' || k",
    sort_name: "sort_name || ' ' || k",
    sort_key: "sort_key || ' ' || k",
  },
  albums: { id: 'id + k * :albums', artist_id: 'artist_id + k * :artists', artist_sort: "artist_sort || ' ' || k" },
  album_covers: { album_id: 'album_id + k * :albums', key: 'NULL' },
  album_genres: { album_id: 'album_id + k * :albums' },
  tracks: {
    id: 'id + k * :tracks',
    artist_id: 'artist_id + k * :artists',
    artist_name: "artist_name || ' ' || k",
    artist_sort: "artist_sort || ' ' || k",
    album_id: 'album_id + k * :albums',
    source_id: "k || '/' || source_id",
    storage_uri: "replace(storage_uri, 'file:', 'file:' || k || '/')",
  },
  track_artists: {
    track_id: 'track_id + k * :tracks',
    artist_id: 'artist_id + k * :artists',
    credit: "credit || ' ' || k",
  },
  track_genres: { track_id: 'track_id + k * :tracks' },
};

/** Indexes and triggers are made again at the end. The database is of nobody else meanwhile. */
export function growLibrary(client: Sqlite, times: number): void {
  const count = (table: string): number => client.prepare(`SELECT max(id) FROM ${table}`).pluck().get() as number;
  const offsets = { artists: count('artists'), albums: count('albums'), tracks: count('tracks') };
  for (const pragma of ['foreign_keys = OFF', 'synchronous = OFF', 'journal_mode = OFF', 'cache_size = -524288'])
    client.pragma(pragma);
  const made = client
    .prepare<[], { type: string; name: string; sql: string }>(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
       AND tbl_name IN (${TABLES.map((table) => `'${table}'`).join(', ')})`,
    )
    .all();
  for (const { type, name } of made) client.exec(`DROP ${type} "${name}"`);
  for (const table of TABLES) {
    const columns = (client.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
    const copy = client.prepare(
      `INSERT INTO ${table} (${columns.join(', ')})
       SELECT ${columns.map((name) => OF_COPY[table]?.[name] ?? name).join(', ')}
       FROM (SELECT :k AS k), ${table} WHERE ${columns.includes('id') ? `id <= :${table}` : firstCopy(table)}`,
    );
    for (let k = 1; k < times; k++) copy.run({ ...offsets, k });
  }
  client.exec(`UPDATE genres SET track_count = track_count * ${times}`);
  client.exec(
    `UPDATE library_totals SET tracks = tracks * ${times}, size_bytes = size_bytes * ${times}, duration_ms = duration_ms * ${times}`,
  );
  addToSearch(client, offsets, times);
  for (const { sql } of made) client.exec(sql);
  client.exec('ANALYZE');
  client.pragma('journal_mode = WAL');
}

const firstCopy = (table: string): string =>
  table.startsWith('album_') ? 'album_id <= :albums' : 'track_id <= :tracks';

/** What is found by the names of the first copy finds all of them. */
function addToSearch(client: Sqlite, offsets: Record<'artists' | 'albums' | 'tracks', number>, times: number): void {
  const trigrams = client.prepare('INSERT INTO search_trigrams (rowid, text) VALUES (CAST(? AS INTEGER), ?)');
  const grams = client.prepare('INSERT INTO search_grams (rowid, grams) VALUES (CAST(? AS INTEGER), ?)');
  for (const kind of ['artist', 'album', 'track'] satisfies SearchKind[]) {
    const most = offsets[`${kind}s`];
    const names = client.prepare<[number], string>(namesOf[kind]('?')).pluck();
    const texts = Array.from({ length: most }, (_, n) => {
      const found = names.get(n + 1);
      return found === undefined ? undefined : textOf(found);
    });
    const ofText = texts.map((text) => text && gramsOf(text));
    for (let k = 1; k < times; k++)
      client.transaction(() => {
        for (const [n, text] of texts.entries()) {
          if (text === undefined) continue;
          const rowid = searchBase(kind) + n + 1 + k * most;
          trigrams.run(rowid, text);
          grams.run(rowid, ofText[n]);
        }
      })();
  }
}
