import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { MainDb } from '../../server/db/client.ts';
import type { JobId } from '../../server/db/ids.ts';
import { jobs as jobTable } from '../../server/db/schema.ts';
import { createEventHub } from '../../server/events/hub.ts';
import { createJobs } from '../../server/jobs/service.ts';
import { handledBy, permanent, task, type Handler, type JobContext } from '../../server/jobs/tasks.ts';
import { createLog } from '../../server/log/log.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { openMigrated } from '../support/temp-database.ts';

const PLAIN_TASK = task('plain', { payload: z.strictObject({ n: z.int() }), attempts: 1, concurrency: 4 });
const SINGLE_TASK = task('single', {
  payload: z.strictObject({ n: z.int().optional() }),
  attempts: 1,
  uniqueBy: () => 'all',
  concurrency: 1,
});
const FLAKY_TASK = task('flaky', {
  payload: z.strictObject({}),
  attempts: 3,
  backoff: { firstMs: 2_000, factor: 2, capMs: 300_000 },
  concurrency: 2,
});
interface Handlers {
  plainHandler?: Handler<typeof PLAIN_TASK>;
  single?: Handler<typeof SINGLE_TASK>;
  flaky?: Handler<typeof FLAKY_TASK>;
}
const doNothing = async () => null;
const makeHandlers = ({ plainHandler = doNothing, single = doNothing, flaky = doNothing }: Handlers) => [
  handledBy(PLAIN_TASK, plainHandler),
  handledBy(SINGLE_TASK, single),
  handledBy(FLAKY_TASK, flaky),
];

/** Creates a gate: a handler waits for `passed` until the test calls `open`. */
const gate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, passed: promise };
};
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
  });

let dir: string;
let db: MainDb;
let clock: number;
let logStream: PassThrough;
const log = () => createLog('debug', logStream);
const lines = () =>
  (logStream.read() as Buffer | null)
    ?.toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>) ?? [];

const open = () => {
  db = openMigrated(join(dir, 'test.db'));
};
const makeJobs = () => {
  const now = () => new Date(clock);
  const events = createEventHub({ now });
  return { jobs: createJobs({ db, log: log(), now, events, random: () => 0.5 }), events };
};
const running = new Set<ReturnType<typeof makeJobs>['jobs']>();
const startJobs = (handlers: Handlers) => {
  const jobsAndClose = makeJobs();
  jobsAndClose.jobs.start(makeHandlers(handlers));
  running.add(jobsAndClose.jobs);
  return jobsAndClose;
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-jobs-'));
  clock = Date.UTC(2030, 0, 1);
  logStream = new PassThrough({ highWaterMark: 64 * 1024 * 1024 });
  open();
});
afterEach(async () => {
  for (const jobs of running) await jobs.close({ graceMs: PATIENCE_MS });
  running.clear();
  db.$client.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('running', () => {
  it('a job runs and keeps its result, progress and times', async () => {
    const { jobs } = startJobs({
      plainHandler: async ({ n }, { progress }) => {
        progress(1, 3, 'first');
        progress(2, 3, 'second');
        clock += 1_500;
        return { doubled: n * 2 };
      },
    });
    const job = await jobs.enqueue(PLAIN_TASK, { n: 21 });
    expect(job).toMatchObject({ status: 'queued', created: true, attempts: 0 });
    await jobs.drain();
    const doneJob = jobs.get(job.id);
    expect(doneJob).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      result: { doubled: 42 },
      error: null,
      progressDone: 2,
      progressTotal: 3,
      progressMessage: 'second',
    });
    expect(doneJob.finishedAt!.getTime() - doneJob.startedAt!.getTime()).toBe(1_500);
    expect(lines().filter(({ msg }) => msg === 'job')).toEqual([
      expect.objectContaining({ job_id: job.id, task: 'plain', attempt: 1, outcome: 'succeeded', ms: 1_500 }),
    ]);
    expect(countQueued()).toBe(0);
  });

  it('five hundred jobs are all done, four at a time and never more', async () => {
    const seenNumbers = new Set<number>();
    let active = 0;
    let maxRunning = 0;
    const { jobs } = startJobs({
      plainHandler: async ({ n }) => {
        maxRunning = Math.max(maxRunning, ++active);
        await new Promise((resolve) => setImmediate(resolve));
        seenNumbers.add(n);
        active--;
      },
    });
    await Promise.all(Array.from({ length: 500 }, (_, n) => jobs.enqueue(PLAIN_TASK, { n })));
    await jobs.drain();
    expect(seenNumbers.size).toBe(500);
    expect(maxRunning).toBe(4);
    expect(jobs.list({ status: 'succeeded' }, { limit: 1, offset: 0 }).total).toBe(500);
    expect(countQueued()).toBe(0);
  });

  it('all slots run jobs that an earlier process left', async () => {
    const firstStart = startJobs({ plainHandler: async (_payload, { signal }) => untilAborted(signal) });
    for (let n = 0; n < 8; n++) await firstStart.jobs.enqueue(PLAIN_TASK, { n });
    await firstStart.jobs.close({ graceMs: PATIENCE_MS });
    const allStarted = gate();
    let active = 0;
    const secondStart = startJobs({
      plainHandler: async () => {
        if (++active === 4) allStarted.open();
        await allStarted.passed;
      },
    });
    await allStarted.passed; // the promise would never resolve if a slot were missing
    await secondStart.jobs.drain();
    expect(secondStart.jobs.list({ status: 'succeeded' }, { limit: 1, offset: 0 }).total).toBe(8);
  });

  it('drain waits for the jobs that a job enqueues', async () => {
    const startedJobs = startJobs({
      plainHandler: async ({ n }) => {
        if (n > 0) await startedJobs.jobs.enqueue(PLAIN_TASK, { n: n - 1 });
      },
    });
    await startedJobs.jobs.enqueue(PLAIN_TASK, { n: 5 });
    await startedJobs.jobs.drain();
    expect(startedJobs.jobs.list({ status: 'succeeded' }, { limit: 1, offset: 0 }).total).toBe(6);
  });

  it('a result that is not JSON fails the job instead of blocking it', async () => {
    const { jobs } = startJobs({ plainHandler: async () => ({ big: 1n }) });
    const { id } = await jobs.enqueue(PLAIN_TASK, { n: 1 });
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('BigInt') as string });
  });
});

describe('unique jobs', () => {
  it('enqueueing again while a job is unfinished returns that job', async () => {
    const handlerEntered = gate();
    const mayContinue = gate();
    const { jobs } = startJobs({
      single: async () => {
        handlerEntered.open();
        await mayContinue.passed;
      },
    });
    const [firstJob, repeatedJob] = await Promise.all([
      jobs.enqueue(SINGLE_TASK, {}),
      jobs.enqueue(SINGLE_TASK, { n: 1 }),
    ]);
    expect(repeatedJob).toMatchObject({ id: firstJob.id, created: false });
    await handlerEntered.passed;
    expect(await jobs.enqueue(SINGLE_TASK, {})).toMatchObject({ id: firstJob.id, created: false, status: 'running' });
    mayContinue.open();
    await jobs.drain();
    const next = await jobs.enqueue(SINGLE_TASK, {});
    expect(next.created).toBe(true);
    expect(next.id).not.toBe(firstJob.id);
    await jobs.drain();
  });
});

describe('retries', () => {
  it('a failing job waits longer after each attempt, and fails after its last', async () => {
    let calls = 0;
    const { jobs } = startJobs({
      flaky: async () => {
        throw new Error(`no answer ${++calls}`);
      },
    });
    const { id } = await jobs.enqueue(FLAKY_TASK, {});
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({
      status: 'waiting',
      attempts: 1,
      error: 'no answer 1',
      runAt: new Date(clock + 2_000),
    });

    clock += 1_999;
    await jobs.drain();
    expect(calls).toBe(1);
    clock += 1;
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({ status: 'waiting', attempts: 2, runAt: new Date(clock + 4_000) });

    clock += 4_000;
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({
      status: 'failed',
      attempts: 3,
      error: 'no answer 3',
      finishedAt: new Date(clock),
    });
    expect(countQueued()).toBe(0);
    expect(
      lines()
        .filter(({ msg }) => msg === 'job')
        .map(({ outcome, attempt }) => [outcome, attempt]),
    ).toEqual([
      ['waiting', 1],
      ['waiting', 2],
      ['failed', 3],
    ]);
  });

  it('a job that succeeds in the end has no error', async () => {
    const { jobs } = startJobs({
      flaky: async (_payload, { attempt }) => {
        if (attempt < 2) throw new Error('not yet');
        return 'fine';
      },
    });
    const { id } = await jobs.enqueue(FLAKY_TASK, {});
    await jobs.drain();
    clock += 2_000;
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({ status: 'succeeded', attempts: 2, error: null, result: 'fine' });
  });

  it('a permanent error ends the job at once', async () => {
    const { jobs } = startJobs({
      flaky: async () => {
        throw permanent(new Error('gone for good'));
      },
    });
    const { id } = await jobs.enqueue(FLAKY_TASK, {});
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({ status: 'failed', attempts: 1, error: 'gone for good' });
  });

  it('a wait continues after a restart', async () => {
    let calls = 0;
    const failingHandlers = {
      flaky: async () => {
        calls++;
        throw new Error('down');
      },
    };
    const firstStart = startJobs(failingHandlers);
    const { id } = await firstStart.jobs.enqueue(FLAKY_TASK, {});
    await firstStart.jobs.drain();
    const { runAt } = firstStart.jobs.get(id);
    await firstStart.jobs.close({ graceMs: PATIENCE_MS });
    running.clear();
    db.$client.close();
    open();

    clock += 1_000;
    const secondStart = startJobs(failingHandlers);
    await secondStart.jobs.drain();
    expect(calls).toBe(1);
    expect(secondStart.jobs.get(id)).toMatchObject({ status: 'waiting', attempts: 1, runAt });
    clock += 1_000;
    await secondStart.jobs.drain();
    expect(calls).toBe(2);
    expect(secondStart.jobs.get(id)).toMatchObject({ status: 'waiting', attempts: 2 });
  });

  it('a waiting job runs when it is due', async () => {
    const secondGate = gate();
    const now = () => new Date();
    const jobs = createJobs({
      db,
      log: log(),
      now,
      events: createEventHub({ now }),
    });
    const brief = task('brief', {
      payload: z.strictObject({}),
      attempts: 2,
      backoff: { firstMs: 5, factor: 1, capMs: 5 },
      concurrency: 1,
    });
    jobs.start([
      handledBy(brief, async (_payload, { attempt }) => {
        if (attempt === 1) throw new Error('once');
        secondGate.open();
      }),
    ]);
    await jobs.enqueue(brief, {});
    await secondGate.passed;
    await jobs.close({ graceMs: PATIENCE_MS });
  });
});

describe('cancelling', () => {
  it('a queued job never runs', async () => {
    const handlerEntered = gate();
    const mayContinue = gate();
    const executedNumbers: number[] = [];
    const { jobs } = startJobs({
      plainHandler: async ({ n }) => {
        executedNumbers.push(n);
        if (executedNumbers.length === 4) handlerEntered.open();
        await mayContinue.passed;
      },
    });
    for (let n = 0; n < 4; n++) await jobs.enqueue(PLAIN_TASK, { n });
    const fifthJob = await jobs.enqueue(PLAIN_TASK, { n: 5 });
    await handlerEntered.passed;
    expect(jobs.cancel(fifthJob.id)).toMatchObject({ status: 'cancelled', attempts: 0, finishedAt: new Date(clock) });
    mayContinue.open();
    await jobs.drain();
    expect(executedNumbers.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    expect(jobs.get(fifthJob.id).status).toBe('cancelled');
  });

  it('a job cancelled before its place in the queue is on disk never runs', async () => {
    let hasRun = false;
    const { jobs } = startJobs({
      plainHandler: async () => {
        hasRun = true;
      },
    });
    const entering = jobs.enqueue(PLAIN_TASK, { n: 1 });
    const [job] = jobs.list({}, { limit: 1, offset: 0 }).items;
    jobs.cancel(job!.id);
    await entering;
    await jobs.drain();
    expect(hasRun).toBe(false);
    expect(jobs.get(job!.id).status).toBe('cancelled');
  });

  it('a waiting job never runs again', async () => {
    let calls = 0;
    const { jobs } = startJobs({
      flaky: async () => {
        calls++;
        throw new Error('down');
      },
    });
    const { id } = await jobs.enqueue(FLAKY_TASK, {});
    await jobs.drain();
    expect(jobs.cancel(id).status).toBe('cancelled');
    clock += 3_600_000;
    await jobs.drain();
    expect(calls).toBe(1);
    expect(countQueued()).toBe(0);
  });

  it('a running job is aborted by its signal, and its slot becomes free', async () => {
    const handlerEntered = gate();
    let context: JobContext | undefined;
    const { jobs } = startJobs({
      single: async (_payload, jobContext) => {
        if (context) return 'second';
        context = jobContext;
        handlerEntered.open();
        return untilAborted(jobContext.signal);
      },
    });
    const { id } = await jobs.enqueue(SINGLE_TASK, {});
    await handlerEntered.passed;
    expect(jobs.cancel(id).status).toBe('cancelled');
    expect(context?.signal.aborted).toBe(true);
    const next = await jobs.enqueue(SINGLE_TASK, {});
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({ status: 'cancelled', error: null });
    expect(jobs.get(next.id)).toMatchObject({ status: 'succeeded', result: 'second' });
    expect(lines()).toContainEqual(expect.objectContaining({ job_id: id, outcome: 'cancelled' }));
  });

  it('the result of a cancelled handler is kept', async () => {
    const handlerEntered = gate();
    const { jobs } = startJobs({
      single: async (_payload, { signal }) => {
        handlerEntered.open();
        await untilAborted(signal).catch(() => undefined);
        return { added: 3 };
      },
    });
    const { id } = await jobs.enqueue(SINGLE_TASK, {});
    await handlerEntered.passed;
    jobs.cancel(id);
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({ status: 'cancelled', result: { added: 3 } });
  });

  it('a job that has ended cannot be cancelled, and an unknown one is not found', async () => {
    const { jobs } = startJobs({});
    const { id } = await jobs.enqueue(PLAIN_TASK, { n: 1 });
    await jobs.drain();
    expect(() => jobs.cancel(id)).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(() => jobs.cancel(999 as JobId)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('stopping', () => {
  it('a running job returns to the queue, the attempt does not count, and it runs at the next start', async () => {
    const handlerEntered = gate();
    const firstStart = startJobs({
      plainHandler: async (_payload, { signal }) => {
        handlerEntered.open();
        return untilAborted(signal);
      },
    });
    const { id } = await firstStart.jobs.enqueue(PLAIN_TASK, { n: 7 });
    await handlerEntered.passed;
    await firstStart.jobs.close({ graceMs: PATIENCE_MS });
    expect(firstStart.jobs.get(id)).toMatchObject({ status: 'queued', attempts: 0, finishedAt: null });
    expect(lines()).toContainEqual(expect.objectContaining({ job_id: id, outcome: 'returned' }));

    const secondStart = startJobs({ plainHandler: async ({ n }, { attempt }) => ({ n, attempt }) });
    await secondStart.jobs.drain();
    expect(secondStart.jobs.get(id)).toMatchObject({ status: 'succeeded', result: { n: 7, attempt: 1 } });
  });

  it('a handler that ignores its signal is abandoned after the grace time; later results are ignored', async () => {
    const handlerEntered = gate();
    const mayContinue = gate();
    const firstStart = startJobs({
      plainHandler: async (_payload, { progress }) => {
        handlerEntered.open();
        await mayContinue.passed;
        progress(9, 9);
        return 'too late';
      },
    });
    const { id } = await firstStart.jobs.enqueue(PLAIN_TASK, { n: 7 });
    await handlerEntered.passed;
    await firstStart.jobs.close({ graceMs: 10 });
    mayContinue.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(firstStart.jobs.get(id)).toMatchObject({ status: 'queued', attempts: 0, result: null, progressDone: null });
    const secondStart = startJobs({});
    await secondStart.jobs.drain();
    expect(secondStart.jobs.get(id).status).toBe('succeeded');
  });

  it('a job that finishes despite the signal has succeeded', async () => {
    const handlerEntered = gate();
    const { jobs } = startJobs({
      plainHandler: async (_payload, { signal }) => {
        handlerEntered.open();
        await untilAborted(signal).catch(() => undefined);
        return 'done';
      },
    });
    const { id } = await jobs.enqueue(PLAIN_TASK, { n: 1 });
    await handlerEntered.passed;
    await jobs.close({ graceMs: PATIENCE_MS });
    expect(jobs.get(id)).toMatchObject({ status: 'succeeded', result: 'done' });
  });

  it('no job is accepted before the start and after the end', async () => {
    const { jobs } = makeJobs();
    const complaints = () =>
      lines().filter(
        (line) => line['level'] === 'warn' && line['task'] === 'plain' && line['msg'] === 'job not enqueued',
      );
    await expect(jobs.enqueue(PLAIN_TASK, { n: 1 })).rejects.toMatchObject({ code: 'queue_unavailable' });
    expect(await jobs.tryEnqueue(PLAIN_TASK, { n: 1 })).toBeUndefined();
    expect(complaints()).toHaveLength(1);
    jobs.start(makeHandlers({}));
    expect(jobs.isRunning()).toBe(true);
    await jobs.close({ graceMs: PATIENCE_MS });
    expect(jobs.isRunning()).toBe(false);
    await expect(jobs.enqueue(PLAIN_TASK, { n: 1 })).rejects.toMatchObject({ code: 'queue_unavailable' });
    expect(await jobs.tryEnqueue(PLAIN_TASK, { n: 1 })).toBeUndefined();
    expect(complaints()).toEqual([]); // the queue was closed on purpose
  });

  it('jobs that were being enqueued while the queue closed are present at the next start', async () => {
    const firstStart = startJobs({});
    const entering = Array.from({ length: 20 }, (_, n) => firstStart.jobs.enqueue(PLAIN_TASK, { n }));
    await firstStart.jobs.close({ graceMs: PATIENCE_MS });
    await Promise.all(entering);
    const secondStart = startJobs({});
    await secondStart.jobs.drain();
    expect(secondStart.jobs.list({ status: 'succeeded' }, { limit: 1, offset: 0 }).total).toBe(20);
  });
});

describe('errors', () => {
  it('a payload that no longer parses fails its job with a clear error', async () => {
    const { id } = db
      .insert(jobTable)
      .values({
        task: 'plain',
        payload: { number: '1' },
        status: 'queued',
        maxAttempts: 5,
        runAt: new Date(clock),
        createdAt: new Date(clock),
      })
      .returning()
      .get();
    const { jobs } = startJobs({});
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: expect.stringMatching(/payload is not understood by this version.*n:/) as string,
    });
    expect(lines()).toContainEqual(expect.objectContaining({ job_id: id, outcome: 'failed' }));
  });

  it('a job of an unknown task fails at the start', async () => {
    const { id } = db
      .insert(jobTable)
      .values({
        task: 'retired',
        payload: {},
        status: 'running',
        maxAttempts: 1,
        runAt: new Date(clock),
        createdAt: new Date(clock),
      })
      .returning()
      .get();
    const { jobs } = startJobs({});
    expect(jobs.get(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('does not know the task') as string,
    });
  });

  it('a queue that cannot be written answers queue_unavailable and leaves no job behind', async () => {
    const { jobs } = startJobs({});
    db.$client.exec('ALTER TABLE jobs RENAME TO hidden');
    await expect(jobs.enqueue(PLAIN_TASK, { n: 1 })).rejects.toMatchObject({ code: 'queue_unavailable' });
    db.$client.exec('ALTER TABLE hidden RENAME TO jobs');
    await jobs.enqueue(PLAIN_TASK, { n: 2 });
    await jobs.drain();
    expect(jobs.list({}, { limit: 1, offset: 0 }).total).toBe(1);
    expect(jobs.list({ status: 'succeeded' }, { limit: 1, offset: 0 }).total).toBe(1);
  });

  it('a full disk is reported as such, and leaves no part of a job behind', async () => {
    const { jobs } = startJobs({ plainHandler: async () => undefined });
    db.$client.pragma(`max_page_count = ${db.$client.pragma('page_count', { simple: true }) as number}`);
    let storedCount = 0;
    const fill = async (): Promise<never> => {
      for (;;) {
        await jobs.enqueue(PLAIN_TASK, { n: storedCount });
        storedCount++;
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    db.$client.pragma('max_page_count = 1000000');
    await jobs.drain();
    expect(jobs.list({}, { limit: 1, offset: 0 }).total).toBe(storedCount);
    expect(jobs.list({ status: 'succeeded' }, { limit: 1, offset: 0 }).total).toBe(storedCount);
  });

  it('a queue that could not look for jobs looks again', async () => {
    const [handlerStarted, mayEnd, handlerDone] = [gate(), gate(), gate()];
    const { jobs } = startJobs({
      flaky: async () => {
        handlerStarted.open();
        await mayEnd.passed;
      },
      plainHandler: async () => handlerDone.open(),
    });
    await jobs.enqueue(FLAKY_TASK, {});
    await handlerStarted.passed;
    db.$client.exec('ALTER TABLE jobs RENAME TO hidden');
    mayEnd.open();
    await expect
      .poll(() => lines().some(({ msg }) => msg === 'job could not be recorded; trying until it can'))
      .toBe(true);
    db.$client.exec('ALTER TABLE hidden RENAME TO jobs');
    await jobs.enqueue(PLAIN_TASK, { n: 1 });
    await handlerDone.passed;
    await jobs.drain();
  });

  it('the end of a job is not lost when the disk is temporarily full', async () => {
    const { jobs } = startJobs({ plainHandler: async () => 'worth keeping' });
    db.$client.exec(
      "CREATE TRIGGER refuse BEFORE UPDATE OF status ON jobs WHEN new.status = 'succeeded' BEGIN SELECT raise(ABORT, 'full'); END",
    );
    const { id } = await jobs.enqueue(PLAIN_TASK, { n: 1 });
    await expect.poll(() => lines().some(({ msg }) => String(msg).startsWith('job could not be recorded'))).toBe(true);
    db.$client.exec('DROP TRIGGER refuse');
    await jobs.drain();
    expect(jobs.get(id)).toMatchObject({ status: 'succeeded', result: 'worth keeping' });
  });

  it('jobs that ended long ago are deleted, except for the newest thousand', () => {
    const oldDate = new Date(clock - 91 * 86_400_000);
    const recent = new Date(clock - 89 * 86_400_000);
    const row = (finishedAt: Date) => ({
      task: 'plain',
      payload: { n: 1 },
      status: 'succeeded' as const,
      maxAttempts: 1,
      runAt: oldDate,
      createdAt: oldDate,
      finishedAt,
    });
    db.transaction((tx) => {
      for (let n = 0; n < 300; n++) tx.insert(jobTable).values(row(oldDate)).run();
      for (let n = 0; n < 400; n++) tx.insert(jobTable).values(row(recent)).run();
      for (let n = 0; n < 700; n++) tx.insert(jobTable).values(row(oldDate)).run();
    });
    const { jobs } = startJobs({});
    expect(jobs.list({}, { limit: 1, offset: 0 }).total).toBe(1_100); // 300 old jobs are beyond the newest thousand
  });

  it('every query of the queue uses an index', () => {
    const plan = (sql: string) =>
      db.$client
        .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join('\n');
    const due = plan(
      "SELECT id FROM jobs WHERE task = 'a' AND status IN ('queued', 'waiting') AND run_at <= 5 ORDER BY run_at, id LIMIT 1",
    );
    expect(due).toContain('jobs_due');
    expect(due).not.toContain('TEMP B-TREE');
    expect(plan("SELECT * FROM jobs WHERE unique_key = 'a' AND status IN ('queued', 'running', 'waiting')")).toContain(
      'jobs_unique_key_unfinished',
    );
  });
});

describe('listing and announcing', () => {
  it('lists newest first, by status and task, and leaves large results out', async () => {
    const { jobs } = startJobs({
      plainHandler: async ({ n }) => 'x'.repeat(n),
      flaky: async () => {
        throw new Error('down');
      },
    });
    const smallJob = await jobs.enqueue(PLAIN_TASK, { n: 10 });
    const largeJob = await jobs.enqueue(PLAIN_TASK, { n: 20_000 });
    const waiting = await jobs.enqueue(FLAKY_TASK, {});
    await jobs.drain();
    const page = { limit: 50, offset: 0 };
    expect(jobs.list({}, page).items.map(({ id }) => id)).toEqual([waiting.id, largeJob.id, smallJob.id]);
    expect(jobs.list({ status: 'waiting' }, page).items.map(({ id }) => id)).toEqual([waiting.id]);
    expect(jobs.list({ task: 'plain' }, { limit: 1, offset: 1 })).toMatchObject({
      total: 2,
      items: [{ id: smallJob.id, result: 'x'.repeat(10) }],
    });
    expect(jobs.list({ task: 'plain' }, page).items[0]!.result).toBeNull();
    expect(jobs.get(largeJob.id).result).toHaveLength(20_000);
  });

  it('sends the states of jobs to superusers, including the end of each', async () => {
    const { jobs, events } = startJobs({});
    const receivedUpdates: { id: number; status: string }[] = [];
    let otherEvents = 0;
    events.subscribe({ id: 1 as never, isSuperuser: true }, undefined, ({ name, data }) => {
      if (name === 'job') receivedUpdates.push(JSON.parse(data) as { id: number; status: string });
    });
    events.subscribe({ id: 2 as never, isSuperuser: false }, undefined, () => {
      otherEvents++;
    });
    const ids = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => (await jobs.enqueue(PLAIN_TASK, { n })).id),
    );
    await jobs.drain();
    expect(receivedUpdates[0]).toMatchObject({ id: ids[0], status: 'queued' });
    for (const id of ids) expect(receivedUpdates.findLast((event) => event.id === id)?.status).toBe('succeeded');
    expect(receivedUpdates.length).toBeLessThan(90); // fewer than three events for each job
    expect(otherEvents).toBe(0);
  });
});

const countQueued = () =>
  db.$client.prepare("SELECT count(*) FROM jobs WHERE status IN ('queued', 'waiting')").pluck().get();
