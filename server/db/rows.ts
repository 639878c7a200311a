// Rows of prepared SQL text, in the shape of schema.ts: what the driver gives, where the builder would have converted.
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';

/** Flags and times are numbers, JSON is text. */
type Stored<Value> = Value extends null
  ? null
  : Value extends Date | boolean
    ? number
    : Value extends string | number | Uint8Array
      ? Value
      : string;

type Property<Table extends SQLiteTable> = string & keyof Table['$inferSelect'];

/** Columns under their own names: `SELECT id, storage_uri`. */
export type RowOf<Table extends SQLiteTable, Columns extends Property<Table>> = {
  [P in Columns as Table['_']['columns'][P]['_']['name']]: Stored<Table['$inferSelect'][P]>;
};

/** Columns under the names of their properties: `SELECT id, storage_uri AS storageUri`. */
export type RowAs<Table extends SQLiteTable, Columns extends Property<Table>> = {
  [P in Columns]: Stored<Table['$inferSelect'][P]>;
};
