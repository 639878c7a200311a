// Uploads never use space that they may not have, from their first byte on; tested on a separate small disk.
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserOut } from '../../server/auth/wire.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const MB_BYTES = 1 << 20;
const MIN_FREE_BYTES = 40 * MB_BYTES;
const [PART_HEAD, PART_TAIL] = [
  '--x\r\nContent-Disposition: form-data; name="FIELD"; filename="a.mp3"\r\n\r\n',
  '\r\n--x--\r\n',
];
const UPLOAD_KINDS = [
  ['audio', '/tracks/upload', 'files'],
  ['a listening history', '/history/import', 'file'],
] as const;
type Kind = readonly [title: string, path: string, field: string];
const [AUDIO_KIND] = UPLOAD_KINDS;

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
const measureFolder = (folder: string): number => {
  try {
    return readdirSync(join(dir, folder)).reduce((sum, name) => sum + statSync(join(dir, folder, name)).size, 0);
  } catch {
    return 0; // no upload has arrived yet
  }
};
const arrivedBytes = (): number => measureFolder('tmp') + measureFolder('imports');

interface Sending {
  send(bytes: number): Promise<void>;
  end(): void;
  cut(): void;
  status: Promise<number>;
}

/** Begins an upload, which is sent in chunks if it has no length. */
function beginUpload([, path, field]: Kind, token: string, length?: number): Sending {
  const partHead = PART_HEAD.replace('FIELD', field);
  const uploadRequest: ClientRequest = request(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'multipart/form-data; boundary=x',
      ...(length !== undefined && { 'Content-Length': partHead.length + length + PART_TAIL.length }),
    },
  });
  const status = new Promise<number>((resolve) => {
    uploadRequest.on('response', (answer: IncomingMessage) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    uploadRequest.on('error', () => resolve(0));
  });
  uploadRequest.write(partHead);
  return {
    status,
    send: (bytes) =>
      new Promise((resolve) => {
        uploadRequest.write(Buffer.alloc(bytes, 'x'), () => resolve());
      }),
    end: () => void uploadRequest.end(PART_TAIL),
    cut: () => void uploadRequest.destroy(),
  };
}

async function createAccount(quota: number): Promise<string> {
  const token = await registerUser(server, `quota-${++accounts}`);
  const { id } = (await server.api<UserOut>('/users/me', { token })).body;
  await server.api(`/users/${id}`, { method: 'PATCH', body: { quota_bytes: quota } });
  return token;
}

test.each(UPLOAD_KINDS)('what a quota has no room for is not written: %s', async (title, path, field) => {
  const token = await createAccount(MB_BYTES);
  const upload = beginUpload([title, path, field], token, 30 * MB_BYTES);
  let maxArrivedBytes = 0;
  for (let n = 0; n < 30; n++) {
    await upload.send(MB_BYTES);
    maxArrivedBytes = Math.max(maxArrivedBytes, arrivedBytes());
  }
  upload.end();
  expect(await upload.status).toBe(507);
  expect(maxArrivedBytes).toBeLessThanOrEqual(MB_BYTES);
  expect(await until(arrivedBytes, (bytes) => bytes === 0)).toBe(0);
});

test.each(UPLOAD_KINDS)(
  'what is announced and does not fit is refused before it is written: %s',
  async (title, path, field) => {
    if (!disk) return;
    const sending = beginUpload([title, path, field], server.token, 145 * MB_BYTES);
    await sending.send(64 << 10);
    expect(await sending.status).toBe(507);
    expect(arrivedBytes()).toBe(0);
    sending.cut();
  },
);

test.each(UPLOAD_KINDS)(
  'what is not announced is refused where it would take what is kept free: %s',
  async (title, path, field) => {
    if (!disk) return;
    const sending = beginUpload([title, path, field], server.token);
    let minimum = Infinity;
    for (let n = 0; n < 140; n++) {
      await sending.send(MB_BYTES);
      minimum = Math.min(minimum, freeBytes());
    }
    sending.end();
    expect(await sending.status).toBe(507);
    expect(minimum).toBeGreaterThan(MIN_FREE_BYTES - 6 * MB_BYTES);
    expect(await until(arrivedBytes, (bytes) => bytes === 0)).toBe(0);
  },
);

test('what one announced is not given to another, until it is cut off or stalls', async () => {
  if (!disk) return;
  const availableBytes = freeBytes() - MIN_FREE_BYTES;
  const firstUpload = beginUpload(AUDIO_KIND, server.token, Math.floor(availableBytes * 0.7));
  await firstUpload.send(64 << 10);
  await until(arrivedBytes, (bytes) => bytes > 0);
  const secondUpload = beginUpload(AUDIO_KIND, server.token, Math.floor(availableBytes * 0.7));
  await secondUpload.send(64 << 10);
  expect(await secondUpload.status).toBe(507);
  secondUpload.cut();
  firstUpload.cut();
  await until(arrivedBytes, (bytes) => bytes === 0);
  const thirdUpload = beginUpload(AUDIO_KIND, server.token, Math.floor(availableBytes * 0.7));
  await thirdUpload.send(64 << 10);
  await until(arrivedBytes, (bytes) => bytes > 0);
  // the second upload sends nothing more, so the next upload is accepted
  const next = async (): Promise<boolean> => {
    const sending = beginUpload(AUDIO_KIND, server.token, Math.floor(availableBytes * 0.7));
    await sending.send(64 << 10);
    const isAccepted = await Promise.race([
      sending.status.then(() => false),
      until(arrivedBytes, (b) => b > 100_000).then(() => true),
    ]);
    sending.cut();
    return isAccepted;
  };
  expect(await until(next, (isLetIn) => isLetIn, { everyMs: 1_000 })).toBe(true);
  thirdUpload.cut();
});

test('files that are read into memory share one limit, and who stalls loses its part to others', async () => {
  const PLAYLIST_KIND: Kind = ['a playlist', '/playlists/import', 'file'];
  const playlistUploads = Array.from({ length: 20 }, () => beginUpload(PLAYLIST_KIND, server.token, 10 * MB_BYTES - 1));
  const statuses: number[] = [];
  for (const upload of playlistUploads) {
    void upload.status.then((status) => statuses.push(status));
    await upload.send(9 * MB_BYTES);
  }
  for (const upload of playlistUploads) await upload.send(1_000);
  expect(
    await until(
      () => statuses.filter((status) => status === 429).length,
      (refusedCount) => refusedCount >= 10,
    ),
  ).toBeLessThan(20);
  const sendWholePlaylist = async (): Promise<number> => {
    const upload = beginUpload(PLAYLIST_KIND, server.token, 9 * MB_BYTES);
    await upload.send(9 * MB_BYTES);
    upload.end();
    return upload.status;
  };
  // the file is one line of 9 MB
  expect(await until(sendWholePlaylist, (status) => status !== 429, { everyMs: 1_000 })).toBe(413);
  for (const upload of playlistUploads) upload.cut();
});
