// The rows of an export's JSON and CSV files, a few hundred at a time, with names beside ids.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sqlite } from '../db/client.ts';
import { FIELD_NAMES } from '../db/track-fields.ts';
import type { ExportPaths } from './export-paths.ts';
import { inNamedAlbum } from '../db/unknown-names.ts';

const ROWS_PER_QUERY = 500;

type Row = Record<string, unknown>;
type Rows = AsyncGenerator<Row>;

/** Minimum size of the chunks in which text is yielded. */
const CHUNK_CHARS = 65_536;

const toIsoTime = (ms: unknown): string | null => (typeof ms === 'number' ? new Date(ms).toISOString() : null);
const parseText = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : null);

interface DataFile {
  rows: () => Rows;
  /**
   * The lists inside each row. In CSV, each list becomes a file of its own; its rows have the column `idColumn` of the
   * outer row under the name `idAlias`.
   */
  lists?: { names: readonly string[]; idColumn: string; idAlias: string };
}

/** Returns the data files by name, without the extension. */
export const dataFiles = (
  db: Sqlite,
  paths: Pick<ExportPaths, 'pathOfTrack' | 'findFile'>,
): Record<string, DataFile> => ({
  ...Object.fromEntries(Object.entries(plainRows(db, paths)).map(([name, rows]) => [name, { rows }])),
  bookmarks: { rows: () => bookmarks(db), lists: { names: ['bookmarks'], idColumn: 'track_id', idAlias: 'track_id' } },
  podcasts: { rows: () => podcasts(db), lists: { names: ['episodes'], idColumn: 'id', idAlias: 'podcast_id' } },
  playlists: {
    rows: () => playlists(db),
    lists: { names: ['versions', 'entries', 'past_entries'], idColumn: 'id', idAlias: 'playlist_id' },
  },
});

const plainRows = (db: Sqlite, paths: Pick<ExportPaths, 'pathOfTrack' | 'findFile'>): Record<string, () => Rows> => ({
  users: () =>
    byId(
      db,
      'SELECT id, username, is_superuser, created_at FROM users WHERE id > ? ORDER BY id',
      ({ is_superuser, created_at, ...row }) => ({
        ...row,
        is_superuser: is_superuser === 1,
        created_at: toIsoTime(created_at),
      }),
    ),

  tracks: () =>
    byId(
      db,
      `SELECT t.id, t.title, t.artist_name, t.album_id, a.title AS album_title, r.name AS album_artist_name, t.genre,
      ${FIELD_NAMES.map((name) => `t.${name}`).join(', ')}, t.duration_ms, t.size_bytes,
      t.format, t.source, t.source_id, t.section_start, t.section_end, t.content_hash,
      t.audio_hash, t.recording_mbid, t.acoustid_id, t.created_at
    FROM tracks t LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')}
      LEFT JOIN artists r ON r.id = a.artist_id WHERE t.id > ?
    ORDER BY t.id`,
      (row) => ({ ...row, created_at: toIsoTime(row['created_at']), path: pathOf(paths, row['id']) }),
    ),

  albums: () =>
    byId(
      db,
      `SELECT a.id, a.title, r.name AS artist_name, a.year, a.genre, a.is_compilation, a.release_group_mbid,
        a.created_at, c.key AS cover FROM albums a LEFT JOIN artists r ON r.id = a.artist_id
        LEFT JOIN album_covers c ON c.album_id = a.id WHERE a.id > ? ORDER BY a.id`,
      ({ is_compilation, created_at, cover, ...row }) => ({
        ...row,
        is_compilation: is_compilation === 1,
        created_at: toIsoTime(created_at),
        cover: typeof cover === 'string' ? (paths.findFile(`stored:${cover}`)?.path ?? null) : null,
      }),
    ),

  artists: () =>
    byId(
      db,
      `SELECT x.id, x.name, x.sort_name, x.artist_mbid, x.never_split, x.created_at, p.key AS picture FROM artists x
        LEFT JOIN artist_pictures p ON p.artist_key = x.name_key AND p.is_current = 1 WHERE x.id > ? ORDER BY x.id`,
      ({ never_split, created_at, picture, ...row }) => ({
        ...row,
        never_split: never_split === 1,
        created_at: toIsoTime(created_at),
        picture: typeof picture === 'string' ? (paths.findFile(`stored:${picture}`)?.path ?? null) : null,
      }),
    ),

  radio: () =>
    byId(
      db,
      'SELECT id, name, stream_url, home_page_url, created_at FROM radio_stations WHERE id > ? ORDER BY id',
      ({ created_at, ...row }) => ({ ...row, created_at: toIsoTime(created_at) }),
    ),

  likes: () =>
    byId(
      db,
      `SELECT e.id, u.username, e.item_type, e.item_id, ${itemNameSql('e')}, e.liked, e.rating, e.created_at
        FROM like_events e JOIN users u ON u.id = e.user_id WHERE e.id > ? ORDER BY e.id`,
      ({ liked, created_at, ...row }) => ({ ...row, liked: liked === 1, created_at: toIsoTime(created_at) }),
    ),

  ratings: () => ratings(db),

  plays: () =>
    byId(
      db,
      `SELECT p.id, u.username, p.track_id, p.title, p.artist_name, p.album_title, p.recording_mbid, p.played_at,
        p.played_ms, p.client FROM plays p JOIN users u ON u.id = p.user_id
    WHERE p.id > ? AND p.withdrawn_at IS NULL ORDER BY p.id`,
      ({ played_at, ...row }) => ({ ...row, played_at: toIsoTime(played_at) }),
    ),

  lyrics: () =>
    byId(
      db,
      `SELECT t.id, t.title, t.artist_name, coalesce(f.synced, l.synced) AS synced, coalesce(f.lines, l.lines) AS lines
        FROM tracks t LEFT JOIN lyrics l ON l.track_id = t.id LEFT JOIN found_lyrics f ON f.track_id = t.id
        AND (f.is_manual = 1 OR l.track_id IS NULL)
        WHERE t.id > ? AND (l.track_id IS NOT NULL OR f.track_id IS NOT NULL) ORDER BY t.id`,
      ({ id, synced, lines, ...row }) => ({ track_id: id, ...row, synced: synced === 1, lines: parseText(lines) }),
    ),

  edits: () =>
    byId(
      db,
      `SELECT e.id, e.track_id, t.title, u.username, e.kind, e.changes, e.created_at FROM track_edits e
        JOIN tracks t ON t.id = e.track_id LEFT JOIN users u ON u.id = e.user_id WHERE e.id > ? ORDER BY e.id`,
      ({ changes, created_at, ...row }) => ({ ...row, changes: parseText(changes), created_at: toIsoTime(created_at) }),
    ),
});

const bookmarks = (db: Sqlite): Rows =>
  byId(
    db,
    `SELECT b.track_id AS id, t.title, t.artist_name, b.marks
      FROM (SELECT track_id, json_group_array(json_object('username', u.username, 'position_ms', k.position_ms,
      'comment', k.comment, 'updated_at', k.updated_at)) AS marks
      FROM bookmarks k JOIN users u ON u.id = k.user_id WHERE k.track_id > ? GROUP BY k.track_id) b
      JOIN tracks t ON t.id = b.track_id ORDER BY b.track_id`,
    ({ id, marks, ...row }) => ({
      track_id: id,
      ...row,
      bookmarks: (JSON.parse(String(marks)) as Row[]).map(({ updated_at, ...mark }) => ({
        ...mark,
        updated_at: toIsoTime(updated_at),
      })),
    }),
  );

/** Yields feeds with their episodes and the listeners' positions in them. */
async function* podcasts(db: Sqlite): Rows {
  const episodes = db.prepare<[number, number], Row>(
    `SELECT e.id, e.guid, e.title, e.published_at, e.audio_url, e.duration_ms,
      (SELECT json_group_object(u.username, p.position_ms) FROM podcast_positions p JOIN users u ON u.id = p.user_id
      WHERE p.episode_id = e.id) AS positions_ms
      FROM podcast_episodes e WHERE e.podcast_id = ? AND e.id > ? ORDER BY e.id LIMIT ${ROWS_PER_QUERY}`,
  );
  const feeds = byId(
    db,
    'SELECT id, url, title, description, image_url, created_at FROM podcasts WHERE id > ? ORDER BY id',
    ({ created_at, ...row }) => ({ ...row, created_at: toIsoTime(created_at) }),
  );
  for await (const feed of feeds) {
    const episodeRows = await collect((lastRow) => episodes.all(Number(feed['id']), Number(lastRow?.['id'] ?? 0)));
    yield {
      ...feed,
      episodes: episodeRows.map(({ published_at, positions_ms, ...episode }) => ({
        ...episode,
        published_at: toIsoTime(published_at),
        positions_ms: parseText(positions_ms),
      })),
    };
  }
}

const pathOf = (paths: Pick<ExportPaths, 'pathOfTrack'>, id: unknown): string | null => {
  const path = paths.pathOfTrack(Number(id));
  return path === undefined ? null : `Music/${path}`;
};

const itemNameSql = (
  alias: string,
): string => `CASE ${alias}.item_type WHEN 'track' THEN (SELECT title FROM tracks WHERE id = ${alias}.item_id)
  WHEN 'album' THEN (SELECT title FROM albums WHERE id = ${alias}.item_id)
  ELSE (SELECT name FROM artists WHERE id = ${alias}.item_id) END AS name`;

async function* byId(db: Sqlite, sql: string, toOut: (row: Row) => Row): Rows {
  const statement = db.prepare<[number], Row>(`${sql} LIMIT ${ROWS_PER_QUERY}`);
  for (let lastId = 0; ;) {
    const rows = statement.all(lastId);
    for (const row of rows) yield toOut(row);
    const lastRow = rows.at(-1);
    if (!lastRow) return;
    lastId = Number(lastRow['id']);
    await nextTurn();
  }
}

/** Yields the current likes and ratings: the sum of the events in likes.json, and ratings from the tags of files. */
async function* ratings(db: Sqlite): Rows {
  const statement = db.prepare<
    [number, string, number],
    Row
  >(`SELECT s.user_id, u.username, s.item_type, s.item_id, ${itemNameSql('s')}, s.liked, s.rating,
      s.rating_origin, s.since
    FROM like_states s JOIN users u ON u.id = s.user_id
    WHERE (s.user_id, s.item_type, s.item_id) > (?, ?, ?) ORDER BY s.user_id, s.item_type, s.item_id
    LIMIT ${ROWS_PER_QUERY}`);
  for (let lastKey: [number, string, number] = [0, '', 0]; ;) {
    const rows = statement.all(...lastKey);
    for (const { user_id: _, liked, since, ...row } of rows)
      yield { ...row, liked: liked === 1, since: toIsoTime(since) };
    const lastRow = rows.at(-1);
    if (!lastRow) return;
    lastKey = [Number(lastRow['user_id']), String(lastRow['item_type']), Number(lastRow['item_id'])];
    await nextTurn();
  }
}

/** Yields playlists with all versions: an entry was in the list from `since_version` until before `until_version`. */
async function* playlists(db: Sqlite): Rows {
  const versions = db.prepare<[number, number], Row>(
    `SELECT version, change, added, removed, moved, track_count, rules, created_at FROM playlist_versions
      WHERE playlist_id = ? AND version > ? ORDER BY version LIMIT ${ROWS_PER_QUERY}`,
  );
  const entries = db.prepare<
    [number, number, number],
    Row
  >(`SELECT e.id AS entry_id, e.track_id, t.title, t.artist_name, e.position, e.since_version, e.added_at
    FROM playlist_entries e JOIN tracks t ON t.id = e.track_id
    WHERE e.playlist_id = ? AND (e.position, e.id) > (?, ?) ORDER BY e.position, e.id LIMIT ${ROWS_PER_QUERY}`);
  const pastEntries = db.prepare<
    [number, number, number],
    Row
  >(`SELECT p.entry_id, p.track_id, coalesce(t.title, l.title) AS title, coalesce(t.artist_name,
    l.artist_name) AS artist_name, p.position, p.since_version, p.until_version, p.added_at
    FROM playlist_past_entries p LEFT JOIN tracks t ON t.id = p.track_id LEFT
    JOIN playlist_lost_tracks l ON l.track_id = p.track_id
    WHERE p.playlist_id = ? AND (p.until_version, p.entry_id) > (?, ?) ORDER BY p.until_version, p.entry_id
    LIMIT ${ROWS_PER_QUERY}`);
  const lists = byId(
    db,
    'SELECT p.id, u.username AS owner, p.name, p.description, p.is_public, p.version, p.rules, p.created_at, ' +
      'p.updated_at, p.deleted_at FROM playlists p JOIN users u ON u.id = p.owner_id WHERE p.id > ? ORDER BY p.id',
    (row) => row,
  );
  for await (const { is_public, rules, created_at, updated_at, deleted_at, ...list } of lists) {
    const id = Number(list['id']);
    const withIsoTime = ({ added_at, ...entry }: Row): Row => ({ ...entry, added_at: toIsoTime(added_at) });
    yield {
      ...list,
      is_public: is_public === 1,
      rules: parseText(rules),
      created_at: toIsoTime(created_at),
      updated_at: toIsoTime(updated_at),
      deleted_at: toIsoTime(deleted_at),
      versions: (await collect((lastRow) => versions.all(id, Number(lastRow?.['version'] ?? 0)))).map(
        ({ rules, created_at, ...version }) => ({
          ...version,
          rules: parseText(rules),
          created_at: toIsoTime(created_at),
        }),
      ),
      entries: (
        await collect((lastRow) =>
          entries.all(id, Number(lastRow?.['position'] ?? Number.MIN_SAFE_INTEGER), Number(lastRow?.['entry_id'] ?? 0)),
        )
      ).map(withIsoTime),
      past_entries: (
        await collect((lastRow) =>
          pastEntries.all(id, Number(lastRow?.['until_version'] ?? 0), Number(lastRow?.['entry_id'] ?? 0)),
        )
      ).map(withIsoTime),
    };
  }
}

async function collect(nextRows: (lastRow: Row | undefined) => Row[]): Promise<Row[]> {
  const allRows: Row[] = [];
  for (let rows = nextRows(undefined); rows.length > 0; rows = nextRows(rows.at(-1))) {
    allRows.push(...rows);
    await nextTurn();
  }
  return allRows;
}

/** Yields one JSON array with a row on each line. */
export async function* toJson(rows: AsyncIterable<object>, signal: AbortSignal): AsyncGenerator<string> {
  let text = '[';
  let isFirst = true;
  for await (const row of rows) {
    signal.throwIfAborted();
    text += `${isFirst ? '' : ','}\n${JSON.stringify(row)}`;
    isFirst = false;
    if (text.length < CHUNK_CHARS) continue;
    yield text;
    text = '';
  }
  yield `${text}\n]\n`;
}

type CsvText = (signal: AbortSignal) => AsyncGenerator<string>;

/**
 * Yields file names without extension and their texts as CSV (RFC 4180): one file with the rows, and a file for each
 * kind of list in the rows.
 */
export function* toCsvFiles(name: string, { rows, lists }: DataFile): Generator<[name: string, text: CsvText]> {
  yield [name, (signal) => csvText(withoutLists(rows(), lists?.names ?? []), signal)];
  for (const list of lists?.names ?? [])
    yield [
      list === name ? `${name}_of_users` : `${name}_${list}`,
      (signal) => csvText(listEntries(rows(), list, lists?.idColumn ?? '', lists?.idAlias ?? ''), signal),
    ];
}

async function* withoutLists(rows: Rows, names: readonly string[]): Rows {
  for await (const row of rows) yield Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

async function* listEntries(rows: Rows, list: string, idColumn: string, idAlias: string): Rows {
  for await (const row of rows) for (const entry of row[list] as Row[]) yield { [idAlias]: row[idColumn], ...entry };
}

/** Yields the rows as CSV. All rows must have the same columns. */
async function* csvText(rows: Rows, signal: AbortSignal): AsyncGenerator<string> {
  let text = '';
  let isFirst = true;
  for await (const row of rows) {
    signal.throwIfAborted();
    if (isFirst) text += csvLine(Object.keys(row));
    isFirst = false;
    text += csvLine(Object.values(row));
    if (text.length < CHUNK_CHARS) continue;
    yield text;
    text = '';
  }
  yield text;
}

const csvLine = (values: unknown[]): string => `${values.map(csvValue).join(',')}\r\n`;

/** Beginning of a text that a spreadsheet would run as a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value.replace(FORMULA_START, "'$&") : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
