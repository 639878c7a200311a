import { z } from 'zod';
import { event } from '../events/event.ts';

export const historyEvent = event(
  'history',
  z.object({ plays: z.int() }),
  'How many plays are in the history; to that person alone, on all their windows.',
);
export const nowPlayingEvent = event(
  'now_playing',
  z.object({ user_id: z.int(), track_id: z.int().nullable(), position_ms: z.int() }),
  'What is playing; to that person alone.',
);
