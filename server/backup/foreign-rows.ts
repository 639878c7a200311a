// Copies the rows of a known table from a database from elsewhere into ours. Each value is judged by the rule of its
// column; the first that is not allowed is named with its table and row, and ends it.
import type { Sqlite } from '../db/client.ts';
import { AppError } from '../errors.ts';
import { BadValue, type Column, type Scope, type Value } from './column-rules.ts';
import type { KnownTable } from './known-tables.ts';

const SHOWN_CHARS = 80;

export function copyRows(table: KnownTable, foreign: Sqlite, ours: Sqlite, scope: Scope): void {
  const columns = columnsThere(table, ours);
  if (columns.length === 0) return; // younger than the database
  if (foreign.prepare(`SELECT 1 FROM ${table.name} LIMIT 1`).get() === undefined) return;
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const where = table.where === undefined ? '' : ` WHERE ${table.where}`;
  assertSizes(table, columns, foreign);
  assertFew(table, foreign);
  const keys = keyOf(table, ours);
  if (table.isSeeded === true) ours.prepare(`DELETE FROM ${table.name}`).run();
  const insert = ours.prepare(`INSERT INTO ${table.name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
  const rows = foreign.prepare(`SELECT ${names} FROM ${table.name}${where}`).raw().iterate() as Iterable<Value[]>;
  for (const row of rows) {
    const values = columns.map((column, n) =>
      judge(column, row[n] ?? null, scope, () => nameOfRow(table, columns, keys, row)),
    );
    if (table.name === 'tracks') settleTrack(columns, row, values);
    try {
      table.assertRow?.((name) => values[columns.findIndex((column) => column.name === name)] ?? null);
      insert.run(values);
    } catch (error) {
      throw bad(nameOfRow(table, columns, keys, row), error instanceof Error ? error.message : String(error));
    }
  }
}

/** The columns of our table at that level. */
function columnsThere({ name, columns, counted = [], former = [] }: KnownTable, ours: Sqlite): Column[] {
  const there = ours.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(name);
  return there.flatMap((column) => {
    const known = columns.get(column) ?? former.find((one) => one.name === column);
    if (known) return [known];
    if (counted.includes(column)) return [];
    throw bad(name, `the column ${column} is of a version before 0.1.0`);
  });
}

/** Sizes are read without the values, so that a huge one is never in memory. */
function assertSizes(table: KnownTable, columns: Column[], foreign: Sqlite): void {
  const isTooLarge = ({ name, maxBytes }: Column): string => `octet_length("${name}") > ${maxBytes}`;
  const isThere = (condition: string): boolean =>
    foreign.prepare(`SELECT 1 FROM ${table.name} WHERE ${condition} LIMIT 1`).get() !== undefined;
  if (!isThere(columns.map(isTooLarge).join(' OR '))) return;
  const column = columns.find((one) => isThere(isTooLarge(one)));
  throw bad(table.name, `a value of ${column?.name} has more than ${column?.maxBytes} bytes`);
}

function assertFew({ name, maxRows }: KnownTable, foreign: Sqlite): void {
  if (maxRows === undefined) return;
  const isMore = foreign.prepare<[number]>(`SELECT 1 FROM ${name} LIMIT 1 OFFSET ?`).get(maxRows) !== undefined;
  if (isMore) throw bad(name, `has more than ${maxRows} rows`);
}

const keyOf = ({ name }: KnownTable, ours: Sqlite): string[] =>
  ours.prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').pluck().all(name);

function judge(column: Column, value: Value, scope: Scope, where: () => string): Value {
  if (value === null) {
    if (column.isNullable) return null;
    throw bad(where(), `${column.name} is empty`);
  }
  try {
    const judged = column.rule(value, scope);
    if (judged === null && !column.isNullable) throw new BadValue('is not taken');
    return judged;
  } catch (error) {
    if (error instanceof BadValue) throw bad(where(), `${column.name} ${error.message}`);
    throw error;
  }
}

/** Files of music folders do not come with an import, and jobs that fetch audio never do. */
function settleTrack(columns: Column[], row: Value[], values: Value[]): void {
  const at = (name: string): number => columns.findIndex((column) => column.name === name);
  const [uri, availability] = [at('storage_uri'), at('availability')];
  if (row[uri] !== null && values[uri] === null) values[availability] = 'missing';
  else if (values[availability] === 'fetching') values[availability] = 'remote';
}

const nameOfRow = ({ name }: KnownTable, columns: Column[], keys: string[], row: Value[]): string =>
  [
    name,
    ...keys.map((key) => {
      const value = row[columns.findIndex((column) => column.name === key)];
      return value instanceof Uint8Array ? 'binary data' : shown(String(value));
    }),
  ].join(' ');

/** Text of a foreign file, for a message. */
export const shown = (text: string): string =>
  text.length > SHOWN_CHARS || /\p{Cc}/u.test(text) ? JSON.stringify(text.slice(0, SHOWN_CHARS)) : text;

export const bad = (where: string, what: string): AppError =>
  new AppError('unavailable', `The database cannot be taken: ${where}: ${what}. Nothing was changed.`);
