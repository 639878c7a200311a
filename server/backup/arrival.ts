// What a restore or an import would change about people, settings and folders of this installation: shown first, and
// the parts that could give somebody else the server are taken only after a yes.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { readJsonFile } from '../config/json-file.ts';
import { RIGHTS } from '../db/rights.ts';
import type { RowAs } from '../db/rows.ts';
import type { appPasswords } from '../db/schema.ts';
import type { Arrival, PersonChange } from './arrival-wire.ts';
import { foldersFromElsewhere } from './kept-folders.ts';
import { askedSettings } from './outside-settings.ts';

const DATABASE = 'tonearm.db';

/** `database`: what was taken, in which accounts are as the backup has them. */
export function arrivalOf({
  data,
  database,
  settings,
  isImport,
}: {
  data: string;
  database: string;
  settings: Readonly<Record<string, unknown>>;
  isImport: boolean;
}): Arrival {
  const own = join(data, DATABASE);
  const [here, there] = [accountsIn(own), accountsIn(database)];
  return {
    people: compare(there, here, isImport),
    settings: isImport ? [] : askedSettings(settings, readJsonFile(join(data, 'settings.json'))),
    folders: isImport ? [] : foldersFromElsewhere(own, database),
    has_accounts: here.size > 0,
  };
}

/** Whether something is left to be taken with a yes. */
export const isAsking = ({ people, settings, folders, has_accounts: hasAccounts }: Arrival): boolean =>
  settings.length > 0 || folders.length > 0 || (hasAccounts && people.some(({ change }) => change !== 'same'));

export const hasAccounts = (database: string): boolean => accountsIn(database).size > 0;

/** By folded name. Values as text; app passwords as one. */
type Accounts = Map<string, { username: string; isSuperuser: boolean; values: Record<string, string> }>;

const COMPARED = [
  'id',
  'password_hash',
  'is_superuser',
  'max_bitrate_kbps',
  'quota_bytes',
  ...Object.values(RIGHTS).map(({ name }) => name),
];

function accountsIn(path: string): Accounts {
  if (!existsSync(path)) return new Map();
  const db = new Database(path, { readonly: true });
  try {
    const tables = new Set(db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
    if (!tables.has('users')) return new Map();
    const passwords = tables.has('app_passwords')
      ? db
          .prepare<[], RowAs<typeof appPasswords, 'userId'> & { lookups: string }>(
            `SELECT user_id AS userId, group_concat(lookup, ' ' ORDER BY lookup) AS lookups FROM app_passwords
              GROUP BY user_id`,
          )
          .all()
      : [];
    const lookups = new Map(passwords.map(({ userId, lookups }) => [Number(userId), lookups]));
    return new Map(
      db
        .prepare<[], Record<string, unknown>>('SELECT * FROM users')
        .all()
        .map((row) => [
          String(row['username_key']),
          {
            username: String(row['username']),
            isSuperuser: row['is_superuser'] === 1,
            values: {
              ...Object.fromEntries(COMPARED.filter((name) => name in row).map((name) => [name, String(row[name])])),
              app_passwords: lookups.get(Number(row['id'])) ?? '',
            },
          },
        ]),
    );
  } finally {
    db.close();
  }
}

function compare(there: Accounts, here: Accounts, isImport: boolean): PersonChange[] {
  const arriving = [...there].map(([key, { username, isSuperuser, values }]): PersonChange => {
    const own = here.get(key);
    const differences =
      own && !isImport
        ? Object.keys(values).filter((name) => name in own.values && own.values[name] !== values[name])
        : [];
    const change = !own ? 'new' : differences.length > 0 ? 'other' : 'same';
    return { username, change, is_superuser: isSuperuser, differences };
  });
  const gone = [...here]
    .filter(([key]) => !there.has(key) && !isImport)
    .map(([, { username, isSuperuser }]): PersonChange => ({
      username,
      change: 'gone',
      is_superuser: isSuperuser,
      differences: [],
    }));
  return [...arriving, ...gone];
}

const IN_WORDS: Readonly<Record<string, string>> = {
  id: 'identity',
  password_hash: 'password',
  app_passwords: 'app passwords',
};

/** A line for each change, for the command line. */
export function arrivalLines({ people, settings, folders }: Arrival, isImport: boolean): string[] {
  const lines = people.flatMap(({ username, change, is_superuser, differences }) => {
    const name = `account ${quoted(username)}${is_superuser && !isImport ? ' (superuser)' : ''}`;
    if (isImport)
      return change === 'new'
        ? [`${name}: is new, without a password and without rights`]
        : [`${name}: stays as it is here`];
    if (change === 'same') return [];
    if (change !== 'other') return [`${name}: ${change === 'new' ? 'is not here' : 'is only here'}`];
    return [`${name}: other ${differences.map((column) => IN_WORDS[column] ?? column).join(', ')}`];
  });
  return [
    ...lines,
    ...settings.map(
      ({ name, value, here }) =>
        `${name}: ${value === null ? 'not set' : quoted(value)}, here ${here === null ? 'not set' : quoted(here)}`,
    ),
    ...folders.map(({ name, path }) => `music folder ${quoted(name)}: ${quoted(path)}`),
  ];
}

/** With control characters escaped: a backup may have been edited by anybody. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '?');
