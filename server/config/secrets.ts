// Where the server's own secrets live: a 0600 file here, the system's keychain in the desktop app. Asynchronous because keychains are.
import { randomBytes } from 'node:crypto';
import { chmodSync, statSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import type { Settings } from './settings.ts';

export type SecretName = 'JWT_SECRET' | 'COMPAT_SECRET_KEY';

export interface SecretStore {
  get(name: SecretName): Promise<string | undefined>;
  set(name: SecretName, value: string): Promise<void>;
}

/** Secrets in a JSON file that only this account may read. A damaged file is refused, never replaced: new keys would end every sign-in and app-password. */
export function openSecrets(file: string): SecretStore {
  const read = (): Record<string, unknown> => {
    const content = readJsonFile(file);
    closeToOthers(file);
    return content;
  };
  return {
    async get(name) {
      const value = read()[name];
      if (value === undefined) return undefined;
      if (typeof value === 'string' && value.length >= 16) return value;
      throw new AppError('unavailable', `${file} is damaged: ${name} is not a text of at least 16 characters. Restore it from a backup, or take ${name} out to have a new one made.`);
    },
    async set(name, value) {
      writeJsonFile(file, { ...read(), [name]: value });
    },
  };
}

/** A copy or a restore may have opened the file to others. Windows has no such modes. */
function closeToOthers(file: string): void {
  if (process.platform === 'win32') return;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined && (mode & 0o077) !== 0) chmodSync(file, 0o600);
}

export interface Secrets { jwtSecret: string; compatSecretKey: string }

/** A secret from the settings wins; otherwise it is made once and kept in the store. */
export async function loadSecrets(settings: Pick<Settings, SecretName>, store: SecretStore): Promise<Secrets> {
  return {
    jwtSecret: settings.JWT_SECRET ?? await getOrMake(store, 'JWT_SECRET'),
    compatSecretKey: settings.COMPAT_SECRET_KEY ?? await getOrMake(store, 'COMPAT_SECRET_KEY'),
  };
}

async function getOrMake(store: SecretStore, name: SecretName): Promise<string> {
  const kept = await store.get(name);
  if (kept !== undefined) return kept;
  const made = randomBytes(32).toString('base64url');
  await store.set(name, made);
  return made;
}
