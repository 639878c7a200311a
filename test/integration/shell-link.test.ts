// The channel between the server and its parent process: what it answers, what it ignores, and what
// happens when the parent ends.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serverEntry } from '../support/bundle.ts';
import { migratedDatabase } from '../support/temp-database.ts';

let dir: string;
let child: ChildProcess;
let url: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-link-'));
  migratedDatabase(join(dir, 'tonearm.db'));
  child = spawn(process.execPath, [serverEntry(), '--data-dir', dir, '--port', '0', '--log-level', 'silent'], {
    env: { ...process.env, LOCAL_MEDIA_WATCH: 'false' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  url = await new Promise((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const address = /listening on (http:\S+)/.exec(text)?.[1];
      if (address) resolve(address);
    });
  });
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(dir, { recursive: true, force: true });
});

const answerTo = async (message: object): Promise<unknown> => {
  const answer = once(child, 'message');
  child.send(message);
  return (await answer)[0];
};
const isUp = async (): Promise<boolean> => (await fetch(`${url}/health`)).ok;

test('a shell gets tickets, each with the id of its request, and can ask the server to stop', async () => {
  for (const message of [
    null,
    'stop',
    ['stop'],
    { kind: 'stop', now: true },
    { kind: 'ticket' },
    { kind: 'ticket', id: '1' },
    { kind: 'quit' },
  ])
    child.send(message as object);
  expect(await answerTo({ kind: 'ticket', id: 7 })).toEqual({
    kind: 'ticket',
    id: 7,
    ticket: expect.stringMatching(/^[\w-]{43}$/) as string,
  });
  expect(await isUp()).toBe(true);
  const ended = once(child, 'exit');
  child.send({ kind: 'stop' });
  child.send({ kind: 'stop' });
  expect((await ended)[0]).toBe(0);
});

test('a server whose shell has ended stops, and releases the data folder', async () => {
  await answerTo({ kind: 'ticket', id: 1 });
  const ended = once(child, 'exit');
  child.disconnect();
  expect((await ended)[0]).toBe(0);
});

test('a parent that is not a shell may end', async () => {
  child.send({ hello: 'from a process manager' });
  child.disconnect();
  expect(await isUp()).toBe(true);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(process.platform === 'win32' ? null : 0);
});
