// A process for put-aside.test.ts: runs a queue with a job that ends the process, as a file that breaks a parser would.
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
const CRASH = task('crash', { payload: z.strictObject({}), attempts: 5, uniqueBy: () => 'all', concurrency: 1 });
const WORK = task('work', { payload: z.strictObject({}), attempts: 1, concurrency: 1 });
const beginning = Promise.withResolvers<void>();
jobs.start([
  handledBy(
    CRASH,
    async (_payload, { signal }) => {
      writeSync(1, 'begun\n');
      beginning.resolve();
      if (!order.includes('stop')) process.kill(process.pid, 'SIGKILL');
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
    () => writeSync(1, 'told\n'),
  ),
  handledBy(WORK, async () => void writeSync(1, 'worked\n')),
]);
if (order.includes('ask')) await jobs.enqueue(CRASH, {});
if (order.includes('by itself') && (await jobs.tryEnqueue(CRASH, {}))) writeSync(1, 'asked\n');
if (order.includes('work')) await jobs.enqueue(WORK, {});
await (order.includes('stop') ? beginning.promise : jobs.drain());
await jobs.close({ graceMs: 10_000 });
db.$client.close();
