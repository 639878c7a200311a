// The play queue, which the server keeps for all devices of a user, and reports of played tracks.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import type { HistoryIn, QueueOut, TrackOut } from './routes.ts';
import { PAGE_SIZE } from './pages-ahead.ts';

export const QUEUE = 'queue';
/** The maximum length of a queue on the server. */
export const MAX_QUEUED_TRACKS = 30_000;
/** At most this many tracks around the current track are taken over from a longer queue. */
const MAX_FETCHED_TRACKS = 2_000;

export const queueQuery = () =>
  queryOptions({ queryKey: [QUEUE] as const, queryFn: ({ signal }) => request('GET /queue', { signal }) });

export interface QueuePlace {
  track_ids: number[];
  current_index: number;
  position_ms: number;
  listening: QueueOut['listening'];
  client: string;
}

export const saveQueue = (place: QueuePlace): Promise<QueueOut> => request('PUT /queue', { body: place });

/** Fetches tracks of a queue from another device, and the index of the current track among them. */
export async function fetchQueueTracks(current: number): Promise<{ tracks: TrackOut[]; index: number }> {
  const firstIndex = Math.max(0, current - MAX_FETCHED_TRACKS / 4);
  const tracks: TrackOut[] = [];
  while (tracks.length < MAX_FETCHED_TRACKS) {
    const { items, total } = await request('GET /queue/tracks', {
      query: { limit: PAGE_SIZE, offset: firstIndex + tracks.length },
    });
    tracks.push(...items);
    if (items.length === 0 || firstIndex + tracks.length >= total) break;
  }
  return { tracks, index: current - firstIndex };
}

/** A play as it is sent, and as it is stored while offline: `played_at` is an ISO 8601 text. */
export type PlayReport = Omit<HistoryIn, 'played_at' | 'track_id'> & { track_id: number; played_at: string };

export const sendPlays = (items: readonly PlayReport[]): Promise<unknown> =>
  request('POST /history', { body: { items: [...items] } });
export const tellNowPlaying = (body: {
  track_id: number | null;
  position_ms: number;
  client: string;
}): Promise<unknown> => request('POST /history/now-playing', { body });
