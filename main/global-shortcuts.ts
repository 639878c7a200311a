// Keys that work in every program: media keys, and combinations that a person chose. A page that has played gets media
// keys from the system by itself, with title and cover, and yields to other players; the setting here captures them
// always, also before anything has played.
import { globalShortcut } from 'electron';
import { z } from 'zod';
import { SHORTCUT_NAMES, type PlayerCommand, type ShortcutName, type Shortcuts } from './ipc.ts';

const MEDIA_KEYS = {
  MediaPlayPause: 'toggle',
  MediaNextTrack: 'next',
  MediaPreviousTrack: 'previous',
  MediaStop: 'pause',
} as const satisfies Record<string, PlayerCommand>;

const KEY = /^(?:[A-Z0-9]|F(?:[1-9]|1\d|2[0-4])|Space|Left|Right|Up|Down|Home|End|PageUp|PageDown|Insert|Delete)$/;
const MODIFIERS = ['Control', 'Alt', 'Shift', 'Command'];

function isAccelerator(text: string): boolean {
  const parts = text.split('+');
  const key = parts.pop() ?? '';
  const typesNothing = parts.some((part) => part !== 'Shift');
  return KEY.test(key) && typesNothing && parts.every((part) => MODIFIERS.includes(part));
}

/** Requires Control, Alt or Command, so that no typing key is taken from other programs; empty for none. */
export const Accelerator = z
  .string()
  .max(40)
  .refine((text) => text === '' || isAccelerator(text));

export const NO_SHORTCUTS = Object.fromEntries(SHORTCUT_NAMES.map((name) => [name, ''])) as Shortcuts;

export function createGlobalShortcuts(run: (command: PlayerCommand) => void) {
  let registered: string[] = [];
  let takenShortcuts: ShortcutName[] = [];

  /** Returns false when the system or another program has the shortcut. */
  const register = (key: string, command: PlayerCommand): boolean => {
    if (globalShortcut.isRegistered(key) || !globalShortcut.register(key, () => run(command))) return false;
    registered.push(key);
    return true;
  };

  return {
    /** Replaces the previous shortcuts. */
    use({ mediaKeys, shortcuts }: { mediaKeys: boolean; shortcuts: Shortcuts }): void {
      for (const key of registered) globalShortcut.unregister(key);
      registered = [];
      takenShortcuts = SHORTCUT_NAMES.filter((name) => shortcuts[name] !== '' && !register(shortcuts[name], name));
      if (mediaKeys) for (const [key, command] of Object.entries(MEDIA_KEYS)) register(key, command);
    },
    taken: (): ShortcutName[] => takenShortcuts,
  };
}
