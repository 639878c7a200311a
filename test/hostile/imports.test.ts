// Edited exports and backups restore data only, and give nobody more rights.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { BackupsOut } from '../../server/backup/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { restoreFolder } from '../support/backup-folders.ts';
import { LISTENER, makeBackup } from '../support/backups.ts';
import {
  editedLibraries,
  importInto,
  rowsOf as rows,
  settingsIn,
  type EditedLibraries,
} from '../support/edited-libraries.ts';
import { runServer } from '../support/process.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

const BACKUP_PASSPHRASE = 'a passphrase of some length';

let libraries: EditedLibraries;
let server: TestServer | undefined;
beforeAll(async () => {
  libraries = await editedLibraries();
});
afterAll(() => rmSync(libraries.base, { recursive: true, force: true }));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Imports an export through the server, and restarts the server. */
async function importExport(exportPath: string): Promise<JobOut> {
  const { job, server: restarted } = await importInto(server as TestServer, exportPath);
  server = restarted;
  return job;
}

test('an import takes no music folder, job, session, setting or right from an export', async () => {
  const dir = libraries.folder('data');
  server = await startServer({ dir });
  const listener = await registerUser(server, LISTENER.username);
  const { id } = (await server.api<{ id: number }>('/users/me', { token: listener })).body;
  const session = rows(dir, `SELECT id FROM sessions WHERE user_id = ${id}`) as { id: number }[];
  await server.api('/settings', { method: 'PATCH', body: { fpid_trust_score: 0.7 } });
  const settings = settingsIn(dir);
  const job = await importExport(
    libraries.editedExport(`
      INSERT INTO music_folders (key, name, path, mode, created_at) VALUES ('etc', 'etc', '/etc', 'reference', 1);
      UPDATE tracks SET storage_uri = 'file:etc:/passwd', availability = 'available';
      INSERT INTO jobs (id, task, payload, status, max_attempts, run_at, created_at)
        VALUES (900, 'backup_task', '{"to":"${libraries.base}"}', 'queued', 3, 0, 0);
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
  expect(rows(dir, "SELECT 1 FROM jobs WHERE task = 'backup_task'")).toEqual([]);
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
  const dir = libraries.folder('data');
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
  const accountsSql =
    'SELECT username, username_key, password_hash, is_superuser, token_version, created_at, can_edit, can_upload, ' +
    'can_download, can_share, can_jukebox, can_podcast, max_bitrate_kbps, quota_bytes, hides_playing, email ' +
    'FROM users ORDER BY username';
  const previousRows = rows(dir, accountsSql);
  expect((await importExport(libraries.exported)).status).toBe('succeeded');
  expect(rows(dir, accountsSql)).toEqual(previousRows);
});

test('an import brings no page that the extractor would be sent to', async () => {
  const dir = libraries.folder('data');
  server = await startServer({ dir });
  const job = await importExport(
    libraries.editedExport(
      `INSERT INTO remote_ids (source, source_id, track_id, page_url)
        SELECT 'streamsrc', 'ext:Generic:1', min(id), 'http://127.0.0.1:1/router?reboot=1' FROM tracks`,
    ),
  );
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  expect(rows(dir, 'SELECT source_id, page_url FROM remote_ids')).toEqual([
    { source_id: 'ext:Generic:1', page_url: null },
  ]);
});

test('an import says what happens to people before it happens', async () => {
  const dir = libraries.folder('data');
  server = await startServer({ dir });
  await server.api('/imports', { method: 'POST', body: { folder: libraries.exported, replace: true } });
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
  const dir = libraries.folder('data');
  server = await startServer({ dir });
  const { body } = await server.api<JobOut>('/imports', {
    method: 'POST',
    body: { folder: libraries.editedExport(sql), replace: true },
  });
  const previousEntries = readdirSync(dir).sort();
  await server.app.drain();
  const job = (await server.api<JobOut>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['failed', expect.stringContaining(message)]);
  expect(readdirSync(dir).sort()).toEqual(previousEntries);
  expect((await server.api<BackupsOut>('/backups')).body.restore).toBeNull();
});

const HOSTILE_SETTINGS = {
  ffmpeg_path: '/tmp/evil',
  local_media_import_path: '/etc',
  musicbrainz_base_url: 'http://evil.example',
  jwt_secret: 'known to everybody',
  storage_root: '/etc',
  unheard_of: 'x',
  fpid_trust_score: 0.7,
};

test('a restore shows what of a backup gives others the server, and takes it only after a yes', async () => {
  const backup = await libraries.editedBackup(
    `INSERT INTO music_folders (key, name, path, mode, created_at) VALUES ('etc', 'etc', '/etc', 'reference', 1);
      INSERT INTO jobs (task, payload, status, max_attempts, run_at, created_at)
        VALUES ('backup_task', '{}', 'queued', 3, 0, 0)`,
    HOSTILE_SETTINGS,
  );
  const dir = libraries.newPath('restored');
  const restoreOutput = await runServer(['restore', '--from', backup, '--data-dir', dir]);
  expect(restoreOutput.code).toBe(0);
  for (const line of ['FFMPEG_PATH: "/tmp/evil", here not set', '"/etc"', 'superuser', '--accept-settings'])
    expect(restoreOutput.stdout).toContain(line);
  expect(settingsIn(dir)).toEqual({ fpid_trust_score: 0.7 });
  expect(existsSync(join(dir, 'secrets.json'))).toBe(false);
  expect(rows(dir, 'SELECT count(*) AS n FROM users')).toEqual([{ n: 2 }]);
  expect(rows(dir, "SELECT path FROM music_folders WHERE key = 'etc'")).toEqual([{ path: null }]);
  expect(rows(dir, 'SELECT 1 FROM jobs')).toEqual([]);

  const acceptedDir = libraries.newPath('restored');
  const answer = await runServer(['restore', '--from', backup, '--data-dir', acceptedDir, '--accept-settings']);
  expect(answer.stdout).toContain('FFMPEG_PATH: "/tmp/evil", here not set');
  expect(settingsIn(acceptedDir)).toEqual({
    ffmpeg_path: '/tmp/evil',
    local_media_import_path: '/etc',
    musicbrainz_base_url: 'http://evil.example',
    jwt_secret: 'known to everybody',
    fpid_trust_score: 0.7,
  });
});

test('a restore over a library gives nobody its accounts without a yes', async () => {
  const dir = libraries.copyOf(libraries.library);
  const users = 'SELECT * FROM users ORDER BY id';
  const [previousRows, secrets] = [rows(dir, users), readFileSync(join(dir, 'secrets.json'), 'utf8')];
  const backup = await libraries.editedBackup(
    "UPDATE users SET is_superuser = 1, password_hash = '', can_edit = 1, quota_bytes = NULL WHERE id = 2",
    HOSTILE_SETTINGS,
  );
  const { arrival } = await restoreFolder(backup, dir, { replace: true });
  expect(arrival.people).toContainEqual({
    username: LISTENER.username,
    change: 'other',
    is_superuser: true,
    differences: [
      { what: 'password_hash', name: null, value: '(hidden)', here: '(hidden)' },
      { what: 'is_superuser', name: null, value: 'true', here: 'false' },
      { what: 'quota_bytes', name: null, value: null, here: '5000000000' },
      { what: 'can_edit', name: null, value: 'true', here: 'false' },
    ],
  });
  expect(rows(dir, users)).toEqual(previousRows);
  expect(readFileSync(join(dir, 'secrets.json'), 'utf8')).toBe(secrets);
});

test('an encrypted backup that somebody edited is refused', async () => {
  const [dir, backup] = [libraries.copyOf(libraries.library), libraries.folder('backup')];
  server = await startServer({ dir, env: { BACKUP_TARGET: backup, BACKUP_PASSPHRASE: BACKUP_PASSPHRASE } });
  const { snapshot } = await makeBackup(server);
  for (const copyFolder of ['snapshots', 'copies']) {
    const path = join(backup, copyFolder, snapshot);
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
    writeFileSync(path, bytes);
  }
  await expect(restoreFolder(backup, libraries.newPath('restored'), {}, BACKUP_PASSPHRASE)).rejects.toThrow(/damaged/);
});
