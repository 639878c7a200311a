// Copies the rows of a known table from a foreign database into ours. The rule of each column checks its values. The
// first value that is not allowed ends the copying; the error names its table and row.
import type { Sqlite } from '../db/client.ts';
import { AppError } from '../errors.ts';
import { BadValue, type Column, type Scope, type Value } from './column-rules.ts';
import type { KnownTable } from './known-tables.ts';

const SHOWN_CHARS = 80;

export function copyRows(table: KnownTable, foreignDatabase: Sqlite, ownDatabase: Sqlite, scope: Scope): void {
  const columns = listPresentColumns(table, ownDatabase);
  if (columns.length === 0) return; // the foreign database is of a version without this table
  if (foreignDatabase.prepare(`SELECT 1 FROM ${table.name} LIMIT 1`).get() === undefined) return;
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const whereSql = table.condition === undefined ? '' : ` WHERE ${table.condition}`;
  assertSizes(table, columns, foreignDatabase);
  assertRowCount(table, foreignDatabase);
  const keys = listKeyColumns(table, ownDatabase);
  if (table.isSeeded === true) ownDatabase.prepare(`DELETE FROM ${table.name}`).run();
  const insert = ownDatabase.prepare(
    `INSERT INTO ${table.name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  const rows = foreignDatabase.prepare(`SELECT ${names} FROM ${table.name}${whereSql}`).raw().iterate() as Iterable<
    Value[]
  >;
  for (const row of rows) {
    const values = columns.map((column, index) =>
      judgeValue(column, row[index] ?? null, scope, () => describeRow(table, columns, keys, row)),
    );
    if (table.name === 'tracks') fixAvailability(columns, row, values);
    try {
      table.assertRow?.((name) => values[columns.findIndex((column) => column.name === name)] ?? null);
      insert.run(values);
    } catch (error) {
      throw databaseError(
        describeRow(table, columns, keys, row),
        error instanceof Error ? error.message : String(error),
      );
    }
  }
}

/** Returns the columns that the table had at the migration of the foreign database. */
function listPresentColumns(
  { name, columns, countedColumns = [], formerColumns = [] }: KnownTable,
  ownDatabase: Sqlite,
): Column[] {
  const columnNames = ownDatabase.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(name);
  return columnNames.flatMap((column) => {
    const presentColumn = columns.get(column) ?? formerColumns.find((formerColumn) => formerColumn.name === column);
    if (presentColumn) return [presentColumn];
    if (countedColumns.includes(column)) return [];
    throw databaseError(name, `the column ${column} is of a version before 0.1.0`);
  });
}

/**
 * Throws for values that are too large. It measures sizes without reading the values, so that a huge value is never in
 * memory.
 */
function assertSizes(table: KnownTable, columns: Column[], foreignDatabase: Sqlite): void {
  const isTooLarge = ({ name, maxBytes }: Column): string => `octet_length("${name}") > ${maxBytes}`;
  const hasRow = (condition: string): boolean =>
    foreignDatabase.prepare(`SELECT 1 FROM ${table.name} WHERE ${condition} LIMIT 1`).get() !== undefined;
  if (!hasRow(columns.map(isTooLarge).join(' OR '))) return;
  const column = columns.find((candidate) => hasRow(isTooLarge(candidate)));
  throw databaseError(table.name, `a value of ${column?.name} has more than ${column?.maxBytes} bytes`);
}

function assertRowCount({ name, maxRows }: KnownTable, foreignDatabase: Sqlite): void {
  if (maxRows === undefined) return;
  const hasMore =
    foreignDatabase.prepare<[number]>(`SELECT 1 FROM ${name} LIMIT 1 OFFSET ?`).get(maxRows) !== undefined;
  if (hasMore) throw databaseError(name, `has more than ${maxRows} rows`);
}

const listKeyColumns = ({ name }: KnownTable, ownDatabase: Sqlite): string[] =>
  ownDatabase
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(name);

function judgeValue(column: Column, value: Value, scope: Scope, nameRow: () => string): Value {
  if (value === null) {
    if (column.isNullable) return null;
    throw databaseError(nameRow(), `${column.name} is empty`);
  }
  try {
    const result = column.rule(value, scope);
    if (result === null && !column.isNullable) throw new BadValue('is not allowed');
    return result;
  } catch (error) {
    if (error instanceof BadValue) throw databaseError(nameRow(), `${column.name} ${error.message}`);
    throw error;
  }
}

/**
 * Corrects the availability of tracks: an import leaves out files of music folders, and jobs that fetch audio are never
 * restored.
 */
function fixAvailability(columns: Column[], row: Value[], values: Value[]): void {
  const indexOf = (name: string): number => columns.findIndex((column) => column.name === name);
  const [uri, availability] = [indexOf('storage_uri'), indexOf('availability')];
  if (row[uri] !== null && values[uri] === null) values[availability] = 'missing';
  else if (values[availability] === 'fetching') values[availability] = 'remote';
}

const describeRow = ({ name }: KnownTable, columns: Column[], keys: string[], row: Value[]): string =>
  [
    name,
    ...keys.map((key) => {
      const value = row[columns.findIndex((column) => column.name === key)];
      return value instanceof Uint8Array ? 'binary data' : toMessageText(String(value));
    }),
  ].join(' ');

/** Makes text from a foreign file safe for an error message. */
export const toMessageText = (text: string): string =>
  text.length > SHOWN_CHARS || /\p{Cc}/u.test(text) ? JSON.stringify(text.slice(0, SHOWN_CHARS)) : text;

export const databaseError = (location: string, problem: string): AppError =>
  new AppError('unavailable', `The database cannot be taken: ${location}: ${problem}. Nothing was changed.`);
