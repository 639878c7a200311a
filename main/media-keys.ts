// Global media keys. A page that has played gets them from the system by itself, with title and cover, and yields to
// other players. This setting captures them always, also before anything has played.
import { globalShortcut } from 'electron';
import type { PlayerCommand } from './ipc.ts';

const KEYS = {
  MediaPlayPause: 'toggle',
  MediaNextTrack: 'next',
  MediaPreviousTrack: 'previous',
  MediaStop: 'pause',
} as const satisfies Record<string, PlayerCommand>;

/** A key held by the system or another program stays with it. */
export function takeMediaKeys(isWanted: boolean, run: (command: PlayerCommand) => void): void {
  for (const [key, command] of Object.entries(KEYS)) {
    if (!isWanted) globalShortcut.unregister(key);
    else if (!globalShortcut.isRegistered(key)) globalShortcut.register(key, () => run(command));
  }
}
