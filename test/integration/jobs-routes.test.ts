import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MainDb } from '../../server/db/client.ts';
import type { UserId } from '../../server/db/ids.ts';
import { createEventHub } from '../../server/events/hub.ts';
import { errorHandler } from '../../server/http/problem.ts';
import { mountRoutes } from '../../server/http/mount.ts';
import { jobRoutes } from '../../server/jobs/routes.ts';
import { createJobs, type Jobs } from '../../server/jobs/service.ts';
import { handledBy } from '../../server/jobs/tasks.ts';
import { COVER_TASK } from '../../server/covers/tasks.ts';
import { VERIFY_STORAGE } from '../../server/maintenance/tasks.ts';
import { SCAN_LOCAL_FOLDER } from '../../server/scan/tasks.ts';
import { JobOut, JobPage } from '../../server/jobs/wire.ts';
import { createLog } from '../../server/log/log.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { principal } from '../support/principals.ts';
import { openMigrated } from '../support/temp-database.ts';

const log = createLog('silent');
const now = () => new Date();
const LONG_RESULT = {
  files: 900,
  rest: 0.5,
  folder: null,
  is_done: true,
  is_dry: false,
  note: 'a\u0000b "c"',
  failed: Array.from({ length: 900 }, (_, n) => ({ source_id: `${n}.mp3`, reason: 'damaged' })),
  names: [],
  changes: { added: ['x'] },
};
const announced: JobOut[] = [];
let dir: string;
let db: MainDb;
let jobs: Jobs;
let server: Server;
const handlerEntered = Promise.withResolvers<void>();

const api = async (path: string, method = 'GET', token = 'root') => {
  const res = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
  });
  return { status: res.status, body: (await res.json()) as unknown };
};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-job-routes-'));
  db = openMigrated(join(dir, 'test.db'));
  const events = createEventHub({ now });
  events.subscribe({ id: 1 as UserId, isSuperuser: true }, undefined, ({ name, data }) => {
    if (name === 'job') announced.push(JSON.parse(data) as JobOut);
  });
  jobs = createJobs({ db, log, now, events });
  jobs.start([
    handledBy(
      SCAN_LOCAL_FOLDER,
      (_payload, { signal, progress }) =>
        new Promise((_resolve, reject) => {
          progress(1, null, 'Folder');
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          handlerEntered.resolve();
        }),
    ),
    handledBy(COVER_TASK, async () => ({ found: 2 })),
    handledBy(VERIFY_STORAGE, async () => LONG_RESULT),
  ]);
  const app = express();
  app.use(
    mountRoutes(jobRoutes(jobs), {
      checkReplies: true,
      authenticate: (req) => principal(1, 'x', req.get('Authorization') === 'Bearer root'),
    }),
  );
  app.use(errorHandler(log));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await jobs.close({ graceMs: PATIENCE_MS });
  db.$client.close();
  rmSync(dir, { recursive: true, force: true });
});

it('shows, filters and cancels jobs', async () => {
  const cover = await jobs.enqueue(COVER_TASK, {});
  await jobs.drain();
  const scan = await jobs.enqueue(SCAN_LOCAL_FOLDER, { restore: true });
  await handlerEntered.promise;

  const allJobs = JobPage.parse((await api('/jobs')).body);
  expect(allJobs).toMatchObject({
    total: 2,
    limit: 50,
    offset: 0,
    items: [
      { id: scan.id, status: 'running', task: 'scan_local_folder' },
      { id: cover.id, result: { found: 2 } },
    ],
  });
  expect(allJobs.items[0]).toMatchObject({ progress: { done: 1, total: null, message: 'Folder' }, finished_at: null });
  expect(JobPage.parse((await api('/jobs?status=succeeded&task=cover_task')).body).items.map(({ id }) => id)).toEqual([
    cover.id,
  ]);
  expect(JobOut.parse((await api(`/jobs/${cover.id}`)).body)).toMatchObject({ id: cover.id, attempts: 1, error: null });

  expect(await api(`/jobs/${scan.id}`, 'DELETE')).toMatchObject({
    status: 200,
    body: { id: scan.id, status: 'cancelled' },
  });
  await jobs.drain();
  expect(await api(`/jobs/${scan.id}`, 'DELETE')).toMatchObject({ status: 409 });
  expect(await api(`/jobs/${cover.id}`, 'DELETE')).toMatchObject({ status: 409 });
});

it('has only the counts of a long result in lists and events, and the whole result for one job', async () => {
  const { id } = await jobs.enqueue(VERIFY_STORAGE, { scope: 'all' });
  await jobs.drain();
  await expect.poll(() => announced.findLast((job) => job.id === id)?.status).toBe('succeeded');
  const shortResult = { ...LONG_RESULT, failed: [], changes: null };
  expect(JobPage.parse((await api('/jobs?task=verify_storage')).body).items[0]?.result).toEqual(shortResult);
  expect(announced.findLast((job) => job.id === id)?.result).toEqual(shortResult);
  expect(JobOut.parse((await api(`/jobs/${id}`)).body).result).toEqual(LONG_RESULT);
});

it.each([
  ['GET', '/jobs/9999', 404],
  ['DELETE', '/jobs/9999', 404],
  ['GET', '/jobs/abc', 422],
  ['GET', '/jobs?status=gone', 422],
  ['GET', '/jobs?limit=0', 422],
])('%s %s answers %i', async (method, path, status) => {
  expect((await api(path, method)).status).toBe(status);
});

it('is for superusers only', async () => {
  for (const [method, path] of [
    ['GET', '/jobs'],
    ['GET', '/jobs/1'],
    ['DELETE', '/jobs/1'],
  ] as const)
    expect((await api(path, method, 'anna')).status).toBe(403);
});

it('retries cancelled jobs, but not successful ones', async () => {
  const { items } = JobPage.parse((await api('/jobs')).body);
  const cancelled = items.find((job) => job.status === 'cancelled')!;
  const doneJob = items.find((job) => job.status === 'succeeded')!;
  const { status, body } = await api(`/jobs/${cancelled.id}/retry`, 'POST');
  const parsedJob = JobOut.parse(body);
  expect(status).toBe(202);
  expect(parsedJob).toMatchObject({ task: cancelled.task, attempts: 0, next_attempt_at: null });
  expect(parsedJob.id).toBeGreaterThan(cancelled.id);
  expect((await api(`/jobs/${doneJob.id}/retry`, 'POST')).status).toBe(409);
  expect((await api('/jobs/999999/retry', 'POST')).status).toBe(404);
  expect((await api(`/jobs/${cancelled.id}/retry`, 'POST', 'guest')).status).toBe(403);
  expect((await api(`/jobs/${parsedJob.id}`, 'DELETE')).status).toBe(200);
});
