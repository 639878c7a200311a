// How a storage backend introduces itself. Everything that differs between backends is asked here, by what is needed
// and never by name.
import type { Config } from '../config/config.ts';
import type { SettingName } from '../config/settings.ts';
import type { Storage, StorageTraits } from './storage.ts';

export type BackendConfig = Pick<Config, 'settings' | 'paths'>;

/** How long a store is waited for. */
export interface StoreLimits {
  /** To find the store at all. */
  connectMs: number;
  /** For the question whether it is up, with all tries. */
  upMs: number;
  /** Without a byte in either direction. */
  silenceMs: number;
  /** How often one request is made, the first included; waits between them double from 100 ms. */
  attempts: number;
}

export interface OpenOptions {
  now?: () => Date;
  s3Limits?: Partial<StoreLimits>;
}

export interface Backend extends StorageTraits {
  /** The settings that only it reads; the window shows them while it is in use. */
  readonly settings: readonly SettingName[];
  /** Those without which it cannot be opened. */
  readonly needed: readonly SettingName[];
  /** Whether a person can have it tried before a library is trusted to it. */
  readonly canBeTested: boolean;
  /** Does not ask whether the store can be reached: the library is there without it. */
  open(config: BackendConfig, options: OpenOptions): Promise<Storage>;
  /** Where BACKUP_TARGET may be its name: the same store with a place of its own for backups, and that place's name. */
  readonly forBackups?: (config: BackendConfig) => { config: BackendConfig; place: string };
}
