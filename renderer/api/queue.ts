// The play queue that the server keeps for all devices of a user, and reports of what is played.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import type { HistoryIn, QueueOut, TrackOut } from './routes.ts';
import { PAGE_SIZE } from './pages-ahead.ts';

export const QUEUE = 'queue';
/** The longest queue the server stores. */
export const MAX_QUEUED_TRACKS = 30_000;
/** Of a longer queue this much is taken over, around the current track. */
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

/** Tracks of the queue that another device left, and which was current. */
export async function fetchQueueTracks(current: number): Promise<{ tracks: TrackOut[]; index: number }> {
  const first = Math.max(0, current - MAX_FETCHED_TRACKS / 4);
  const tracks: TrackOut[] = [];
  while (tracks.length < MAX_FETCHED_TRACKS) {
    const { items, total } = await request('GET /queue/tracks', {
      query: { limit: PAGE_SIZE, offset: first + tracks.length },
    });
    tracks.push(...items);
    if (items.length === 0 || first + tracks.length >= total) break;
  }
  return { tracks, index: current - first };
}

/** `played_at` is text, as sent and as stored while offline. */
export type PlayReport = Omit<HistoryIn, 'played_at' | 'track_id'> & { track_id: number; played_at: string };

export const sendPlays = (items: readonly PlayReport[]): Promise<unknown> =>
  request('POST /history', { body: { items: [...items] } });
export const tellNowPlaying = (body: {
  track_id: number | null;
  position_ms: number;
  client: string;
}): Promise<unknown> => request('POST /history/now-playing', { body });
