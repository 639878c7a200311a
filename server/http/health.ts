// GET /health for containers and proxies: at the root and below /api/v1, without authentication.
import { z } from 'zod';
import { Reply, route, type Route } from './route.ts';

const Part = z.enum(['ok', 'down']);
export const ProblemCode = z
  .enum([
    'database_gone',
    'database_locked',
    'database_failing',
    'disk_full',
    'data_folder',
    'log_failing',
    'clock_doubted',
    'storage_down',
    'music_folder_unset',
    'music_folder_away',
  ])
  .meta({ id: 'ProblemCode' });
export type ProblemCode = z.output<typeof ProblemCode>;
export const HealthOut = z
  .object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    database: Part,
    queue: Part,
    storage: Part,
    problems: z.array(ProblemCode),
  })
  .meta({ id: 'HealthOut' });
export type HealthOut = z.output<typeof HealthOut>;

export interface HealthChecks {
  version: string;
  database: () => boolean;
  queue: () => boolean;
  problems: () => Promise<{ code: ProblemCode }[]>;
}

/**
 * Returns the routes, which answer 503 only when the database cannot be read or is gone; with other problems the status
 * is `degraded`.
 */
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
      const toPartStatus = (isOk: boolean): z.output<typeof Part> => (isOk ? 'ok' : 'down');
      const database = checks.database();
      const queue = checks.queue();
      const problems = database ? (await checks.problems()).map(({ code }) => code) : [];
      const status = database && queue && problems.length === 0 ? 'ok' : 'degraded';
      return new Reply(database ? 200 : 503, {
        status,
        version: checks.version,
        database: toPartStatus(database),
        queue: toPartStatus(queue),
        storage: toPartStatus(!problems.includes('storage_down')),
        problems,
      });
    },
  ),
];
