// A library is backed up, its data folder is lost, and the library is restored elsewhere: completely, or with a report
// of the missing files.
import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRepairer } from '../../server/backup/repair.ts';
import type { RestoreOptions } from '../../server/backup/restore.ts';
import type { BackupsOut } from '../../server/backup/wire.ts';
import { AppError } from '../../server/errors.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import { hashInKey } from '../../server/storage/local-paths.ts';
import { damageIn, openBackup, restoreFolder } from '../support/backup-folders.ts';
import { filesIn, LISTENER, livelyServer, makeBackup, rowsIn } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { openPhone } from '../support/phone.ts';
import { runServer } from '../support/process.ts';
import { allTracks } from '../support/served-library.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

const PASSPHRASE = 'a passphrase of some length';

let base: string;
let sourceMusicDir: string;
let library: string;
let server: TestServer | undefined;
let folderNumber = 0;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-backup-'));
  sourceMusicDir = makeLibrary({ tracks: 24, seed: 'backup', art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
  library = makeFolder('library');
  await (await livelyServer({ music: sourceMusicDir, dir: library })).close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const makeFolder = (name: string): string => {
  const path = join(base, `${name}-${++folderNumber}`);
  mkdirSync(path);
  return path;
};

/** Starts a server with a copy of the library, one for each test. */
async function startLivelyServer(env: Record<string, string> = {}, now?: () => Date): Promise<TestServer> {
  const dir = makeFolder('data');
  cpSync(library, dir, { recursive: true });
  server = await startServer({ dir, env: { LOCAL_MEDIA_IMPORT_PATH: sourceMusicDir, ...env }, ...(now && { now }) });
  return server;
}

const stopServer = async (): Promise<void> => {
  await server?.close();
  server = undefined;
};

/** Restores a backup, into a new folder by default. */
async function restoreBackup(backup: string, options: Partial<RestoreOptions> = {}, passphrase?: string) {
  const dataDir = options.dataDir ?? join(base, `restored-${++folderNumber}`);
  return { dataDir, ...(await restoreFolder(backup, dataDir, options, passphrase)) };
}

const errorMessageOf = async (operation: Promise<unknown>): Promise<string> => {
  try {
    await operation;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  return 'succeeded';
};

describe('an encrypted backup with the keys', () => {
  it('restores everything elsewhere: rows, files, passwords, app passwords', async () => {
    const backup = makeFolder('backup');
    const { dir } = await startLivelyServer({
      BACKUP_TARGET: backup,
      BACKUP_PASSPHRASE: PASSPHRASE,
      BACKUP_INCLUDE_KEYS: 'true',
    });
    await server?.api('/settings', { method: 'PATCH', body: { fpid_trust_score: 0.7, fpid_api_key: 'a-key-of-mine' } });
    const phone = await openPhone(server as TestServer);
    const { token } = server as TestServer;
    const tracks = await allTracks(server as TestServer);
    const result = await makeBackup(server as TestServer);
    expect(result).toMatchObject({ status: 'succeeded', tracks: tracks.length, absent: 0, tidy_problem: null });
    await stopServer();
    const [rows, files] = [rowsIn(dir), filesIn(join(dir, 'library'))];
    rmSync(dir, { recursive: true });

    const restoredDir = join(base, 'a new place', 'data');
    const secret = { BACKUP_PASSPHRASE: PASSPHRASE };
    const list = await runServer(['backup', 'list', '--from', backup, '--data-dir', restoredDir], secret);
    expect(list).toMatchObject({ code: 0, stderr: '' });
    expect(list.stdout).toMatch(new RegExp(`^\\S+  ${tracks.length} tracks, \\d+ audio files, [\\d.]+ [kM]B\n$`));
    const [id] = list.stdout.split(' ');
    const wrong = ['restore', '--from', backup, '--snapshot', 'nope', '--data-dir', restoredDir];
    expect(await runServer(wrong, secret)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The newest: ${id};`),
    });
    expect(existsSync(restoredDir)).toBe(false);
    const { code, stdout, stderr } = await runServer(['restore', '--from', backup, '--data-dir', restoredDir], {
      BACKUP_PASSPHRASE: PASSPHRASE,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('app passwords keep working');
    expect(rowsIn(restoredDir)).toEqual(rows);
    expect(filesIn(join(restoredDir, 'library'))).toEqual(files);
    expect(readdirSync(restoredDir).sort()).toEqual([
      'library',
      'secrets.json',
      'settings.json',
      'tonearm.db',
      'tonearm.lock',
    ]);
    expect(JSON.parse(readFileSync(join(restoredDir, 'settings.json'), 'utf8'))).toEqual({ fpid_trust_score: 0.7 });
    expect(JSON.parse(readFileSync(join(restoredDir, 'secrets.json'), 'utf8'))).toEqual({
      JWT_SECRET: expect.any(String),
      COMPAT_SECRET_KEY: expect.any(String),
      'setting.fpid_api_key': 'a-key-of-mine',
    });

    server = await startServer({ dir: restoredDir });
    expect(await allTracks(server)).toEqual(tracks);
    expect((await server.api('/users/me', { token })).status).toBe(200);
    for (const account of [ADMIN, LISTENER])
      expect((await server.api('/auth/login', { method: 'POST', token: null, body: account })).status).toBe(200);
    const { username, password } = phone;
    expect((await server.api<{ password: string }>('/users/me/subsonic-password')).body).toMatchObject({
      username,
      password,
    });
    const track = tracks.find(({ has_cover }) => has_cover);
    const stream = await fetch(`${server.url}/stream/${track?.id}?token=${server.token}`);
    expect((await stream.arrayBuffer()).byteLength).toBe(track?.size_bytes);
    expect(
      (
        await fetch(`${server.url}/api/v1/albums/${track?.album_id}/cover`, {
          headers: { Authorization: `Bearer ${server.token}` },
        })
      ).status,
    ).toBe(200);
  });

  it('cannot be read without the passphrase, and restoring it says whether that is wrong or missing', async () => {
    const backup = makeFolder('backup');
    await startLivelyServer({ BACKUP_TARGET: backup, BACKUP_PASSPHRASE: PASSPHRASE, BACKUP_INCLUDE_KEYS: 'true' });
    const keys = Object.keys(filesIn(join((server as TestServer).dir, 'library', 'audio')));
    expect((await makeBackup(server as TestServer)).status).toBe('succeeded');
    const names = Object.keys(filesIn(backup)).join('\n');
    for (const key of keys) expect(names).not.toContain(hashInKey(key));
    const bytes = Buffer.concat(Object.keys(filesIn(backup)).map((name) => readFileSync(join(backup, name)))).toString(
      'latin1',
    );
    for (const text of ['SQLite format', 'fLaC', 'listener', 'jwt_secret', PASSPHRASE])
      expect(bytes).not.toContain(text);

    expect(await errorMessageOf(restoreBackup(backup, {}, 'a passphrase of another length'))).toMatch(
      /Wrong passphrase for this backup/,
    );
    expect(await errorMessageOf(restoreBackup(backup))).toMatch(/is encrypted. Set its passphrase/);
    await server?.api('/settings', { method: 'PATCH', body: {} });
    await stopServer();
    server = await startServer({ env: { BACKUP_PASSPHRASE: 'a passphrase of another length' } });
    expect(await makeBackup(server, backup)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/Wrong passphrase/) as string,
    });
    const plainBackup = makeFolder('backup');
    expect((await makeBackup(server, plainBackup)).status).toBe('succeeded');
    expect(
      (await server.api<{ items: { key: string; value: unknown; is_set: boolean }[] }>('/settings')).body.items.find(
        ({ key }) => key === 'backup_passphrase',
      ),
    ).toMatchObject({ value: null, is_set: true });
  });
});

describe('a backup without keys', () => {
  it('restores passwords, and says that app passwords no longer work', async () => {
    const backup = makeFolder('backup');
    const { dir } = await startLivelyServer({ JWT_SECRET: 'a-secret-of-the-environment' });
    const phone = await openPhone(server as TestServer);
    expect((await makeBackup(server as TestServer, backup)).status).toBe('succeeded');
    await stopServer();
    rmSync(dir, { recursive: true });
    const restoredDir = join(base, `restored-${++folderNumber}`);
    const { code, stdout } = await runServer(['restore', '--from', backup, '--data-dir', restoredDir]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/did not include the keys: app passwords no longer work/);
    expect(existsSync(join(restoredDir, 'secrets.json'))).toBe(false);
    server = await startServer({ dir: restoredDir });
    expect((await server.api('/auth/login', { method: 'POST', token: null, body: LISTENER })).status).toBe(200);
    const response = await fetch(
      `${server.url}/rest/ping.view?u=${phone.username}&p=${phone.password}&v=1.16.1&c=test&f=json`,
    );
    expect(await response.text()).toContain('"status":"failed"');
  });

  it('with keys is refused without a passphrase', async () => {
    server = await startServer({ env: { BACKUP_INCLUDE_KEYS: 'true' } });
    expect(await makeBackup(server, makeFolder('backup'))).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/only written to encrypted backups/) as string,
    });
  });
});

describe('a second backup', () => {
  it('copies only what is new, and each snapshot is the library at that time', async () => {
    const backup = makeFolder('backup');
    const { dir } = await startLivelyServer({ BACKUP_TARGET: backup });
    const firstBackup = await makeBackup(server as TestServer);
    const rows = rowsIn(dir);
    expect(await makeBackup(server as TestServer)).toMatchObject({ status: 'succeeded', added: 0, bytes_added: 0 });
    const track = (await allTracks(server as TestServer))[0];
    await server?.api(`/tracks/${track?.id}`, { method: 'DELETE' });
    const extraLibrary = makeLibrary(
      { tracks: 1, seed: 'extra', seconds: '1', formats: ['flac'], art: 'none' },
      join(base, `extra-${++folderNumber}`),
    );
    const form = new FormData();
    form.append(
      'files',
      new Blob([readFileSync(join(extraLibrary.dir, extraLibrary.files[0]?.path ?? ''))]),
      'new.flac',
    );
    await server?.api('/tracks/upload', { method: 'POST', body: form });
    await server?.app.drain();
    expect(await makeBackup(server as TestServer)).toMatchObject({ added: 1, absent: 0 });

    const { body } = await (server as TestServer).api<BackupsOut>('/backups');
    expect(body).toMatchObject({ target: backup, is_encrypted: false, problem: null });
    // only the last snapshot of a day is kept
    expect(body.items.map(({ tracks }) => tracks)).toEqual([firstBackup.tracks]);
    const currentRows = rowsIn(dir);
    const restoredRows = rowsIn((await restoreBackup(backup)).dataDir);
    expect(restoredRows['trashed_tracks']).toHaveLength(1);
    expect([restoredRows['tracks'], restoredRows['trashed_tracks']]).toEqual([
      currentRows['tracks'],
      currentRows['trashed_tracks'],
    ]);
    expect(rows['tracks']).not.toEqual(rowsIn(dir)['tracks']);
  });

  it('contains the trash: a track restored from the trash has its audio and its cover', async () => {
    const backup = makeFolder('backup');
    const { dir } = await startLivelyServer({ BACKUP_TARGET: backup });
    const tracks = await allTracks(server as TestServer);
    const coveredTrack = tracks.find(({ album_id: id, storage_uri: uri }) => id !== null && uri?.startsWith('local:'));
    const albumTracks = tracks.filter((track) => track.album_id === coveredTrack?.album_id);
    const getCover = async (): Promise<Buffer> => {
      const { url, token } = server as TestServer;
      const response = await fetch(`${url}/api/v1/albums/${coveredTrack?.album_id}/cover`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer());
    };
    const coverBytes = await getCover();
    for (const { id } of albumTracks)
      expect((await server?.api(`/tracks/${id}`, { method: 'DELETE' }))?.status).toBe(204);
    const files = filesIn(join(dir, 'library'));
    expect(await makeBackup(server as TestServer)).toMatchObject({
      tracks: tracks.length - albumTracks.length,
      absent: 0,
    });
    await stopServer();
    const { dataDir, lost } = await restoreBackup(backup);
    expect([lost, filesIn(join(dataDir, 'library'))]).toEqual([[], files]);

    server = await startServer({ dir: dataDir });
    for (const { id, size_bytes: size } of albumTracks) {
      expect((await server.api(`/trash/${id}/restore`, { method: 'POST' })).status).toBe(200);
      const response = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
      expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, size]);
    }
    expect(await getCover()).toEqual(coverBytes);
  });

  it('keeps snapshots of days and weeks, and deletes objects that none of them needs', async () => {
    let today = new Date();
    const backup = makeFolder('backup');
    await startLivelyServer({ BACKUP_TARGET: backup, BACKUP_KEEP_DAILY: '2', BACKUP_KEEP_WEEKLY: '0' }, () => today);
    const firstBackup = await makeBackup(server as TestServer);
    const [keptTrack, ...deletedTracks] = (await allTracks(server as TestServer)).filter(({ storage_uri: uri }) =>
      uri?.startsWith('local:'),
    );
    const hash = hashInKey(
      deletedTracks.find(({ storage_uri: uri }) => uri !== keptTrack?.storage_uri)?.storage_uri ?? '',
    );
    const isStored = async (): Promise<boolean> => {
      const repo = await openBackup(backup);
      await repo.objects.load();
      return repo.has(hash, null);
    };
    for (const { id } of deletedTracks)
      for (const path of [`/tracks/${id}`, `/trash/${id}`])
        expect((await server?.api(path, { method: 'DELETE' }))?.status).toBe(204);
    // unused objects are searched for three days after the first deletion of a snapshot
    for (const isExpected of [true, true, true, false]) {
      today = new Date(today.getTime() + 86_400_000);
      expect(await makeBackup(server as TestServer)).toMatchObject({ status: 'succeeded', tidy_problem: null });
      expect(await isStored()).toBe(isExpected);
    }
    const { body } = await (server as TestServer).api<BackupsOut>('/backups');
    expect(body.items).toHaveLength(2);
    expect(body.items.map(({ id }) => id)).not.toContain(firstBackup.snapshot);
    expect((await (server as TestServer).api(`/backups/${body.items[1]?.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await (server as TestServer).api(`/backups/${body.items[1]?.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await restoreBackup(backup)).lost).toEqual([]);
  });

  it('is the newest even after the clock went back, and removes nothing until the clock is right', async () => {
    let today = new Date('2026-12-24T12:00:00Z');
    const backup = makeFolder('backup');
    server = await startServer({
      env: { BACKUP_TARGET: backup, BACKUP_KEEP_DAILY: '1', BACKUP_KEEP_WEEKLY: '0', ACCESS_TOKEN_TTL: '900d' },
      now: () => today,
    });
    const firstBackup = await makeBackup(server);
    today = new Date('2026-12-01T12:00:00Z');
    const secondBackup = await makeBackup(server);
    expect(secondBackup).toMatchObject({
      status: 'succeeded',
      snapshots_deleted: 0,
      tidy_problem: expect.stringMatching(/is dated in the future/) as string,
    });
    expect(secondBackup.snapshot > firstBackup.snapshot).toBe(true);
    expect((await server.api<BackupsOut>('/backups')).body.items.map(({ id }) => id)).toEqual([
      secondBackup.snapshot,
      firstBackup.snapshot,
    ]);
    today = new Date('2026-12-25T12:00:00Z');
    expect(await makeBackup(server)).toMatchObject({ snapshots_deleted: 2, tidy_problem: null });
  });

  it('starts at its scheduled time, once', async () => {
    let clock = new Date(2026, 10, 21, 3, 29);
    const backup = makeFolder('backup');
    server = await startServer({ env: { BACKUP_TARGET: backup, BACKUP_SCHEDULE: '03:30' }, now: () => clock });
    const countSnapshots = async (): Promise<number> => {
      server?.app.backups.checkSchedule();
      await server?.app.drain();
      return ((await server?.api<BackupsOut>('/backups'))?.body.items ?? []).length;
    };
    expect(await countSnapshots()).toBe(0);
    clock = new Date(2026, 10, 21, 3, 31);
    expect([await countSnapshots(), await countSnapshots()]).toEqual([1, 1]);
    clock = new Date(2026, 10, 22, 5);
    expect(await countSnapshots()).toBe(2);
  });
});

describe('a backup target that fails', () => {
  it('is reported when it does not exist, was removed, or is not set', async () => {
    const backup = makeFolder('backup');
    await startLivelyServer({ BACKUP_TARGET: backup });
    expect((await makeBackup(server as TestServer)).status).toBe('succeeded');
    renameSync(backup, `${backup}-away`);
    expect(await makeBackup(server as TestServer)).toMatchObject({
      status: 'waiting',
      error: expect.stringMatching(/does not exist. Create it, or connect its disk/) as string,
    });
    expect((await server?.api<BackupsOut>('/backups'))?.body.problem).toMatch(/does not exist/);
    mkdirSync(backup); // creates an empty mount point
    expect(await makeBackup(server as TestServer)).toMatchObject({
      status: 'waiting',
      error: expect.stringMatching(/is missing. Is its disk connected/) as string,
    });
    expect(readdirSync(backup)).toEqual([]);
    await stopServer();
    server = await startServer({ dir: makeFolder('data') });
    expect((await server.api('/backups', { method: 'POST', body: {} })).status).toBe(409);
    expect(await makeBackup(server, server.dir)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/which the server uses itself/) as string,
    });
    expect(
      (await server.api('/backups', { method: 'POST', body: { to: backup }, token: await registerUser(server) }))
        .status,
    ).toBe(403);
  });

  it('is reported when it is full, and earlier snapshots stay complete', async () => {
    const backup = makeFolder('backup');
    const { dir } = await startLivelyServer({ BACKUP_TARGET: backup });
    await makeBackup(server as TestServer);
    const rows = rowsIn(dir);
    const [track] = await allTracks(server as TestServer);
    await server?.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: track?.id, liked: true } });
    const files = filesIn(backup);
    const failedBackup = await withFullDisk(() => makeBackup(server as TestServer));
    expect(failedBackup).toMatchObject({
      status: 'waiting',
      error: expect.stringMatching(/No space left for the backup in .*earlier snapshots are intact/) as string,
    });
    expect(filesIn(backup)).toEqual(files);
    expect(rowsIn((await restoreBackup(backup)).dataDir)['tracks']).toEqual(rows['tracks']);
    expect((await makeBackup(server as TestServer)).status).toBe('succeeded');
  });

  it('accepts another backup after one was cancelled', async () => {
    const backup = makeFolder('backup');
    await startLivelyServer();
    const { body: job } = await (server as TestServer).api<{ id: number }>('/backups', {
      method: 'POST',
      body: { to: backup },
    });
    await server?.api(`/jobs/${job.id}`, { method: 'DELETE' });
    await server?.app.drain();
    expect(existsSync(join(backup, 'snapshots'))).toBe(false);
    expect((await makeBackup(server as TestServer, backup)).status).toBe('succeeded');
  });
});

describe('a restore', () => {
  it('does not touch an existing library unless asked to replace it, and then moves it aside', async () => {
    const backup = makeFolder('backup');
    const { dir } = await startLivelyServer();
    await makeBackup(server as TestServer, backup);
    await stopServer();
    const previousFiles = filesIn(dir);
    const options = { musicDir: undefined };
    expect(await errorMessageOf(restoreBackup(backup, { ...options, dataDir: dir }))).toMatch(
      /is not empty. Choose another --data-dir, or use --replace/,
    );
    expect(filesIn(dir)).toEqual(previousFiles);
    const { asideFolder: replacedDir } = await restoreBackup(backup, { dataDir: dir, replace: true });
    expect(replacedDir).toMatch(/replaced-/);
    const replacedFiles = filesIn(replacedDir as string);
    for (const [name, hash] of Object.entries(previousFiles))
      if (name !== 'tonearm.lock') expect([name, replacedFiles[name]]).toEqual([name, hash]);
    server = await startServer({ dir });
    expect((await allTracks(server)).length).toBeGreaterThan(0);
    expect(await errorMessageOf(restoreBackup(backup, { dataDir: dir, replace: true }))).toMatch(
      /Tonearm is already running/,
    );
  });

  it('checks every file first: damaged ones are listed, and only the rest is restored if requested', async () => {
    const backup = makeFolder('backup');
    await startLivelyServer();
    await makeBackup(server as TestServer, backup);
    await stopServer();
    const repo = await openBackup(backup);
    const manifest = await repo.readSnapshot((await repo.snapshotIds())[0] ?? '');
    const hashes: string[] = [];
    for await (const line of repo.readFiles(manifest))
      if (line.kind === 'stored' && line.key.startsWith('audio/')) hashes.push(line.hash);
    const [firstHash = '', secondHash = ''] = hashes;
    await damageIn(backup, firstHash);
    await damageIn(backup, secondHash);
    const dataDir = join(base, `restored-${++folderNumber}`);
    const message = await errorMessageOf(restoreBackup(backup, { dataDir }));
    expect(message).toMatch(/2 files in the backup are damaged or missing, so nothing was changed/);
    expect(message).toContain(firstHash);
    expect(existsSync(join(dataDir, 'tonearm.db'))).toBe(false);
    const { lost } = await restoreBackup(backup, { dataDir, skipDamaged: true });
    expect(lost).toHaveLength(2);
    server = await startServer({ dir: dataDir });
    const missingTracks = (await allTracks(server)).filter(({ availability }) => availability === 'missing');
    expect(missingTracks).toHaveLength(new Set([firstHash, secondHash]).size);

    await damageIn(backup, manifest.database.sha256);
    expect(await errorMessageOf(restoreBackup(backup))).toMatch(/The database is damaged, so nothing was changed/);
    flipByte(join(backup, 'snapshots', manifest.id));
    expect((await openBackup(backup).then((damagedRepository) => damagedRepository.readSnapshot(manifest.id))).id).toBe(
      manifest.id,
    ); // the snapshot is read from its copy
    flipByte(join(backup, 'copies', manifest.id));
    expect(await errorMessageOf(restoreBackup(backup))).toMatch(/The snapshot .* is damaged/);
    expect(await errorMessageOf(restoreBackup(makeFolder('empty')))).toMatch(/There is no backup in/);
  });
});

describe('files that are only indexed', () => {
  it('are recorded, or copied on request, and restored into a given folder', async () => {
    const [backupWithoutFiles, backupWithFiles] = [makeFolder('backup'), makeFolder('backup')];
    const ownMusicDir = join(base, `own-${++folderNumber}`);
    cpSync(sourceMusicDir, ownMusicDir, { recursive: true, preserveTimestamps: true });
    server = await livelyServer({
      music: ownMusicDir,
      dir: makeFolder('data'),
      env: { LOCAL_MEDIA_IMPORT_MODE: 'reference' },
    });
    const trackCount = (await allTracks(server)).length;
    expect(await makeBackup(server, backupWithoutFiles)).toMatchObject({ files: 0, referenced: trackCount, absent: 0 });
    await server.api('/settings', { method: 'PATCH', body: { backup_include_referenced: true } });
    const firstBackup = await makeBackup(server, backupWithFiles);
    expect(firstBackup).toMatchObject({ files: 0, referenced: trackCount, absent: 0 });
    expect(firstBackup.added).toBeGreaterThan(trackCount / 2);
    expect(await makeBackup(server, backupWithFiles)).toMatchObject({ added: 0 });
    await stopServer();

    expect((await restoreBackup(backupWithoutFiles)).copies).toEqual({ total: 0, written: 0 });
    expect((await restoreBackup(backupWithFiles)).copies).toEqual({ total: trackCount, written: 0 });
    const musicDir = makeFolder('music');
    const { dataDir } = await restoreBackup(backupWithFiles, { musicDir });
    const [originalFiles, restoredFiles] = [filesIn(ownMusicDir), filesIn(musicDir)];
    expect(Object.keys(restoredFiles)).toHaveLength(trackCount);
    for (const [name, hash] of Object.entries(restoredFiles)) expect([name, originalFiles[name]]).toEqual([name, hash]);
    server = await startServer({
      dir: dataDir,
      env: { LOCAL_MEDIA_IMPORT_PATH: musicDir, LOCAL_MEDIA_IMPORT_MODE: 'reference' },
    });
    await server.api('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
    expect((await allTracks(server)).filter(({ availability }) => availability === 'available')).toHaveLength(
      trackCount,
    );
  });
});

describe('repair', () => {
  it('replaces a damaged or lost object, but never by a damaged one', async () => {
    const backup = makeFolder('backup');
    const { dir } = await startLivelyServer();
    await makeBackup(server as TestServer, backup);
    const libraryDir = join(dir, 'library');
    const files = filesIn(libraryDir);
    const [damagedKey = '', lostKey = '', damagedInBackupKey = ''] = Object.keys(files).filter((key) =>
      key.startsWith('audio/'),
    );
    flipByte(join(libraryDir, damagedKey));
    rmSync(join(libraryDir, lostKey));
    await damageIn(backup, hashInKey(damagedInBackupKey));
    const repairer = createRepairer({
      storage: createLocalStorage({ root: libraryDir }),
      open: () => openBackup(backup),
      now: () => new Date(),
      minFreeBytes: () => 0,
    });
    expect(await repairer.heal(damagedKey, hashInKey(damagedKey))).toBe('healed');
    expect(await repairer.heal(lostKey, hashInKey(lostKey))).toBe('healed');
    expect(await repairer.heal(damagedInBackupKey, hashInKey(damagedInBackupKey))).toBe('damaged_in_backup');
    expect(await repairer.heal(damagedInBackupKey, 'f'.repeat(64))).toBe('not_in_backup');
    expect(filesIn(libraryDir)).toEqual(files);
    const coverKey = Object.keys(files).find((key) => key.startsWith('covers/')) ?? '';
    flipByte(join(libraryDir, coverKey));
    expect(await repairer.heal(coverKey, (files[coverKey] ?? '').slice(0, 32))).toBe('healed');
    expect(filesIn(libraryDir)).toEqual(files);
  });

  it('objects that are gone from the backup are stored again by the next backup, which reports them', async () => {
    const backup = makeFolder('backup');
    const { dir } = await startLivelyServer();
    expect(await makeBackup(server as TestServer, backup)).toMatchObject({ mended: 0, mended_items: [] });
    const packs = Object.keys(filesIn(join(backup, 'packs')));
    for (const pack of packs) rmSync(join(backup, 'packs', pack));
    const result = await makeBackup(server as TestServer, backup);
    expect(result).toMatchObject({ status: 'succeeded', absent: 0, mended: packs.length });
    expect(result.mended_items.toSorted()).toEqual(
      packs.map((pack) => `pack ${basename(pack)} is missing or incomplete`).toSorted(),
    );
    expect(await makeBackup(server as TestServer, backup)).toMatchObject({ mended: 0 });
    const { dataDir } = await restoreBackup(backup);
    expect(filesIn(join(dataDir, 'library'))).toEqual(filesIn(join(dir, 'library')));
  });

  it('a damaged file of the library is reported by the backup, which keeps its intact copy', async () => {
    const [backup, laterBackup] = [makeFolder('backup'), makeFolder('backup')];
    const { dir } = await startLivelyServer();
    await makeBackup(server as TestServer, backup);
    const libraryDir = join(dir, 'library');
    const key = Object.keys(filesIn(libraryDir)).find((name) => name.startsWith('audio/')) ?? '';
    flipByte(join(libraryDir, key));
    expect(await makeBackup(server as TestServer, backup)).toMatchObject({ absent: 0 });
    const result = await makeBackup(server as TestServer, laterBackup);
    expect(result).toMatchObject({ status: 'succeeded', absent: 1 });
    expect(result.problems[0]).toContain(key);
    expect((await restoreBackup(laterBackup)).lost).toEqual([key]);
  });
});

function flipByte(path: string): void {
  const bytes = readFileSync(path);
  const middle = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  writeFileSync(path, bytes);
}

/** Runs an operation during which every write to a file fails as on a full disk. */
async function withFullDisk<T>(operation: () => Promise<T>): Promise<T> {
  const probe = await fs.promises.open(join(base, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe) as { write: unknown };
  await probe.close();
  const originalWrite = prototype.write;
  prototype.write = () =>
    Promise.reject(
      Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }),
    );
  try {
    return await operation();
  } finally {
    prototype.write = originalWrite;
  }
}
