// The changes that a restore or an import would make to people, settings and folders of this server. They are shown
// first; those that could give somebody else control of the server are made only after a confirmation.
import { join } from 'node:path';
import { readJsonFile } from '../config/json-file.ts';
import { DIFFERENCES } from './account-columns.ts';
import { readAccounts, compareAccounts } from './account-differences.ts';
import type { AccountDifference, Arrival } from './arrival-wire.ts';
import { visibleText } from '../runtime/visible-text.ts';
import { listForeignFolders } from './restored-folders.ts';
import { listSettingsToConfirm } from './restored-settings.ts';

const DATABASE_NAME = 'tonearm.db';

/**
 * Returns the changes that a restore would make. `database` is the checked copy of the database, with the accounts as
 * they are in the backup.
 */
export function describeArrival({
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
  const localDatabase = join(data, DATABASE_NAME);
  const [localAccounts, backupAccounts] = [readAccounts(localDatabase), readAccounts(database)];
  return {
    people: compareAccounts(backupAccounts, localAccounts, isImport),
    settings: isImport ? [] : listSettingsToConfirm(settings, readJsonFile(join(data, 'settings.json'))),
    folders: isImport ? [] : listForeignFolders(localDatabase, database),
    has_accounts: localAccounts.size > 0,
  };
}

/** Whether there are changes that need a confirmation. */
export const needsConfirmation = ({ people, settings, folders, has_accounts: hasAccounts }: Arrival): boolean =>
  settings.length > 0 || folders.length > 0 || (hasAccounts && people.some(({ change }) => change !== 'same'));

export const hasAccounts = (database: string): boolean => readAccounts(database).size > 0;

/** Returns a line for each change, for the command line. */
export function arrivalLines({ people, settings, folders }: Arrival, isImport: boolean): string[] {
  const lines = people.flatMap(({ username, change, is_superuser, differences }) => {
    const name = `account ${quote(username)}${is_superuser && !isImport ? ' (superuser)' : ''}`;
    if (isImport)
      return change === 'new'
        ? [`${name}: is new, without a password and without rights`]
        : [`${name}: stays as it is here`];
    if (change === 'same') return [];
    const title = change === 'new' ? [`${name}: is not here`] : change === 'gone' ? [`${name}: is only here`] : [];
    return [...title, ...differences.map((difference) => `${name}: ${describeDifference(difference)}`)];
  });
  return [
    ...lines,
    ...settings.map(({ name, ...values }) => `${name}: ${describeValues(values)}`),
    ...folders.map(({ name, path }) => `music folder ${quote(name)}: ${quote(path)}`),
  ];
}

const describeDifference = ({ what, name, ...values }: AccountDifference): string =>
  `${DIFFERENCES[what]}${name === null ? '' : ` ${quote(name)}`}: ${describeValues(values)}`;

const describeValues = ({ value, here }: { value: string | null; here: string | null }): string =>
  `${value === null ? 'not set' : quote(value)}, here ${here === null ? 'not set' : quote(here)}`;

/** Makes control characters visible, since anybody may have edited the backup. */
const quote = (text: string): string => visibleText(JSON.stringify(text));
