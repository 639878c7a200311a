// Checks the data from which a track in the trash is restored (library/track-snapshot.ts): rows of other tables, by the
// names of the tables and their columns. Each row is checked like a row of its table; unknown tables and columns are
// left out.
import { z } from 'zod';
import { BadValue, parseJson, type Column, type Rule, type Scope, type Value } from './column-rules.ts';

type Columns = ReadonlyMap<string, Column>;
/** Returns the columns of a table that is copied; undefined for other tables. */
export type FindColumns = (table: string, scope: Scope) => Columns | undefined;

const Cell = z.union([z.string(), z.number(), z.null(), z.strictObject({ $blob: z.base64() })]);
const Row = z.record(z.string(), Cell);
type Row = z.output<typeof Row>;
const Rows = z.array(z.object({ table: z.string(), rows: z.array(Row) }));
const Links = z.array(z.object({ table: z.string(), column: z.string(), keys: z.array(Row) }));
/** Data of people that was moved from one track to another (`CarriedData` in library/merges/carried-data.ts). */
const Carried = z.object({
  moved: Links,
  remembered: z.record(z.string(), z.unknown()),
  edits: z.unknown().optional(),
  keptSince: z.number().optional(),
});
const Snapshot = z.object({
  track: Row,
  rows: Rows,
  links: Links,
  parents: z.object({
    albums: z.array(Row),
    albumKeys: z.array(Row),
    albumCovers: z.array(Row),
    artists: z.array(Row),
    artistNevers: z.array(Row).default([]),
    genres: z.array(Row),
  }),
  merge: Carried.extend({
    before: z
      .object({
        source: z.string(),
        sourceId: z.string(),
        audio: z.record(z.string(), z.unknown()),
        ofAudio: Rows,
        identity: z.record(z.string(), z.unknown()),
        status: z.string(),
        folder: z.number().optional(),
      })
      .nullable(),
  }).optional(),
});

/** Columns by which rows refer to a track. */
const TRACK_COLUMNS = new Set(['track_id', 'other_id']);
const PARENT_TABLES = {
  albums: 'albums',
  albumKeys: 'album_keys',
  albumCovers: 'album_covers',
  artists: 'artists',
  artistNevers: 'radio_nevers',
  genres: 'genres',
} as const;

export const trashSnapshotRule =
  (findColumns: FindColumns): Rule =>
  (value, scope) => {
    const parsed = Snapshot.safeParse(parseJson(String(value)));
    if (!parsed.success) throw new BadValue('is not what a deleted track is put back from');
    const { track, rows, links, parents, merge } = parsed.data;
    const rowsOf = (table: string, tableRows: Row[]): Row[] =>
      judgeRows(table, tableRows, findColumns(table, scope), scope);
    const judgeTables = (lists: z.output<typeof Rows>) =>
      lists
        .filter(({ table }) => isOfTracks(findColumns(table, scope)))
        .map((list) => ({ table: list.table, rows: rowsOf(list.table, list.rows) }));
    const judgeLinks = (lists: z.output<typeof Links>) => judgeLinkRows(lists, findColumns, scope);
    return JSON.stringify({
      track: rowsOf('tracks', [track])[0],
      rows: judgeTables(rows),
      links: judgeLinks(links),
      parents: Object.fromEntries(
        Object.entries(PARENT_TABLES).map(([key, table]) => [
          key,
          rowsOf(table, parents[key as keyof typeof PARENT_TABLES]),
        ]),
      ),
      ...(merge && {
        merge: {
          ...merge,
          moved: judgeLinks(merge.moved),
          before: merge.before && { ...merge.before, ofAudio: judgeTables(merge.before.ofAudio) },
        },
      }),
    });
  };

export const carriedRowsRule =
  (findColumns: FindColumns): Rule =>
  (value, scope) => {
    const parsed = Carried.safeParse(parseJson(String(value)));
    if (!parsed.success) throw new BadValue('is not what a replaced track is put back from');
    return JSON.stringify({ ...parsed.data, moved: judgeLinkRows(parsed.data.moved, findColumns, scope) });
  };

const judgeLinkRows = (lists: z.output<typeof Links>, findColumns: FindColumns, scope: Scope) =>
  lists
    .filter(({ table, column }) => TRACK_COLUMNS.has(column) && findColumns(table, scope)?.has(column))
    .map((list) => ({ ...list, keys: judgeRows(list.table, list.keys, findColumns(list.table, scope), scope) }));

const isOfTracks = (columns: Columns | undefined): boolean =>
  columns !== undefined && [...TRACK_COLUMNS].some((name) => columns.has(name));

function judgeRows(table: string, rows: Row[], columns: Columns = new Map(), scope: Scope): Row[] {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, cell]) => {
        const column = columns.get(name);
        return column ? [[name, judgeCell(`${table}.${name}`, cell, column, scope)]] : [];
      }),
    ),
  );
}

function judgeCell(name: string, cell: Row[string], { rule, isNullable }: Column, scope: Scope): Row[string] {
  if (cell === null) return isNullable ? null : rejectRow(name, 'is empty');
  const value = typeof cell === 'object' ? new Uint8Array(Buffer.from(cell.$blob, 'base64')) : cell;
  try {
    return toCell(rule(value, scope));
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    return rejectRow(name, error.message);
  }
}

const toCell = (value: Value): Row[string] =>
  value instanceof Uint8Array ? { $blob: Buffer.from(value).toString('base64') } : value;

const rejectRow = (name: string, reason: string): never => {
  throw new BadValue(`has a row whose ${name} ${reason}`);
};
