import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fetchTracks, jukeboxKey, reportSpeaker, withdrawSpeaker } from '../../api/jukebox.ts';
import type { JukeboxOut } from '../../api/routes.ts';
import { clientId, clientName } from '../../api/client-name.ts';
import { chooseSpeaker, useSpeakerChoice } from '../../player/jukebox-choice.ts';
import { startSpeaker } from '../../player/jukebox-speaker.ts';
import { usePlayerCommands } from '../../player/use-player.ts';

/** Lets phones play music in this window while its jukebox is on. */
export function useSpeaker(): void {
  const player = usePlayerCommands();
  const queries = useQueryClient();
  const isSpeaker = useSpeakerChoice();

  useEffect(() => {
    if (!isSpeaker) return undefined;
    const ownPrefix = `${clientId()} `;
    const id = ownPrefix + Math.random().toString(36).slice(2);
    const speaker = startSpeaker({
      player,
      id,
      isOurs: (speakerId) => speakerId.startsWith(ownPrefix),
      report: (report) => reportSpeaker({ speaker_id: id, name: clientName(), ...(report && { report }) }),
      withdraw: () => withdrawSpeaker(id),
      tracksOf: (ids) => fetchTracks(queries, ids),
      onReplaced: () => chooseSpeaker(false),
    });
    const stopListening = queries.getQueryCache().subscribe(({ type, query }) => {
      const jukeboxState = query.state.data as JukeboxOut | undefined;
      if (type === 'updated' && query.queryKey[0] === jukeboxKey[0] && jukeboxState) speaker.hear(jukeboxState);
    });
    const stopSpeaker = () => speaker.stop();
    addEventListener('pagehide', stopSpeaker);
    return () => {
      removeEventListener('pagehide', stopSpeaker);
      stopListening();
      speaker.stop();
    };
  }, [isSpeaker, player, queries]);
}
