// Opens 1,000 sockets from a hundred addresses that begin a request and do not continue, and reopens closed ones, while
// a phone and a page work: neither has to wait, and each socket is closed within the limits of docs/SECURITY.md. A run
// takes a minute.
import { connect, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { watchHealth } from '../bench/health.ts';
import { fillLibrary } from '../bench/large-library.ts';
import { startProduct } from '../bench/product.ts';
import { seededRandom } from '../support/test-random.ts';

const SOCKET_COUNT = 1_000;
const ADDRESS_COUNT = 100;
const TRACK_COUNT = 2_000;
const ASK_EVERY_MS = 250;
const HEALTH_EVERY_MS = 20;
const MOST_HEALTH_MS = 50;
const MOST_MEMORY_MB = 100;
/**
 * All stalled sockets are closed by then: a stalled body has 60 s after the 20 s of its headers, and is checked from
 * time to time.
 */
const GONE_MS = 150_000;

export async function proveSockets({ seed, runs = 5 }: { seed: number; runs: number | undefined }): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-sockets-'));
  try {
    await (await startProduct(dir)).stop();
    const client = new Database(join(dir, 'tonearm.db'));
    fillLibrary(client, { tracks: TRACK_COUNT, userId: 1, likeEvents: 0, plays: 0 });
    client.close();
    return await attack(dir, seed, runs);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function attack(dir: string, seed: number, minutes: number): Promise<boolean> {
  const product = await startProduct(dir);
  const { url, token, api } = product;
  const { username, password } = await api<Record<'username' | 'password', string>>('/users/me/subsonic-password');
  const quietHealth = await watchHealth(url, HEALTH_EVERY_MS);
  await sleep(5_000);
  const quietLatency = await quietHealth.stop();
  const rssBefore = product.rss();

  const random = seededRandom(seed);
  const { hostname, port, host } = new URL(url);
  // the attacker has another account, because the pending requests of an account are limited
  const registerResponse = await fetch(`${url}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'attacker', password: 'opens many sockets' }),
  });
  const { access_token: stranger } = (await registerResponse.json()) as { access_token: string };
  const auth = `Host: ${host}\r\nAuthorization: Bearer ${stranger}\r\n`;
  const kinds = [
    '',
    `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Half: `,
    `POST /api/v1/playlists HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":`,
    `POST /rest/ping HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal`,
  ];
  const open = new Map<Socket, number>();
  let [openedCount, longestMs, isOn] = [0, 0, true];
  const begin = (): void => {
    if (!isOn) return;
    const text = kinds[Math.floor(random() * kinds.length)] ?? '';
    const openedAt = performance.now();
    const localAddress = `127.0.1.${1 + (openedCount++ % ADDRESS_COUNT)}`;
    const socket = connect({ host: hostname, port: Number(port), localAddress }, () => socket.write(text));
    open.set(socket, openedAt);
    socket.resume().on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      longestMs = Math.max(longestMs, performance.now() - openedAt);
      setTimeout(begin, 100);
    });
  };
  for (let n = 0; n < SOCKET_COUNT; n++) begin();

  const health = await watchHealth(url, HEALTH_EVERY_MS);
  const faults: string[] = [];
  let [askedCount, maxCount] = [0, 0];
  const phone = new URLSearchParams({ u: username, p: password, v: '1.16.1', c: 'proof', f: 'json' });
  const end = Date.now() + minutes * 60_000;
  while (Date.now() < end) {
    const answers = await Promise.all([
      fetch(`${url}/rest/getRandomSongs?${phone}`),
      fetch(`${url}/api/v1/tracks?limit=100`, { headers: { Authorization: `Bearer ${token}` } }),
    ]);
    for (const answer of answers) {
      askedCount += 1;
      if (!answer.ok) faults.push(`${new URL(answer.url).pathname}: ${answer.status}`);
      await answer.arrayBuffer();
    }
    maxCount = Math.max(maxCount, product.rss());
    await sleep(ASK_EVERY_MS);
  }
  const busy = await health.stop();
  isOn = false;
  for (const openedAt of open.values()) longestMs = Math.max(longestMs, performance.now() - openedAt);
  await product.stop();
  console.log(
    `seed ${seed}: ${minutes} min, ${openedCount} sockets, the longest open for ${(longestMs / 1_000).toFixed(0)} s; ` +
      `${askedCount} requests of a phone and a page, ${faults.length} failed; /health p99 ${busy.p99.toFixed(1)} ms ` +
      `(quiet ${quietLatency.p99.toFixed(1)}); memory ${rssBefore.toFixed(0)} MB, at most ${maxCount.toFixed(0)} MB`,
  );
  for (const fault of faults.slice(0, 10)) console.log(`FAULT ${fault}`);
  const isFast = busy.p99 <= quietLatency.p99 + MOST_HEALTH_MS && maxCount <= rssBefore + MOST_MEMORY_MB;
  return faults.length === 0 && isFast && longestMs < GONE_MS;
}
