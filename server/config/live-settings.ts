// How modules read a setting that may change while the server runs. Implemented by settings/; what lies below it needs
// only this.
import type { SettingName, Settings } from './settings.ts';

export interface LiveSettings {
  /** The value in force now. A setting that waits for the next start keeps its old value until then. */
  get<N extends SettingName>(name: N): Settings[N];
}

export interface WatchedSettings extends LiveSettings {
  /** Called after a change of any of these took effect. Returns what ends it. */
  onChange(names: readonly SettingName[], listener: (changed: SettingName[]) => void | Promise<void>): () => void;
}
