import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { onDevices } from '../api/device-news.ts';
import { useSession } from '../api/session.ts';
import { SharedPlayer } from '../player/shared-player.ts';
import { usePlayerCommands } from '../player/use-player.ts';

/** Makes this window a device of the account, as soon as its event stream is open. */
export function useDevice(): void {
  const player = usePlayerCommands();
  const queries = useQueryClient();
  const token = useSession()?.token;
  useEffect(() => {
    if (!token || !(player instanceof SharedPlayer)) return undefined;
    let isEnded = false;
    let stop = onDevices(({ kind }) => {
      if (kind !== 'open') return;
      void import('../player/device-agent.ts').then(({ startDevice }) => {
        if (isEnded) return;
        stop();
        stop = startDevice(player, queries);
      }, reportError); // the window plays without its agent, too
    });
    return () => {
      isEnded = true;
      stop();
    };
  }, [token, player, queries]);
}
