// The server's health is reported correctly under any host name and while many other requests stall.
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HealthOut } from '../../server/http/health.ts';
import { createLog } from '../../server/log/log.ts';
import { createProblems } from '../../server/maintenance/problems.ts';
import { holdLimit } from '../support/held-limit.ts';
import { quiet, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const STALLED_SIGN_INS = 80; // exceeds the number of pending requests that an address may have
const HALF_A_SIGN_IN =
  'POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n' +
  'Expect: 100-continue\r\n\r\n{';

let server: TestServer;
let sockets: Socket[] = [];
beforeEach(() => {
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
});

/** Opens a connection, sends a text, and collects the response. */
async function send(text: string): Promise<{ answer: () => string }> {
  let answer = '';
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined).on('data', (chunk) => void (answer += chunk.toString()));
  await new Promise((resolve) => socket.once('connect', resolve));
  await new Promise((resolve) => socket.write(text, resolve));
  return { answer: () => answer };
}

/** Starts sign-ins whose headers the server has read, and whose bodies it waits for. */
async function stallSignIns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { answer } = await send(HALF_A_SIGN_IN);
    await until(() => answer().includes('100 Continue'));
  }
}

test('sign-ins that stall keep no place from others at their address', async () => {
  server = await startServer();
  await stallSignIns(STALLED_SIGN_INS);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  const wrongSignIn = await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'nobody', password: 'wrong' }),
  });
  expect(wrongSignIn.status).toBe(401);
});

test('health is answered when all connections of the address are held, and nothing else is', async () => {
  server = await startServer({ connectionLimits: { perAddress: 5 } });
  await stallSignIns(5);
  const { answer } = await send('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => answer().startsWith('HTTP/1.1 200'));
  const otherRequest = await send('GET /api/v1/auth/status HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => sockets.at(-1)?.destroyed === true);
  expect(otherRequest.answer()).toBe('');
});

test.each([
  ['HTTP/1.0 without Host, as HAProxy asks', 'GET /health HTTP/1.0\r\n\r\n'],
  ['a name that is not allowed', 'GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
  ['another site', 'GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n\r\n'],
])('health is answered to %s', async (_title, request) => {
  server = await startServer();
  const { answer } = await send(request);
  await until(() => /^HTTP\/1\.\d 200 .*"status":/s.test(answer()));
});

test('health says that the queue is down when its table is gone', async () => {
  server = await startServer();
  await server.app.drain(); // the jobs of the set-up
  server.app.db.$client.exec('DROP TABLE jobs');
  expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({ status: 'degraded', queue: 'down' });
});

test('health says that the storage is down while its folder is gone, or is an empty mount point', async () => {
  server = await startServer();
  const health = async () => (await (await fetch(`${server.url}/health`)).json()) as HealthOut;
  const library = join(server.dir, 'library');
  expect(await health()).toMatchObject({ status: 'ok', storage: 'ok', problems: [] });
  renameSync(library, `${library}-away`);
  const storageDown = { status: 'degraded', storage: 'down', problems: ['storage_down'] };
  await expect.poll(health).toMatchObject(storageDown);
  mkdirSync(library);
  expect(await health()).toMatchObject(storageDown);
  rmdirSync(library);
  renameSync(`${library}-away`, library);
  await expect.poll(health).toMatchObject({ status: 'ok', storage: 'ok', problems: [] });
});

test('health does not wait for a storage that does not answer, and asks it once', async () => {
  const limit = holdLimit(5_000);
  let probeCount = 0;
  server = await startServer();
  const problems = createProblems({
    db: server.app.db,
    inPlace: { check: () => true },
    paths: { data: server.dir, tmp: join(server.dir, 'tmp') },
    storage: {
      isUp() {
        probeCount++;
        return new Promise(() => undefined);
      },
      diskUsage: () => Promise.resolve(null),
    },
    musicFolders: { listAll: () => [], offlineReason: () => undefined },
    checkFolders: () => Promise.resolve(),
    log: quiet,
    nowForAges: { doubtMs: () => 0 },
  });
  try {
    const answers = [problems.listUncounted(), problems.listUncounted()];
    await limit.runOut();
    for (const answer of answers) expect(await answer).toMatchObject([{ code: 'storage_down' }]);
    expect(probeCount).toBe(1);
  } finally {
    limit.release();
  }
});

test('while only this computer can connect, no name of the network is answered to', async () => {
  server = await startServer();
  for (const host of ['evil.local', 'wpad', 'router', 'evil.example']) {
    const { answer } = await send(`GET /api/v1/auth/status HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await until(() => answer().startsWith('HTTP/1.1 403'));
  }
});

test('tells how long ago a scan, a backup and a check went well', async () => {
  let clock = Date.UTC(2026, 0, 1);
  server = await startServer({ now: () => new Date(clock) });
  const ages = async () => (await server.api<HealthOut>('/health', { token: null })).body.ages;
  expect(await ages()).toEqual({ scan: null, backup: null, backup_check: null });
  const insert = server.app.db.$client.prepare(
    `INSERT INTO jobs (task, payload, max_attempts, status, result, created_at, run_at, finished_at)
      VALUES (?, '{}', 1, ?, ?, ?, ?, ?)`,
  );
  const end = (task: string, status: string, result: object) =>
    insert.run(task, status, JSON.stringify(result), clock, clock, clock);
  end('scan_local_folder', 'succeeded', {});
  end('backup_task', 'succeeded', { absent: 0 });
  end('check_backup', 'succeeded', { lost: 0 });
  clock += 60_000;
  end('scan_local_folder', 'failed', {});
  end('backup_task', 'succeeded', { absent: 2 });
  end('check_backup', 'succeeded', { lost: 1 });
  clock += 60_000;
  expect(await ages()).toEqual({ scan: 120, backup: 120, backup_check: 120 });
  const headers = { Authorization: `Bearer ${server.token}` };
  const text = await (await fetch(`${server.url}/api/v1/metrics`, { headers })).text();
  for (const work of ['scan', 'backup', 'backup_check'])
    expect(text).toContain(`tonearm_last_success_timestamp_seconds{work="${work}"} ${Date.UTC(2026, 0, 1) / 1_000}`);
});

test('a failed sign-in is in the log with its address, and without what was typed', async () => {
  const lines: string[] = [];
  server = await startServer({
    log: createLog(
      'info',
      new PassThrough().on('data', (line: Buffer) => lines.push(line.toString())),
    ),
  });
  await server.api('/auth/login', { method: 'POST', body: { username: 'a secret', password: 'wrong' }, token: null });
  await server.api('/auth/login', { method: 'POST', body: { username: 'admin', password: 'wrong' }, token: null });
  await fetch(`${server.url}/rest/ping?u=admin&p=wrong&v=1.16.1&c=phone`);
  const failures = lines.filter((line) => line.includes('sign-in failed'));
  expect(failures).toHaveLength(3);
  for (const line of failures)
    expect(JSON.parse(line)).toMatchObject({ from: expect.stringMatching(/127\.0\.0\.1|::1/) });
  expect(failures.map((line) => (JSON.parse(line) as { user_id?: number }).user_id)).toEqual([undefined, 1, 1]);
  expect(failures.join('')).not.toContain('a secret');
});
