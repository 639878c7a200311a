// Starts the app at login, without a window. macOS and Windows have an API for this; Linux desktops read a folder of
// desktop entries.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { HIDDEN_OPTION } from './command-line.ts';

export interface LoginItem {
  /**
   * Returns whether the app starts at login; null if unsupported, because the system could not find an app that is not
   * installed.
   */
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
      // the executable of an AppImage is mounted elsewhere at every start
      writeFileSync(file, autostartEntry(env['APPIMAGE'] ?? app.getPath('exe')));
    },
  };
}

/**
 * Returns the desktop entry. According to the Desktop Entry Specification the path is quoted, special characters are
 * escaped, and every backslash is doubled.
 */
export const autostartEntry = (program: string): string => `[Desktop Entry]
Type=Application
Name=Tonearm
Exec="${program
  .replace(/["`$\\]/g, '\\$&')
  .replaceAll('\\', '\\\\')
  .replaceAll('%', '%%')}" ${HIDDEN_OPTION}
X-GNOME-Autostart-enabled=true
`;
