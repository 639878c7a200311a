// The last step before a restored library is moved into place: what of its accounts, folders and settings is taken.
import { constants, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import { hasAccounts } from './arrival.ts';
import { settleAccounts } from './kept-accounts.ts';
import { forgetFolders, keepFolders } from './kept-folders.ts';
import { settingsAfter, settingsThatStay } from './outside-settings.ts';

export interface ArrivalChoice {
  /** Of an export: nothing of its accounts, folders and settings is taken. */
  isImport: boolean;
  /** Of a backup: somebody said yes to what was shown. */
  isAccepted: boolean;
  /** The backup has the keys, and is encrypted then. */
  hasKeys: boolean;
  /** Of the backup. */
  settings: Readonly<Record<string, unknown>>;
  /** Where copies of indexed files went. */
  musicDir: string | undefined;
}

interface Places {
  data: string;
  building: string;
  taken: string;
}

/** Can be repeated, also with another choice: what was taken stays as it is. */
export function settleArrival(
  { data, building, taken }: Places,
  { isImport, isAccepted, hasKeys, settings, musicDir }: ArrivalChoice,
  now: Date,
): void {
  const [own, database] = [join(data, 'tonearm.db'), join(building, 'tonearm.db')];
  copyFileSync(taken, database, constants.COPYFILE_FICLONE);
  const isInhabited = hasAccounts(own);
  const accountsStay = isImport || (isInhabited && !isAccepted);
  settleAccounts(own, database, {
    accounts: accountsStay ? 'here' : hasKeys ? 'backup_with_keys' : 'backup',
    sessions: isImport ? 'none' : isInhabited ? (isAccepted ? 'both' : 'here') : hasKeys ? 'backup' : 'none',
  });
  if (isImport) keepFolders(own, database);
  else if (!isAccepted) forgetFolders(own, database, now);
  const here = readJsonFile(join(data, 'settings.json'));
  const next = isImport ? settingsThatStay(here) : settingsAfter(settings, here, isAccepted);
  writeJsonFile(join(building, 'settings.json'), {
    ...next,
    ...(musicDir !== undefined && { local_media_import_path: musicDir }),
  });
}

/** Whether the keys of the library that is replaced go on: sign-ins and app passwords keep working then. */
export function keepKeys({ data, building }: Places): boolean {
  const own = join(data, 'secrets.json');
  if (existsSync(join(building, 'secrets.json')) || !existsSync(own)) return false;
  copyFileSync(own, join(building, 'secrets.json'));
  return true;
}
