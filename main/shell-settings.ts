// What a person chooses about the app itself, put together from where each of it is kept, and done at once when it
// changes.
import type { ShellChange, ShellSettings } from './ipc.ts';
import type { LoginStart } from './login-start.ts';
import type { ShellFile } from './shell-file.ts';

interface ShellSettingsDeps {
  kept: ShellFile;
  login: LoginStart;
  onMediaKeys(isWanted: boolean): void;
}

export function createShellSettings({ kept, login, onMediaKeys }: ShellSettingsDeps) {
  const get = (): ShellSettings => {
    const { keepRunning, mediaKeys, lookForUpdates } = kept.get();
    return { keepRunning, mediaKeys, lookForUpdates, openAtLogin: login.get() };
  };
  return {
    get,
    change({ openAtLogin, ...own }: ShellChange): ShellSettings {
      kept.change(own);
      if (own.mediaKeys !== undefined) onMediaKeys(own.mediaKeys);
      if (openAtLogin !== undefined) login.set(openAtLogin);
      return get();
    },
  };
}
