// Follows messages of the desktop app: open a page, search, or play tracks. Does nothing in a browser.
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { fetchTracks } from '../../api/jukebox.ts';
import { followDesktop } from '../../desktop.ts';
import { usePlayerCommands } from '../../player/use-player.ts';

/** Returns whether the app is restarting its server. */
export function useDesktopMessages(onSearch: (text: string) => void): boolean {
  const router = useRouter();
  const queries = useQueryClient();
  const player = usePlayerCommands();
  const search = useRef(onSearch);
  search.current = onSearch;
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
        else setIsRestarting(message.state === 'restarting');
      }),
    [router, queries, player],
  );

  return isRestarting;
}
