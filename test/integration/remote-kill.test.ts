// kill -9 while a download waits for its next attempt, or runs: the next start continues it at the same position.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DownloadJobOut } from '../../server/downloads/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { startFakeArchive, type FakeArchive } from '../fakes/internet-archive.ts';
import { spawnServer, type ServerProcess } from '../support/process.ts';
import { itemOf, makeAudio } from '../support/remote.ts';

let dir: string;
let archive: FakeArchive;
let audio: Buffer[];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-remote-kill-'));
  audio = makeAudio(join(dir, 'audio'), 3);
  archive = await startFakeArchive();
  archive.items.set(
    'item',
    itemOf('item', 'Album', 'Band', [
      ['Waiting', audio[0] as Buffer],
      ['Running', audio[1] as Buffer],
    ]),
  );
});
afterAll(async () => {
  await archive.close();
  rmSync(dir, { recursive: true, force: true });
});

it('a kill while one download waits and another runs loses neither, and does not count as an attempt', async () => {
  const dataDir = join(dir, 'data');
  const start = (): Promise<ServerProcess> =>
    spawnServer(['--data-dir', dataDir, '--port', '0'], {
      STREAMSRC_ENABLED: 'true',
      STREAMSRC_BASE_URL: archive.url,
      ADMIN_USERNAME: 'admin',
      ADMIN_PASSWORD: 'correct horse',
    });
  let server = await start();
  let token = '';
  const api = async <T>(path: string, method = 'GET', body?: object): Promise<T> =>
    (await (
      await fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    ).json()) as T;
  token = (await api<{ access_token: string }>('/auth/login', 'POST', { username: 'admin', password: 'correct horse' }))
    .access_token;
  const begin = async (name: string): Promise<DownloadJobOut> => {
    const track = await api<TrackOut>('/tracks/remote', 'POST', {
      source: 'streamsrc',
      source_id: `ia:item/${name}.mp3`,
      title: name,
      artist_name: 'Band',
    });
    return api<DownloadJobOut>(`/tracks/${track.id}/materialize`, 'POST');
  };
  const download = (id: number): Promise<DownloadJobOut> => api<DownloadJobOut>(`/downloads/${id}`);

  archive.faults.push({ status: 503 });
  const waitingDownload = await begin('01 Waiting');
  await expect.poll(async () => (await download(waitingDownload.id)).status).toBe('waiting');
  archive.faults.push({ stall: 5_000 });
  const runningDownload = await begin('02 Running');
  await expect.poll(async () => (await download(runningDownload.id)).bytes_done).toBe(5_000);
  await server.kill();

  server = await start();
  try {
    for (const { id } of [waitingDownload, runningDownload])
      await expect.poll(async () => (await download(id)).status).toBe('succeeded');
    expect([(await download(waitingDownload.id)).attempts, (await download(runningDownload.id)).attempts]).toEqual([
      2, 1,
    ]);
    expect(archive.ranges).toContain('bytes=5000-');
    for (const [i, { track_id }] of [waitingDownload, runningDownload].entries()) {
      const stream = await fetch(`${server.url}/stream/${track_id}?token=${token}`);
      expect(Buffer.from(await stream.arrayBuffer()).equals(audio[i] as Buffer)).toBe(true);
    }
  } finally {
    await server.kill('SIGTERM');
  }
});
