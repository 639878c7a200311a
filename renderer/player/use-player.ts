// How components see the player: one hook for its state, one for its commands.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useMemo, useSyncExternalStore } from 'react';
import { albumTracksQuery, artistTracksQuery } from '../api/library.ts';
import { currentEntry, type Player, type PlayerState, type QueueTrack } from './player.ts';

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

/** Playing what has to be fetched first: an album or an artist. */
export function usePlay() {
  const queries = useQueryClient();
  const player = usePlayerCommands();
  return useMemo(() => {
    const album = (id: number) => queries.ensureQueryData(albumTracksQuery(id));
    const artist = (id: number) => queries.ensureQueryData(artistTracksQuery(id));
    return {
      playAlbum: async (id: number, options?: { shuffle?: boolean }) =>
        player.playTracks(await album(id), { shuffle: false, ...options }),
      playArtist: async (id: number, options?: { shuffle?: boolean }) =>
        player.playTracks(await artist(id), { shuffle: false, ...options }),
      queueAlbum: async (id: number) => player.addLast(await album(id)),
      queueArtist: async (id: number) => player.addLast(await artist(id)),
    };
  }, [queries, player]);
}
