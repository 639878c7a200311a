// Restoring through a running server: into another folder, or in place of its own library at the next start. Testing
// backup targets and object stores.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BackupsOut, BackupTestOut, RestoreResult } from '../../server/backup/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { filesIn, livelyServer, makeBackup, rowsIn } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer, spawnServer } from '../support/process.ts';
import { allTracks } from '../support/served-library.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

let base: string;
let music: string;
let server: TestServer | undefined;
let n = 0;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-restore-server-'));
  music = makeLibrary({ tracks: 6, seed: 'restore', art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const folder = (name: string): string => {
  const path = join(base, `${name}-${++n}`);
  mkdirSync(path);
  return path;
};

const post = <T>(path: string, body: object, token?: string) =>
  (server as TestServer).api<T>(path, { method: 'POST', body, ...(token !== undefined && { token }) });

async function restoreJob(snapshot: string, body: object): Promise<JobOut & { result: RestoreResult }> {
  const { api, app } = server as TestServer;
  const { body: job } = await post<JobOut>(`/backups/${snapshot}/restore`, body);
  await app.drain();
  return (await api<JobOut & { result: RestoreResult }>(`/jobs/${job.id}`)).body;
}

describe('a restore through the server', () => {
  it('fills an empty folder, which is then a separate library, and rejects other folders', async () => {
    const [dir, backup] = [folder('data'), folder('backup')];
    server = await livelyServer({ music, dir, env: { BACKUP_TARGET: backup } });
    const { snapshot } = await makeBackup(server);
    const [place, occupiedPlace] = [join(base, 'a new place'), folder('taken')];
    writeFileSync(join(occupiedPlace, 'mine.txt'), 'mine');
    expect(await post(`/backups/${snapshot}/restore`, { folder: occupiedPlace })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/is not empty/) as string },
    });
    expect((await post(`/backups/${snapshot}/restore`, { folder: join(dir, 'inside') })).status).toBe(409);
    const { status, result } = await restoreJob(snapshot, { folder: place });
    expect([status, result]).toMatchObject(['succeeded', { folder: place, is_restart_needed: false, absent: 0 }]);
    await server.close();
    expect(rowsIn(place)).toEqual(rowsIn(dir));
    expect(filesIn(join(place, 'library'))).toEqual(filesIn(join(dir, 'library')));
    server = await startServer({ dir: place });
    expect((await allTracks(server)).length).toBe(result.tracks);
  });

  it('replaces the library of the server only on request and at the next start, and moves it aside', async () => {
    const [dir, backup] = [folder('data'), folder('backup')];
    server = await livelyServer({ music, dir, env: { BACKUP_TARGET: backup } });
    const { body: password } = await server.api('/users/me/subsonic-password');
    const { snapshot } = await makeBackup(server);
    const rows = rowsIn(dir);
    const previousTracks = await allTracks(server);
    for (const { id } of previousTracks.slice(0, 2)) await server.api(`/tracks/${id}`, { method: 'DELETE' });
    expect(await post(`/backups/${snapshot}/restore`, {})).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/would replace the library/) as string },
    });
    const { result } = await restoreJob(snapshot, { replace: true });
    expect(result).toMatchObject({ snapshot, folder: dir, is_restart_needed: true, has_keys: true });
    expect((await server.api<BackupsOut>('/backups')).body.restore).toMatchObject({ snapshot, is_ready: true });
    expect(await allTracks(server)).toHaveLength(previousTracks.length - 2); // the library continues unchanged
    await server.close();

    const serverProcess = await spawnServer(['--data-dir', dir, '--port', '0'], { LOG_LEVEL: 'silent' });
    try {
      expect(serverProcess.output()).toMatch(/The library was restored; the previous one is in .*replaced-/);
      const signIn = await fetch(`${serverProcess.url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(ADMIN),
      });
      const { access_token: token } = (await signIn.json()) as { access_token: string };
      const tracks = (await (
        await fetch(`${serverProcess.url}/api/v1/tracks?limit=200`, { headers: { Authorization: `Bearer ${token}` } })
      ).json()) as { total: number };
      expect(tracks.total).toBe(previousTracks.length);
      expect(
        await (
          await fetch(`${serverProcess.url}/api/v1/users/me/subsonic-password`, {
            headers: { Authorization: `Bearer ${token}` },
          })
        ).json(),
      ).toEqual(password);
    } finally {
      await serverProcess.kill('SIGTERM');
    }
    expect(rowsIn(dir)['like_events']).toEqual(rows['like_events']);
    const replacedFolder = readdirSync(dir).find((name) => name.startsWith('replaced-')) ?? '';
    expect(rowsIn(join(dir, replacedFolder))['tracks']).toHaveLength(previousTracks.length - 2);
    expect(existsSync(join(dir, '.restoring'))).toBe(false);
    server = undefined;
  });

  it('can be cancelled before the next start', async () => {
    const [dir, backup] = [folder('data'), folder('backup')];
    server = await livelyServer({ music, dir, env: { BACKUP_TARGET: backup } });
    const { snapshot } = await makeBackup(server);
    const files = filesIn(join(dir, 'library'));
    await restoreJob(snapshot, { replace: true });
    expect((await server.api('/backups/restore', { method: 'DELETE' })).status).toBe(204);
    expect((await server.api<BackupsOut>('/backups')).body.restore).toBeNull();
    await server.close();
    server = await startServer({ dir });
    expect(filesIn(join(dir, 'library'))).toEqual(files);
    expect(readdirSync(dir).filter((name) => name.startsWith('replaced-'))).toEqual([]);
  });

  it('is refused if the environment sets the storage, for unknown snapshots, and to ordinary users', async () => {
    const backup = folder('backup');
    server = await livelyServer({
      music,
      dir: folder('data'),
      env: { BACKUP_TARGET: backup, STORAGE_ROOT: folder('root') },
    });
    const { snapshot } = await makeBackup(server);
    expect(await post(`/backups/${snapshot}/restore`, { replace: true })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/the environment sets STORAGE_ROOT differently/) as string },
    });
    expect((await post('/backups/20200101T000000000Z/restore', { folder: join(base, 'nowhere') })).status).toBe(404);
    const token = await registerUser(server, 'somebody');
    for (const path of [`/backups/${snapshot}/restore`, '/backups/test', '/storage/test'])
      expect((await post(path, {}, token)).status).toBe(403);
    expect((await server.api('/backups/restore', { method: 'DELETE', token })).status).toBe(403);
  });
});

describe('a test of a backup target', () => {
  const testBackup = async (to?: string): Promise<BackupTestOut> =>
    (await post<BackupTestOut>('/backups/test', to === undefined ? {} : { to })).body;

  it('reports its content and errors, and leaves nothing behind', async () => {
    const backup = folder('backup');
    server = await livelyServer({
      music,
      dir: folder('data'),
      env: { BACKUP_PASSPHRASE: 'a passphrase of some length' },
    });
    expect((await post('/backups/test', {})).status).toBe(409);
    expect(await testBackup(backup)).toMatchObject({
      target: backup,
      problem: null,
      is_new: true,
      is_encrypted: true,
      snapshots: 0,
      free_bytes: expect.any(Number) as number,
    });
    expect(filesIn(backup)).toEqual({});
    await makeBackup(server, backup);
    const previousFiles = filesIn(backup);
    expect(await testBackup(backup)).toMatchObject({ problem: null, is_new: false, is_encrypted: true, snapshots: 1 });
    expect(filesIn(backup)).toEqual(previousFiles);
    expect((await testBackup(join(base, 'not there'))).problem).toMatch(
      /does not exist. Create it, or connect its disk/,
    );
    const link = join(base, `link-${++n}`);
    symlinkSync(server.dir, link);
    for (const ownFolder of [join(server.dir, 'backups'), link])
      expect((await testBackup(ownFolder)).problem).toMatch(/the server uses itself/);
    await server.close();
    server = await startServer({ env: { BACKUP_PASSPHRASE: 'another passphrase of mine' } });
    expect((await testBackup(backup)).problem).toMatch(/Wrong passphrase/);
    await server.close();
    server = await startServer({ env: { BACKUP_PASSPHRASE: 'a passphrase of some length' } });
    expect((await testBackup(backup)).problem).toMatch(/belongs to another library/);
    expect(await makeBackup(server, backup)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/belongs to another library, whose old snapshots would be deleted/) as string,
    });
    expect(filesIn(backup)).toEqual(previousFiles);
  });
});

describe('a test of an object store', () => {
  let fake: FakeS3;
  beforeEach(async () => {
    fake = await startFakeS3();
  });
  afterEach(() => fake.close());
  const readForm = (): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fake.settings).map(([name, value]) => [name.toLowerCase(), value === 'true' ? true : value]),
    );
  const tryStore = async (body: object): Promise<string | null> =>
    (await post<{ problem: string | null }>('/storage/test', body)).body.problem;

  it('tests unsaved settings, and reports what fails', async () => {
    server = await startServer({});
    expect(await tryStore({})).toMatch(/needs S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY/);
    expect(await tryStore(readForm())).toBeNull();
    expect(fake.objects.size).toBe(0);
    expect(await tryStore({ ...readForm(), s3_secret_access_key: 'something else' })).toMatch(
      /Writing failed: .*secret key/,
    );
    expect(await tryStore({ ...readForm(), s3_bucket: 'another' })).toMatch(/bucket does not exist/);
    fake.fault = ({ operation }) => (operation === 'ListObjectsV2' ? { status: 403, code: 'AccessDenied' } : undefined);
    expect(await tryStore(readForm())).toMatch(/Listing failed: .*does not allow this/);
    expect(fake.objects.size).toBe(0);
    expect((await post('/storage/test', { s3_endpoint: 'ftp://x' })).body).toMatchObject({
      problem: expect.stringMatching(/http or https/) as string,
    });
  });
});

it('a second process on the same data folder gets one clear line', async () => {
  const dir = folder('data');
  server = await startServer({ dir });
  const testAnswers = await Promise.all(
    [
      ['--port', '0'],
      ['storage', 'migrate', '--to', 's3'],
    ].map((args) => runServer([...args, '--data-dir', dir])),
  );
  for (const { code, stderr } of testAnswers)
    expect([code, stderr.trim().split('\n')]).toEqual([
      1,
      [expect.stringMatching(/Tonearm is already running on .* or stop it first/)],
    ]);
});
