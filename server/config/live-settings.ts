// Interface by which modules read settings that may change while the server runs. Implemented by settings/, which is
// above most modules.
import type { SettingName, Settings } from './settings.ts';

export interface LiveSettings {
  /** Returns the current value. A setting that takes effect at the next start keeps its old value until then. */
  get<N extends SettingName>(name: N): Settings[N];
}

export interface WatchedSettings extends LiveSettings {
  /** Calls `listener` after a change of any of these settings. Returns a function to unsubscribe. */
  onChange(names: readonly SettingName[], listener: (changed: SettingName[]) => void | Promise<void>): () => void;
}
