import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fetchTracks, jukeboxKey, reportSpeaker, withdrawSpeaker } from '../../api/jukebox.ts';
import type { JukeboxOut } from '../../api/routes.ts';
import { clientId, clientName } from '../../api/client-name.ts';
import { chooseSpeaker, useSpeakerChoice } from '../../player/jukebox-choice.ts';
import { startSpeaker } from '../../player/jukebox-speaker.ts';
import { usePlayerCommands } from '../../player/use-player.ts';

/** Lets phones play music in this window while jukebox mode is on. */
export function useSpeaker(): void {
  const player = usePlayerCommands();
  const queries = useQueryClient();
  const isSpeaker = useSpeakerChoice();

  useEffect(() => {
    if (!isSpeaker) return undefined;
    const ours = `${clientId()} `;
    const id = ours + Math.random().toString(36).slice(2);
    const speaker = startSpeaker({
      player,
      id,
      isOurs: (other) => other.startsWith(ours),
      report: (report) => reportSpeaker({ speaker_id: id, name: clientName(), ...(report && { report }) }),
      withdraw: () => withdrawSpeaker(id),
      tracksOf: (ids) => fetchTracks(queries, ids),
      onReplaced: () => chooseSpeaker(false),
    });
    const stopListening = queries.getQueryCache().subscribe(({ type, query }) => {
      const wish = query.state.data as JukeboxOut | undefined;
      if (type === 'updated' && query.queryKey[0] === jukeboxKey[0] && wish) speaker.hear(wish);
    });
    const leave = () => speaker.stop();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      stopListening();
      speaker.stop();
    };
  }, [isSpeaker, player, queries]);
}
