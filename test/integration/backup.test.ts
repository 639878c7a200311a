// A library is backed up, its data folder is lost, and it is restored elsewhere: completely, or with a report of
// what is missing.
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
let music: string;
let library: string;
let server: TestServer | undefined;
let n = 0;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-backup-'));
  music = makeLibrary({ tracks: 24, seed: 'backup', art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
  library = folder('library');
  await (await livelyServer({ music, dir: library })).close();
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

/** A copy of it for each test. */
async function lively(env: Record<string, string> = {}, now?: () => Date): Promise<TestServer> {
  const dir = folder('data');
  cpSync(library, dir, { recursive: true });
  server = await startServer({ dir, env: { LOCAL_MEDIA_IMPORT_PATH: music, ...env }, ...(now && { now }) });
  return server;
}

const stop = async (): Promise<void> => {
  await server?.close();
  server = undefined;
};

/** Into a new folder by default. */
async function restored(backup: string, options: Partial<RestoreOptions> = {}, passphrase?: string) {
  const dataDir = options.dataDir ?? join(base, `restored-${++n}`);
  return { dataDir, ...(await restoreFolder(backup, dataDir, options, passphrase)) };
}

const refused = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  return 'it was done';
};

describe('an encrypted backup with the keys', () => {
  it('restores everything elsewhere: rows, files, passwords, app passwords', async () => {
    const backup = folder('backup');
    const { dir } = await lively({ BACKUP_TARGET: backup, BACKUP_PASSPHRASE: PASSPHRASE, BACKUP_INCLUDE_KEYS: 'true' });
    await server?.api('/settings', { method: 'PATCH', body: { fpid_trust_score: 0.7, fpid_api_key: 'a-key-of-mine' } });
    const phone = await openPhone(server as TestServer);
    const { token } = server as TestServer;
    const before = await allTracks(server as TestServer);
    const result = await makeBackup(server as TestServer);
    expect(result).toMatchObject({ status: 'succeeded', tracks: before.length, absent: 0, tidy_problem: null });
    await stop();
    const [rows, files] = [rowsIn(dir), filesIn(join(dir, 'library'))];
    rmSync(dir, { recursive: true });

    const place = join(base, 'a new place', 'data');
    const { code, stdout, stderr } = await runServer(['restore', '--from', backup, '--data-dir', place], {
      BACKUP_PASSPHRASE: PASSPHRASE,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('app passwords keep working');
    expect(rowsIn(place)).toEqual(rows);
    expect(filesIn(join(place, 'library'))).toEqual(files);
    expect(readdirSync(place).sort()).toEqual([
      'library',
      'secrets.json',
      'settings.json',
      'tonearm.db',
      'tonearm.lock',
    ]);
    expect(JSON.parse(readFileSync(join(place, 'settings.json'), 'utf8'))).toEqual({ fpid_trust_score: 0.7 });
    expect(JSON.parse(readFileSync(join(place, 'secrets.json'), 'utf8'))).toEqual({
      JWT_SECRET: expect.any(String),
      COMPAT_SECRET_KEY: expect.any(String),
      'setting.fpid_api_key': 'a-key-of-mine',
    });

    server = await startServer({ dir: place });
    expect(await allTracks(server)).toEqual(before);
    expect((await server.api('/users/me', { token })).status).toBe(200);
    for (const account of [ADMIN, LISTENER])
      expect((await server.api('/auth/login', { method: 'POST', token: null, body: account })).status).toBe(200);
    const { username, password } = phone;
    expect((await server.api<{ password: string }>('/users/me/subsonic-password')).body).toMatchObject({
      username,
      password,
    });
    const track = before.find(({ has_cover }) => has_cover);
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
    const backup = folder('backup');
    await lively({ BACKUP_TARGET: backup, BACKUP_PASSPHRASE: PASSPHRASE, BACKUP_INCLUDE_KEYS: 'true' });
    const keys = Object.keys(filesIn(join((server as TestServer).dir, 'library', 'audio')));
    expect((await makeBackup(server as TestServer)).status).toBe('succeeded');
    const names = Object.keys(filesIn(backup)).join('\n');
    for (const key of keys) expect(names).not.toContain(hashInKey(key));
    const bytes = Buffer.concat(Object.keys(filesIn(backup)).map((name) => readFileSync(join(backup, name)))).toString(
      'latin1',
    );
    for (const text of ['SQLite format', 'fLaC', 'listener', 'jwt_secret', PASSPHRASE])
      expect(bytes).not.toContain(text);

    expect(await refused(restored(backup, {}, 'a passphrase of another length'))).toMatch(
      /Wrong passphrase for this backup/,
    );
    expect(await refused(restored(backup))).toMatch(/is encrypted. Set its passphrase/);
    await server?.api('/settings', { method: 'PATCH', body: {} });
    await stop();
    server = await startServer({ env: { BACKUP_PASSPHRASE: 'a passphrase of another length' } });
    expect(await makeBackup(server, backup)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/Wrong passphrase/) as string,
    });
    const plain = folder('backup');
    expect((await makeBackup(server, plain)).status).toBe('succeeded');
    expect(
      (await server.api<{ items: { key: string; value: unknown; is_set: boolean }[] }>('/settings')).body.items.find(
        ({ key }) => key === 'backup_passphrase',
      ),
    ).toMatchObject({ value: null, is_set: true });
  });
});

describe('a backup without keys', () => {
  it('restores passwords, and says that app passwords no longer work', async () => {
    const backup = folder('backup');
    const { dir } = await lively({ JWT_SECRET: 'a-secret-of-the-environment' });
    const phone = await openPhone(server as TestServer);
    expect((await makeBackup(server as TestServer, backup)).status).toBe('succeeded');
    await stop();
    rmSync(dir, { recursive: true });
    const place = join(base, `restored-${++n}`);
    const { code, stdout } = await runServer(['restore', '--from', backup, '--data-dir', place]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/did not include the keys: app passwords no longer work/);
    expect(existsSync(join(place, 'secrets.json'))).toBe(false);
    server = await startServer({ dir: place });
    expect((await server.api('/auth/login', { method: 'POST', token: null, body: LISTENER })).status).toBe(200);
    const answer = await fetch(
      `${server.url}/rest/ping.view?u=${phone.username}&p=${phone.password}&v=1.16.1&c=test&f=json`,
    );
    expect(await answer.text()).toContain('"status":"failed"');
  });

  it('with keys is refused without a passphrase', async () => {
    server = await startServer({ env: { BACKUP_INCLUDE_KEYS: 'true' } });
    expect(await makeBackup(server, folder('backup'))).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/only written to encrypted backups/) as string,
    });
  });
});

describe('a second backup', () => {
  it('copies only what is new, and each snapshot is the library at that time', async () => {
    const backup = folder('backup');
    const { dir } = await lively({ BACKUP_TARGET: backup });
    const first = await makeBackup(server as TestServer);
    const rows = rowsIn(dir);
    expect(await makeBackup(server as TestServer)).toMatchObject({ status: 'succeeded', added: 0, bytes_added: 0 });
    const track = (await allTracks(server as TestServer))[0];
    await server?.api(`/tracks/${track?.id}`, { method: 'DELETE' });
    const extra = makeLibrary(
      { tracks: 1, seed: 'extra', seconds: '1', formats: ['flac'], art: 'none' },
      join(base, `extra-${++n}`),
    );
    const form = new FormData();
    form.append('files', new Blob([readFileSync(join(extra.dir, extra.files[0]?.path ?? ''))]), 'new.flac');
    await server?.api('/tracks/upload', { method: 'POST', body: form });
    await server?.app.drain();
    expect(await makeBackup(server as TestServer)).toMatchObject({ added: 1, absent: 0 });

    const { body } = await (server as TestServer).api<BackupsOut>('/backups');
    expect(body).toMatchObject({ target: backup, is_encrypted: false, problem: null });
    expect(body.items.map(({ tracks }) => tracks)).toEqual([first.tracks]); // one a day is kept
    const now = rowsIn(dir);
    const then = rowsIn((await restored(backup)).dataDir);
    expect(then['trashed_tracks']).toHaveLength(1);
    expect([then['tracks'], then['trashed_tracks']]).toEqual([now['tracks'], now['trashed_tracks']]);
    expect(rows['tracks']).not.toEqual(rowsIn(dir)['tracks']);
  });

  it('holds what is in the trash: a track restored from it has its audio and its cover', async () => {
    const backup = folder('backup');
    const { dir } = await lively({ BACKUP_TARGET: backup });
    const all = await allTracks(server as TestServer);
    const covered = all.find(({ album_id: id, storage_uri: uri }) => id !== null && uri?.startsWith('local:'));
    const album = all.filter((track) => track.album_id === covered?.album_id);
    const cover = async (): Promise<Buffer> => {
      const { url, token } = server as TestServer;
      const response = await fetch(`${url}/api/v1/albums/${covered?.album_id}/cover`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer());
    };
    const before = await cover();
    for (const { id } of album) expect((await server?.api(`/tracks/${id}`, { method: 'DELETE' }))?.status).toBe(204);
    const files = filesIn(join(dir, 'library'));
    expect(await makeBackup(server as TestServer)).toMatchObject({
      tracks: all.length - album.length,
      absent: 0,
    });
    await stop();
    const { dataDir, lost } = await restored(backup);
    expect([lost, filesIn(join(dataDir, 'library'))]).toEqual([[], files]);

    server = await startServer({ dir: dataDir });
    for (const { id, size_bytes: size } of album) {
      expect((await server.api(`/trash/${id}/restore`, { method: 'POST' })).status).toBe(200);
      const response = await fetch(`${server.url}/stream/${id}?token=${server.token}`);
      expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, size]);
    }
    expect(await cover()).toEqual(before);
  });

  it('keeps days and weeks, and deletes what no kept snapshot needs', async () => {
    let today = new Date();
    const backup = folder('backup');
    await lively({ BACKUP_TARGET: backup, BACKUP_KEEP_DAILY: '2', BACKUP_KEEP_WEEKLY: '0' }, () => today);
    const first = await makeBackup(server as TestServer);
    const [kept, ...gone] = (await allTracks(server as TestServer)).filter(({ storage_uri: uri }) =>
      uri?.startsWith('local:'),
    );
    const hash = hashInKey(gone.find(({ storage_uri: uri }) => uri !== kept?.storage_uri)?.storage_uri ?? '');
    const isHeld = async (): Promise<boolean> => {
      const repo = await openBackup(backup);
      await repo.objects.load();
      return repo.has(hash, null);
    };
    for (const { id } of gone)
      for (const path of [`/tracks/${id}`, `/trash/${id}`])
        expect((await server?.api(path, { method: 'DELETE' }))?.status).toBe(204);
    // what is unused is looked for three days after the first snapshot that was deleted
    for (const expected of [true, true, true, false]) {
      today = new Date(today.getTime() + 86_400_000);
      expect(await makeBackup(server as TestServer)).toMatchObject({ status: 'succeeded', tidy_problem: null });
      expect(await isHeld()).toBe(expected);
    }
    const { body } = await (server as TestServer).api<BackupsOut>('/backups');
    expect(body.items).toHaveLength(2);
    expect(body.items.map(({ id }) => id)).not.toContain(first.snapshot);
    expect((await (server as TestServer).api(`/backups/${body.items[1]?.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await (server as TestServer).api(`/backups/${body.items[1]?.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await restored(backup)).lost).toEqual([]);
  });

  it('is the newest even after the clock went back, and removes nothing until the clock is right', async () => {
    let today = new Date('2026-12-24T12:00:00Z');
    const backup = folder('backup');
    server = await startServer({
      env: { BACKUP_TARGET: backup, BACKUP_KEEP_DAILY: '1', BACKUP_KEEP_WEEKLY: '0', ACCESS_TOKEN_TTL: '900d' },
      now: () => today,
    });
    const first = await makeBackup(server);
    today = new Date('2026-12-01T12:00:00Z');
    const second = await makeBackup(server);
    expect(second).toMatchObject({
      status: 'succeeded',
      snapshots_deleted: 0,
      tidy_problem: expect.stringMatching(/is dated in the future/) as string,
    });
    expect(second.snapshot > first.snapshot).toBe(true);
    expect((await server.api<BackupsOut>('/backups')).body.items.map(({ id }) => id)).toEqual([
      second.snapshot,
      first.snapshot,
    ]);
    today = new Date('2026-12-25T12:00:00Z');
    expect(await makeBackup(server)).toMatchObject({ snapshots_deleted: 2, tidy_problem: null });
  });

  it('starts at its scheduled time, once', async () => {
    let clock = new Date(2026, 10, 21, 3, 29);
    const backup = folder('backup');
    server = await startServer({ env: { BACKUP_TARGET: backup, BACKUP_SCHEDULE: '03:30' }, now: () => clock });
    const made = async (): Promise<number> => {
      server?.app.backups.checkSchedule();
      await server?.app.drain();
      return ((await server?.api<BackupsOut>('/backups'))?.body.items ?? []).length;
    };
    expect(await made()).toBe(0);
    clock = new Date(2026, 10, 21, 3, 31);
    expect([await made(), await made()]).toEqual([1, 1]);
    clock = new Date(2026, 10, 22, 5);
    expect(await made()).toBe(2);
  });
});

describe('a backup target that fails', () => {
  it('is reported when it does not exist, was removed, or is not set', async () => {
    const backup = folder('backup');
    await lively({ BACKUP_TARGET: backup });
    expect((await makeBackup(server as TestServer)).status).toBe('succeeded');
    renameSync(backup, `${backup}-away`);
    expect(await makeBackup(server as TestServer)).toMatchObject({
      status: 'waiting',
      error: expect.stringMatching(/does not exist. Create it, or connect its disk/) as string,
    });
    expect((await server?.api<BackupsOut>('/backups'))?.body.problem).toMatch(/does not exist/);
    mkdirSync(backup); // an empty mount point
    expect(await makeBackup(server as TestServer)).toMatchObject({
      status: 'waiting',
      error: expect.stringMatching(/is missing. Is its disk connected/) as string,
    });
    expect(readdirSync(backup)).toEqual([]);
    await stop();
    server = await startServer({ dir: folder('data') });
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
    const backup = folder('backup');
    const { dir } = await lively({ BACKUP_TARGET: backup });
    await makeBackup(server as TestServer);
    const rows = rowsIn(dir);
    const [track] = await allTracks(server as TestServer);
    await server?.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: track?.id, liked: true } });
    const files = filesIn(backup);
    const full = await withFullDisk(() => makeBackup(server as TestServer));
    expect(full).toMatchObject({
      status: 'waiting',
      error: expect.stringMatching(/No space left for the backup in .*earlier snapshots are intact/) as string,
    });
    expect(filesIn(backup)).toEqual(files);
    expect(rowsIn((await restored(backup)).dataDir)['tracks']).toEqual(rows['tracks']);
    expect((await makeBackup(server as TestServer)).status).toBe('succeeded');
  });

  it('accepts another backup after one was cancelled', async () => {
    const backup = folder('backup');
    await lively();
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
    const backup = folder('backup');
    const { dir } = await lively();
    await makeBackup(server as TestServer, backup);
    await stop();
    const before = filesIn(dir);
    const settings = { musicDir: undefined };
    expect(await refused(restored(backup, { ...settings, dataDir: dir }))).toMatch(
      /is not empty. Choose another --data-dir, or use --replace/,
    );
    expect(filesIn(dir)).toEqual(before);
    const { aside } = await restored(backup, { dataDir: dir, replace: true });
    expect(aside).toMatch(/replaced-/);
    const old = filesIn(aside as string);
    for (const [name, hash] of Object.entries(before))
      if (name !== 'tonearm.lock') expect([name, old[name]]).toEqual([name, hash]);
    server = await startServer({ dir });
    expect((await allTracks(server)).length).toBeGreaterThan(0);
    expect(await refused(restored(backup, { dataDir: dir, replace: true }))).toMatch(/Tonearm is already running/);
  });

  it('checks every file first: damaged ones are listed, and only the rest is restored if requested', async () => {
    const backup = folder('backup');
    await lively();
    await makeBackup(server as TestServer, backup);
    await stop();
    const repo = await openBackup(backup);
    const manifest = await repo.readSnapshot((await repo.snapshotIds())[0] ?? '');
    const hashes: string[] = [];
    for await (const line of repo.readFiles(manifest))
      if (line.kind === 'stored' && line.key.startsWith('audio/')) hashes.push(line.hash);
    const [flipped = '', gone = ''] = hashes;
    await damageIn(backup, flipped);
    await damageIn(backup, gone);
    const dataDir = join(base, `restored-${++n}`);
    const words = await refused(restored(backup, { dataDir }));
    expect(words).toMatch(/2 files in the backup are damaged or missing, so nothing was changed/);
    expect(words).toContain(flipped);
    expect(existsSync(join(dataDir, 'tonearm.db'))).toBe(false);
    const { lost } = await restored(backup, { dataDir, skipDamaged: true });
    expect(lost).toHaveLength(2);
    server = await startServer({ dir: dataDir });
    const missing = (await allTracks(server)).filter(({ availability }) => availability === 'missing');
    expect(missing).toHaveLength(new Set([flipped, gone]).size);

    await damageIn(backup, manifest.database.sha256);
    expect(await refused(restored(backup))).toMatch(/The database is damaged, so nothing was changed/);
    flipByte(join(backup, 'snapshots', manifest.id));
    expect((await openBackup(backup).then((one) => one.readSnapshot(manifest.id))).id).toBe(manifest.id); // its copy
    flipByte(join(backup, 'copies', manifest.id));
    expect(await refused(restored(backup))).toMatch(/The snapshot .* is damaged/);
    expect(await refused(restored(folder('empty')))).toMatch(/There is no backup in/);
  });
});

describe('files that are only indexed', () => {
  it('are recorded, or copied on request, and restored into a given folder', async () => {
    const [noted, copied] = [folder('backup'), folder('backup')];
    const own = join(base, `own-${++n}`);
    cpSync(music, own, { recursive: true, preserveTimestamps: true });
    server = await livelyServer({ music: own, dir: folder('data'), env: { LOCAL_MEDIA_IMPORT_MODE: 'reference' } });
    const tracks = (await allTracks(server)).length;
    expect(await makeBackup(server, noted)).toMatchObject({ files: 0, referenced: tracks, absent: 0 });
    await server.api('/settings', { method: 'PATCH', body: { backup_include_referenced: true } });
    const first = await makeBackup(server, copied);
    expect(first).toMatchObject({ files: 0, referenced: tracks, absent: 0 });
    expect(first.added).toBeGreaterThan(tracks / 2);
    expect(await makeBackup(server, copied)).toMatchObject({ added: 0 });
    await stop();

    expect((await restored(noted)).copies).toEqual({ total: 0, written: 0 });
    expect((await restored(copied)).copies).toEqual({ total: tracks, written: 0 });
    const musicDir = folder('music');
    const { dataDir } = await restored(copied, { musicDir });
    const [was, is] = [filesIn(own), filesIn(musicDir)];
    expect(Object.keys(is)).toHaveLength(tracks);
    for (const [name, hash] of Object.entries(is)) expect([name, was[name]]).toEqual([name, hash]);
    server = await startServer({
      dir: dataDir,
      env: { LOCAL_MEDIA_IMPORT_PATH: musicDir, LOCAL_MEDIA_IMPORT_MODE: 'reference' },
    });
    await server.api('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
    expect((await allTracks(server)).filter(({ availability }) => availability === 'available')).toHaveLength(tracks);
  });
});

describe('repair', () => {
  it('replaces a damaged or lost object, but never by a damaged one', async () => {
    const backup = folder('backup');
    const { dir } = await lively();
    await makeBackup(server as TestServer, backup);
    const root = join(dir, 'library');
    const whole = filesIn(root);
    const [first = '', second = '', third = ''] = Object.keys(whole).filter((key) => key.startsWith('audio/'));
    flipByte(join(root, first));
    rmSync(join(root, second));
    await damageIn(backup, hashInKey(third));
    const healer = createRepairer({
      storage: createLocalStorage({ root }),
      open: () => openBackup(backup),
      now: () => new Date(),
      minFreeBytes: () => 0,
    });
    expect(await healer.heal(first, hashInKey(first))).toBe('healed');
    expect(await healer.heal(second, hashInKey(second))).toBe('healed');
    expect(await healer.heal(third, hashInKey(third))).toBe('damaged_in_backup');
    expect(await healer.heal(third, 'f'.repeat(64))).toBe('not_in_backup');
    expect(filesIn(root)).toEqual(whole);
    const cover = Object.keys(whole).find((key) => key.startsWith('covers/')) ?? '';
    flipByte(join(root, cover));
    expect(await healer.heal(cover, (whole[cover] ?? '').slice(0, 32))).toBe('healed');
    expect(filesIn(root)).toEqual(whole);
  });

  it('what is gone from the backup is stored again by the next one, which says so', async () => {
    const backup = folder('backup');
    const { dir } = await lively();
    expect(await makeBackup(server as TestServer, backup)).toMatchObject({ mended: 0, mended_items: [] });
    const packs = Object.keys(filesIn(join(backup, 'packs')));
    for (const pack of packs) rmSync(join(backup, 'packs', pack));
    const result = await makeBackup(server as TestServer, backup);
    expect(result).toMatchObject({ status: 'succeeded', absent: 0, mended: packs.length });
    expect(result.mended_items.toSorted()).toEqual(
      packs.map((pack) => `pack ${basename(pack)} is missing or incomplete`).toSorted(),
    );
    expect(await makeBackup(server as TestServer, backup)).toMatchObject({ mended: 0 });
    const { dataDir } = await restored(backup);
    expect(filesIn(join(dataDir, 'library'))).toEqual(filesIn(join(dir, 'library')));
  });

  it('a damaged file of the library is reported by the backup, which keeps its good copy', async () => {
    const [backup, late] = [folder('backup'), folder('backup')];
    const { dir } = await lively();
    await makeBackup(server as TestServer, backup);
    const root = join(dir, 'library');
    const key = Object.keys(filesIn(root)).find((name) => name.startsWith('audio/')) ?? '';
    flipByte(join(root, key));
    expect(await makeBackup(server as TestServer, backup)).toMatchObject({ absent: 0 });
    const result = await makeBackup(server as TestServer, late);
    expect(result).toMatchObject({ status: 'succeeded', absent: 1 });
    expect(result.problems[0]).toContain(key);
    expect((await restored(late)).lost).toEqual([key]);
  });
});

function flipByte(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(path, bytes);
}

/** Every write to a file fails as on a full disk. */
async function withFullDisk<T>(work: () => Promise<T>): Promise<T> {
  const probe = await fs.promises.open(join(base, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(probe) as { write: unknown };
  await probe.close();
  const original = prototype.write;
  prototype.write = () =>
    Promise.reject(
      Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }),
    );
  try {
    return await work();
  } finally {
    prototype.write = original;
  }
}
