// Exports and backups that somebody edited before they are read back: they bring data, and nobody's power.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { finishRestore } from '../../server/backup/restore-state.ts';
import type { BackupsOut } from '../../server/backup/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { backUpInto, openBackup, restoreFolder } from '../support/backup-folders.ts';
import { livelyServer, LISTENER, makeBackup } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer } from '../support/process.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

const PASSPHRASE = 'a passphrase of some length';
const now = (): Date => new Date();

let base: string;
let library: string;
let exported: string;
let server: TestServer | undefined;
let n = 0;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-hostile-imports-'));
  library = folder('library');
  exported = folder('export');
  const music = makeLibrary({ tracks: 10, seed: 'hostile', seconds: '1' }, join(base, 'music')).dir;
  const made = await livelyServer({ music, dir: library });
  await made.api('/exports', { method: 'POST', body: { folder: exported } });
  await made.app.drain();
  await made.close();
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

/** The export with this done to its database, and a manifest that fits. */
function edited(sql: string): string {
  const to = folder('edited');
  cpSync(exported, to, { recursive: true });
  const [path, manifest] = [join(to, 'data', 'library.db'), join(to, 'data', 'export.json')];
  const db = new Database(path);
  db.pragma('foreign_keys = OFF');
  db.exec(sql);
  db.close();
  const bytes = readFileSync(path);
  const database = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), database }));
  return to;
}

/** Imports it through the server, and starts that again. */
async function imported(from: string): Promise<JobOut> {
  const { api, app, dir, close } = server as TestServer;
  const { body } = await api<JobOut>('/imports', { method: 'POST', body: { folder: from, replace: true } });
  await app.drain();
  const job = (await api<JobOut>(`/jobs/${body.id}`)).body;
  await close();
  await finishRestore(dir, now);
  server = await startServer({ dir });
  return job;
}

const rows = (dir: string, sql: string): unknown[] => {
  const db = new Database(join(dir, 'tonearm.db'), { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};

const settingsIn = (dir: string): unknown =>
  existsSync(join(dir, 'settings.json')) ? JSON.parse(readFileSync(join(dir, 'settings.json'), 'utf8')) : {};

test('an import takes no music folder, job, session, setting or right from an export', async () => {
  const dir = folder('data');
  server = await startServer({ dir });
  const listener = await registerUser(server, LISTENER.username);
  const { id } = (await server.api<{ id: number }>('/users/me', { token: listener })).body;
  const session = rows(dir, `SELECT id FROM sessions WHERE user_id = ${id}`) as { id: number }[];
  await server.api('/settings', { method: 'PATCH', body: { fpid_trust_score: 0.7 } });
  const settings = settingsIn(dir);
  const job = await imported(
    edited(`
      INSERT INTO music_folders (key, name, path, mode, created_at) VALUES ('etc', 'etc', '/etc', 'reference', 1);
      UPDATE tracks SET storage_uri = 'file:etc:/passwd', availability = 'available';
      INSERT INTO jobs (id, task, payload, status, max_attempts, run_at, created_at)
        VALUES (900, 'backup_task', '{"to":"${base}"}', 'queued', 3, 0, 0);
      INSERT INTO queue_tasks (id, queue, task, run_at) VALUES ('900', 'backup_task', '{"id":900}', 0);
      UPDATE users SET id = id + 1000;
      UPDATE users SET id = ${id}, is_superuser = 1 WHERE username_key = 'admin';
      INSERT INTO sessions (id, user_id, created_at, expires_at, last_used_at)
        VALUES (${session[0]?.id}, ${id}, 1, 9000000000000, 1);
      UPDATE playlists SET owner_id = ${id}; UPDATE plays SET user_id = ${id}; UPDATE like_events SET user_id = ${id};
      DELETE FROM like_states; DELETE FROM play_counts;
      UPDATE playlist_versions SET user_id = NULL; UPDATE trashed_tracks SET deleted_by = NULL;
      INSERT INTO users (username, username_key, password_hash, is_superuser, can_edit, created_at)
        VALUES ('mallory', 'mallory', '', 1, 1, 1)`),
  );
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  const { api, url, token } = server;
  const media = { headers: { Authorization: `Bearer ${token}` } };
  const tracks = (await api<{ items: TrackOut[] }>('/tracks')).body.items;
  expect(tracks.length).toBeGreaterThan(0);
  for (const track of tracks) expect((await fetch(`${url}/stream/${track.id}`, media)).status).not.toBe(200);
  expect(JSON.stringify((await api('/music-folders')).body)).not.toContain('/etc');
  expect(
    rows(dir, "SELECT 1 FROM jobs WHERE task = 'backup_task' UNION SELECT 1 FROM queue_tasks WHERE id = '900'"),
  ).toEqual([]);
  expect((await api('/users/me', { token: listener })).status).toBe(401);
  expect((await api('/settings', { token: listener })).status).toBe(401);
  expect(rows(dir, 'SELECT username, is_superuser FROM users ORDER BY username')).toEqual([
    { username: ADMIN.username, is_superuser: 1 },
    { username: LISTENER.username, is_superuser: 0 },
    { username: 'mallory', is_superuser: 0 },
  ]);
  expect(settingsIn(dir)).toEqual(settings);
});

test('an import leaves the accounts that are here as they are, in every field', async () => {
  const dir = folder('data');
  server = await startServer({ dir });
  await registerUser(server, LISTENER.username);
  const [child] = rows(dir, `SELECT id FROM users WHERE username = '${LISTENER.username}'`) as { id: number }[];
  const terms = {
    can_upload: false,
    can_download: false,
    can_share: false,
    can_jukebox: false,
    quota_bytes: 1_000,
    max_bitrate_kbps: 64,
  };
  expect((await server.api(`/users/${child?.id}`, { method: 'PATCH', body: terms })).status).toBe(200);
  server.app.db.$client.exec('UPDATE users SET hides_playing = 1');
  const all =
    'SELECT username, username_key, password_hash, is_superuser, token_version, created_at, can_edit, can_upload, ' +
    'can_download, can_share, can_jukebox, can_podcast, max_bitrate_kbps, quota_bytes, hides_playing, email ' +
    'FROM users ORDER BY username';
  const before = rows(dir, all);
  expect((await imported(exported)).status).toBe('succeeded');
  expect(rows(dir, all)).toEqual(before);
});

test('an import says what happens to people before it happens', async () => {
  const dir = folder('data');
  server = await startServer({ dir });
  await server.api('/imports', { method: 'POST', body: { folder: exported, replace: true } });
  await server.app.drain();
  const { restore } = (await server.api<BackupsOut>('/backups')).body;
  expect(restore).toMatchObject({
    is_ready: true,
    is_import: true,
    arrival: {
      people: [
        { username: ADMIN.username, change: 'same' },
        { username: LISTENER.username, change: 'new' },
      ],
    },
  });
  const accept = { method: 'PATCH', body: { accept_settings: true } };
  expect((await server.api('/backups/restore', accept)).status).toBe(409);
});

test.each([
  ["UPDATE tracks SET availability = 'everywhere' WHERE id = 2", 'tracks 2: availability is none of'],
  ["UPDATE tracks SET storage_uri = 'local:../../secrets.json' WHERE id = 1", 'tracks 1: storage_uri is no place'],
  ["UPDATE like_events SET rating = 'x' WHERE id = 1", 'like_events 1: rating is no whole number'],
  ['UPDATE playlists SET rules = \'{"all":[{"field":"x"}]}\' WHERE id = 2', 'playlists 2: rules has another shape'],
  ['UPDATE plays SET title = zeroblob(3000000)', 'plays: a value of title has more than'],
  ['CREATE VIEW mine AS SELECT * FROM users', 'has a view mine that its version does not make'],
])('a refused import names table, row and field, and leaves nothing behind: %s', async (sql, message) => {
  const dir = folder('data');
  server = await startServer({ dir });
  const { body } = await server.api<JobOut>('/imports', {
    method: 'POST',
    body: { folder: edited(sql), replace: true },
  });
  const before = readdirSync(dir).sort();
  await server.app.drain();
  const job = (await server.api<JobOut>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['failed', expect.stringContaining(message)]);
  expect(readdirSync(dir).sort()).toEqual(before);
  expect((await server.api<BackupsOut>('/backups')).body.restore).toBeNull();
});

/** An unencrypted backup, edited by somebody who could write to its disk. */
async function editedBackup(sql: string, settings: Record<string, unknown>): Promise<string> {
  const [data, backup] = [folder('edited-data'), folder('backup')];
  cpSync(library, data, { recursive: true });
  const db = new Database(join(data, 'tonearm.db'));
  db.exec(sql);
  db.close();
  const repo = await openBackup(backup, { isNew: true });
  const { snapshot } = await backUpInto(repo, data, folder('tmp'));
  const keys = { jwt_secret: 'known to everybody', compat_secret_key: 'known to everybody', settings: {} };
  await repo.writeSnapshot({ ...(await repo.readSnapshot(snapshot)), settings, keys });
  return backup;
}

const HOSTILE = {
  ffmpeg_path: '/tmp/evil',
  local_media_import_path: '/etc',
  musicbrainz_base_url: 'http://evil.example',
  jwt_secret: 'known to everybody',
  storage_root: '/etc',
  unheard_of: 'x',
  fpid_trust_score: 0.7,
};

test('a restore shows what of a backup gives others the server, and takes it only after a yes', async () => {
  const backup = await editedBackup(
    `INSERT INTO music_folders (key, name, path, mode, created_at) VALUES ('etc', 'etc', '/etc', 'reference', 1);
      INSERT INTO jobs (task, payload, status, max_attempts, run_at, created_at)
        VALUES ('backup_task', '{}', 'queued', 3, 0, 0)`,
    HOSTILE,
  );
  const dir = join(base, `restored-${++n}`);
  const kept = await runServer(['restore', '--from', backup, '--data-dir', dir]);
  expect(kept.code).toBe(0);
  for (const line of ['FFMPEG_PATH: "/tmp/evil", here not set', '"/etc"', 'superuser', '--accept-settings'])
    expect(kept.stdout).toContain(line);
  expect(settingsIn(dir)).toEqual({ fpid_trust_score: 0.7 });
  expect(existsSync(join(dir, 'secrets.json'))).toBe(false);
  expect(rows(dir, 'SELECT count(*) AS n FROM users')).toEqual([{ n: 2 }]);
  expect(rows(dir, "SELECT path FROM music_folders WHERE key = 'etc'")).toEqual([{ path: null }]);
  expect(rows(dir, 'SELECT 1 FROM jobs')).toEqual([]);

  const accepted = join(base, `restored-${++n}`);
  const answer = await runServer(['restore', '--from', backup, '--data-dir', accepted, '--accept-settings']);
  expect(answer.stdout).toContain('FFMPEG_PATH: "/tmp/evil", here not set');
  expect(settingsIn(accepted)).toEqual({
    ffmpeg_path: '/tmp/evil',
    local_media_import_path: '/etc',
    musicbrainz_base_url: 'http://evil.example',
    jwt_secret: 'known to everybody',
    fpid_trust_score: 0.7,
  });
});

test('a restore over a library gives nobody its accounts without a yes', async () => {
  const dir = folder('data');
  cpSync(library, dir, { recursive: true });
  const users = 'SELECT * FROM users ORDER BY id';
  const [before, secrets] = [rows(dir, users), readFileSync(join(dir, 'secrets.json'), 'utf8')];
  const backup = await editedBackup(
    "UPDATE users SET is_superuser = 1, password_hash = '', can_edit = 1, quota_bytes = NULL WHERE id = 2",
    HOSTILE,
  );
  const { arrival } = await restoreFolder(backup, dir, { replace: true });
  expect(arrival.people).toContainEqual({
    username: LISTENER.username,
    change: 'other',
    is_superuser: true,
    differences: ['password_hash', 'is_superuser', 'quota_bytes', 'can_edit'],
  });
  expect(rows(dir, users)).toEqual(before);
  expect(readFileSync(join(dir, 'secrets.json'), 'utf8')).toBe(secrets);
});

test('an encrypted backup that somebody edited is refused', async () => {
  const [dir, backup] = [folder('data'), folder('backup')];
  cpSync(library, dir, { recursive: true });
  server = await startServer({ dir, env: { BACKUP_TARGET: backup, BACKUP_PASSPHRASE: PASSPHRASE } });
  const { snapshot } = await makeBackup(server);
  for (const copy of ['snapshots', 'copies']) {
    const path = join(backup, copy, snapshot);
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
    writeFileSync(path, bytes);
  }
  await expect(restoreFolder(backup, join(base, `restored-${++n}`), {}, PASSPHRASE)).rejects.toThrow(/damaged/);
});
