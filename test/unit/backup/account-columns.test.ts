import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import {
  DIFFERENCES,
  OTHER_TABLES_OF_ACCOUNTS,
  TABLES_OF_ACCOUNTS,
  USERS,
} from '../../../server/backup/account-columns.ts';
import * as schema from '../../../server/db/schema.ts';

test('every table that refers to accounts is compared in a restore, or says why not', () => {
  const tables = Object.values<unknown>(schema)
    .filter((table) => table instanceof SQLiteTable)
    .map((table) => getTableConfig(table))
    .filter(({ foreignKeys }) => foreignKeys.some((key) => key.reference().foreignTable === schema.users))
    .map(({ name }) => name);
  expect([...Object.keys(TABLES_OF_ACCOUNTS), ...Object.keys(OTHER_TABLES_OF_ACCOUNTS)].sort()).toEqual(tables.sort());
});

test('everything that is compared has words', () => {
  for (const name of [...USERS.shown, ...USERS.secret, ...Object.keys(TABLES_OF_ACCOUNTS)])
    expect(DIFFERENCES, name).toHaveProperty(name);
});
