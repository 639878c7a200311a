// Start at login, without a window. macOS and Windows have an API for it; Linux desktops read a folder of desktop
// entries.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { HIDDEN_OPTION } from './command-line.ts';

export interface LoginItem {
  /** Null where it is not supported: an app that is not installed could not be found at login. */
  get(): boolean | null;
  set(isOn: boolean): void;
}

export function createLoginItem({ platform, env }: { platform: NodeJS.Platform; env: NodeJS.ProcessEnv }): LoginItem {
  if (!app.isPackaged) return { get: () => null, set: () => undefined };
  if (platform !== 'linux') {
    const args = [HIDDEN_OPTION];
    return {
      get: () => app.getLoginItemSettings({ args }).openAtLogin,
      set: (openAtLogin) => app.setLoginItemSettings({ openAtLogin, args }),
    };
  }
  const file = join(
    env['XDG_CONFIG_HOME'] || join(app.getPath('home'), '.config'),
    'autostart',
    'app.tonearm.desktop.desktop',
  );
  return {
    get: () => existsSync(file),
    set(isOn) {
      if (!isOn) return rmSync(file, { force: true });
      mkdirSync(dirname(file), { recursive: true });
      // the executable of an AppImage is elsewhere at every start
      writeFileSync(file, autostartEntry(env['APPIMAGE'] ?? app.getPath('exe')));
    },
  };
}

/** Per the Desktop Entry Specification: the path in quotes, special characters escaped, and every backslash doubled. */
export const autostartEntry = (program: string): string => `[Desktop Entry]
Type=Application
Name=Tonearm
Exec="${program
  .replace(/["`$\\]/g, '\\$&')
  .replaceAll('\\', '\\\\')
  .replaceAll('%', '%%')}" ${HIDDEN_OPTION}
X-GNOME-Autostart-enabled=true
`;
