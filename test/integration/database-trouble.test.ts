// The database or its disk gets out of reach while the server runs: nothing is acknowledged that is not kept, nobody
// waits, and everything goes on when it is back.
import { chmodSync, copyFileSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HealthOut } from '../../server/http/health.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackPage } from '../../server/library/wire.ts';
import { clientOf } from '../support/http-client.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { beginLibrary, runServer, spawnServer } from '../support/process.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const TRACKS = 10;
const NOBODY = 65_534;
let base: string;
let music: Manifest;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-trouble-'));
  music = makeLibrary({ tracks: TRACKS, seed: 'trouble', art: 'none', seconds: '1' }, join(base, 'music'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('a database that is removed, replaced or moved while the server runs', () => {
  /** Moves it away, in one of these ways, and back. */
  const WAYS: [string, (dir: string) => () => void][] = [
    [
      'with its folder',
      (dir) => {
        renameSync(dir, `${dir}-away`);
        return () => {
          rmSync(dir, { recursive: true, force: true });
          renameSync(`${dir}-away`, dir);
        };
      },
    ],
    [
      'for another file',
      (dir) => {
        const file = join(dir, 'tonearm.db');
        renameSync(file, `${file}-away`);
        copyFileSync(`${file}-away`, file);
        return () => renameSync(`${file}-away`, file);
      },
    ],
    [
      'without its log',
      (dir) => {
        const file = join(dir, 'tonearm.db-wal');
        renameSync(file, `${file}-away`);
        return () => renameSync(`${file}-away`, file);
      },
    ],
  ];

  test('acknowledges no write, says so, and goes on when it is back', async () => {
    const dir = join(base, 'moved');
    const server = await spawnServer(['--data-dir', dir, '--port', '0', '--import', music.dir]);
    await expect.poll(() => server.output()).toContain('Scan done');
    const { ask, read } = await clientOf(server);
    const { items } = await read<TrackPage>('/tracks');
    const like = (n: number) => ask('/likes', 'POST', { item_type: 'track', item_id: items[n]?.id, liked: true });
    const acknowledged: number[] = [];
    for (const [n, [, moveAway]] of WAYS.entries()) {
      const moveBack = moveAway(dir);
      const refused = await like(2 * n);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
      expect(refused.body).toMatchObject({ detail: expect.stringMatching(/database file is missing/) });
      const health = await fetch(`${server.url}/health`);
      expect([health.status, ((await health.json()) as HealthOut).database]).toEqual([503, 'down']);
      moveBack();
      await until(async () => (await fetch(`${server.url}/health`)).status === 200);
      const kept = await like(2 * n + 1);
      expect(kept.status).toBeLessThan(300);
      acknowledged.push(items[2 * n + 1]?.id as number);
    }
    expect(server.output().match(/the database was removed, replaced or moved/g)).toHaveLength(WAYS.length);
    expect(await server.kill('SIGTERM')).toBe(0);
    const next = await spawnServer(['--data-dir', dir, '--port', '0']);
    const { items: liked } = await (await clientOf(next)).read<TrackPage>('/tracks?liked=true');
    expect(liked.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    await next.kill('SIGTERM');
  });
});

describe('a database that another program has locked', () => {
  let server: TestServer;
  let stranger: Database.Database;
  beforeAll(async () => {
    server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: music.dir } });
    stranger = new Database(join(server.dir, 'tonearm.db'));
  });
  afterAll(async () => {
    stranger.close();
    await server.close();
  });

  test('is not waited for: a write is refused in words, and reading goes on', async () => {
    stranger.exec('BEGIN IMMEDIATE');
    const refused = await server.api<{ detail: string }>('/playlists', { method: 'POST', body: { name: 'Mix' } });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(refused.body.detail).toMatch(/Another program has locked the database/);
    expect((await server.api<HealthOut>('/health')).body).toMatchObject({
      status: 'degraded',
      database: 'ok',
      problems: ['database_locked'],
    });
    expect((await server.api('/tracks')).status).toBe(200);
    expect(server.app.db.$client.pragma('busy_timeout', { simple: true })).toBe(0);
    stranger.exec('ROLLBACK');
    expect((await server.api('/playlists', { method: 'POST', body: { name: 'Mix' } })).status).toBe(201);
  });

  test('holds up a scan, which then ends with everything', async () => {
    const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
    stranger.exec('BEGIN IMMEDIATE');
    const job = () => server.api<JobOut>(`/jobs/${body.id}`).then((answer) => answer.body);
    await until(async () => (await server.api<HealthOut>('/health')).body.problems.includes('database_locked'));
    stranger.exec('ROLLBACK');
    expect(await until(job, ({ finished_at }) => finished_at !== null)).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      result: { added: TRACKS },
    });
  });
});

test('a full disk is in /health and on the job until there is room, nothing is lost, and whoever makes room can', async () => {
  const dir = join(base, 'small');
  const disk = mountSmallDisk(dir, 64);
  if (!disk) return;
  try {
    const server = await spawnServer(['--data-dir', join(dir, 'data'), '--port', '0'], { MIN_FREE_BYTES: '0' });
    const { ask, read } = await clientOf(server);
    expect(await read('/health')).toMatchObject({ status: 'ok', problems: [] });
    await ask('/settings', 'PATCH', { local_media_import_path: music.dir });
    disk.fill(0);
    const { body } = await ask('/sources/local_folder/scan', 'POST');
    expect(body).toMatchObject({ status: 507 });
    disk.fill(200 << 10);
    const { id } = (
      await until(
        () => ask('/sources/local_folder/scan', 'POST'),
        ({ status }) => status === 202,
      )
    ).body as JobOut;
    const job = () => read<JobOut>(`/jobs/${id}`);
    disk.fill(0);
    expect((await until(job, ({ error }) => error !== null)).error).toMatch(/disk is full/);
    expect(
      await until(
        () => read<HealthOut>('/health'),
        ({ status }) => status !== 'ok',
      ),
    ).toMatchObject({
      problems: ['disk_full'],
    });
    disk.free();
    await until(job, ({ finished_at }) => finished_at !== null);
    await until(
      () => read<HealthOut>('/health'),
      ({ status }) => status === 'ok',
    );
    const later = (await ask('/sources/local_folder/scan', 'POST')).body as JobOut;
    await until(
      () => read<JobOut>(`/jobs/${later.id}`),
      ({ status }) => status === 'succeeded',
    );
    expect((await read<TrackPage>('/tracks')).total).toBe(TRACKS);

    const reserve = join(dir, 'data', 'reserve');
    await until(() => statSync(reserve, { throwIfNoEntry: false })?.size === 4 << 20);
    disk.fill(0);
    await until(
      () => ask('/playlists', 'POST', { name: 'Mix' }),
      ({ status }) => status === 507,
    );
    const newcomer = await clientOf(server);
    const { items } = await newcomer.read<TrackPage>('/tracks');
    expect((await newcomer.ask(`/tracks/${items[0]?.id}`, 'DELETE')).status).toBe(204);
    expect((await newcomer.ask('/trash/empty', 'POST', {})).body).toEqual({ deleted: 1 });
    expect((await newcomer.ask('/auth/logout', 'POST')).status).toBe(204);
    expect((await newcomer.ask('/tracks')).status).toBe(401);
    const left = statSync(reserve).size;
    expect(left).toBeLessThan(4 << 20);
    await server.kill('SIGTERM');

    disk.fill(0);
    const again = await spawnServer(['--data-dir', join(dir, 'data'), '--port', '0']);
    expect((await (await clientOf(again)).read<TrackPage>('/tracks')).total).toBe(TRACKS - 1);
    expect(statSync(reserve).size).toBeLessThan(left);
    await again.kill('SIGTERM');
  } finally {
    disk.unmount();
  }
});

describe('a data folder that cannot be written is told as what it is:', () => {
  const why = async (dir: string, uid?: number): Promise<string> => {
    const { code, stderr } = await runServer(
      ['--data-dir', dir, '--port', '0'],
      { HOME: base, NODE_DISABLE_COMPILE_CACHE: '1' },
      uid === undefined ? {} : { uid },
    );
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    return stderr;
  };

  test('of another account, or with permissions that forbid it', async () => {
    if (process.getuid?.() !== 0) return console.warn('NOT TESTED with another account, because this is not root');
    chmodSync(base, 0o755);
    const dir = join(base, 'foreign');
    await beginLibrary(dir);
    chmodSync(dir, 0o755);
    expect(await why(dir, NOBODY)).toMatch(
      /belongs to another account \(user id 0\), and \S+ \(user id 65534\) may not/,
    );
    chmodSync(dir, 0o777);
    expect(await why(dir, NOBODY)).toMatch(/tonearm\.db belongs to another account/);
  });

  test('on a disk that is mounted read-only', async () => {
    const dir = join(base, 'read-only');
    const disk = mountSmallDisk(dir, 16);
    if (!disk) return;
    try {
      writeFileSync(join(dir, 'settings.json'), '{}');
      disk.remount('ro');
      expect(await why(dir)).toMatch(/The data folder .*read-only is on a disk that is mounted read-only\./);
    } finally {
      disk.unmount();
    }
  });
});
