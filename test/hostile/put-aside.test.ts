// A job that kills the process is started again once and then put aside, so that the server can run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import { quickImports } from '../support/product.ts';
import { startServer } from '../support/server.ts';

const PROCESS_FILE = join(import.meta.dirname, 'crashing-job.ts');
let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-aside-'));
  path = join(dir, 'test.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function runSteps(...order: string[]): { signal: NodeJS.Signals | null; output: string[] } {
  const { signal, stdout } = spawnSync(process.execPath, ['--import', quickImports, PROCESS_FILE, path, ...order], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { signal, output: stdout.split('\n').filter(Boolean) };
}

const KILLED_RUN = { signal: 'SIGKILL', output: ['begun'] };
const rows = (): unknown[] => {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare("SELECT status, crashes FROM jobs WHERE task = 'crash' ORDER BY id").all();
  } finally {
    db.close();
  }
};

test('a job that was running at two kills in a row is put aside, and other work goes on', () => {
  expect(runSteps('ask')).toEqual(KILLED_RUN);
  expect(runSteps()).toEqual(KILLED_RUN);
  expect(runSteps('work')).toEqual({ signal: null, output: ['told', 'worked'] });
  expect(rows()).toEqual([{ status: 'failed', crashes: 2 }]);
  expect(runSteps('by itself')).toEqual({ signal: null, output: [] });
  expect(runSteps('ask')).toEqual(KILLED_RUN); // a user has requested the job again
});

test('an ordinary stop does not count as a kill', () => {
  expect(runSteps('ask')).toEqual(KILLED_RUN);
  expect(runSteps('stop').signal).toBe(null);
  expect(rows()).toEqual([{ status: 'queued', crashes: 0 }]);
  expect(runSteps()).toEqual(KILLED_RUN);
  expect(rows()).toEqual([{ status: 'running', crashes: 0 }]);
});

test('administrators see it, and can try again', async () => {
  const server = await startServer();
  try {
    server.app.db.$client
      .exec(`INSERT INTO jobs (task, payload, status, attempts, max_attempts, crashes, run_at, created_at,
      finished_at) VALUES ('match_history', '{}', 'failed', 1, 2, 2, 0, 0, 1)`);
    const { body } = await server.api<{ items: JobOut[] }>('/jobs?task=match_history');
    expect(body.items.map(({ status, is_put_aside }) => [status, is_put_aside])).toEqual([['failed', true]]);
    const retryAnswer = await server.api<JobOut>(`/jobs/${body.items[0]?.id}/retry`, { method: 'POST' });
    expect([retryAnswer.status, retryAnswer.body.is_put_aside]).toEqual([202, false]);
  } finally {
    await server.close();
  }
});
