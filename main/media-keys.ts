// Media keys. A page that has played gets them from the system by itself, with title and cover beside them, and gives
// way to another player. Only who asks for it has them taken for good, also from other players and while nothing has
// played yet.
import { globalShortcut } from 'electron';
import type { PlayerCommand } from './ipc.ts';

const KEYS = {
  MediaPlayPause: 'toggle',
  MediaNextTrack: 'next',
  MediaPreviousTrack: 'previous',
  MediaStop: 'pause',
} as const satisfies Record<string, PlayerCommand>;

/** A key that the system or another program keeps stays with them. */
export function takeMediaKeys(isWanted: boolean, run: (command: PlayerCommand) => void): void {
  for (const [key, command] of Object.entries(KEYS)) {
    if (!isWanted) globalShortcut.unregister(key);
    else if (!globalShortcut.isRegistered(key)) globalShortcut.register(key, () => run(command));
  }
}
