// The socket between the server and the desktop app: what the server answers, what it ignores, and what happens when
// the app ends, stops responding, or never existed.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serverEntry } from '../support/bundle.ts';
import { isAlive } from '../support/process.ts';
import { migratedDatabase } from '../support/temp-database.ts';
import { until } from '../support/until.ts';

let dir: string;
const runningShells: Shell[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-link-'));
  migratedDatabase(join(dir, 'data', 'tonearm.db'));
});
afterEach(async () => {
  for (const { child, listener } of runningShells.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    listener.close();
  }
  rmSync(dir, { recursive: true, force: true });
});

interface Shell {
  child: ChildProcess;
  listener: Server;
  socket: Socket;
  heardMessages: Record<string, unknown>[];
  output(): string;
  send(...messages: unknown[]): void;
  /** Closes the app's end as if the app had been killed. */
  disappear(): void;
}

let shells = 0;

/** Starts a server, and opens the app's end of its socket. */
async function startServer(args: string[] = [], env: Record<string, string> = {}): Promise<Shell> {
  const listener = createServer();
  const address =
    process.platform === 'win32'
      ? `\\\\.\\pipe\\tonearm-link-${process.pid}-${(shells += 1)}`
      : join(dir, `shell${(shells += 1)}`);
  listener.listen(address);
  const child = spawn(
    process.execPath,
    [serverEntry(), '--data-dir', join(dir, 'data'), '--port', '0', '--log-level', 'silent', ...args],
    {
      env: { ...process.env, LOCAL_MEDIA_WATCH: 'false', TONEARM_SHELL: address, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [socket] = (await once(listener, 'connection')) as [Socket];
  const receivedMessages: Record<string, unknown>[] = [];
  socket.on('error', () => undefined); // the server ended before it had read everything
  createInterface({ input: socket })
    .on('line', (line) => receivedMessages.push(JSON.parse(line) as Record<string, unknown>))
    .on('error', () => undefined);
  const shell: Shell = {
    child,
    listener,
    socket,
    heardMessages: receivedMessages,
    output: () => text,
    send: (...messages) => messages.forEach((message) => socket.write(`${JSON.stringify(message)}\n`)),
    disappear() {
      listener.close();
      socket.destroy();
    },
  };
  runningShells.push(shell);
  return shell;
}

const urlOf = async (shell: Shell): Promise<string> =>
  (await until(() => /listening on (http:\S+)/.exec(shell.output())?.[1])) ?? '';
const isHealthy = async (shell: Shell): Promise<boolean> => (await fetch(`${await urlOf(shell)}/health`)).ok;
const waitForExit = async ({ child }: Shell): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
};

test('the app gets tickets and the set-up token, each with the id of its request, and can stop the server', async () => {
  const shell = await startServer();
  await isHealthy(shell);
  shell.socket.write('no JSON\n');
  shell.send(null, 'stop', ['stop'], { kind: 'stop', now: true }, { kind: 'ticket' }, { kind: 'quit' });
  shell.send({ kind: 'ticket', id: 7 }, { kind: 'setup_token', id: 8 }, { kind: 'ping' });
  await until(() => shell.heardMessages.length === 3);
  expect(shell.heardMessages).toEqual([
    { kind: 'answer', id: 7, value: expect.stringMatching(/^[\w-]{43}$/) as string },
    { kind: 'answer', id: 8, value: expect.stringMatching(/^[\w-]{4,}$/) as string },
    { kind: 'pong' },
  ]);
  expect(await isHealthy(shell)).toBe(true);
  expect(shell.output()).not.toMatch(/token/i); // the app writes this output into a file
  shell.send({ kind: 'stop' }, { kind: 'stop' });
  expect(await waitForExit(shell)).toBe(0);
});

test('there is no set-up token once there is an account', async () => {
  const shell = await startServer([], { ADMIN_USERNAME: 'owner', ADMIN_PASSWORD: 'correct horse battery' });
  shell.send({ kind: 'setup_token', id: 1 }); // this request waits until the server can answer
  await until(() => shell.heardMessages.length);
  expect(shell.heardMessages).toEqual([{ kind: 'answer', id: 1, value: null }]);
});

test('a server whose app is gone ends in order, without having been asked anything, and lets the folder go', async () => {
  const shell = await startServer();
  await isHealthy(shell);
  shell.socket.pause(); // a killed app leaves unread data
  shell.send({ kind: 'ping' });
  await isHealthy(shell);
  shell.disappear();
  expect(await waitForExit(shell)).toBe(0);
  expect(existsSync(join(dir, 'data', 'tonearm.db-wal'))).toBe(false);
  expect(existsSync(join(dir, 'data', 'tonearm.lock.json'))).toBe(false);
});

test('an app that is gone before the server listens ends it too', async () => {
  const shell = await startServer();
  shell.disappear();
  expect(await waitForExit(shell)).not.toBeNull();
});

test.runIf(process.platform !== 'win32')(
  'a stopped server that an app left behind is ended by the next one',
  async () => {
    const firstServer = await startServer();
    await isHealthy(firstServer);
    firstServer.child.kill('SIGSTOP');
    firstServer.disappear();
    const nextServer = await startServer();
    expect(await isHealthy(nextServer)).toBe(true);
    expect(isAlive(firstServer.child.pid ?? 0)).toBe(false);
  },
);

test('a server whose app is still there is left alone, also when it does not answer', async () => {
  const firstServer = await startServer();
  await isHealthy(firstServer);
  if (process.platform !== 'win32') firstServer.child.kill('SIGSTOP');
  const nextServer = await startServer();
  expect(await waitForExit(nextServer)).toBe(1);
  expect(nextServer.heardMessages).toEqual([
    { kind: 'failed', reason: expect.stringContaining('Tonearm is already running') as string },
  ]);
  firstServer.child.kill('SIGCONT');
  expect(await isHealthy(firstServer)).toBe(true);
});

test('a port in use is named, and another one with --keep-port is kept for the next start', async () => {
  const firstServer = await startServer();
  const { port } = new URL(await urlOf(firstServer));
  const otherArgs = ['--data-dir', join(dir, 'other')];
  const secondServer = await startServer([...otherArgs, '--port', port]);
  expect(await waitForExit(secondServer)).toBe(1);
  expect(secondServer.heardMessages).toEqual([
    { kind: 'failed', port: Number(port), reason: expect.stringContaining(`Port ${port}`) as string },
  ]);
  firstServer.send({ kind: 'stop' });
  await waitForExit(firstServer);
  const thirdServer = await startServer([...otherArgs, '--port', port, '--keep-port']);
  await isHealthy(thirdServer);
  thirdServer.send({ kind: 'stop' });
  await waitForExit(thirdServer);
  const settings = JSON.parse(readFileSync(join(dir, 'other', 'settings.json'), 'utf8')) as Record<string, unknown>;
  expect(String(settings['port'])).toBe(port);
});

test('a plain parent process may end, and the server goes on', async () => {
  const child = spawn(
    process.execPath,
    [serverEntry(), '--data-dir', join(dir, 'data'), '--port', '0', '--log-level', 'silent'],
    { env: { ...process.env, LOCAL_MEDIA_WATCH: 'false' }, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const url = await until(() => /listening on (http:\S+)/.exec(text)?.[1]);
  child.send({ kind: 'stop' });
  child.disconnect();
  expect((await fetch(`${url}/health`)).ok).toBe(true);
  const end = once(child, 'exit');
  child.kill('SIGTERM');
  expect((await end)[0]).toBe(process.platform === 'win32' ? null : 0);
});
