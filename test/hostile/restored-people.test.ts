// What a restore or an import may do to accounts and their data: sessions, app passwords, shares, addresses.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startMaloja } from '../fakes/maloja.ts';
import { finishRestore } from '../../server/backup/restore-state.ts';
import type { BackupsOut } from '../../server/backup/wire.ts';
import { backUpInto, openBackup } from '../support/backup-folders.ts';
import { LISTENER } from '../support/backups.ts';
import { editedLibraries, importInto, rowsOf, settingsIn, type EditedLibraries } from '../support/edited-libraries.ts';
import { runServer } from '../support/process.ts';
import { ADMIN, startServer, type TestServer } from '../support/server.ts';

let libraries: EditedLibraries;
let server: TestServer | undefined;
const fakes: Awaited<ReturnType<typeof startMaloja>>[] = [];
beforeAll(async () => {
  libraries = await editedLibraries();
});
afterAll(() => rmSync(libraries.base, { recursive: true, force: true }));
afterEach(async () => {
  await server?.close();
  server = undefined;
  await Promise.all(fakes.splice(0).map((fake) => fake.close()));
});

const signIn = async ({ api }: TestServer, account = ADMIN): Promise<string> =>
  (await api<{ access_token: string }>('/auth/login', { method: 'POST', token: null, body: account })).body
    .access_token;
const fetchStatus = async ({ api }: TestServer, token: string): Promise<number> =>
  (await api('/users/me', { token })).status;

async function createBackup(dir: string): Promise<string> {
  const backup = libraries.folder('backup');
  await backUpInto(await openBackup(backup, { isNew: true }), dir, libraries.folder('tmp'));
  return backup;
}

async function restoreInto(backup: string, dir: string, ...options: string[]): Promise<string> {
  const command = ['restore', '--from', backup, '--data-dir', dir, '--replace'];
  const { code, stdout, stderr } = await runServer([...command, ...options]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

test('a session that ended does not begin again with a restore, nor does one that a password ended', async () => {
  const dir = libraries.copyOf(libraries.library);
  server = await startServer({ dir });
  const [ownToken, endedToken, stolenToken] = [
    await signIn(server),
    await signIn(server),
    await signIn(server, LISTENER),
  ];
  const backup = await createBackup(dir);
  await server.api('/auth/logout', { method: 'POST', token: endedToken });
  const change = { password: 'another long password', current_password: LISTENER.password };
  const newSession = await server.api<{ access_token: string }>('/users/me', {
    method: 'PATCH',
    token: stolenToken,
    body: change,
  });
  expect([newSession.status, await fetchStatus(server, stolenToken)]).toEqual([200, 401]);
  const laterToken = await signIn(server);
  await server.close();

  await restoreInto(backup, dir, '--accept-settings');
  server = await startServer({ dir });
  const statuses: Record<string, number> = {};
  for (const [name, token] of Object.entries({
    mine: ownToken,
    ended: endedToken,
    stolen: stolenToken,
    later: laterToken,
  }))
    statuses[name] = await fetchStatus(server, token);
  expect(statuses).toEqual({ mine: 200, ended: 401, stolen: 401, later: 401 });
});

test('sessions come into an empty folder only with the keys of an encrypted backup', async () => {
  const dir = libraries.newPath('restored');
  await restoreInto(await libraries.editedBackup('UPDATE sessions SET expires_at = 9000000000000'), dir);
  expect(rowsOf(dir, 'SELECT id FROM sessions')).toEqual([]);
});

test('a restore says which revoked app passwords, deleted shares and former rights come back', async () => {
  const dir = libraries.copyOf(libraries.library);
  server = await startServer({ dir });
  const phone = await server.api<{ id: number }>('/users/me/app-passwords', {
    method: 'POST',
    body: { name: 'phone' },
  });
  server.app.db.$client.exec(`
    INSERT INTO shares (token, user_id, created_at) VALUES ('of-a-share-that-was-deleted', 1, 1);
    UPDATE users SET is_superuser = 1 WHERE id = 2`);
  const backup = await createBackup(dir);
  await server.api(`/users/me/app-passwords/${phone.body.id}`, { method: 'DELETE' });
  server.app.db.$client.exec('DELETE FROM shares; UPDATE users SET is_superuser = 0 WHERE id = 2');
  await server.close();
  server = undefined;

  const restoreOutput = await restoreInto(backup, dir);
  for (const line of [
    `account "${ADMIN.username}" (superuser): app password "phone": "(hidden)", here not set`,
    `account "${ADMIN.username}" (superuser): share links that are not here: "1", here "0"`,
    `account "${LISTENER.username}" (superuser): superuser: "true", here "false"`,
  ])
    expect(restoreOutput).toContain(line);
  expect(rowsOf(dir, 'SELECT name FROM app_passwords UNION ALL SELECT token FROM shares')).toEqual([]);
  expect(rowsOf(dir, 'SELECT is_superuser FROM users WHERE id = 2')).toEqual([{ is_superuser: 0 }]);
});

test('a yes is void for accounts that changed before the restore is in place', async () => {
  const dir = libraries.copyOf(libraries.library);
  const backup = await libraries.editedBackup('UPDATE users SET is_superuser = 1 WHERE id = 2');
  const isSuperuser = 'SELECT is_superuser FROM users WHERE id = 2';
  const acceptRestore = async (change: string): Promise<unknown> => {
    const runningServer = await startServer({ dir, env: { BACKUP_TARGET: backup } });
    const [snapshot] = (await runningServer.api<BackupsOut>('/backups')).body.items;
    const body = { replace: true, accept_settings: true };
    await runningServer.api(`/backups/${snapshot?.id}/restore`, { method: 'POST', body });
    await runningServer.app.drain();
    runningServer.app.db.$client.exec(change);
    await runningServer.close();
    const finishedRestore = await finishRestore(dir, () => new Date());
    return [finishedRestore?.isConfirmationVoid, rowsOf(dir, isSuperuser)];
  };
  expect(await acceptRestore('UPDATE users SET can_share = 0 WHERE id = 2')).toEqual([true, [{ is_superuser: 0 }]]);
  expect(await acceptRestore('SELECT 1')).toEqual([false, [{ is_superuser: 1 }]]);
});

test('the address for a key and the protection of an account are shown, and no key goes to another address', async () => {
  const [ownMaloja, otherMaloja] = [await startMaloja(), await startMaloja()];
  fakes.push(ownMaloja, otherMaloja);
  const dir = libraries.copyOf(libraries.library);
  server = await startServer({ dir });
  const connectAnswer = await server.api('/users/me/scrobbling?service=maloja', {
    method: 'PUT',
    body: { token: 'good-key', url: ownMaloja.url },
  });
  expect(connectAnswer.status).toBe(200);
  server.app.db.$client.exec('UPDATE users SET has_weak_password = 1 WHERE id = 2');
  await server.close();
  const backup = await libraries.editedBackup(
    `UPDATE scrobble_accounts SET url = '${otherMaloja.url}';
      UPDATE users SET has_weak_password = 0, email = 'theirs@example.com' WHERE id = 2`,
    {},
    dir,
  );
  const output = await restoreInto(backup, dir, '--accept-settings');
  for (const line of [
    `scrobbling account at "maloja": "${new URL(ownMaloja.url).host}, ${otherMaloja.url}, (hidden)", here`,
    'may sign in on this machine only: "false", here "true"',
    'e-mail address: "theirs@example.com", here not set',
  ])
    expect(output).toContain(line);

  const reportPlay = async (trackId: number): Promise<void> => {
    server = await startServer({ dir });
    expect(
      (await server.api('/history', { method: 'POST', body: { track_id: trackId, played_ms: 300_000 } })).status,
    ).toBe(201);
    await server.app.drain();
  };
  await reportPlay(1);
  const isStopped = 'SELECT is_stopped FROM scrobble_accounts';
  expect([otherMaloja.state.requests, rowsOf(dir, isStopped)]).toEqual([0, [{ is_stopped: 1 }]]);
  await server?.close();
  const db = new Database(join(dir, 'tonearm.db'));
  db.exec('UPDATE scrobble_accounts SET is_stopped = 0'); // the encryption of the key also depends on its address
  db.close();
  await reportPlay(2);
  expect([otherMaloja.state.requests, rowsOf(dir, isStopped)]).toEqual([0, [{ is_stopped: 1 }]]);
});

test('a station of a backup is not asked in the own network because of who added it', async () => {
  const dir = libraries.copyOf(libraries.library);
  const backup = await libraries.editedBackup(
    "INSERT INTO radio_stations (name, stream_url, created_at, added_by) VALUES ('Router', 'http://127.0.0.1:1/', 1, 1)",
  );
  expect(await restoreInto(backup, dir)).toContain('radio station "Router": "http://127.0.0.1:1/", here not set');
  expect(rowsOf(dir, 'SELECT added_by FROM radio_stations')).toEqual([{ added_by: null }]);
});

test('settings that delete, write into music folders, hide, or keep people signed in are taken after a yes only', async () => {
  const dir = libraries.copyOf(libraries.library);
  const previousSettings = settingsIn(dir);
  const settings = {
    lyrics_write_files: true,
    access_token_ttl: '1000d',
    log_level: 'silent',
    min_free_bytes: 0,
    backup_keep_daily: 1,
    backup_keep_weekly: 0,
    backup_include_keys: true,
    local_media_import_mode: 'reference',
    podcast_max_bytes: 0,
  };
  const backup = await libraries.editedBackup('', settings);
  const output = await restoreInto(backup, dir);
  for (const name of Object.keys(settings)) expect(output).toContain(`${name.toUpperCase()}: `);
  expect(settingsIn(dir)).toEqual(previousSettings);
});

test('an import prints no text of the export as a command', async () => {
  const importDir = libraries.newPath('imported');
  const names = [
    "UPDATE users SET username = 'bob$(id)', username_key = 'bob$(id)' WHERE id = 2",
    'name of an account',
  ];
  const keys = ["UPDATE users SET username_key = 'somebody' WHERE id = 2", 'username_key does not belong to the name'];
  for (const [sql = '', message] of [names, keys]) {
    const { code, stderr } = await runServer(['import', libraries.editedExport(sql), '--data-dir', importDir, '--yes']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`users 2: ${sql === names[0] ? 'username is no ' : ''}${message}`),
    ]);
  }
  const renameSql = "UPDATE users SET username = 'Two Words', username_key = 'two words' WHERE id = 2";
  const { stdout } = await runServer(['import', libraries.editedExport(renameSql), '--data-dir', importDir, '--yes']);
  expect(stdout).toContain(`  tonearm user passwd 'Two Words' --data-dir ${importDir}\n`);
});

test('a share stays as it is, whatever an export has under its token', async () => {
  const dir = libraries.copyOf(libraries.library);
  server = await startServer({ dir });
  const token = 'a-token-of-a-share';
  server.app.db.$client.exec(`
    INSERT INTO shares (id, token, user_id, description, created_at) VALUES (5, '${token}', 1, 'For Mum', 1);
    INSERT INTO share_tracks (share_id, position, track_id) VALUES (5, 0, 1), (5, 1, 2)`);
  const exportPath = libraries.editedExport(`
    DELETE FROM shares; DELETE FROM share_tracks;
    INSERT INTO shares (id, token, user_id, description, created_at) VALUES
      (77, '${token}', 2, 'Visit http://evil.example', 1), (78, 'another-token-of-a-share', 2, 'New', 1);
    INSERT INTO share_tracks (share_id, position, track_id) SELECT 77, id, id FROM tracks;
    UPDATE tracks SET storage_uri = (SELECT storage_uri FROM tracks WHERE id = 3),
      content_hash = (SELECT content_hash FROM tracks WHERE id = 3) WHERE id = 2`);
  const { job, server: restarted } = await importInto(server, exportPath);
  server = restarted;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  expect(rowsOf(dir, 'SELECT token, user_id, description FROM shares')).toEqual([
    { token, user_id: 1, description: 'For Mum' },
  ]);
  expect(rowsOf(dir, 'SELECT position, track_id FROM share_tracks')).toEqual([{ position: 0, track_id: 1 }]);
});

test('dates outside of the years 1970 to 9999 break no page', async () => {
  server = await startServer({ dir: libraries.folder('data') });
  const { job, server: restarted } = await importInto(
    server,
    libraries.editedExport(`
      UPDATE plays SET played_at = 8640000000000000 WHERE id = 1; UPDATE plays SET played_at = -8640000000000000 WHERE id = 2`),
  );
  server = restarted;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles'])
    expect((await server.api(`/stats/listening?tz=${encodeURIComponent(zone)}`)).status).toBe(200);
  expect((await server.api('/history')).status).toBe(200);
});
