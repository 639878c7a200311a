// What a storage backend declares about itself, so that no other code has to check for a backend by name.
import type { SettingTable } from '../setting-kinds.ts';
import type { Storage, StorageTraits } from './storage.ts';

export interface BackendConfig {
  settings: { readonly [name: string]: unknown; readonly STORAGE_BACKEND: string };
  paths: { storageRoot: string; tmp: string };
}

/** Time limits and retries of an object store. */
export interface StoreLimits {
  connectMs: number;
  /** For the health check, including retries. */
  upMs: number;
  /** Without a byte in either direction. */
  silenceMs: number;
  /** Including the first; the waits between them double from 100 ms. */
  attempts: number;
}

export interface OpenOptions {
  now?: () => Date;
  storeLimits?: Partial<StoreLimits>;
}

/** Where backups are in a store. */
interface BackupPlace {
  config: BackendConfig;
  /** For messages; no other place has the same. */
  place: string;
  /** The settings are those of the library: backups there go on, and no new one is begun. */
  onlyIfThere?: boolean;
  /** What takes the library takes the backups too. */
  sharesWithLibrary?: boolean;
  /** Of a message that names settings of the library: with those for backups, if they have their own. */
  withOwnNames?: (message: string) => string;
}

export interface Backend extends StorageTraits {
  /** Settings that no other backend and nothing else has; they become part of the table in config/settings.ts. */
  readonly declares?: SettingTable;
  /** Names of all that it reads; the settings page shows what only backends read while one of them is in use. */
  readonly settings: readonly string[];
  /** Settings it cannot be opened without. */
  readonly needed: readonly string[];
  /** Whether the settings page offers to test it. */
  readonly canBeTested: boolean;
  /** Does not connect: the server starts, and can be browsed, while the store is down. */
  open(config: BackendConfig, options: OpenOptions): Promise<Storage>;
  /** For backends that BACKUP_TARGET may name. Throws `invalid` with the settings that are missing. */
  readonly forBackups?: (config: BackendConfig) => BackupPlace;
  /** The settings of backups, as they were before backups had settings of their own. */
  readonly backupsBefore?: (settings: BackendConfig['settings']) => Record<string, unknown>;
}
