// The queue left on another device: offered, never taken over automatically.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchQueueTracks, queueQuery } from '../../api/queue.ts';
import { useSession } from '../../api/session.ts';
import { clientId, shownName } from '../../api/client-name.ts';
import { trackQuery } from '../../api/tracks.ts';
import { currentEntry, isSounding } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';

const KEY = 'tonearm.queue.dismissed';

interface QueueOffer {
  title: string;
  client: string | null;
  accept: () => Promise<void>;
  dismiss: () => void;
}

export function useQueueOffer(): QueueOffer | null {
  const player = usePlayerCommands();
  const signedIn = useSession() !== null;
  const sounding = usePlayer(isSounding);
  const here = usePlayer((state) => currentEntry(state)?.track.id);
  const [dismissed, setDismissed] = useState(() => localStorage.getItem(KEY));
  const { data: queue } = useQuery({ ...queueQuery(), enabled: signedIn });
  const trackId = queue?.track_ids[queue.current_index];
  const isOffered =
    queue !== undefined &&
    trackId !== undefined &&
    queue.changed_by !== clientId() &&
    queue.updated_at !== dismissed &&
    !sounding &&
    trackId !== here;
  const { data: track } = useQuery({ ...trackQuery(trackId ?? 0), enabled: isOffered });
  if (!isOffered || !track) return null;

  const dismiss = () => {
    localStorage.setItem(KEY, queue.updated_at ?? '');
    setDismissed(queue.updated_at);
  };
  return {
    title: track.title,
    client: queue.changed_by === null ? null : shownName(queue.changed_by),
    dismiss,
    async accept() {
      const { tracks, index } = await fetchQueueTracks(queue.current_index);
      dismiss();
      player.restore(tracks, index, queue.position_ms);
      player.play();
    },
  };
}
