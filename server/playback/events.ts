import { z } from 'zod';
import { event } from '../events/event.ts';
import { isoTime } from '../http/times.ts';

export const queueEvent = event(
  'queue',
  z.object({ client: z.string().nullable(), updated_at: isoTime }),
  'The queue was saved. Sent to its owner.',
);
