// Interface by which modules read settings that may change while the server runs. It is implemented by settings/, which
// is a layer above most modules.
import type { SettingName, Settings } from './settings.ts';

export interface LiveSettings {
  /** Returns the current value. A setting that takes effect at the next start keeps its old value until the restart. */
  get<N extends SettingName>(name: N): Settings[N];
}

export interface WatchedSettings extends LiveSettings {
  /** Calls `listener` after a change of any of the named settings. Returns a function to unsubscribe. */
  onChange(names: readonly SettingName[], listener: (changedNames: SettingName[]) => void | Promise<void>): () => void;
}
