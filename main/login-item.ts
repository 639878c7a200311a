// Whether login starts the app, without a window. macOS and Windows keep that themselves; Linux desktops read a folder
// of start files.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { HIDDEN } from './command-line.ts';

export interface LoginItem {
  /** Null where the app cannot say so: one that is not installed would not be found again. */
  get(): boolean | null;
  set(isOn: boolean): void;
}

export function createLoginItem({ platform, env }: { platform: NodeJS.Platform; env: NodeJS.ProcessEnv }): LoginItem {
  if (!app.isPackaged) return { get: () => null, set: () => undefined };
  if (platform !== 'linux') {
    const args = [HIDDEN];
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
      // an AppImage's program lies elsewhere at every start
      writeFileSync(file, autostartEntry(env['APPIMAGE'] ?? app.getPath('exe')));
    },
  };
}

/**
 * As the Desktop Entry Specification wants it: the path in quotes, what is special in them escaped, and every backslash
 * written twice.
 */
export const autostartEntry = (program: string): string => `[Desktop Entry]
Type=Application
Name=Tonearm
Exec="${program
  .replace(/["`$\\]/g, '\\$&')
  .replaceAll('\\', '\\\\')
  .replaceAll('%', '%%')}" ${HIDDEN}
X-GNOME-Autostart-enabled=true
`;
