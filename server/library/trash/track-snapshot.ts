// A track with everything in the database that is deleted with its row, as JSON, so that all of it can be restored
// under the same id. The tables are read from the foreign keys, so that a new table is kept too.
import type { Database } from 'better-sqlite3';
import type { AlbumId, TrackId } from '../../db/ids.ts';
import type { NamedItem } from '../../db/schema.ts';
import { conflict } from '../../errors.ts';
import { bindContext } from '../../runtime/bind-context.ts';

export type Value = string | number | null | { $blob: string };
export type Row = Record<string, Value>;

export interface TrackSnapshot {
  track: Row;
  /** Rows that are deleted with the track, in an order in which they can be inserted. */
  rows: { table: string; rows: Row[] }[];
  /** Rows that stay and lose their reference to the track, by their primary keys. */
  links: { table: string; column: string; keys: Row[] }[];
  parents: Parents;
}
/** Rows that a track belongs to; they are deleted with their last track. */
export interface Parents {
  albums: Row[];
  albumKeys: Row[];
  albumCovers: Row[];
  artists: Row[];
  /** Absent in snapshots of earlier versions. */
  artistNevers?: Row[];
  genres: Row[];
}

/** An album or artist that was deleted, and whose name another row has now. */
export interface Renumbered {
  type: NamedItem;
  from: number;
  to: number;
}

interface Reference {
  child: string;
  parent: string;
  column: string;
  target: string;
  onDelete: string;
}

const TRACKS = 'tracks';
/** Initial values of columns that triggers count when the rows are inserted again. */
const COUNTED_COLUMNS: Record<string, Row> = {
  albums: { track_count: 0, disc_count: 0, duration_ms: 0, size_bytes: 0 },
  artists: { track_count: 0, album_count: 0, first_year: null },
  genres: { track_count: 0 },
};

/** The tables and foreign keys that a track has rows in. */
interface TrackSchema {
  references: Reference[];
  deletedTables: ReturnType<typeof tablesDeletedWithTrack>;
  links: Reference[];
}

/** Creates the snapshots. Every method runs inside the caller's write transaction. */
export function createTrackSnapshots(client: Database) {
  const context = createContext(client);

  return {
    ...bindContext(context, { keysOf, moveRows, replaceRows, putBack, takeParents, bringParents }),
    take: (id: TrackId) => takeSnapshot(context, id),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext(client: Database) {
  const insertNever = client.prepare(
    `INSERT INTO radio_nevers (user_id, artist_id, created_at) SELECT u.id, x.id, ? FROM users u JOIN artists x
      ON x.id = ? WHERE u.id = ? ON CONFLICT DO NOTHING`,
  );
  return { client, insertNever, cachedSchema: undefined as TrackSchema | undefined };
}

/**
 * Returns the tables and foreign keys. They are read on first use: that takes longer than any other statement at a
 * start.
 */
function schema(context: Context): TrackSchema {
  if (context.cachedSchema) return context.cachedSchema;
  const references = context.client
    .prepare<[], Reference>(
      `SELECT m.name AS child, f."table" AS parent, f."from" AS "column", f."to" AS target, f.on_delete AS onDelete
        FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`,
    )
    .all();
  const links = references.filter(({ parent, onDelete }) => parent === TRACKS && onDelete === 'SET NULL');
  return (context.cachedSchema = { references, deletedTables: tablesDeletedWithTrack(references), links });
}

const selectRows = ({ client }: Context, table: string, where: string, ...values: (string | number)[]): Row[] =>
  client
    .prepare<(string | number)[], Record<string, unknown>>(`SELECT * FROM ${table} WHERE ${where}`)
    .all(...values)
    .map(toRow);

/** Returns the primary key of a table; all columns for a table without a primary key. */
const keyOf = ({ client }: Context, table: string): string[] =>
  client
    .prepare<[string], string>(
      `SELECT name FROM (SELECT name, pk, max(pk) OVER () AS has FROM pragma_table_info(?))
        WHERE pk > 0 OR has = 0 ORDER BY pk`,
    )
    .pluck()
    .all(table);

const hasRow = ({ client }: Context, table: string, column: string, value: Value): boolean =>
  value === null || client.prepare(`SELECT 1 FROM ${table} WHERE ${column} = ?`).get(toValue(value)) !== undefined;

function insert(context: Context, table: string, row: Row): void {
  const columns = Object.keys(row);
  context.client
    .prepare(
      `INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')})
        VALUES (${columns.map(() => '?').join(', ')})`,
    )
    .run(...columns.map((name) => toValue(row[name] ?? null)));
}

/** Returns whether everything that the row refers to exists. */
const hasAllReferences = (context: Context, table: string, row: Row): boolean =>
  schema(context)
    .references.filter(({ child }) => child === table)
    .every(({ parent, column, target }) => hasRow(context, parent, target, row[column] ?? null));

/** Inserts a row that does not exist. OR IGNORE would also apply to the statements of triggers. */
function insertNew(context: Context, table: string, row: Row): void {
  const key = keyOf(context, table);
  const findRow = context.client.prepare(
    `SELECT 1 FROM ${table} WHERE ${key.map((name) => `${name} IS ?`).join(' AND ')}`,
  );
  if (
    hasAllReferences(context, table, row) &&
    findRow.get(...key.map((name) => toValue(row[name] ?? null))) === undefined
  )
    insert(context, table, row);
}

function parentsOf(context: Context, id: TrackId, track: Row): Parents {
  const albums = selectRows(context, 'albums', 'id = ?', Number(track['album_id'] ?? 0));
  const artists = selectRows(
    context,
    'artists',
    `id IN (SELECT artist_id FROM track_artists WHERE track_id = ?
      UNION SELECT artist_id FROM track_album_artists WHERE track_id = ? UNION SELECT ? UNION SELECT ?)`,
    id,
    id,
    Number(track['artist_id'] ?? 0),
    Number(albums[0]?.['artist_id'] ?? 0),
  );
  const albumIds = `album_id IN (${albums.map((album) => Number(album['id'])).join()})`;
  return {
    albums,
    albumKeys: selectRows(context, 'album_keys', albumIds),
    albumCovers: selectRows(context, 'album_covers', albumIds),
    artists,
    artistNevers: selectRows(
      context,
      'radio_nevers',
      `artist_id IN (${artists.map((artist) => Number(artist['id'])).join()})`,
    ),
    genres: selectRows(context, 'genres', 'id IN (SELECT genre_id FROM track_genres WHERE track_id = ?)', id),
  };
}

function takeSnapshot(context: Context, id: TrackId): TrackSnapshot | undefined {
  const [track] = selectRows(context, TRACKS, 'id = ?', id);
  return (
    track && {
      track,
      rows: schema(context).deletedTables.map(({ table, columns }) => ({
        table,
        rows: selectRows(
          context,
          table,
          columns.map((column) => `${column} = ?`).join(' OR '),
          ...columns.map(() => id),
        ),
      })),
      links: schema(context).links.map(({ child, column }) => ({
        table: child,
        column,
        keys: selectRows(context, child, `${column} = ?`, id).map((row) =>
          Object.fromEntries(keyOf(context, child).map((name) => [name, row[name] ?? null])),
        ),
      })),
      parents: parentsOf(context, id, track),
    }
  );
}

/** Returns the albums, artists and genres of a track. */
function takeParents(context: Context, id: TrackId): Parents | undefined {
  const [track] = selectRows(context, TRACKS, 'id = ?', id);
  return track && parentsOf(context, id, track);
}

/** Inserts a row again if it is gone; returns its id, or the id of a row that has the same name now. */
function bringBack(
  context: Context,
  table: 'artists' | 'genres' | 'albums',
  row: Row,
  findSame: () => Value | undefined,
): Value {
  const id = row['id'] ?? null;
  if (hasRow(context, table, 'id', id)) return id;
  const sameNamedId = findSame();
  if (sameNamedId !== undefined) return sameNamedId;
  insert(context, table, { ...row, ...COUNTED_COLUMNS[table] });
  return id;
}

const findId = ({ client }: Context, sql: string, value: Value): Value | undefined =>
  client.prepare<unknown[], number>(sql).pluck().get(toValue(value));

const isPlaceTaken = ({ client }: Context, { source = null, source_id: sourceId = null }: Row): boolean =>
  client.prepare('SELECT 1 FROM tracks WHERE source = ? AND source_id = ?').get(source, sourceId) !== undefined;

/** Inserts deleted albums, artists and genres again; returns which of them have other ids now. */
function bringParents(context: Context, parents: Parents) {
  const byName = (table: 'artists' | 'genres', row: Row): [Value, Value] => [
    row['id'] ?? null,
    bringBack(context, table, row, () =>
      findId(context, `SELECT id FROM ${table} WHERE name_key = ?`, row['name_key'] ?? null),
    ),
  ];
  const goneArtists = parents.artists.flatMap(({ id = null }) => (hasRow(context, 'artists', 'id', id) ? [] : [id]));
  const artists = new Map(parents.artists.map((row) => byName('artists', row)));
  const genres = new Map(parents.genres.map((row) => byName('genres', row)));
  const newIdOf = (map: Map<Value, Value>, value: Value | undefined): Value => map.get(value ?? null) ?? value ?? null;
  // an album's key may contain the id of its artist (library/resolve.ts)
  const albumKeys = parents.albumKeys.map((row): Row => ({
    ...row,
    key: (typeof row['key'] === 'string' ? row['key'] : '').replace(
      /^((?:f:\d+:|[drl]:)?t:)(\d+)(?=:)/,
      (_, prefix: string, artistId: string) => `${prefix}${Number(newIdOf(artists, Number(artistId)))}`,
    ),
  }));
  const albums = new Map(
    parents.albums.map((row): [Value, Value] => {
      const keys = albumKeys.filter((key) => key['album_id'] === row['id']);
      const sameName = (): Value | undefined =>
        keys
          .map(({ key }) => findId(context, 'SELECT album_id FROM album_keys WHERE key = ?', key ?? null))
          .find((id) => id !== undefined);
      return [
        row['id'] ?? null,
        bringBack(context, 'albums', { ...row, artist_id: newIdOf(artists, row['artist_id']) }, sameName),
      ];
    }),
  );
  for (const row of albumKeys) insertNew(context, 'album_keys', row);
  for (const row of parents.albumCovers) insertNew(context, 'album_covers', row);
  for (const row of parents.artistNevers ?? [])
    if (goneArtists.includes(row['artist_id'] ?? null))
      context.insertNever.run(row['created_at'], newIdOf(artists, row['artist_id']), row['user_id']);

  const renumberedOf = (type: NamedItem, ids: Map<Value, Value>): Renumbered[] =>
    [...ids].flatMap(([from, to]) => (from === to ? [] : [{ type, from: Number(from), to: Number(to) }]));

  return {
    renumbered: [...renumberedOf('album', albums), ...renumberedOf('artist', artists)],
    artistOf: (value: Value | undefined) => newIdOf(artists, value),
    albumOf: (value: Value | undefined) => newIdOf(albums, value),
    /** Returns a row with the new ids of its artist and genre. */
    withNewIds: (row: Row): Row => ({
      ...row,
      ...('artist_id' in row && { artist_id: newIdOf(artists, row['artist_id']) }),
      ...('genre_id' in row && { genre_id: newIdOf(genres, row['genre_id']) }),
    }),
  };
}

/** Inserts all rows of a snapshot. Throws `conflict` when another track has the place of the file. */
function putBack(
  context: Context,
  { track, rows, links: linkedRows, parents }: TrackSnapshot,
): {
  albumId: AlbumId | null;
  renumbered: Renumbered[];
} {
  const id = Number(track['id']) as TrackId;
  if (isPlaceTaken(context, track)) throw conflict('Another track has come from the same file since.');
  const { artistOf, albumOf, withNewIds, renumbered } = bringParents(context, parents);
  const albumId = albumOf(track['album_id']);
  const uploader = hasRow(context, 'users', 'id', track['uploaded_by'] ?? null) ? (track['uploaded_by'] ?? null) : null;
  insert(context, TRACKS, {
    ...track,
    album_id: albumId,
    artist_id: artistOf(track['artist_id']),
    uploaded_by: uploader,
  });
  for (const { table, rows: tableRows } of rows)
    for (const row of tableRows) insertNew(context, table, withNewIds(row));
  for (const { table, column, keys } of linkedRows)
    for (const key of keys) {
      const names = Object.keys(key);
      context.client
        .prepare(
          `UPDATE ${table} SET ${column} = ?
            WHERE ${column} IS NULL AND ${names.map((name) => `${name} = ?`).join(' AND ')}`,
        )
        .run(id, ...names.map((name) => toValue(key[name] ?? null)));
    }
  return { albumId: albumId === null ? null : (Number(albumId) as AlbumId), renumbered };
}

const allEqual = (names: string[]): string => names.map((name) => `"${name}" = ?`).join(' AND ');

/** Returns the primary keys of the rows that refer to the track. */
function keysOf(context: Context, table: string, column: string, id: TrackId): Row[] {
  const names = keyOf(context, table);
  return selectRows(context, table, `${column} = ?`, id).map((row) =>
    Object.fromEntries(names.map((name) => [name, row[name] ?? null])),
  );
}

/** Changes the rows with these keys that refer to `from`, or to no track, so that they refer to `to`. */
function moveRows({ client }: Context, table: string, column: string, keys: Row[], from: TrackId, to: TrackId): void {
  for (const key of keys) {
    const names = Object.keys(key);
    client
      .prepare(`UPDATE ${table} SET ${column} = ? WHERE (${column} = ? OR ${column} IS NULL) AND ${allEqual(names)}`)
      .run(to, from, ...names.map((name) => toValue(key[name] ?? null)));
  }
}

/** Replaces all rows that a track has in these tables. */
function replaceRows(context: Context, id: TrackId, tables: readonly string[], rows: TrackSnapshot['rows']): void {
  for (const { table, columns } of schema(context).deletedTables)
    if (tables.includes(table)) context.client.prepare(`DELETE FROM ${table} WHERE ${columns[0]} = ?`).run(id);
  for (const { table, rows: tableRows } of rows) for (const row of tableRows) insertNew(context, table, row);
}

/** Returns the tables whose rows are deleted with a track's, parents first, and the columns that refer to it. */
function tablesDeletedWithTrack(references: Reference[]): { table: string; columns: string[] }[] {
  const columnsByTable = new Map<string, string[]>();
  for (const parent of [TRACKS, ...walk([TRACKS])])
    for (const { child, column } of references.filter(
      (reference) => reference.parent === parent && reference.onDelete === 'CASCADE',
    ))
      columnsByTable.set(child, [...new Set([...(columnsByTable.get(child) ?? []), column])]);
  function walk(parents: string[]): string[] {
    const children = [
      ...new Set(
        references
          .filter(({ parent, onDelete }) => parents.includes(parent) && onDelete === 'CASCADE')
          .map(({ child }) => child),
      ),
    ];
    return children.length === 0 ? [] : [...children, ...walk(children)];
  }
  return [...columnsByTable].map(([table, columns]) => ({ table, columns }));
}

const toRow = (row: Record<string, unknown>): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? { $blob: Buffer.from(value).toString('base64') } : (value as Value),
    ]),
  );
const toValue = (value: Value): string | number | null | Buffer =>
  value !== null && typeof value === 'object' ? Buffer.from(value.$blob, 'base64') : value;
