// A process for jobs-kill.test.ts to kill: runs a queue and prints which jobs have done their work.
import { writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { openDatabase } from '../../server/db/client.ts';
import { createEventHub } from '../../server/events/hub.ts';
import { createJobs } from '../../server/jobs/service.ts';
import { handledBy, task } from '../../server/jobs/tasks.ts';
import { createLog } from '../../server/log/log.ts';

const [path = '', enqueue = '0'] = process.argv.slice(2);
const log = createLog('silent');
const now = () => new Date();
const db = openDatabase({ path, migrationsDir: 'migrations', log });
const jobs = createJobs({
  db,
  log,
  now,
  events: createEventHub({ now }),
});
const WORK = task('work', { payload: z.strictObject({ n: z.int() }), attempts: 1, concurrency: 4 });
jobs.start([
  handledBy(WORK, async ({ n }) => {
    await nextTurn();
    writeSync(1, `done ${n}\n`);
  }),
]);
await Promise.all(
  Array.from({ length: Number(enqueue) }, async (_, n) => {
    await jobs.enqueue(WORK, { n });
    writeSync(1, `taken ${n}\n`);
  }),
);
await jobs.drain();
writeSync(1, 'drained\n');
await jobs.close({ graceMs: 1_000 });
db.$client.close();
