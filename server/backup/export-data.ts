// The rows of an export's JSON files, a few hundred at a time, with names beside ids.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sqlite } from '../db/client.ts';
import { FIELD_NAMES } from '../db/track-fields.ts';
import type { ExportPaths } from './export-paths.ts';

const ROWS = 500;

type Row = Record<string, unknown>;
type Rows = AsyncGenerator<Row>;

const iso = (ms: unknown): string | null => (typeof ms === 'number' ? new Date(ms).toISOString() : null);
const parsed = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : null);

/** File name to rows. */
export const dataFiles = (db: Sqlite, paths: Pick<ExportPaths, 'of'>): Record<string, () => Rows> => ({
  'users.json': () =>
    byId(
      db,
      'SELECT id, username, is_superuser, created_at FROM users WHERE id > ? ORDER BY id',
      ({ is_superuser, created_at, ...row }) => ({
        ...row,
        is_superuser: is_superuser === 1,
        created_at: iso(created_at),
      }),
    ),

  'tracks.json': () =>
    byId(
      db,
      `SELECT t.id, t.title, t.artist_name, t.album_id, a.title AS album_title, r.name AS album_artist_name, t.genre,
      ${FIELD_NAMES.map((name) => `t.${name}`).join(', ')}, t.duration_ms, t.size_bytes,
      t.format, t.source, t.source_id, t.section_start, t.section_end, t.content_hash,
      t.audio_hash, t.recording_mbid, t.acoustid_id, t.created_at
    FROM tracks t LEFT JOIN albums a ON a.id = t.album_id LEFT JOIN artists r ON r.id = a.artist_id WHERE t.id > ?
    ORDER BY t.id`,
      (row) => ({ ...row, created_at: iso(row['created_at']), path: pathOf(paths, row['id']) }),
    ),

  'albums.json': () =>
    byId(
      db,
      `SELECT a.id, a.title, r.name AS artist_name, a.year, a.genre, a.is_compilation, a.release_group_mbid,
        a.created_at FROM albums a LEFT JOIN artists r ON r.id = a.artist_id WHERE a.id > ? ORDER BY a.id`,
      ({ is_compilation, created_at, ...row }) => ({
        ...row,
        is_compilation: is_compilation === 1,
        created_at: iso(created_at),
      }),
    ),

  'artists.json': () =>
    byId(
      db,
      'SELECT id, name, sort_name, artist_mbid, never_split, created_at FROM artists WHERE id > ? ORDER BY id',
      ({ never_split, created_at, ...row }) => ({
        ...row,
        never_split: never_split === 1,
        created_at: iso(created_at),
      }),
    ),

  'bookmarks.json': () =>
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
          updated_at: iso(updated_at),
        })),
      }),
    ),

  'radio.json': () =>
    byId(
      db,
      'SELECT id, name, stream_url, home_page_url, created_at FROM radio_stations WHERE id > ? ORDER BY id',
      ({ created_at, ...row }) => ({ ...row, created_at: iso(created_at) }),
    ),

  'likes.json': () =>
    byId(
      db,
      `SELECT e.id, u.username, e.item_type, e.item_id, ${nameOf('e')}, e.liked, e.rating, e.created_at
        FROM like_events e JOIN users u ON u.id = e.user_id WHERE e.id > ? ORDER BY e.id`,
      ({ liked, created_at, ...row }) => ({ ...row, liked: liked === 1, created_at: iso(created_at) }),
    ),

  'ratings.json': () => ratings(db),

  'plays.json': () =>
    byId(
      db,
      `SELECT p.id, u.username, p.track_id, p.title, p.artist_name, p.album_title, p.recording_mbid, p.played_at,
        p.played_ms, p.client FROM plays p JOIN users u ON u.id = p.user_id
    WHERE p.id > ? AND p.withdrawn_at IS NULL ORDER BY p.id`,
      ({ played_at, ...row }) => ({ ...row, played_at: iso(played_at) }),
    ),

  'playlists.json': () => playlists(db),
});

const pathOf = (paths: Pick<ExportPaths, 'of'>, id: unknown): string | null => {
  const path = paths.of(Number(id));
  return path === undefined ? null : `Music/${path}`;
};

const nameOf = (
  alias: string,
): string => `CASE ${alias}.item_type WHEN 'track' THEN (SELECT title FROM tracks WHERE id = ${alias}.item_id)
  WHEN 'album' THEN (SELECT title FROM albums WHERE id = ${alias}.item_id)
  ELSE (SELECT name FROM artists WHERE id = ${alias}.item_id) END AS name`;

async function* byId(db: Sqlite, sql: string, toOut: (row: Row) => Row): Rows {
  const statement = db.prepare<[number], Row>(`${sql} LIMIT ${ROWS}`);
  for (let after = 0; ;) {
    const rows = statement.all(after);
    for (const row of rows) yield toOut(row);
    const last = rows.at(-1);
    if (!last) return;
    after = Number(last['id']);
    await nextTurn();
  }
}

/** Current likes and ratings, the sum of the events in likes.json. */
async function* ratings(db: Sqlite): Rows {
  const statement = db.prepare<
    [number, string, number],
    Row
  >(`SELECT s.user_id, u.username, s.item_type, s.item_id, ${nameOf('s')}, s.liked, s.rating, s.since
    FROM like_states s JOIN users u ON u.id = s.user_id
    WHERE (s.user_id, s.item_type, s.item_id) > (?, ?, ?) ORDER BY s.user_id, s.item_type, s.item_id LIMIT ${ROWS}`);
  for (let after: [number, string, number] = [0, '', 0]; ;) {
    const rows = statement.all(...after);
    for (const { user_id: _, liked, since, ...row } of rows) yield { ...row, liked: liked === 1, since: iso(since) };
    const last = rows.at(-1);
    if (!last) return;
    after = [Number(last['user_id']), String(last['item_type']), Number(last['item_id'])];
    await nextTurn();
  }
}

/** With all versions: an entry was in the list from `since_version` until before `until_version`. */
async function* playlists(db: Sqlite): Rows {
  const versions = db.prepare<[number, number], Row>(
    `SELECT version, change, added, removed, moved, track_count, rules, created_at FROM playlist_versions
      WHERE playlist_id = ? AND version > ? ORDER BY version LIMIT ${ROWS}`,
  );
  const entries = db.prepare<
    [number, number, number],
    Row
  >(`SELECT e.id AS entry_id, e.track_id, t.title, t.artist_name, e.position, e.since_version, e.added_at
    FROM playlist_entries e JOIN tracks t ON t.id = e.track_id
    WHERE e.playlist_id = ? AND (e.position, e.id) > (?, ?) ORDER BY e.position, e.id LIMIT ${ROWS}`);
  const past = db.prepare<
    [number, number, number],
    Row
  >(`SELECT p.entry_id, p.track_id, coalesce(t.title, l.title) AS title, coalesce(t.artist_name,
    l.artist_name) AS artist_name, p.position, p.since_version, p.until_version, p.added_at
    FROM playlist_past_entries p LEFT JOIN tracks t ON t.id = p.track_id LEFT
    JOIN playlist_lost_tracks l ON l.track_id = p.track_id
    WHERE p.playlist_id = ? AND (p.until_version, p.entry_id) > (?, ?) ORDER BY p.until_version, p.entry_id
    LIMIT ${ROWS}`);
  const lists = byId(
    db,
    'SELECT p.id, u.username AS owner, p.name, p.description, p.is_public, p.version, p.rules, p.created_at, ' +
      'p.updated_at, p.deleted_at FROM playlists p JOIN users u ON u.id = p.owner_id WHERE p.id > ? ORDER BY p.id',
    (row) => row,
  );
  for await (const { is_public, rules, created_at, updated_at, deleted_at, ...list } of lists) {
    const id = Number(list['id']);
    const dated = ({ added_at, ...entry }: Row): Row => ({ ...entry, added_at: iso(added_at) });
    yield {
      ...list,
      is_public: is_public === 1,
      rules: parsed(rules),
      created_at: iso(created_at),
      updated_at: iso(updated_at),
      deleted_at: iso(deleted_at),
      versions: (await collect((last) => versions.all(id, Number(last?.['version'] ?? 0)))).map(
        ({ rules, created_at, ...version }) => ({ ...version, rules: parsed(rules), created_at: iso(created_at) }),
      ),
      entries: (
        await collect((last) =>
          entries.all(id, Number(last?.['position'] ?? Number.MIN_SAFE_INTEGER), Number(last?.['entry_id'] ?? 0)),
        )
      ).map(dated),
      past_entries: (
        await collect((last) => past.all(id, Number(last?.['until_version'] ?? 0), Number(last?.['entry_id'] ?? 0)))
      ).map(dated),
    };
  }
}

async function collect(next: (last: Row | undefined) => Row[]): Promise<Row[]> {
  const all: Row[] = [];
  for (let rows = next(undefined); rows.length > 0; rows = next(rows.at(-1))) {
    all.push(...rows);
    await nextTurn();
  }
  return all;
}
