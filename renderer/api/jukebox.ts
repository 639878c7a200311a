// The line between a window that is the speaker and the server. What phones want comes as events, and lands in the
// cache under `jukeboxKey`.
import type { QueryClient } from '@tanstack/react-query';
import type { JukeboxOut, SpeakerIn } from '../../server/jukebox/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { request } from './client.ts';
import { trackQuery } from './tracks.ts';

export const jukeboxKey = ['jukebox'] as const;

export const reportSpeaker = (body: SpeakerIn): Promise<JukeboxOut> =>
  request<JukeboxOut>('/jukebox/speaker', { method: 'PUT', body });
export const withdrawSpeaker = (id: string): Promise<void> =>
  request<void>(`/jukebox/speaker/${encodeURIComponent(id)}`, { method: 'DELETE' });

const AT_ONCE = 8;

/** In the order that is asked for. A track that is gone by now is left out. */
export async function fetchTracks(queries: QueryClient, ids: readonly number[]): Promise<TrackOut[]> {
  const found: (TrackOut | undefined)[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    found.push(
      ...(await Promise.all(
        ids.slice(at, at + AT_ONCE).map((id) => queries.ensureQueryData(trackQuery(id)).catch(() => undefined)),
      )),
    );
  }
  return found.filter((track) => track !== undefined);
}
