// How components see the player: one hook for its state, one for its commands.
import { createContext, useContext, useSyncExternalStore } from 'react';
import { currentEntry, type Player, type PlayerState, type QueueTrack } from './types.ts';

export const PlayerContext = createContext<Player | null>(null);

export function usePlayerCommands(): Player {
  const player = useContext(PlayerContext);
  if (!player) throw new Error('There is no player above this component');
  return player;
}

/** Rerenders when what `select` returns changes; select primitives or parts of the state, not new objects. */
export function usePlayer<T>(select: (state: PlayerState) => T): T {
  const player = usePlayerCommands();
  return useSyncExternalStore(player.subscribe, () => select(player.getState()));
}

export const useCurrentTrack = (): QueueTrack | null => usePlayer((state) => currentEntry(state)?.track ?? null);
