// Settings of the app itself, and the positions of its windows: one small JSON file in the profile. An unreadable file
// counts as empty.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { ShellChange, ShellSettings } from './ipc.ts';
import type { LoginItem } from './login-item.ts';

const Place = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(200).max(20_000),
  height: z.int().min(200).max(20_000),
  isMaximized: z.boolean(),
});

const Kept = z.object({
  keepRunning: z.boolean().catch(false),
  mediaKeys: z.boolean().catch(false),
  lookForUpdates: z.boolean().catch(false),
  language: z.string().max(35).optional().catch(undefined),
  places: z.object({ library: Place, player: Place, settings: Place }).partial().catch({}),
});
type Kept = z.output<typeof Kept>;

export type SettingsFile = ReturnType<typeof openSettingsFile>;

export function openSettingsFile(path: string) {
  let kept = Kept.safeParse(read(path)).data ?? Kept.parse({});
  return {
    get: (): Kept => kept,
    change(change: Partial<Kept>): void {
      kept = { ...kept, ...change };
      tryWrite(path, JSON.stringify(kept, undefined, 2));
    },
  };
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function tryWrite(path: string, text: string): void {
  try {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  } catch {
    // disk full or profile read-only: the change lasts until the app quits
  }
}

interface ShellSettingsDeps {
  kept: SettingsFile;
  login: LoginItem;
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
