// The list of storage backends.
import { AppError } from '../errors.ts';
import type { Backend, BackendConfig, OpenOptions } from './backend.ts';
import { local } from './local.ts';
import { s3 } from './s3-backend.ts';
import type { Storage } from './storage.ts';

export const BACKENDS: Backend[] = [local, s3];

/** The settings that select the storage. */
interface StorageSettings {
  STORAGE_BACKEND: string;
  BACKUP_TARGET?: string | undefined;
}

export const findBackend = (name: string): Backend | undefined => BACKENDS.find((backend) => backend.name === name);

/** Returns the backend with this name. Throws `invalid`. */
export function getBackend(name: string): Backend {
  const backend = findBackend(name);
  if (!backend) {
    const message = `must be one of ${BACKENDS.map((candidate) => candidate.name).join(', ')}`;
    throw new AppError('invalid', `Setting STORAGE_BACKEND = ${JSON.stringify(name)}: ${message}.`, {
      fields: [{ field: 'storage_backend', message }],
    });
  }
  return backend;
}

/**
 * Opens the configured storage, or the storage with this name to move objects there. Throws `invalid` with the missing
 * settings, and the errors of the backend's `open`.
 */
export async function openStorage(
  config: BackendConfig,
  options: OpenOptions = {},
  name: string = config.settings.STORAGE_BACKEND,
): Promise<Storage> {
  const backend = getBackend(name);
  const missingNames = missingSettings(backend, config.settings);
  if (missingNames.length > 0)
    throw new AppError('invalid', `${backend.title} needs ${missingNames.join(', ')}.`.replace(/^./, toUpperCase), {
      fields: missingNames.map((setting) => ({
        field: setting.toLowerCase(),
        message: `is required for ${backend.title}`,
      })),
    });
  return backend.open(config, options);
}

const toUpperCase = (letter: string): string => letter.toUpperCase();

/** Backends that BACKUP_TARGET may name instead of a folder. */
export const BACKUP_BACKEND_NAMES = BACKENDS.filter(({ forBackups }) => forBackups).map(({ name }) => name);

/** Returns the backend that a BACKUP_TARGET names; undefined for a folder. */
export const findBackupBackend = (target: string | undefined): Backend | undefined =>
  BACKENDS.find(({ name, forBackups }) => name === target && forBackups);

/**
 * Returns the backend that the settings page tests: the first one in use that can be tested, else the first one that
 * can be tested.
 */
export function getTestedBackend(settings: StorageSettings): Backend {
  const [backend] = [...backendsInUse(settings), ...BACKENDS].filter(({ canBeTested }) => canBeTested);
  if (!backend) throw new AppError('conflict', 'No storage backend can be tested.');
  return backend;
}

/** Returns the required settings that are not set. */
export const missingSettings = (backend: Backend, settings: BackendConfig['settings']): string[] =>
  backend.requiredSettings.filter((name) => settings[name] === undefined);

/** Returns the backends of the library and its backups. */
export const backendsInUse = (settings: StorageSettings): Backend[] =>
  BACKENDS.filter(
    ({ name }) => name === settings.STORAGE_BACKEND || name === findBackupBackend(settings.BACKUP_TARGET)?.name,
  );
