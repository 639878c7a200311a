// Fifty slow listeners of 200 MB each from an object store: nothing may accumulate in the server.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startFakeS3 } from '../fakes/s3.ts';
import { makeLibrary } from '../support/library.ts';
import { spawnServer } from '../support/process.ts';
import { ADMIN, startServer } from '../support/server.ts';

const LISTENER_COUNT = 50;
const OBJECT_BYTES = 200 << 20;
const MEMORY_LIMIT_BYTES = 200 << 20;
/** Number of times that each listener reads a piece; all pieces together exceed the memory limit. */
const ROUND_COUNT = 5;
const PIECE_BYTES = 1 << 20;

const rssOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/** Reads this number of bytes, and then stops reading. */
function readBytes(response: IncomingMessage, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let remainingBytes = bytes;
    const onData = (piece: Buffer): void => {
      if ((remainingBytes -= piece.length) > 0) return;
      response.pause().off('data', onData).off('error', reject);
      resolve();
    };
    response.on('data', onData).once('error', reject).resume();
  });
}

test.skipIf(process.platform !== 'linux')('fifty streams of 200 MB take less than 200 MB of memory', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-s3-memory-'));
  const fake = await startFakeS3();
  const env = { STORAGE_BACKEND: 's3', ...fake.settings };
  const { dir: music } = makeLibrary({ tracks: 1, messy: 0, seed: 'memory', formats: ['mp3'] }, join(dir, 'music'));
  const importServer = await startServer({ dir: join(dir, 'data'), env: { ...env, LOCAL_MEDIA_IMPORT_PATH: music } });
  await importServer.api('/sources/local_folder/scan', { method: 'POST' });
  await importServer.app.drain();
  await importServer.close();
  const db = new Database(join(dir, 'data', 'tonearm.db'), { readonly: true });
  const uri = db.prepare('SELECT storage_uri FROM tracks').pluck().get() as string;
  db.close();
  fake.putObject(uri.slice(3), Buffer.alloc(OBJECT_BYTES, 1));

  const server = await spawnServer(['--data-dir', join(dir, 'data'), '--port', '0'], { ...env, LOG_LEVEL: 'silent' });
  try {
    const signIn = await fetch(`${server.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(ADMIN),
    });
    const { access_token: token } = (await signIn.json()) as { access_token: string };
    const listen = (): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        get(`${server.url}/stream/1?token=${token}`, { agent: false, headers: { Range: 'bytes=0-' } }, (response) => {
          response.pause();
          resolve(response);
        }).on('error', reject);
      });
    const listener = await listen();
    await readBytes(listener, PIECE_BYTES);
    listener.destroy();
    const idle = rssOf(server.child.pid ?? 0);

    const listeners = await Promise.all(Array.from({ length: LISTENER_COUNT }, listen));
    let highest = 0;
    for (let round = 0; round < ROUND_COUNT; round++) {
      await Promise.all(listeners.map((listener) => readBytes(listener, PIECE_BYTES)));
      highest = Math.max(highest, rssOf(server.child.pid ?? 0));
    }
    expect(listeners.map(({ statusCode, headers }) => [statusCode, headers['content-length']])).toEqual(
      Array.from({ length: LISTENER_COUNT }, () => [206, String(OBJECT_BYTES)]),
    );
    for (const listener of listeners) listener.destroy();
    console.log(`50 streams of 200 MB: ${Math.round((highest - idle) / 1e6)} MB over ${Math.round(idle / 1e6)} MB`);
    expect(highest - idle).toBeLessThan(MEMORY_LIMIT_BYTES);
  } finally {
    await server.kill();
    await fake.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
