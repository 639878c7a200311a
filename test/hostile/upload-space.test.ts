// Uploads take no space that they may not have, from their first byte on, on a disk of their own.
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserOut } from '../../server/auth/wire.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const MB = 1 << 20;
const MIN_FREE_BYTES = 40 * MB;
const [HEAD, TAIL] = ['--x\r\nContent-Disposition: form-data; name="FIELD"; filename="a.mp3"\r\n\r\n', '\r\n--x--\r\n'];
const KINDS = [
  ['audio', '/tracks/upload', 'files'],
  ['a listening history', '/history/import', 'file'],
] as const;
type Kind = readonly [what: string, path: string, field: string];
const [AUDIO] = KINDS;

let dir: string;
let disk: ReturnType<typeof mountSmallDisk>;
let server: TestServer;
let accounts = 0;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-space-'));
  disk = mountSmallDisk(dir, 150);
  server = await startServer({ dir, env: { MIN_FREE_BYTES: String(MIN_FREE_BYTES) } });
});
afterAll(async () => {
  await server.close();
  disk?.unmount();
  rmSync(dir, { recursive: true, force: true });
});

const freeBytes = (): number => {
  const { bsize, bavail } = statfsSync(dir);
  return bsize * bavail;
};
const sizeOf = (folder: string): number => {
  try {
    return readdirSync(join(dir, folder)).reduce((sum, name) => sum + statSync(join(dir, folder, name)).size, 0);
  } catch {
    return 0; // none has come yet
  }
};
const arrivedBytes = (): number => sizeOf('tmp') + sizeOf('imports');

interface Sending {
  send(bytes: number): Promise<void>;
  end(): void;
  cut(): void;
  status: Promise<number>;
}

/** Begins an upload; without a length it is sent in chunks. */
function begin([, path, field]: Kind, token: string, length?: number): Sending {
  const head = HEAD.replace('FIELD', field);
  const sent: ClientRequest = request(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'multipart/form-data; boundary=x',
      ...(length !== undefined && { 'Content-Length': head.length + length + TAIL.length }),
    },
  });
  const status = new Promise<number>((resolve) => {
    sent.on('response', (answer: IncomingMessage) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', () => resolve(0));
  });
  sent.write(head);
  return {
    status,
    send: (bytes) =>
      new Promise((resolve) => {
        sent.write(Buffer.alloc(bytes, 'x'), () => resolve());
      }),
    end: () => void sent.end(TAIL),
    cut: () => void sent.destroy(),
  };
}

async function accountWith(quota: number): Promise<string> {
  const token = await registerUser(server, `quota-${++accounts}`);
  const { id } = (await server.api<UserOut>('/users/me', { token })).body;
  await server.api(`/users/${id}`, { method: 'PATCH', body: { quota_bytes: quota } });
  return token;
}

test.each(KINDS)('what a quota has no room for is not written: %s', async (what, path, field) => {
  const token = await accountWith(MB);
  const sending = begin([what, path, field], token, 30 * MB);
  let most = 0;
  for (let n = 0; n < 30; n++) {
    await sending.send(MB);
    most = Math.max(most, arrivedBytes());
  }
  sending.end();
  expect(await sending.status).toBe(507);
  expect(most).toBeLessThanOrEqual(MB);
  expect(await until(arrivedBytes, (bytes) => bytes === 0)).toBe(0);
});

test.each(KINDS)(
  'what is announced and does not fit is refused before it is written: %s',
  async (what, path, field) => {
    if (!disk) return;
    const sending = begin([what, path, field], server.token, 145 * MB);
    await sending.send(64 << 10);
    expect(await sending.status).toBe(507);
    expect(arrivedBytes()).toBe(0);
    sending.cut();
  },
);

test.each(KINDS)(
  'what is not announced is refused where it would take what is kept free: %s',
  async (what, path, field) => {
    if (!disk) return;
    const sending = begin([what, path, field], server.token);
    let least = Infinity;
    for (let n = 0; n < 140; n++) {
      await sending.send(MB);
      least = Math.min(least, freeBytes());
    }
    sending.end();
    expect(await sending.status).toBe(507);
    expect(least).toBeGreaterThan(MIN_FREE_BYTES - 6 * MB);
    expect(await until(arrivedBytes, (bytes) => bytes === 0)).toBe(0);
  },
);

test('what one announced is not given to another, until it is cut off or stalls', async () => {
  if (!disk) return;
  const most = freeBytes() - MIN_FREE_BYTES;
  const first = begin(AUDIO, server.token, Math.floor(most * 0.7));
  await first.send(64 << 10);
  await until(arrivedBytes, (bytes) => bytes > 0);
  const second = begin(AUDIO, server.token, Math.floor(most * 0.7));
  await second.send(64 << 10);
  expect(await second.status).toBe(507);
  second.cut();
  first.cut();
  await until(arrivedBytes, (bytes) => bytes === 0);
  const third = begin(AUDIO, server.token, Math.floor(most * 0.7));
  await third.send(64 << 10);
  await until(arrivedBytes, (bytes) => bytes > 0);
  // it sends nothing more, and the next one is let in
  const next = async (): Promise<boolean> => {
    const sending = begin(AUDIO, server.token, Math.floor(most * 0.7));
    await sending.send(64 << 10);
    const isIn = await Promise.race([
      sending.status.then(() => false),
      until(arrivedBytes, (b) => b > 100_000).then(() => true),
    ]);
    sending.cut();
    return isIn;
  };
  expect(await until(next, (isIn) => isIn, { everyMs: 1_000 })).toBe(true);
  third.cut();
});

test('files that are read into memory share one limit, and who stalls loses its part to others', async () => {
  const LIST: Kind = ['a playlist', '/playlists/import', 'file'];
  const lists = Array.from({ length: 20 }, () => begin(LIST, server.token, 10 * MB - 1));
  const statuses: number[] = [];
  for (const list of lists) {
    void list.status.then((status) => statuses.push(status));
    await list.send(9 * MB);
  }
  for (const list of lists) await list.send(1_000);
  expect(
    await until(
      () => statuses.filter((status) => status === 429).length,
      (refused) => refused >= 10,
    ),
  ).toBeLessThan(20);
  const whole = async (): Promise<number> => {
    const list = begin(LIST, server.token, 9 * MB);
    await list.send(9 * MB);
    list.end();
    return list.status;
  };
  expect(await until(whole, (status) => status !== 429, { everyMs: 1_000 })).toBe(413); // one line of 9 MB
  for (const list of lists) list.cut();
});
