// Which process a starting server ends: only one that holds the data folder for an app that is gone.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endOrphanedServer } from '../../../server/cli/orphaned-server.ts';
import { lockDataFolder } from '../../../server/db/data-lock.ts';

let dir: string;
let other: ChildProcess;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-left-'));
  other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60_000)']);
});
afterEach(async () => {
  if (other.signalCode === null) {
    other.kill('SIGKILL');
    await once(other, 'exit');
  }
  rmSync(dir, { recursive: true, force: true });
});

const lock = (): string => join(dir, 'tonearm.lock');
const note = (pid: number | undefined, shell: string): void =>
  writeFileSync(`${lock()}.json`, JSON.stringify({ pid, host: hostname(), shell }));

test('a note that was left when the folder was free names any process by now: it is not ended', async () => {
  note(other.pid, join(dir, 'gone'));
  await endOrphanedServer(dir);
  expect(existsSync(`${lock()}.json`)).toBe(false);
  expect(other.signalCode).toBeNull();
});

test('nothing is ended when it cannot be found out whether the app is there', async () => {
  const unlock = lockDataFolder(lock(), dir);
  writeFileSync(join(dir, 'file'), '');
  note(other.pid, join(dir, 'file', 'shell')); // neither there nor not there: no folder on the way
  await endOrphanedServer(dir);
  unlock();
  expect(other.signalCode).toBeNull();
});

test('a process that has ended meanwhile is no error', async () => {
  other.kill('SIGKILL');
  await once(other, 'exit');
  const unlock = lockDataFolder(lock(), dir);
  note(other.pid, join(dir, 'gone'));
  await expect(endOrphanedServer(dir)).resolves.toBeUndefined();
  unlock();
});
