import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { quickImports } from '../support/product.ts';

const CHILD = join(import.meta.dirname, 'jobs-child.ts');
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-kill-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Runs the child until its line number `killAt` (never when undefined), then kills it. Returns its output. */
async function runChild(path: string, enqueue: number, killAt?: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', quickImports, CHILD, path, String(enqueue)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === killAt) child.kill('SIGKILL');
  }
  await exit;
  return lines;
}

const numbersAfter = (lines: string[], word: string) =>
  lines.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.split(' ')[1]));

it('no accepted job is lost by kills, and only running ones run twice', async () => {
  const path = join(dir, 'test.db');
  const lines = await runChild(path, 400, 150); // kills while jobs are still being enqueued
  const takenNumbers = numbersAfter(lines, 'taken');
  const doneNumbers = numbersAfter(lines, 'done');
  expect(takenNumbers.length).toBeGreaterThan(0);
  for (const killAt of [20, 45]) doneNumbers.push(...numbersAfter(await runChild(path, 0, killAt), 'done'));
  const lastRun = await runChild(path, 0);
  expect(lastRun.at(-1)).toBe('drained');
  doneNumbers.push(...numbersAfter(lastRun, 'done'));

  const unique = new Set(doneNumbers);
  expect(takenNumbers.filter((n) => !unique.has(n))).toEqual([]);
  expect(doneNumbers.length - unique.size).toBeLessThanOrEqual(3 * 4); // each of three kills interrupts up to four jobs

  const db = new Database(path, { readonly: true });
  expect(db.prepare('SELECT status, attempts, count(*) AS jobs FROM jobs GROUP BY status, attempts').all()).toEqual([
    { status: 'succeeded', attempts: 1, jobs: unique.size },
  ]);
  db.close();
});
