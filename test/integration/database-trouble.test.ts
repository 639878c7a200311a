// The database or its disk becomes unreachable while the server runs: only stored writes are acknowledged, no request
// hangs, and everything works again when the database is back.
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

const TRACK_COUNT = 10;
const NOBODY_UID = 65_534;
let base: string;
let manifest: Manifest;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-trouble-'));
  manifest = makeLibrary({ tracks: TRACK_COUNT, seed: 'trouble', art: 'none', seconds: '1' }, join(base, 'music'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('a database that is removed, replaced or moved while the server runs', () => {
  /** Ways of moving the database away; each returns the function that moves it back. */
  const REMOVALS: [string, (dir: string) => () => void][] = [
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
    const server = await spawnServer(['--data-dir', dir, '--port', '0', '--import', manifest.dir]);
    await expect.poll(() => server.output()).toContain('Scan done');
    const { ask: sendRequest, read: getBody } = await clientOf(server);
    const { items } = await getBody<TrackPage>('/tracks');
    const like = (index: number) =>
      sendRequest('/likes', 'POST', { item_type: 'track', item_id: items[index]?.id, liked: true });
    const acknowledged: number[] = [];
    for (const [round, [, moveAway]] of REMOVALS.entries()) {
      const moveBack = moveAway(dir);
      const refusedResponse = await like(2 * round);
      expect([refusedResponse.status, refusedResponse.headers.get('retry-after')]).toEqual([503, '30']);
      expect(refusedResponse.body).toMatchObject({ detail: expect.stringMatching(/database file is missing/) });
      const health = await fetch(`${server.url}/health`);
      expect([health.status, ((await health.json()) as HealthOut).database]).toEqual([503, 'down']);
      moveBack();
      await until(async () => (await fetch(`${server.url}/health`)).status === 200);
      const acceptedResponse = await like(2 * round + 1);
      expect(acceptedResponse.status).toBeLessThan(300);
      acknowledged.push(items[2 * round + 1]?.id as number);
    }
    expect(server.output().match(/the database was removed, replaced or moved/g)).toHaveLength(REMOVALS.length);
    expect(await server.kill('SIGTERM')).toBe(0);
    const secondServer = await spawnServer(['--data-dir', dir, '--port', '0']);
    const { items: likedTracks } = await (await clientOf(secondServer)).read<TrackPage>('/tracks?liked=true');
    expect(likedTracks.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    await secondServer.kill('SIGTERM');
  });
});

describe('a database that another program has locked', () => {
  let server: TestServer;
  let otherProgram: Database.Database;
  beforeAll(async () => {
    server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: manifest.dir } });
    otherProgram = new Database(join(server.dir, 'tonearm.db'));
  });
  afterAll(async () => {
    otherProgram.close();
    await server.close();
  });

  test('is not waited for: a write is refused with an explanation, and reading still works', async () => {
    otherProgram.exec('BEGIN IMMEDIATE');
    const refusedResponse = await server.api<{ detail: string }>('/playlists', {
      method: 'POST',
      body: { name: 'Mix' },
    });
    expect([refusedResponse.status, refusedResponse.headers.get('retry-after')]).toEqual([503, '2']);
    expect(refusedResponse.body.detail).toMatch(/Another program has locked the database/);
    expect((await server.api<HealthOut>('/health')).body).toMatchObject({
      status: 'degraded',
      database: 'ok',
      problems: ['database_locked'],
    });
    expect((await server.api('/tracks')).status).toBe(200);
    expect(server.app.db.$client.pragma('busy_timeout', { simple: true })).toBe(0);
    otherProgram.exec('ROLLBACK');
    expect((await server.api('/playlists', { method: 'POST', body: { name: 'Mix' } })).status).toBe(201);
  });

  test('delays a scan, which then completes', async () => {
    const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
    otherProgram.exec('BEGIN IMMEDIATE');
    const getJob = () => server.api<JobOut>(`/jobs/${body.id}`).then((response) => response.body);
    await until(async () => (await server.api<HealthOut>('/health')).body.problems.includes('database_locked'));
    otherProgram.exec('ROLLBACK');
    expect(await until(getJob, ({ finished_at }) => finished_at !== null)).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      result: { added: TRACK_COUNT },
    });
  });
});

test('a full disk is in /health and on the job until there is room, nothing is lost, and users can delete tracks', async () => {
  const dir = join(base, 'small');
  const disk = mountSmallDisk(dir, 64);
  if (!disk) return;
  try {
    const server = await spawnServer(['--data-dir', join(dir, 'data'), '--port', '0'], { MIN_FREE_BYTES: '0' });
    const { ask: sendRequest, read: getBody } = await clientOf(server);
    expect(await getBody('/health')).toMatchObject({ status: 'ok', problems: [] });
    await sendRequest('/settings', 'PATCH', { local_media_import_path: manifest.dir });
    disk.fill(0);
    const { body } = await sendRequest('/sources/local_folder/scan', 'POST');
    expect(body).toMatchObject({ status: 507 });
    disk.fill(200 << 10);
    const { id } = (
      await until(
        () => sendRequest('/sources/local_folder/scan', 'POST'),
        ({ status }) => status === 202,
      )
    ).body as JobOut;
    const getJob = () => getBody<JobOut>(`/jobs/${id}`);
    disk.fill(0);
    expect((await until(getJob, ({ error }) => error !== null)).error).toMatch(/disk is full/);
    expect(
      await until(
        () => getBody<HealthOut>('/health'),
        ({ status }) => status !== 'ok',
      ),
    ).toMatchObject({
      problems: ['disk_full'],
    });
    disk.free();
    await until(getJob, ({ finished_at }) => finished_at !== null);
    await until(
      () => getBody<HealthOut>('/health'),
      ({ status }) => status === 'ok',
    );
    const laterJob = (await sendRequest('/sources/local_folder/scan', 'POST')).body as JobOut;
    await until(
      () => getBody<JobOut>(`/jobs/${laterJob.id}`),
      ({ status }) => status === 'succeeded',
    );
    expect((await getBody<TrackPage>('/tracks')).total).toBe(TRACK_COUNT);

    const reserve = join(dir, 'data', 'reserve');
    await until(() => statSync(reserve, { throwIfNoEntry: false })?.size === 4 << 20);
    disk.fill(0);
    await until(
      () => sendRequest('/playlists', 'POST', { name: 'Mix' }),
      ({ status }) => status === 507,
    );
    const secondClient = await clientOf(server);
    const { items } = await secondClient.read<TrackPage>('/tracks');
    expect((await secondClient.ask(`/tracks/${items[0]?.id}`, 'DELETE')).status).toBe(204);
    expect((await secondClient.ask('/trash/empty', 'POST', {})).body).toEqual({ deleted: 1 });
    expect((await secondClient.ask('/auth/logout', 'POST')).status).toBe(204);
    expect((await secondClient.ask('/tracks')).status).toBe(401);
    const reserveBytes = statSync(reserve).size;
    expect(reserveBytes).toBeLessThan(4 << 20);
    await server.kill('SIGTERM');

    disk.fill(0);
    const secondServer = await spawnServer(['--data-dir', join(dir, 'data'), '--port', '0']);
    expect((await (await clientOf(secondServer)).read<TrackPage>('/tracks')).total).toBe(TRACK_COUNT - 1);
    expect(statSync(reserve).size).toBeLessThan(reserveBytes);
    await secondServer.kill('SIGTERM');
  } finally {
    disk.unmount();
  }
});

describe('a data folder that cannot be written is reported with its cause:', () => {
  const readStartError = async (dir: string, uid?: number): Promise<string> => {
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
    expect(await readStartError(dir, NOBODY_UID)).toMatch(
      /belongs to another account \(user id 0\), and \S+ \(user id 65534\) may not/,
    );
    chmodSync(dir, 0o777);
    expect(await readStartError(dir, NOBODY_UID)).toMatch(/tonearm\.db belongs to another account/);
  });

  test('on a disk that is mounted read-only', async () => {
    const dir = join(base, 'read-only');
    const disk = mountSmallDisk(dir, 16);
    if (!disk) return;
    try {
      writeFileSync(join(dir, 'settings.json'), '{}');
      disk.remount('ro');
      expect(await readStartError(dir)).toMatch(/The data folder .*read-only is on a disk that is mounted read-only\./);
    } finally {
      disk.unmount();
    }
  });
});
