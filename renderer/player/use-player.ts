// Hooks with which components use the player: one for its state, one for its commands.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useMemo, useSyncExternalStore } from 'react';
import { albumTracksQuery, artistTracksQuery, fetchTracks } from '../api/library.ts';
import { LIST_PAGE, newSeed, openList, queryOf } from './list-rest.ts';
import { currentEntry, type ListSource, type Player, type PlayerState, type QueueTrack } from './player.ts';

export const PlayerContext = createContext<Player | null>(null);

export function usePlayerCommands(): Player {
  const player = useContext(PlayerContext);
  if (!player) throw new Error('There is no player above this component');
  return player;
}

/**
 * Rerenders when the value that `select` returns changes; select primitives or parts of the state, not new objects.
 */
export function usePlayer<T>(select: (state: PlayerState) => T): T {
  const player = usePlayerCommands();
  return useSyncExternalStore(player.subscribe, () => select(player.getState()));
}

export const useCurrentTrack = (): QueueTrack | null => usePlayer((state) => currentEntry(state)?.track ?? null);

/** Plays a list of any length from one of its rows on; the other rows join the queue when they are needed. */
export async function playList(
  player: Player,
  source: ListSource,
  { startAt = 0, shuffle = false }: { startAt?: number; shuffle?: boolean } = {},
): Promise<void> {
  const list = openList(source, startAt, shuffle ? newSeed(Math.random) : null);
  const isAllowed = ({ id }: QueueTrack): boolean => !list.without.includes(id);
  if (shuffle) {
    const firstPage = await fetchTracks(source.query, { offset: 0, limit: LIST_PAGE });
    // the player shuffles short lists better: no artist twice in a row
    if (firstPage.total <= LIST_PAGE)
      return player.playTracks(firstPage.items.filter(isAllowed), { shuffle: true, from: list.name });
  }
  const { items, total } = await fetchTracks(queryOf(list), { offset: list.first, limit: LIST_PAGE });
  player.playTracks(items.filter(isAllowed), {
    startAt: shuffle ? 0 : items.slice(0, startAt - list.first).filter(isAllowed).length,
    shuffle: false,
    from: list.name,
    rest: { ...list, next: list.first + items.length, end: total, total },
  });
}

/** Returns functions that fetch the tracks of an album or an artist and play them. */
export function usePlay() {
  const queries = useQueryClient();
  const player = usePlayerCommands();
  return useMemo(() => {
    const album = (id: number) => queries.ensureQueryData(albumTracksQuery(id));
    const artist = (id: number) => queries.ensureQueryData(artistTracksQuery(id));
    return {
      playAlbum: async (id: number) => {
        const tracks = await album(id);
        player.playTracks(tracks, { shuffle: false, from: tracks[0]?.album_title ?? null });
      },
      playArtist: async (id: number) => {
        const tracks = await artist(id);
        const matchingArtist = tracks.flatMap(({ artists }) => artists).find((candidate) => candidate.id === id);
        player.playTracks(tracks, { shuffle: false, from: matchingArtist?.name ?? null });
      },
      queueAlbum: async (id: number) => player.addLast(await album(id)),
      queueArtist: async (id: number) => player.addLast(await artist(id)),
    };
  }, [queries, player]);
}
