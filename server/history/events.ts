import { z } from 'zod';
import { event } from '../events/event.ts';

export const historyEvent = event(
  'history',
  z.object({ plays: z.int() }),
  'The number of plays in the history; sent to this user only.',
);
export const nowPlayingEvent = event(
  'now_playing',
  z.object({ user_id: z.int(), track_id: z.int().nullable(), position_ms: z.int() }),
  'What is playing; sent to this user only.',
);
