// Keys that work in every program: media keys, and combinations that the user chose. The system passes media keys to a
// page that has played, with title and cover, and to other players after them. The setting `mediaKeys` captures them
// always, even before anything has played.
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

/** A shortcut with Control, Alt or Command, so that other programs lose no typing key; empty for no shortcut. */
export const Accelerator = z
  .string()
  .max(40)
  .refine((text) => text === '' || isAccelerator(text));

export const NO_SHORTCUTS = Object.fromEntries(SHORTCUT_NAMES.map((name) => [name, ''])) as Shortcuts;

export function createGlobalShortcuts(run: (command: PlayerCommand) => void) {
  let registered: string[] = [];
  let takenShortcuts: ShortcutName[] = [];

  /** Registers a shortcut; returns false if the system or another program already uses it. */
  const register = (key: string, command: PlayerCommand): boolean => {
    if (globalShortcut.isRegistered(key) || !globalShortcut.register(key, () => run(command))) return false;
    registered.push(key);
    return true;
  };

  return {
    /** Replaces the registered shortcuts. */
    use({ mediaKeys, shortcuts }: { mediaKeys: boolean; shortcuts: Shortcuts }): void {
      for (const key of registered) globalShortcut.unregister(key);
      registered = [];
      takenShortcuts = SHORTCUT_NAMES.filter((name) => shortcuts[name] !== '' && !register(shortcuts[name], name));
      if (mediaKeys) for (const [key, command] of Object.entries(MEDIA_KEYS)) register(key, command);
    },
    taken: (): ShortcutName[] => takenShortcuts,
  };
}
