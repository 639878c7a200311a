// Requests of a window that is a jukebox. Requests of phones arrive as events, which are in the cache under
// `jukeboxKey`.
import type { QueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import type { JukeboxOut, SpeakerIn, TrackOut } from './routes.ts';
import { trackQuery } from './tracks.ts';

export const jukeboxKey = ['jukebox'] as const;

export const reportSpeaker = (body: SpeakerIn): Promise<JukeboxOut> => request('PUT /jukebox/speaker', { body });
export const withdrawSpeaker = (id: string): Promise<void> =>
  request('DELETE /jukebox/speaker/{speaker_id}', { path: { speaker_id: id } });

const MAX_PARALLEL_REQUESTS = 8;

/** Fetches tracks in the order of the ids; deleted tracks are omitted. */
export async function fetchTracks(queries: QueryClient, ids: readonly number[]): Promise<TrackOut[]> {
  const tracks: (TrackOut | undefined)[] = [];
  for (let start = 0; start < ids.length; start += MAX_PARALLEL_REQUESTS) {
    tracks.push(
      ...(await Promise.all(
        ids
          .slice(start, start + MAX_PARALLEL_REQUESTS)
          .map((id) => queries.ensureQueryData(trackQuery(id)).catch(() => undefined)),
      )),
    );
  }
  return tracks.filter((track) => track !== undefined);
}
