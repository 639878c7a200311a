// Playing what has to be fetched first: an album or an artist.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { albumTracksQuery, artistTracksQuery } from '../api/library.ts';
import { usePlayerCommands } from './use-player.ts';

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
