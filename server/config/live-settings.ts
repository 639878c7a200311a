// How rooms read a setting that may change while the server runs. Implemented by settings/; the floors between need
// only this.
import type { SettingName, Settings } from './settings.ts';

export interface LiveSettings {
  /** The value in force now. A setting that waits for the next start keeps its old value until then. */
  get<N extends SettingName>(name: N): Settings[N];
}
