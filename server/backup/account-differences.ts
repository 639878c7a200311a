// Compares the accounts of two libraries, in everything that gives access or sends requests to addresses.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';
import { DIFFERENCE_NAMES, ACCOUNT_TABLES, USER_COLUMN_LISTS, type DifferenceName } from './account-columns.ts';
import type { AccountDifference, PersonChange } from './arrival-wire.ts';
import type { Value } from './column-rules.ts';

type Row = Readonly<Record<string, Value>>;
type TableName = keyof typeof ACCOUNT_TABLES;
const TABLE_NAMES = Object.keys(ACCOUNT_TABLES) as TableName[];

interface Account {
  user: Row;
  /** Returns the rows of the account in a table, by their key. */
  rowsIn: (table: TableName) => ReadonlyMap<string, Row>;
}
/** Accounts by username key. */
export type Accounts = ReadonlyMap<string, Account>;

/** Reads the accounts of a database of any version; returns none if the file does not exist. */
export function readAccounts(path: string): Accounts {
  if (!existsSync(path)) return new Map();
  const db = new Database(path, { readonly: true });
  try {
    const tables = new Set(db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
    if (!tables.has('users')) return new Map();
    const rows = new Map(
      TABLE_NAMES.filter((table) => tables.has(table)).map((table) => [table, rowsByOwner(db, table)]),
    );
    const users = db.prepare<[], Row>('SELECT * FROM users ORDER BY id').all();
    return new Map(
      users.map((user) => [
        String(user['username_key']),
        { user, rowsIn: (table) => rows.get(table)?.get(user['id']) ?? new Map<string, Row>() },
      ]),
    );
  } finally {
    db.close();
  }
}

function rowsByOwner(db: Sqlite, table: TableName): Map<unknown, Map<string, Row>> {
  const { owner, key } = ACCOUNT_TABLES[table];
  const byOwner = new Map<unknown, Map<string, Row>>();
  for (const row of db.prepare<[], Row>(`SELECT * FROM ${table} ORDER BY ${key}`).iterate()) {
    const ownerRows = byOwner.get(row[owner]) ?? new Map<string, Row>();
    byOwner.set(row[owner], ownerRows.set(String(row[key]), row));
  }
  return byOwner;
}

/**
 * Lists the changes to accounts. An import changes no account, and adds accounts without anything that gives access.
 */
export function compareAccounts(backupAccounts: Accounts, localAccounts: Accounts, isImport: boolean): PersonChange[] {
  const arrivingPeople = [...backupAccounts].map(([key, account]): PersonChange => {
    const localAccount = localAccounts.get(key);
    const differences = isImport
      ? []
      : [
          ...(localAccount ? userDifferences(account.user, localAccount.user) : []),
          ...rowDifferences(account, localAccount),
        ];
    const change = !localAccount ? 'new' : differences.length > 0 ? 'other' : 'same';
    return { ...nameOf(account), change, differences };
  });
  const missingPeople = [...localAccounts]
    .filter(([key]) => !backupAccounts.has(key) && !isImport)
    .map(([, account]): PersonChange => ({ ...nameOf(account), change: 'gone', differences: [] }));
  return [...arrivingPeople, ...missingPeople];
}

const nameOf = ({ user }: Account): Pick<PersonChange, 'username' | 'is_superuser'> => ({
  username: String(user['username']),
  is_superuser: user['is_superuser'] === 1,
});

const HIDDEN_VALUE = '(hidden)';
const isFlag = (column: string): boolean => /^(?:is|has|can|hides)_/.test(column);
const isSameValue = (valueA: unknown, valueB: unknown): boolean =>
  valueA instanceof Uint8Array && valueB instanceof Uint8Array
    ? Buffer.compare(valueA, valueB) === 0
    : valueA === valueB;

function userDifferences(backupUser: Row, localUser: Row): AccountDifference[] {
  const differs = (column: string): boolean =>
    column in backupUser && column in localUser && backupUser[column] !== localUser[column];
  const toText = (column: string, value: Value | undefined): string | null =>
    value == null ? null : isFlag(column) ? String(value === 1) : String(value);
  return DIFFERENCE_NAMES.flatMap((name): AccountDifference[] => {
    if (USER_COLUMN_LISTS.secretColumns.includes(name) && differs(name))
      return [{ what: name, name: null, value: HIDDEN_VALUE, here: HIDDEN_VALUE }];
    if (!USER_COLUMN_LISTS.shownColumns.includes(name) || !differs(name)) return [];
    return [{ what: name, name: null, value: toText(name, backupUser[name]), here: toText(name, localUser[name]) }];
  });
}

function rowDifferences(backupAccount: Account, localAccount: Account | undefined): AccountDifference[] {
  return TABLE_NAMES.flatMap((table) => {
    const { isCounted } = ACCOUNT_TABLES[table];
    const differences = differencesIn(
      table,
      backupAccount.rowsIn(table),
      localAccount?.rowsIn(table) ?? new Map<string, Row>(),
    );
    if (!isCounted || differences.length === 0) return differences;
    return [{ what: table, name: null, value: String(differences.length), here: '0' }];
  });
}

function differencesIn(
  table: TableName,
  backupRows: ReadonlyMap<string, Row>,
  localRows: ReadonlyMap<string, Row>,
): AccountDifference[] {
  const { shownColumns, secretColumns, showsOnlyArriving } = ACCOUNT_TABLES[table];
  const comparedColumns = [...shownColumns, ...secretColumns];
  const describeRow = (row: Row | undefined): string | null =>
    row === undefined
      ? null
      : [...shownColumns.map((column) => row[column] ?? null), secretColumns.length > 0 ? HIDDEN_VALUE : null]
          .filter((value) => value !== null)
          .join(', ');
  return [...new Set([...backupRows.keys(), ...(showsOnlyArriving ? [] : localRows.keys())])].flatMap(
    (key): AccountDifference[] => {
      const [backupRow, localRow] = [backupRows.get(key), localRows.get(key)];
      if (backupRow && localRow && comparedColumns.every((column) => isSameValue(backupRow[column], localRow[column])))
        return [];
      const name = table === 'radio_stations' ? String(backupRow?.['name']) : key;
      return [
        { what: table satisfies DifferenceName, name, value: describeRow(backupRow), here: describeRow(localRow) },
      ];
    },
  );
}
