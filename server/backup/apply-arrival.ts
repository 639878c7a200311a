// The last step before a restored library is moved into place: takes its accounts, folders and settings, or keeps those
// of this server.
import { constants, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import { hasAccounts } from './arrival.ts';
import { applyAccountChoice } from './restored-accounts.ts';
import { removeForeignFolders, keepFolders } from './restored-folders.ts';
import { mergeSettings, remainingSettings } from './restored-settings.ts';

export interface ArrivalChoice {
  /** True for an export, from which accounts, folders and settings are not taken. */
  isImport: boolean;
  /** True if somebody has confirmed the changes that the backup makes. */
  isAccepted: boolean;
  /** Whether the backup contains the server's keys; only encrypted backups do. */
  hasKeys: boolean;
  /** The settings of the backup. */
  settings: Readonly<Record<string, unknown>>;
  /** The folder to which copies of indexed files were written. */
  musicDir: string | undefined;
}

interface ArrivalPaths {
  data: string;
  building: string;
  takenDatabase: string;
}

/**
 * Builds the database and the settings of the restored library. It can be repeated with another choice, because the
 * database in `takenDatabase` is not changed.
 */
export function applyArrival(
  { data, building, takenDatabase }: ArrivalPaths,
  { isImport, isAccepted, hasKeys, settings, musicDir }: ArrivalChoice,
  now: Date,
): void {
  const [localDatabase, database] = [join(data, 'tonearm.db'), join(building, 'tonearm.db')];
  copyFileSync(takenDatabase, database, constants.COPYFILE_FICLONE);
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

/**
 * Copies the keys of the replaced library unless the backup has keys; returns whether it did. With these keys, sign-ins
 * and app passwords keep working.
 */
export function keepKeys({ data, building }: ArrivalPaths): boolean {
  const localSecrets = join(data, 'secrets.json');
  if (existsSync(join(building, 'secrets.json')) || !existsSync(localSecrets)) return false;
  copyFileSync(localSecrets, join(building, 'secrets.json'));
  return true;
}
