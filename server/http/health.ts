// GET /health for containers and proxies: at the root and below /api/v1, without authentication.
import { z } from 'zod';
import { Reply, route, type Route } from './route.ts';

/** Work that protects a library, under the names that monitoring sees. */
export type WatchedWork = 'scan' | 'backup' | 'backup_check';
/** The seconds since the last success; null if there is none. */
const Age = z.int().nullable();
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
    ages: z
      .object({ scan: Age, backup: Age, backup_check: Age })
      .nullable()
      .meta({ description: 'seconds since the last good scan, backup and check of the backup; null for never' }),
  })
  .meta({ id: 'HealthOut' });
export type HealthOut = z.output<typeof HealthOut>;

export interface HealthChecks {
  version: string;
  database: () => boolean;
  queue: () => boolean;
  problems: () => Promise<{ code: ProblemCode }[]>;
  lastSuccesses: () => Record<WatchedWork, Date | null>;
  now: () => Date;
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
      const successes = database && queue ? checks.lastSuccesses() : null;
      const age = (at: Date | null): number | null =>
        at && Math.max(0, Math.round((checks.now().getTime() - at.getTime()) / 1_000));
      return new Reply(database ? 200 : 503, {
        status,
        version: checks.version,
        database: toPartStatus(database),
        queue: toPartStatus(queue),
        storage: toPartStatus(!problems.includes('storage_down')),
        problems,
        ages: successes && {
          scan: age(successes.scan),
          backup: age(successes.backup),
          backup_check: age(successes.backup_check),
        },
      });
    },
  ),
];
