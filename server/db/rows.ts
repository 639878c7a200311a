// Types of the rows that prepared SQL text returns, derived from schema.ts. The driver does not convert values, as
// drizzle's query builder does.
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';

/** The type of a value as SQLite stores it: flags and times are numbers, JSON is text. */
type Stored<Value> = Value extends null
  ? null
  : Value extends Date | boolean
    ? number
    : Value extends string | number | Uint8Array
      ? Value
      : string;

type Property<Table extends SQLiteTable> = string & keyof Table['$inferSelect'];

/** A row with the names of columns: `SELECT id, storage_uri`. */
export type RowOf<Table extends SQLiteTable, Columns extends Property<Table>> = {
  [P in Columns as Table['_']['columns'][P]['_']['name']]: Stored<Table['$inferSelect'][P]>;
};

/** A row with the names of properties: `SELECT id, storage_uri AS storageUri`. */
export type RowAs<Table extends SQLiteTable, Columns extends Property<Table>> = {
  [P in Columns]: Stored<Table['$inferSelect'][P]>;
};
