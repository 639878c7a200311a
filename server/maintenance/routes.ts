// REST API of storage maintenance, for superusers, and of problems, for everybody. Findings are in the result of a job.
import { route, type Route } from '../http/route.ts';
import type { Jobs } from '../jobs/service.ts';
import { JobOut, toJobOut } from '../jobs/wire.ts';
import type { Problems } from './problems.ts';
import type { StoreTest } from './storage-test.ts';
import { GarbageIn, StatusOut, StoreTestIn, StoreTestOut, VerifyIn } from './wire.ts';
import { COLLECT_GARBAGE, VERIFY_STORAGE } from './tasks.ts';

export const maintenanceRoutes = ({
  jobs,
  problems,
  believeClock: trustClock,
  testStore,
}: {
  jobs: Pick<Jobs, 'enqueue'>;
  problems: Pick<Problems, 'list'>;
  believeClock: () => void;
  testStore: StoreTest;
}): Route[] => [
  route(
    {
      method: 'get',
      path: '/status',
      access: 'user',
      summary: 'What keeps the server from working as it should',
      reply: StatusOut,
    },
    async () => ({ problems: (await problems.list()).map(({ code, tracks }) => ({ code, tracks })) }),
  ),

  route(
    {
      method: 'post',
      path: '/status/clock',
      access: 'superuser',
      summary: 'Say that the clock is right, although it is far from what the library knows',
    },
    () => trustClock(),
  ),

  route(
    {
      method: 'post',
      path: '/storage/test',
      access: 'superuser',
      summary: 'Test an object store: writes, reads, lists and deletes a small object',
      body: StoreTestIn,
      strict: true,
      reply: StoreTestOut,
    },
    async ({ body }) => ({
      problem: await testStore(
        Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toUpperCase(), value])),
      ),
    }),
  ),

  route(
    {
      method: 'post',
      path: '/jobs/verify',
      access: 'superuser',
      summary: 'Verify all stored files; repairs them from the backup if there is one',
      body: VerifyIn,
      strict: true,
      reply: JobOut,
      status: [202],
    },
    async () => toJobOut(await jobs.enqueue(VERIFY_STORAGE, { scope: 'all' })),
  ),

  route(
    {
      method: 'post',
      path: '/jobs/gc',
      access: 'superuser',
      summary: 'List or delete stored objects that nothing refers to and that are older than a week',
      body: GarbageIn,
      strict: true,
      reply: JobOut,
      status: [202],
    },
    async ({ body }) =>
      toJobOut(await jobs.enqueue(COLLECT_GARBAGE, { dryRun: body.dry_run, earlierLibrary: body.earlier_library })),
  ),
];
