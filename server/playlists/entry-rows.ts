// Reads and writes the entries of playlists in all versions. A removed or moved entry is kept as a past entry, so that
// a version needs no copy of the list: adding a track to 50,000 writes one row. Statements are prepared, since lists
// are long; a unary `+` keeps SQLite from scanning a whole list to find some ids. Runs inside the caller's transaction.
import type { Sqlite } from '../db/client.ts';
import type { PlaylistId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { playlistEntries, tracks } from '../db/schema.ts';
import type { Page } from '../http/paging.ts';
import { waitForTurn } from '../runtime/time-slices.ts';
import { GAP } from './positions.ts';
import { inNamedAlbum } from '../db/unknown-names.ts';
import { bindContext } from '../runtime/bind-context.ts';

/** An entry. `position` defines the order; it is not an index and has gaps. */
type EntryRow = RowAs<typeof playlistEntries, 'id' | 'trackId' | 'position' | 'addedAt'>;
type Position = RowAs<typeof playlistEntries, 'position'>;
export interface NewEntry {
  id: number | undefined;
  trackId: TrackId;
  position: number;
  addedAt: number;
}
/** An entry of some version, whose track may have been removed. */
export interface VersionRow extends EntryRow, RowAs<typeof tracks, 'title' | 'artistName' | 'durationMs'> {
  isThere: 0 | 1;
  albumTitle: string | null;
}
export type ListedEntry = RowAs<typeof playlistEntries, 'id' | 'trackId' | 'position'>;
/** Key of a past entry: past entries are read by the version that ended them. */
interface PastKey {
  until: number;
  id: number;
}
interface PastPart extends PastKey {
  playlistId: PlaylistId;
  version: number;
  endUntil: number;
  endId: number;
}
interface Neighbours {
  before: number | undefined;
  after: number | undefined;
}

export type EntryRows = ReturnType<typeof createEntryRows>;

/** The number of rows that one statement reads. */
const ROWS_PER_READ = 500;
const ENTRY = 'e.id, e.track_id AS trackId, e.position, e.added_at AS addedAt';

export function createEntryRows(client: Sqlite) {
  const context = createContext(client);

  return {
    ...bindContext(context, { all, aroundIndex, aroundEntry, end, move, differences, renumber }),
    /** Returns the ids of all entries in order. */
    ids: (playlistId: PlaylistId): number[] => context.ids.all(playlistId),
    page: (playlistId: PlaylistId, { limit, offset }: Page): EntryRow[] => context.page.all(playlistId, limit, offset),
    /** Returns the entries with these ids, in the order of the ids; unknown ids are skipped. */
    listSelected: (playlistId: PlaylistId, ids: readonly number[]): EntryRow[] =>
      context.listSelected.all(JSON.stringify(ids), playlistId),
    insert: (playlistId: PlaylistId, version: number, rows: readonly NewEntry[]): void =>
      void context.insert.run({
        playlistId,
        version,
        rows: JSON.stringify(
          rows.map(({ id, position, trackId, addedAt }) => [id ?? null, position, trackId, addedAt]),
        ),
      }),
    /** Returns those of the tracks that are in the list. */
    listKnownTracks: (playlistId: PlaylistId, trackIds: readonly TrackId[]): Set<TrackId> =>
      new Set(context.listKnownTracks.all(JSON.stringify(trackIds), playlistId)),
    /** Returns the entries of these tracks in the list. */
    entriesOf: (playlistId: PlaylistId, trackIds: readonly TrackId[]): { id: number; trackId: TrackId }[] =>
      context.entriesOf.all(JSON.stringify(trackIds), playlistId),
    /** Returns one of the tracks that does not exist; undefined if all exist. */
    findAbsentTrack: (trackIds: readonly TrackId[]): TrackId | undefined =>
      context.findAbsentTrack.get(JSON.stringify(trackIds)),
    /** Returns one of the ids that is no entry of the list; undefined if all are. */
    findAbsentEntry: (playlistId: PlaylistId, ids: readonly number[]): number | undefined =>
      context.findAbsentEntry.get(JSON.stringify(ids), playlistId),
    version: (playlistId: PlaylistId, version_: number, { limit, offset }: Page): VersionRow[] =>
      context.version.all({ playlistId, version: version_, limit, offset }),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext(client: Sqlite) {
  const page = client.prepare<[PlaylistId, number, number], EntryRow>(
    `SELECT ${ENTRY} FROM playlist_entries e WHERE e.playlist_id = ? ORDER BY e.position, e.id LIMIT ? OFFSET ?`,
  );
  const listSelected = client.prepare<[string, PlaylistId], EntryRow>(
    `SELECT ${ENTRY} FROM json_each(?) j CROSS JOIN playlist_entries e ON e.id = j.value WHERE e.playlist_id = ?`,
  );
  const ids = client.prepare<[PlaylistId], number>(selectInOrder('id')).pluck();
  const listAll = client.prepare<[PlaylistId], ListedEntry>(selectInOrder('id, track_id AS trackId, position'));
  const newerThan = client.prepare<[PlaylistId, number], Position & { id: number }>(
    'SELECT id, position FROM playlist_entries WHERE playlist_id = ? AND since_version > ?',
  );
  const findLast = client.prepare<[PlaylistId], Position>(
    'SELECT position FROM playlist_entries WHERE playlist_id = ? ORDER BY position DESC, id DESC LIMIT 1',
  );
  const findPreceding = client.prepare<[PlaylistId, number, number], Position & { id: number }>(
    `SELECT position, id FROM playlist_entries WHERE playlist_id = ? AND (position, id) < (?, ?)
      ORDER BY position DESC, id DESC LIMIT ${ROWS_PER_READ}`,
  );
  const insert =
    client.prepare(`INSERT INTO playlist_entries (id, playlist_id, position, track_id, added_at, since_version)
    SELECT value ->> 0, @playlistId, value ->> 1, value ->> 2, value ->> 3, @version FROM json_each(@rows)
    WHERE EXISTS (SELECT 1 FROM tracks t WHERE t.id = value ->> 2)`);
  const keepPast =
    client.prepare(`INSERT INTO playlist_past_entries (playlist_id, until_version, entry_id, since_version, position,
      track_id, added_at)
    SELECT e.playlist_id, @version, e.id, e.since_version, e.position, e.track_id, e.added_at
    FROM json_each(@ids) j CROSS JOIN playlist_entries e ON e.id = j.value WHERE e.playlist_id = @playlistId`);
  const remove = client.prepare(
    'DELETE FROM playlist_entries WHERE id IN (SELECT value FROM json_each(@ids)) AND +playlist_id = @playlistId',
  );
  const place = client.prepare(`UPDATE playlist_entries SET position = j.value ->> 1, since_version = @version
      FROM json_each(@places) j
    WHERE playlist_entries.id = j.value ->> 0 AND +playlist_entries.playlist_id = @playlistId`);
  const listKnownTracks = client
    .prepare<[string, PlaylistId], TrackId>(
      'SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM playlist_entries e WHERE e.track_id = value ' +
        'AND e.playlist_id = ?)',
    )
    .pluck();
  const entriesOf = client.prepare<[string, PlaylistId], { id: number; trackId: TrackId }>(
    `SELECT e.id, e.track_id AS trackId FROM json_each(?) ids
      CROSS JOIN playlist_entries e ON e.track_id = ids.value AND e.playlist_id = ?`,
  );
  const findAbsentTrack = client
    .prepare<[string], TrackId>(
      'SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM tracks WHERE id = value) LIMIT 1',
    )
    .pluck();
  const findAbsentEntry = client
    .prepare<[string, PlaylistId], number>(
      `SELECT value FROM json_each(?)
        WHERE NOT EXISTS (SELECT 1 FROM playlist_entries WHERE id = value AND +playlist_id = ?) LIMIT 1`,
    )
    .pluck();
  const pastEntries = `SELECT entry_id AS id, track_id AS trackId, position, added_at AS addedAt
    FROM playlist_past_entries
    WHERE playlist_id = @playlistId AND until_version > @version AND since_version <= @version`;
  const IN_TURN = '(until_version, entry_id)';
  const endOfPart = client.prepare<{ playlistId: PlaylistId; until: number; id: number }, PastKey>(
    `SELECT until_version AS until, entry_id AS id FROM playlist_past_entries WHERE playlist_id = @playlistId
      AND ${IN_TURN} > (@until, @id) ORDER BY until_version, entry_id LIMIT 1 OFFSET ${ROWS_PER_READ - 1}`,
  );
  const pastPart = client.prepare<PastPart, VersionRow>(
    withNames(`${pastEntries} AND ${IN_TURN} > (@until, @id) AND ${IN_TURN} <= (@endUntil, @endId)`),
  );
  const version = client.prepare<
    { playlistId: PlaylistId; version: number; limit: number; offset: number },
    VersionRow
  >(
    withNames(`
    SELECT id, track_id AS trackId, position, added_at AS addedAt FROM playlist_entries WHERE playlist_id = @playlistId
    AND since_version <= @version
    UNION ALL ${pastEntries} ORDER BY position, id LIMIT @limit OFFSET @offset`),
  );
  const tables = ['playlist_entries', 'playlist_past_entries'];
  const positionsBelow = positionsBeyond(client, tables, '<', 'DESC');
  const positionsAbove = positionsBeyond(client, tables, '>', 'ASC');
  const extents = tables.map((table) => {
    const select = (aggregate: string): string => `(SELECT ${aggregate} FROM ${table} WHERE playlist_id = @id)`;
    return client.prepare<{ id: PlaylistId }, { lowest: number | null; highest: number | null; count: number }>(
      `SELECT ${select('min(position)')} AS lowest, ${select('max(position)')} AS highest,
        ${select('count(*)')} AS count`,
    );
  });
  const replaceAll = tables.map((table) =>
    client.prepare<[string, PlaylistId]>(
      `UPDATE ${table} SET position = j.value ->> 1 FROM json_each(?) j
        WHERE ${table}.playlist_id = ? AND ${table}.position = j.value ->> 0`,
    ),
  );
  const renumberPart = client.transaction((id: PlaylistId, isUpwards: boolean, from: number, to: number) => {
    const positionsByTable = (isUpwards ? positionsBelow : positionsAbove).map((statement) => statement.all(id, from));
    // beyond these positions, not all tables may have been read
    const endPositions = positionsByTable.flatMap((tablePositions) =>
      tablePositions.length < ROWS_PER_READ ? [] : (tablePositions.at(-1) as number),
    );
    const isRead = (position: number): boolean =>
      endPositions.every((end) => (isUpwards ? position >= end : position <= end));
    const positions = [...new Set(positionsByTable.flat())].filter(isRead).sort((a, b) => (isUpwards ? b - a : a - b));
    const step = isUpwards ? -GAP : GAP;
    const places = positions.map((position, n) => [position, to + n * step]);
    for (const replace of replaceAll) replace.run(JSON.stringify(places), id);
    return { last: positions.at(-1), to: to + positions.length * step };
  }).immediate;
  return {
    page,
    listSelected,
    ids,
    listAll,
    newerThan,
    findLast,
    findPreceding,
    insert,
    keepPast,
    remove,
    place,
    listKnownTracks,
    entriesOf,
    findAbsentTrack,
    findAbsentEntry,
    endOfPart,
    pastPart,
    version,
    extents,
    renumberPart,
  };
}

const selectInOrder = (columns: string): string =>
  `SELECT ${columns} FROM playlist_entries WHERE playlist_id = ? ORDER BY position, id`;

const withNames = (entries: string): string => `
    SELECT e.id, e.trackId, e.position, e.addedAt, t.id IS NOT NULL AS isThere, coalesce(t.title, l.title,
    '') AS title, iif(t.id IS NULL, l.artist_name, t.artist_name) AS artistName,
      iif(t.id IS NULL, l.album_title, al.title) AS albumTitle, iif(t.id IS NULL, l.duration_ms,
      t.duration_ms) AS durationMs
    FROM (${entries}) e LEFT JOIN tracks t ON t.id = e.trackId 
      LEFT JOIN albums al ON al.id = t.album_id AND ${inNamedAlbum('t')}
      LEFT JOIN playlist_lost_tracks l ON l.track_id = e.trackId
    ORDER BY e.position, e.id`;

/**
 * Makes wide gaps between all entries, including past ones. Every version keeps its order at each step, because
 * entries are moved from the end of the list to positions above all others, or from the start to positions below.
 */
async function renumber(context: Context, id: PlaylistId): Promise<void> {
  let [lowestPosition, highestPosition, neededRange] = [Infinity, -Infinity, 0];
  for (const statement of context.extents) {
    const extent = statement.get({ id });
    lowestPosition = Math.min(lowestPosition, extent?.lowest ?? Infinity);
    highestPosition = Math.max(highestPosition, extent?.highest ?? -Infinity);
    neededRange += (extent?.count ?? 0) * GAP;
  }
  const isUpwards = lowestPosition + highestPosition <= 0; // chosen so that positions stay around 0
  let [from, to] = isUpwards ? [Infinity, highestPosition + neededRange] : [-Infinity, lowestPosition - neededRange];
  for (;;) {
    const step = context.renumberPart(id, isUpwards, from, to);
    if (step.last === undefined) return;
    [from, to] = [step.last, step.to];
    await waitForTurn();
  }
}

/** Returns all entries in order. */
const all = ({ listAll }: Context, playlistId: PlaylistId): ListedEntry[] => listAll.all(playlistId);

/** Returns the neighbours of an entry inserted at an index. */
function aroundIndex(context: Context, playlistId: PlaylistId, index: number | undefined): Neighbours {
  if (index === undefined) return { before: context.findLast.get(playlistId)?.position, after: undefined };
  const rows = context.page.all(playlistId, index === 0 ? 1 : 2, Math.max(0, index - 1));
  const [previousRow, nextRow] = index === 0 ? [undefined, rows[0]] : rows;
  return rows.length === 0
    ? aroundIndex(context, playlistId, undefined)
    : { before: previousRow?.position, after: nextRow?.position };
}

/** Returns the neighbours of an entry inserted before another entry, not counting the entries that are moved. */
function aroundEntry(
  { findPreceding }: Context,
  playlistId: PlaylistId,
  entry: EntryRow,
  movingIds: ReadonlySet<number>,
): Neighbours {
  for (let { position, id } = entry; ;) {
    const page = findPreceding.all(playlistId, position, id);
    const previousRow = page.find((row) => !movingIds.has(row.id));
    const lastRow = page.at(-1);
    if (previousRow || !lastRow) return { before: previousRow?.position, after: entry.position };
    ({ position, id } = lastRow);
  }
}

/** Ends entries with this version; returns how many were removed. */
function end({ keepPast, remove }: Context, playlistId: PlaylistId, version: number, ids: readonly number[]): number {
  const params = { playlistId, ids: JSON.stringify(ids) };
  keepPast.run({ ...params, version });
  return remove.run(params).changes;
}

function move(
  { keepPast, place }: Context,
  playlistId: PlaylistId,
  version: number,
  places: readonly { id: number; position: number }[],
): void {
  keepPast.run({ playlistId, version, ids: JSON.stringify(places.map(({ id }) => id)) });
  place.run({ playlistId, version, places: JSON.stringify(places.map(({ id, position }) => [id, position])) });
}

/**
 * Returns the differences between the current list and a version. Positions do not change, so only changed entries
 * are compared.
 */
async function differences(
  { endOfPart, pastPart, newerThan }: Context,
  playlistId: PlaylistId,
  version_: number,
): Promise<{ newEntries: (Position & { id: number })[]; pastEntries: VersionRow[] }> {
  const past: VersionRow[] = [];
  for (let from: PastKey = { until: version_, id: Infinity }; ;) {
    const end = endOfPart.get({ playlistId, ...from });
    const { until, id } = end ?? { until: Infinity, id: Infinity };
    past.push(...pastPart.all({ playlistId, version: version_, ...from, endUntil: until, endId: id }));
    if (!end) return { newEntries: newerThan.all(playlistId, version_), pastEntries: past };
    from = end;
    await waitForTurn();
  }
}

/** Prepares, for each table, the positions below or above a position, the nearest first. */
const positionsBeyond = (client: Sqlite, tables: readonly string[], compare: '<' | '>', order: 'DESC' | 'ASC') =>
  tables.map((table) =>
    client
      .prepare<[PlaylistId, number], number>(
        `SELECT position FROM ${table} WHERE playlist_id = ? AND position ${compare} ?
          ORDER BY position ${order} LIMIT ${ROWS_PER_READ}`,
      )
      .pluck(),
  );
