// Executes messages of the desktop app: open a page, search, or play. Does nothing in a browser.
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { fetchTracks } from '../../api/jukebox.ts';
import { albumQuery, artistQuery } from '../../api/library.ts';
import { playlistQuery } from '../../api/playlists.ts';
import { detailOf } from '../../api/problem.ts';
import { trackQuery } from '../../api/tracks.ts';
import { followDesktop, type DesktopMessage } from '../../desktop.ts';
import { albumItems, artistItems, playlistItems, trackItems, type Items } from '../../music/items.ts';
import { oneTrack } from '../../music/track-drag.ts';
import { useActions } from '../../music/use-actions.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';

/** Returns whether the app is restarting its server. */
export function useDesktopMessages(onSearch: (text: string) => void): boolean {
  const router = useRouter();
  const queries = useQueryClient();
  const player = usePlayerCommands();
  const search = useRef(onSearch);
  search.current = onSearch;
  const { run } = useActions();
  const { tell } = useUndoNotice();
  const play = useRef<(request: PlayItem) => Promise<unknown>>(async () => {});
  play.current = async (request) => run('play', await itemsOf(queries, request));
  const fail = useRef(tell);
  fail.current = tell;
  const [isRestarting, setIsRestarting] = useState(false);

  useEffect(
    () =>
      followDesktop((message) => {
        if (message.kind === 'open') router.history.push(message.path);
        else if (message.kind === 'search') search.current(message.text);
        else if (message.kind === 'play')
          void fetchTracks(queries, message.trackIds).then((tracks) => {
            if (tracks.length > 0) player.playTracks(tracks);
          });
        else if (message.kind === 'playItem')
          play.current(message).catch((error: unknown) => fail.current(detailOf(error as Error)));
        else setIsRestarting(message.state === 'restarting');
      }),
    [router, queries, player],
  );

  return isRestarting;
}

type PlayItem = Extract<DesktopMessage, { kind: 'playItem' }>;

async function itemsOf(queries: QueryClient, { item, id }: PlayItem): Promise<Items> {
  if (item === 'album') return albumItems(await queries.fetchQuery(albumQuery(id)));
  if (item === 'artist') return artistItems(await queries.fetchQuery(artistQuery(id)));
  if (item === 'playlist') return playlistItems(await queries.fetchQuery(playlistQuery(id)));
  return trackItems(oneTrack(await queries.fetchQuery(trackQuery(id))));
}
