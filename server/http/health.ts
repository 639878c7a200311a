// GET /health for containers and proxies: at the root and below /api/v1, without authentication.
import { z } from 'zod';
import { Reply, route, type Route } from './route.ts';

const Part = z.enum(['ok', 'down']);
export const HealthOut = z
  .object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    database: Part,
    queue: Part,
    storage: Part,
  })
  .meta({ id: 'HealthOut' });
export type HealthOut = z.output<typeof HealthOut>;

export interface HealthChecks {
  version: string;
  database: () => boolean;
  queue: () => boolean;
  storage: () => Promise<boolean>;
}

/** 503 only when the database cannot be read; without the queue or the storage the status is `degraded`. */
export const healthRoutes = (checks: HealthChecks): Route[] => [
  route(
    {
      method: 'get',
      path: '/health',
      access: 'public',
      summary: 'Health of the server and its parts',
      reply: HealthOut,
      status: [200, 503],
    },
    async () => {
      const part = (ok: boolean): z.output<typeof Part> => (ok ? 'ok' : 'down');
      const database = checks.database();
      const queue = checks.queue();
      const storage = await checks.storage().catch(() => false);
      const status = database && queue && storage ? 'ok' : 'degraded';
      return new Reply(database ? 200 : 503, {
        status,
        version: checks.version,
        database: part(database),
        queue: part(queue),
        storage: part(storage),
      });
    },
  ),
];
