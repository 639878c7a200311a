import { z } from 'zod';
import { task } from '../jobs/tasks.ts';
import { SCROBBLERS } from './scrobblers.ts';

// jobs of earlier versions name no service
const payload = z.strictObject({ userId: z.int(), service: z.enum(SCROBBLERS).default('listenbrainz') });
const uniqueBy = ({ userId, service }: z.output<typeof payload>): string => `${userId}:${service}`;
/** The number of jobs at once: a few, so that a slow service does not hold up the others. */
const concurrency = 4;

/** Sends the queued plays of a user to a service. Retried for weeks, up to an hour apart. */
export const SCROBBLE_TASK = task('scrobble_task', {
  payload,
  attempts: 2_000,
  backoff: { firstMs: 10_000, factor: 3, capMs: 3_600_000 },
  uniqueBy,
  concurrency,
});

/** Compares the likes of a user with the loved songs at a service, and adds to each side what it lacks. */
export const SYNC_LOVES = task('sync_loves', {
  payload,
  attempts: 2_000,
  backoff: { firstMs: 10_000, factor: 3, capMs: 3_600_000 },
  uniqueBy,
  concurrency,
});
