// The last step before a restored library is moved into place: takes its accounts, folders and settings, or keeps ours.
import { constants, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import { hasAccounts } from './arrival.ts';
import { applyAccountChoice } from './restored-accounts.ts';
import { removeForeignFolders, keepFolders } from './restored-folders.ts';
import { mergeSettings, remainingSettings } from './restored-settings.ts';

export interface ArrivalChoice {
  /** Set for an export, from which accounts, folders and settings are not taken. */
  isImport: boolean;
  /** Set for a backup when somebody has confirmed the changes that were shown. */
  isAccepted: boolean;
  /** The backup has the keys; then it is encrypted. */
  hasKeys: boolean;
  /** The settings of the backup. */
  settings: Readonly<Record<string, unknown>>;
  /** Folder to which copies of indexed files were written. */
  musicDir: string | undefined;
}

interface ArrivalPaths {
  data: string;
  building: string;
  taken: string;
}

/** Can be repeated, also with another choice: the taken database is not changed. */
export function applyArrival(
  { data, building, taken }: ArrivalPaths,
  { isImport, isAccepted, hasKeys, settings, musicDir }: ArrivalChoice,
  now: Date,
): void {
  const [localDatabase, database] = [join(data, 'tonearm.db'), join(building, 'tonearm.db')];
  copyFileSync(taken, database, constants.COPYFILE_FICLONE);
  const isInhabited = hasAccounts(localDatabase);
  const accountsStay = isImport || (isInhabited && !isAccepted);
  applyAccountChoice(localDatabase, database, {
    accounts: accountsStay ? 'here' : hasKeys ? 'backup_with_keys' : 'backup',
    sessions: isImport ? 'none' : isInhabited ? (isAccepted ? 'both' : 'here') : hasKeys ? 'backup' : 'none',
  });
  if (isImport) keepFolders(localDatabase, database);
  else if (!isAccepted) removeForeignFolders(localDatabase, database, now);
  const localSettings = readJsonFile(join(data, 'settings.json'));
  const newSettings = isImport ? remainingSettings(localSettings) : mergeSettings(settings, localSettings, isAccepted);
  writeJsonFile(join(building, 'settings.json'), {
    ...newSettings,
    ...(musicDir !== undefined && { local_media_import_path: musicDir }),
  });
}

/** Returns whether the keys of the replaced library are kept: sign-ins and app passwords keep working then. */
export function keepKeys({ data, building }: ArrivalPaths): boolean {
  const localSecrets = join(data, 'secrets.json');
  if (existsSync(join(building, 'secrets.json')) || !existsSync(localSecrets)) return false;
  copyFileSync(localSecrets, join(building, 'secrets.json'));
  return true;
}
