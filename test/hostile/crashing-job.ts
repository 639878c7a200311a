// A process for put-aside.test.ts that runs a queue with a job that kills the process, as a file that crashes a parser
// would.
import { writeSync } from 'node:fs';
import { z } from 'zod';
import { openDatabase } from '../../server/db/client.ts';
import { createEventHub } from '../../server/events/hub.ts';
import { createJobs } from '../../server/jobs/service.ts';
import { handledBy, task } from '../../server/jobs/tasks.ts';
import { createLog } from '../../server/log/log.ts';

const [path = '', ...order] = process.argv.slice(2);
const log = createLog('silent');
const now = (): Date => new Date();
const db = openDatabase({ path, migrationsDir: 'migrations', log });
const jobs = createJobs({ db, log, now, events: createEventHub({ now }) });
const CRASH_TASK = task('crash', { payload: z.strictObject({}), attempts: 5, uniqueBy: () => 'all', concurrency: 1 });
const WORK_TASK = task('work', { payload: z.strictObject({}), attempts: 1, concurrency: 1 });
const jobStart = Promise.withResolvers<void>();
jobs.start([
  handledBy(
    CRASH_TASK,
    async (_payload, { signal }) => {
      writeSync(1, 'begun\n');
      jobStart.resolve();
      if (!order.includes('stop')) process.kill(process.pid, 'SIGKILL');
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
    () => writeSync(1, 'told\n'),
  ),
  handledBy(WORK_TASK, async () => void writeSync(1, 'worked\n')),
]);
if (order.includes('ask')) await jobs.enqueue(CRASH_TASK, {});
if (order.includes('by itself') && (await jobs.tryEnqueue(CRASH_TASK, {}))) writeSync(1, 'asked\n');
if (order.includes('work')) await jobs.enqueue(WORK_TASK, {});
await (order.includes('stop') ? jobStart.promise : jobs.drain());
await jobs.close({ graceMs: 10_000 });
db.$client.close();
