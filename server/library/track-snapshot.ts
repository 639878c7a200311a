// A track with everything in the database that would go with its row, as JSON: to put all of it back under the same id.
// Which tables those are is read from the foreign keys, so that a new table is kept too.
import type { Database } from 'better-sqlite3';
import type { AlbumId, TrackId } from '../db/ids.ts';
import type { NamedItem } from '../db/schema.ts';
import { conflict } from '../errors.ts';

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
/** Rows that a track belongs to; their last track takes them along. */
export interface Parents {
  albums: Row[];
  albumKeys: Row[];
  albumCovers: Row[];
  artists: Row[];
  /** Absent in snapshots of earlier versions. */
  artistNevers?: Row[];
  genres: Row[];
}

/** An album or artist that was gone; one of the same name that came since has its place. */
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
/** Columns that triggers count up when the rows come back. */
const COUNTED: Record<string, Row> = {
  albums: { track_count: 0, disc_count: 0, duration_ms: 0, size_bytes: 0 },
  artists: { track_count: 0, album_count: 0, first_year: null },
  genres: { track_count: 0 },
};

/** All of it runs inside the caller's writing transaction. */
export function createTrackSnapshots(client: Database) {
  let read: { references: Reference[]; deleted: ReturnType<typeof withTheirChildren>; links: Reference[] } | undefined;
  /** Read when it is first wanted: it takes longer than any other statement of a start. */
  function schema(): NonNullable<typeof read> {
    if (read) return read;
    const references = client
      .prepare<[], Reference>(
        `SELECT m.name AS child, f."table" AS parent, f."from" AS "column", f."to" AS target, f.on_delete AS onDelete
        FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`,
      )
      .all();
    const links = references.filter(({ parent, onDelete }) => parent === TRACKS && onDelete === 'SET NULL');
    return (read = { references, deleted: withTheirChildren(references), links });
  }

  const select = (table: string, where: string, ...values: (string | number)[]): Row[] =>
    client
      .prepare<(string | number)[], Record<string, unknown>>(`SELECT * FROM ${table} WHERE ${where}`)
      .all(...values)
      .map(toRow);
  /** The primary key; of a table without one all columns. */
  const keyOf = (table: string): string[] =>
    client
      .prepare<[string], string>(
        `SELECT name FROM (SELECT name, pk, max(pk) OVER () AS has FROM pragma_table_info(?))
        WHERE pk > 0 OR has = 0 ORDER BY pk`,
      )
      .pluck()
      .all(table);
  const isThere = (table: string, column: string, value: Value): boolean =>
    value === null || client.prepare(`SELECT 1 FROM ${table} WHERE ${column} = ?`).get(toValue(value)) !== undefined;

  function insert(table: string, row: Row): void {
    const columns = Object.keys(row);
    client
      .prepare(
        `INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')})
        VALUES (${columns.map(() => '?').join(', ')})`,
      )
      .run(...columns.map((name) => toValue(row[name] ?? null)));
  }

  /** Everything that the row refers to is there. */
  const isWhole = (table: string, row: Row): boolean =>
    schema()
      .references.filter(({ child }) => child === table)
      .every(({ parent, column, target }) => isThere(parent, target, row[column] ?? null));

  /** Not with OR IGNORE, which would go for what triggers do too. */
  function insertNew(table: string, row: Row): void {
    const key = keyOf(table);
    const known = client.prepare(`SELECT 1 FROM ${table} WHERE ${key.map((name) => `${name} IS ?`).join(' AND ')}`);
    if (isWhole(table, row) && known.get(...key.map((name) => toValue(row[name] ?? null))) === undefined)
      insert(table, row);
  }

  function parentsOf(id: TrackId, track: Row): Parents {
    const albums = select('albums', 'id = ?', Number(track['album_id'] ?? 0));
    const artists = select(
      'artists',
      'id IN (SELECT artist_id FROM track_artists WHERE track_id = ? UNION SELECT ? UNION SELECT ?)',
      id,
      Number(track['artist_id'] ?? 0),
      Number(albums[0]?.['artist_id'] ?? 0),
    );
    const albumIds = `album_id IN (${albums.map((album) => Number(album['id'])).join()})`;
    return {
      albums,
      albumKeys: select('album_keys', albumIds),
      albumCovers: select('album_covers', albumIds),
      artists,
      artistNevers: select('radio_nevers', `artist_id IN (${artists.map((artist) => Number(artist['id'])).join()})`),
      genres: select('genres', 'id IN (SELECT genre_id FROM track_genres WHERE track_id = ?)', id),
    };
  }

  function take(id: TrackId): TrackSnapshot | undefined {
    const [track] = select(TRACKS, 'id = ?', id);
    return (
      track && {
        track,
        rows: schema().deleted.map(({ table, columns }) => ({
          table,
          rows: select(table, columns.map((column) => `${column} = ?`).join(' OR '), ...columns.map(() => id)),
        })),
        links: schema().links.map(({ child, column }) => ({
          table: child,
          column,
          keys: select(child, `${column} = ?`, id).map((row) =>
            Object.fromEntries(keyOf(child).map((name) => [name, row[name] ?? null])),
          ),
        })),
        parents: parentsOf(id, track),
      }
    );
  }

  /** Who and what a track belongs to. */
  function takeParents(id: TrackId): Parents | undefined {
    const [track] = select(TRACKS, 'id = ?', id);
    return track && parentsOf(id, track);
  }

  /** The row's id now: its own, where it is there or comes back; that of another one of the same name. */
  function bringBack(table: 'artists' | 'genres' | 'albums', row: Row, findSame: () => Value | undefined): Value {
    const id = row['id'] ?? null;
    if (isThere(table, 'id', id)) return id;
    const same = findSame();
    if (same !== undefined) return same;
    insert(table, { ...row, ...COUNTED[table] });
    return id;
  }
  const findId = (sql: string, value: Value): Value | undefined =>
    client.prepare<unknown[], number>(sql).pluck().get(toValue(value));

  const isTaken = ({ source = null, source_id: sourceId = null }: Row): boolean =>
    client.prepare('SELECT 1 FROM tracks WHERE source = ? AND source_id = ?').get(source, sourceId) !== undefined;

  const insertNever = client.prepare(
    `INSERT INTO radio_nevers (user_id, artist_id, created_at) SELECT u.id, x.id, ? FROM users u JOIN artists x
      ON x.id = ? WHERE u.id = ? ON CONFLICT DO NOTHING`,
  );

  /** Brings back the parents that are gone. Says where those are that have another id now. */
  function bringParents(parents: Parents) {
    const byName = (table: 'artists' | 'genres', row: Row): [Value, Value] => [
      row['id'] ?? null,
      bringBack(table, row, () => findId(`SELECT id FROM ${table} WHERE name_key = ?`, row['name_key'] ?? null)),
    ];
    const goneArtists = parents.artists.flatMap(({ id = null }) => (isThere('artists', 'id', id) ? [] : [id]));
    const artists = new Map(parents.artists.map((row) => byName('artists', row)));
    const genres = new Map(parents.genres.map((row) => byName('genres', row)));
    const moved = (map: Map<Value, Value>, value: Value | undefined): Value => map.get(value ?? null) ?? value ?? null;
    // an album's key may name its artist by the id (library/resolve.ts)
    const albumKeys = parents.albumKeys.map((row): Row => ({
      ...row,
      key: (typeof row['key'] === 'string' ? row['key'] : '').replace(
        /^((?:f:\d+:|[drl]:)?t:)(\d+)(?=:)/,
        (_, before: string, artistId: string) => `${before}${Number(moved(artists, Number(artistId)))}`,
      ),
    }));
    const albums = new Map(
      parents.albums.map((row): [Value, Value] => {
        const keys = albumKeys.filter((key) => key['album_id'] === row['id']);
        const sameName = (): Value | undefined =>
          keys
            .map(({ key }) => findId('SELECT album_id FROM album_keys WHERE key = ?', key ?? null))
            .find((found) => found !== undefined);
        return [
          row['id'] ?? null,
          bringBack('albums', { ...row, artist_id: moved(artists, row['artist_id']) }, sameName),
        ];
      }),
    );
    for (const row of albumKeys) insertNew('album_keys', row);
    for (const row of parents.albumCovers) insertNew('album_covers', row);
    for (const row of parents.artistNevers ?? [])
      if (goneArtists.includes(row['artist_id'] ?? null))
        insertNever.run(row['created_at'], moved(artists, row['artist_id']), row['user_id']);

    const renumberedOf = (type: NamedItem, ids: Map<Value, Value>): Renumbered[] =>
      [...ids].flatMap(([from, to]) => (from === to ? [] : [{ type, from: Number(from), to: Number(to) }]));

    return {
      renumbered: [...renumberedOf('album', albums), ...renumberedOf('artist', artists)],
      artistOf: (value: Value | undefined) => moved(artists, value),
      albumOf: (value: Value | undefined) => moved(albums, value),
      /** A row of a table that refers to them. */
      pointed: (row: Row): Row => ({
        ...row,
        ...('artist_id' in row && { artist_id: moved(artists, row['artist_id']) }),
        ...('genre_id' in row && { genre_id: moved(genres, row['genre_id']) }),
      }),
    };
  }

  /** Throws `conflict` where another track has the file's place. */
  function putBack({ track, rows, links: linked, parents }: TrackSnapshot): {
    albumId: AlbumId | null;
    renumbered: Renumbered[];
  } {
    const id = Number(track['id']) as TrackId;
    if (isTaken(track)) throw conflict('Another track has come from the same file since.');
    const { artistOf, albumOf, pointed, renumbered } = bringParents(parents);
    const albumId = albumOf(track['album_id']);
    const uploader = isThere('users', 'id', track['uploaded_by'] ?? null) ? (track['uploaded_by'] ?? null) : null;
    insert(TRACKS, {
      ...track,
      album_id: albumId,
      artist_id: artistOf(track['artist_id']),
      uploaded_by: uploader,
    });
    for (const { table, rows: some } of rows) for (const row of some) insertNew(table, pointed(row));
    for (const { table, column, keys } of linked)
      for (const key of keys) {
        const names = Object.keys(key);
        client
          .prepare(
            `UPDATE ${table} SET ${column} = ?
            WHERE ${column} IS NULL AND ${names.map((name) => `${name} = ?`).join(' AND ')}`,
          )
          .run(id, ...names.map((name) => toValue(key[name] ?? null)));
      }
    return { albumId: albumId === null ? null : (Number(albumId) as AlbumId), renumbered };
  }

  const marked = (names: string[]): string => names.map((name) => `"${name}" = ?`).join(' AND ');

  return {
    take,
    putBack,
    takeParents,
    bringParents,
    /** The primary keys of the rows that refer to the track. */
    keysOf: (table: string, column: string, id: TrackId): Row[] => {
      const names = keyOf(table);
      return select(table, `${column} = ?`, id).map((row) =>
        Object.fromEntries(names.map((name) => [name, row[name] ?? null])),
      );
    },
    /** Lets those of the rows that refer to `from`, or to no track, refer to `to`. */
    moveRows(table: string, column: string, keys: Row[], from: TrackId, to: TrackId): void {
      for (const key of keys) {
        const names = Object.keys(key);
        client
          .prepare(`UPDATE ${table} SET ${column} = ? WHERE (${column} = ? OR ${column} IS NULL) AND ${marked(names)}`)
          .run(to, from, ...names.map((name) => toValue(key[name] ?? null)));
      }
    },
    /** Instead of all that a track has in these tables. */
    replaceRows(id: TrackId, tables: readonly string[], rows: TrackSnapshot['rows']): void {
      for (const { table, columns } of schema().deleted)
        if (tables.includes(table)) client.prepare(`DELETE FROM ${table} WHERE ${columns[0]} = ?`).run(id);
      for (const { table, rows: some } of rows) for (const row of some) insertNew(table, row);
    },
  };
}

/** Tables whose rows are deleted with a track's, parents first, and the columns that refer to it. */
function withTheirChildren(references: Reference[]): { table: string; columns: string[] }[] {
  const found = new Map<string, string[]>();
  for (const parent of [TRACKS, ...walk([TRACKS])])
    for (const { child, column } of references.filter((one) => one.parent === parent && one.onDelete === 'CASCADE'))
      found.set(child, [...new Set([...(found.get(child) ?? []), column])]);
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
  return [...found].map(([table, columns]) => ({ table, columns }));
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
