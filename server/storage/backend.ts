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
  /** The time limit of the health check, including retries. */
  healthCheckMs: number;
  /** Longest time without any data in either direction. */
  silenceMs: number;
  /** Number of attempts, including the first; the waits between attempts double from 100 ms. */
  attempts: number;
}

export interface OpenOptions {
  now?: () => Date;
  storeLimits?: Partial<StoreLimits>;
}

/** The place of backups in an object store. */
interface BackupLocation {
  config: BackendConfig;
  /** Names the location in messages; no two locations have the same description. */
  description: string;
  /**
   * True if the backup settings are those of the library: existing backups there continue, and no new backup is begun
   * there.
   */
  onlyIfExists?: boolean;
  /** True if whoever takes the library's storage away takes the backups too. */
  sharesWithLibrary?: boolean;
  /** Replaces the library's settings in a message with those for backups, when backups have settings of their own. */
  withBackupNames?: (message: string) => string;
}

export interface Backend extends StorageTraits {
  /** Settings that only this backend has; they become part of the table in config/settings.ts. */
  readonly declaredSettings?: SettingTable;
  /** Names of all settings that the backend reads; the settings page hides those that no backend in use reads. */
  readonly settings: readonly string[];
  /** Settings without which the backend cannot be opened. */
  readonly requiredSettings: readonly string[];
  /** True if the settings page offers to test the backend. */
  readonly canBeTested: boolean;
  /** Opens the storage. Does not connect, so that the server starts and can be browsed while the store is down. */
  open(config: BackendConfig, options: OpenOptions): Promise<Storage>;
  /**
   * Creates the store of backups, for backends that BACKUP_TARGET may name. Throws `invalid` with the settings that are
   * missing.
   */
  readonly forBackups?: (config: BackendConfig) => BackupLocation;
  /** The settings under which backups were made before backups had settings of their own. */
  readonly earlierBackupSettings?: (settings: BackendConfig['settings']) => Record<string, unknown>;
}
