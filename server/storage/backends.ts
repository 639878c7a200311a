// The storage backends there are.
import type { Settings } from '../config/settings.ts';
import { AppError } from '../errors.ts';
import type { Backend } from './backend.ts';
import { local } from './local.ts';
import { s3 } from './s3-backend.ts';

/** A new one is its file, and its name here. */
export const BACKENDS: Backend[] = [local, s3];

export const findBackend = (name: string): Backend | undefined => BACKENDS.find((backend) => backend.name === name);

/** Throws `invalid`, with the names that there are. */
export function getBackend(name: string): Backend {
  const backend = findBackend(name);
  if (!backend) {
    const message = `must be one of ${BACKENDS.map((one) => one.name).join(', ')}`;
    throw new AppError('invalid', `Setting STORAGE_BACKEND = ${JSON.stringify(name)}: ${message}.`, {
      fields: [{ field: 'storage_backend', message }],
    });
  }
  return backend;
}

/** Names that can stand where a backup goes, beside a folder. */
export const BACKUP_STORES = BACKENDS.filter(({ forBackups }) => forBackups).map(({ name }) => name);

/** The backend to which a backup goes by its name; undefined for a folder. */
export const backupBackend = (target: string | undefined): Backend | undefined =>
  BACKENDS.find(({ name, forBackups }) => name === target && forBackups);

/** The one that a person has tried: of those in use, else the first that can be. */
export function testedBackend(settings: Pick<Settings, 'STORAGE_BACKEND' | 'BACKUP_TARGET'>): Backend {
  const [first] = [...backendsInUse(settings), ...BACKENDS].filter(({ canBeTested }) => canBeTested);
  if (!first) throw new AppError('conflict', 'There is no storage that can be tested.');
  return first;
}

/** What it cannot do without, and does not have. */
export const missingSettings = (backend: Backend, settings: Settings): string[] =>
  backend.needed.filter((name) => settings[name] === undefined);

/** Those in which the library or its backups are kept. */
export const backendsInUse = (settings: Pick<Settings, 'STORAGE_BACKEND' | 'BACKUP_TARGET'>): Backend[] =>
  BACKENDS.filter(
    ({ name }) => name === settings.STORAGE_BACKEND || name === backupBackend(settings.BACKUP_TARGET)?.name,
  );
