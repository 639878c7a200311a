// Column types that several subjects use.
import { customType, integer, text } from 'drizzle-orm/sqlite-core';

export const time = <Name extends string>(name: Name) => integer(name, { mode: 'timestamp_ms' });
export const flag = <Name extends string>(name: Name) => integer(name, { mode: 'boolean' });
export const id = <T extends number>() => integer('id').primaryKey({ autoIncrement: true }).$type<T>();
export const blob = customType<{ data: Uint8Array }>({ dataType: () => 'blob' });
/** JSON text. It is validated by its reader, since a row may be older than the code. */
export const json = <T>(name: string) => text(name, { mode: 'json' }).$type<T>();
