// A starting server ends only a process that holds the data folder for an app that has exited.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endOrphanedServer } from '../../../server/cli/orphaned-server.ts';
import { lockDataFolder } from '../../../server/db/data-lock.ts';

let dir: string;
let otherProcess: ChildProcess;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-left-'));
  otherProcess = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60_000)']);
});
afterEach(async () => {
  if (otherProcess.signalCode === null) {
    otherProcess.kill('SIGKILL');
    await once(otherProcess, 'exit');
  }
  rmSync(dir, { recursive: true, force: true });
});

const lock = (): string => join(dir, 'tonearm.lock');
const note = (pid: number | undefined, shell: string): void =>
  writeFileSync(`${lock()}.json`, JSON.stringify({ pid, host: hostname(), shell }));

test('a process is not ended if the data folder is free, since the note may name a reused process id', async () => {
  note(otherProcess.pid, join(dir, 'gone'));
  await endOrphanedServer(dir);
  expect(existsSync(`${lock()}.json`)).toBe(false);
  expect(otherProcess.signalCode).toBeNull();
});

test('no process is ended when it cannot be determined whether the app still exists', async () => {
  const unlock = lockDataFolder(lock(), dir);
  writeFileSync(join(dir, 'file'), '');
  // the path leads through a file, so the app neither exists nor is missing
  note(otherProcess.pid, join(dir, 'file', 'shell'));
  await endOrphanedServer(dir);
  unlock();
  expect(otherProcess.signalCode).toBeNull();
});

test('a process that has already ended is no error', async () => {
  otherProcess.kill('SIGKILL');
  await once(otherProcess, 'exit');
  const unlock = lockDataFolder(lock(), dir);
  note(otherProcess.pid, join(dir, 'gone'));
  await expect(endOrphanedServer(dir)).resolves.toBeUndefined();
  unlock();
});
