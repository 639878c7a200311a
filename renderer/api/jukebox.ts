// Requests of a window in jukebox mode. What phones ask for arrives as events, under `jukeboxKey` in the cache.
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

const MAX_PARALLEL_REQUESTS = 8;

/** In the order asked for; deleted tracks are left out. */
export async function fetchTracks(queries: QueryClient, ids: readonly number[]): Promise<TrackOut[]> {
  const tracks: (TrackOut | undefined)[] = [];
  for (let at = 0; at < ids.length; at += MAX_PARALLEL_REQUESTS) {
    tracks.push(
      ...(await Promise.all(
        ids
          .slice(at, at + MAX_PARALLEL_REQUESTS)
          .map((id) => queries.ensureQueryData(trackQuery(id)).catch(() => undefined)),
      )),
    );
  }
  return tracks.filter((track) => track !== undefined);
}
