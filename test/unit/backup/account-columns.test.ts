import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import {
  DIFFERENCES,
  OTHER_ACCOUNT_TABLES,
  ACCOUNT_TABLES,
  USER_COLUMN_LISTS,
} from '../../../server/backup/account-columns.ts';
import * as schema from '../../../server/db/schema.ts';

test('every table that refers to accounts is compared in a restore, or declares why it is not', () => {
  const tables = Object.values<unknown>(schema)
    .filter((table) => table instanceof SQLiteTable)
    .map((table) => getTableConfig(table))
    .filter(({ foreignKeys }) => foreignKeys.some((key) => key.reference().foreignTable === schema.users))
    .map(({ name }) => name);
  expect([...Object.keys(ACCOUNT_TABLES), ...Object.keys(OTHER_ACCOUNT_TABLES)].sort()).toEqual(tables.sort());
});

test('everything that is compared has a label', () => {
  for (const name of [
    ...USER_COLUMN_LISTS.shownColumns,
    ...USER_COLUMN_LISTS.secretColumns,
    ...Object.keys(ACCOUNT_TABLES),
  ])
    expect(DIFFERENCES, name).toHaveProperty(name);
});
