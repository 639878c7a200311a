// What a restore or an import would change about people, settings and folders of this installation: shown first, and
// the parts that could give somebody else the server are taken only after a yes.
import { join } from 'node:path';
import { readJsonFile } from '../config/json-file.ts';
import { DIFFERENCES } from './account-columns.ts';
import { accountsIn, compareAccounts } from './account-differences.ts';
import type { AccountDifference, Arrival } from './arrival-wire.ts';
import { visibleText } from '../runtime/visible-text.ts';
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
    people: compareAccounts(there, here, isImport),
    settings: isImport ? [] : askedSettings(settings, readJsonFile(join(data, 'settings.json'))),
    folders: isImport ? [] : foldersFromElsewhere(own, database),
    has_accounts: here.size > 0,
  };
}

/** Whether something is left to be taken with a yes. */
export const isAsking = ({ people, settings, folders, has_accounts: hasAccounts }: Arrival): boolean =>
  settings.length > 0 || folders.length > 0 || (hasAccounts && people.some(({ change }) => change !== 'same'));

export const hasAccounts = (database: string): boolean => accountsIn(database).size > 0;

/** A line for each change, for the command line. */
export function arrivalLines({ people, settings, folders }: Arrival, isImport: boolean): string[] {
  const lines = people.flatMap(({ username, change, is_superuser, differences }) => {
    const name = `account ${quoted(username)}${is_superuser && !isImport ? ' (superuser)' : ''}`;
    if (isImport)
      return change === 'new'
        ? [`${name}: is new, without a password and without rights`]
        : [`${name}: stays as it is here`];
    if (change === 'same') return [];
    const title = change === 'new' ? [`${name}: is not here`] : change === 'gone' ? [`${name}: is only here`] : [];
    return [...title, ...differences.map((difference) => `${name}: ${inWords(difference)}`)];
  });
  return [
    ...lines,
    ...settings.map(({ name, ...values }) => `${name}: ${bothValues(values)}`),
    ...folders.map(({ name, path }) => `music folder ${quoted(name)}: ${quoted(path)}`),
  ];
}

const inWords = ({ what, name, ...values }: AccountDifference): string =>
  `${DIFFERENCES[what]}${name === null ? '' : ` ${quoted(name)}`}: ${bothValues(values)}`;

const bothValues = ({ value, here }: { value: string | null; here: string | null }): string =>
  `${value === null ? 'not set' : quoted(value)}, here ${here === null ? 'not set' : quoted(here)}`;

/** A backup may have been edited by anybody. */
const quoted = (text: string): string => visibleText(JSON.stringify(text));
