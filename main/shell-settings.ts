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
  notifyTracks: z.boolean().catch(false),
  lookForUpdates: z.boolean().catch(false),
  /** The last version whose server listened, and how often a newer one could not start since. */
  lastGood: z.string().max(60).optional().catch(undefined),
  failedStarts: z.int().min(0).catch(0),
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
  /** This copy of the app knows where updates are published. */
  hasFeed: boolean;
  onMediaKeys(isWanted: boolean): void;
}

export function createShellSettings({ kept, login, hasFeed, onMediaKeys }: ShellSettingsDeps) {
  const get = (): ShellSettings => {
    const { keepRunning, mediaKeys, notifyTracks, lookForUpdates } = kept.get();
    return {
      keepRunning,
      mediaKeys,
      notifyTracks,
      lookForUpdates: hasFeed ? lookForUpdates : null,
      openAtLogin: login.get(),
    };
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
