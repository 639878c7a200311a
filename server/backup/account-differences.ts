// How the accounts of a library differ from those of another, in everything that gives access or asks addresses.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';
import { DIFFERENCE_NAMES, TABLES_OF_ACCOUNTS, USERS, type DifferenceName } from './account-columns.ts';
import type { AccountDifference, PersonChange } from './arrival-wire.ts';
import type { Value } from './column-rules.ts';

type Row = Readonly<Record<string, Value>>;
type TableName = keyof typeof TABLES_OF_ACCOUNTS;
const TABLE_NAMES = Object.keys(TABLES_OF_ACCOUNTS) as TableName[];

interface Account {
  user: Row;
  /** Its rows in a table, by their key. */
  rowsIn: (table: TableName) => ReadonlyMap<string, Row>;
}
/** By folded name. */
export type Accounts = ReadonlyMap<string, Account>;

/** Those of a database of any version; none if there is no such file. */
export function accountsIn(path: string): Accounts {
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
  const { owner, key } = TABLES_OF_ACCOUNTS[table];
  const byOwner = new Map<unknown, Map<string, Row>>();
  for (const row of db.prepare<[], Row>(`SELECT * FROM ${table} ORDER BY ${key}`).iterate()) {
    const ofOwner = byOwner.get(row[owner]) ?? new Map<string, Row>();
    byOwner.set(row[owner], ofOwner.set(String(row[key]), row));
  }
  return byOwner;
}

/** An import changes no account, and brings others without anything that gives access. */
export function compareAccounts(there: Accounts, here: Accounts, isImport: boolean): PersonChange[] {
  const arriving = [...there].map(([key, account]): PersonChange => {
    const own = here.get(key);
    const differences = isImport
      ? []
      : [...(own ? userDifferences(account.user, own.user) : []), ...rowDifferences(account, own)];
    const change = !own ? 'new' : differences.length > 0 ? 'other' : 'same';
    return { ...nameOf(account), change, differences };
  });
  const gone = [...here]
    .filter(([key]) => !there.has(key) && !isImport)
    .map(([, account]): PersonChange => ({ ...nameOf(account), change: 'gone', differences: [] }));
  return [...arriving, ...gone];
}

const nameOf = ({ user }: Account): Pick<PersonChange, 'username' | 'is_superuser'> => ({
  username: String(user['username']),
  is_superuser: user['is_superuser'] === 1,
});

const HIDDEN = '(hidden)';
const isFlag = (column: string): boolean => /^(?:is|has|can|hides)_/.test(column);
const isSame = (one: unknown, other: unknown): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.compare(one, other) === 0 : one === other;

function userDifferences(there: Row, here: Row): AccountDifference[] {
  const differs = (column: string): boolean => column in there && column in here && there[column] !== here[column];
  const shown = (column: string, value: Value | undefined): string | null =>
    value == null ? null : isFlag(column) ? String(value === 1) : String(value);
  return DIFFERENCE_NAMES.flatMap((name): AccountDifference[] => {
    if (USERS.secret.includes(name) && differs(name)) return [{ what: name, name: null, value: HIDDEN, here: HIDDEN }];
    if (!USERS.shown.includes(name) || !differs(name)) return [];
    return [{ what: name, name: null, value: shown(name, there[name]), here: shown(name, here[name]) }];
  });
}

function rowDifferences(there: Account, here: Account | undefined): AccountDifference[] {
  return TABLE_NAMES.flatMap((table) => {
    const { isCounted } = TABLES_OF_ACCOUNTS[table];
    const differences = differencesIn(table, there.rowsIn(table), here?.rowsIn(table) ?? new Map<string, Row>());
    if (!isCounted || differences.length === 0) return differences;
    return [{ what: table, name: null, value: String(differences.length), here: '0' }];
  });
}

function differencesIn(
  table: TableName,
  there: ReadonlyMap<string, Row>,
  here: ReadonlyMap<string, Row>,
): AccountDifference[] {
  const { shown, secret, isArrivingOnly } = TABLES_OF_ACCOUNTS[table];
  const compared = [...shown, ...secret];
  const inWords = (row: Row | undefined): string | null =>
    row === undefined
      ? null
      : [...shown.map((column) => row[column] ?? null), secret.length > 0 ? HIDDEN : null]
          .filter((value) => value !== null)
          .join(', ');
  return [...new Set([...there.keys(), ...(isArrivingOnly ? [] : here.keys())])].flatMap((key): AccountDifference[] => {
    const [theirs, own] = [there.get(key), here.get(key)];
    if (theirs && own && compared.every((column) => isSame(theirs[column], own[column]))) return [];
    const name = table === 'radio_stations' ? String(theirs?.['name']) : key;
    return [{ what: table satisfies DifferenceName, name, value: inWords(theirs), here: inWords(own) }];
  });
}
