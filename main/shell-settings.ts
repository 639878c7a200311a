// Settings of the app itself and the positions of its windows, in a small JSON file in the profile. A damaged file is
// copied before it is overwritten, and an unreadable file stays unchanged.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { Accelerator, NO_SHORTCUTS } from './global-shortcuts.ts';
import { SHORTCUT_NAMES, type ShellChange, type ShellSettings, type ShortcutName } from './ipc.ts';
import type { LoginItem } from './login-item.ts';

const Place = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(200).max(20_000),
  height: z.int().min(50).max(20_000),
  isMaximized: z.boolean(),
});
const Places = z.object({ library: Place, player: Place, settings: Place }).partial();

const RecentAlbum = z.object({ id: z.int().positive(), title: z.string() });
export type RecentAlbum = z.output<typeof RecentAlbum>;

const StoredSettings = z.object({
  keepRunning: z.boolean().catch(false),
  mediaKeys: z.boolean().catch(false),
  shortcuts: z.record(z.enum(SHORTCUT_NAMES), Accelerator).catch(NO_SHORTCUTS),
  notifyTracks: z.boolean().catch(false),
  playerOnTop: z.boolean().catch(false),
  lookForUpdates: z.boolean().catch(false),
  /**
   * `lastGood` is the last version whose server listened; `failedStarts` counts failed starts of a newer version since.
   */
  lastGood: z.string().max(60).optional().catch(undefined),
  failedStarts: z.int().min(0).catch(0),
  language: z.string().max(35).optional().catch(undefined),
  /** Window positions by the connected screens, the latest last. */
  places: z.record(z.string(), Places).catch({}),
  /** Recently played albums, the latest first. */
  recentAlbums: z.array(RecentAlbum).catch([]),
});
type StoredSettings = z.output<typeof StoredSettings>;

export type SettingsFile = ReturnType<typeof openSettingsFile>;

export function openSettingsFile(path: string, warn: (words: string) => void) {
  const { stored: storedSettings, mayWrite } = readSettings(path, warn);
  let settings = storedSettings ?? StoredSettings.parse({});
  return {
    get: (): StoredSettings => settings,
    change(change: Partial<StoredSettings>): void {
      settings = { ...settings, ...change };
      if (mayWrite) tryWrite(path, JSON.stringify(settings, undefined, 2));
    },
  };
}

function readSettings(path: string, warn: (words: string) => void): { stored?: StoredSettings; mayWrite: boolean } {
  if (!existsSync(path)) return { mayWrite: true };
  try {
    const text = readFileSync(path, 'utf8');
    const settings = parse(text);
    if (settings) return { stored: settings, mayWrite: true };
    writeFileSync(`${path}.damaged`, text);
    warn(`${path} is not valid, so the app uses its default settings; a copy was saved next to it as .damaged`);
    return { mayWrite: true };
  } catch (error) {
    warn(`${path} cannot be read, so the app uses its default settings and saves no changes: ${String(error)}`);
    return { mayWrite: false };
  }
}

function parse(text: string): StoredSettings | undefined {
  try {
    return StoredSettings.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // the text is not JSON
  }
}

function tryWrite(path: string, text: string): void {
  try {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  } catch {
    // the disk is full or the profile read-only: the change lasts until the app quits
  }
}

interface ShellSettingsDeps {
  settingsFile: SettingsFile;
  login: LoginItem;
  /** Whether this copy of the app knows where updates are published. */
  hasFeed: boolean;
  takenShortcuts(): ShortcutName[];
  onChange(change: ShellChange): void;
}

export function createShellSettings({ settingsFile, login, hasFeed, takenShortcuts, onChange }: ShellSettingsDeps) {
  const get = (): ShellSettings => {
    const { keepRunning, mediaKeys, shortcuts, notifyTracks, playerOnTop, lookForUpdates } = settingsFile.get();
    return {
      keepRunning,
      mediaKeys,
      shortcuts,
      takenShortcuts: takenShortcuts(),
      notifyTracks,
      playerOnTop,
      lookForUpdates: hasFeed ? lookForUpdates : null,
      openAtLogin: login.get(),
    };
  };
  return {
    get,
    change({ openAtLogin, ...ownChanges }: ShellChange): ShellSettings {
      settingsFile.change(ownChanges);
      if (openAtLogin !== undefined) login.set(openAtLogin);
      onChange(ownChanges);
      return get();
    },
  };
}
