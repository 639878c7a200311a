// An export that is imported into an empty data folder results in the same library. The commands in the docs for
// exporting everything by hand are run as written.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openExport } from '../../server/backup/export-source.ts';
import { copyForeignLibrary } from '../../server/backup/foreign-library.ts';
import { finishRestore } from '../../server/backup/restore-state.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { PlaylistOut } from '../../server/playlists/wire.ts';
import { restoreFrom } from '../support/backup-folders.ts';
import { filesIn, livelyServer, makeBackup, rowsIn } from '../support/backups.ts';
import { rowsOf } from '../support/edited-libraries.ts';
import { makeFirstRelease } from '../support/first-release.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer } from '../support/process.ts';
import { root } from '../support/product.ts';
import { allTracks } from '../support/served-library.ts';
import { ADMIN, startServer, type TestServer } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';

let base: string;
let music: string;
/** The data folder of the first server, which contains the library. */
let data: string;
let folder: string;
let backup: string;
let tracks: TrackOut[];

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-import-'));
  music = makeLibrary({ tracks: 16, seed: 'import', messy: 0.1, seconds: '1' }, join(base, 'music')).dir;
  data = join(base, 'data');
  [folder, backup] = [join(base, 'export'), join(base, 'backup')];
  mkdirSync(folder);
  mkdirSync(backup);
  const server = await livelyServer({ music, dir: data });
  tracks = await allTracks(server);
  const [firstTrack, secondTrack, lastTrack] = [tracks[0]!, tracks[1]!, tracks.at(-1)!];
  const send = async (method: string, path: string, body?: unknown): Promise<void> => {
    const response = await server.api(path, { method, ...(body !== undefined && { body }) });
    if (response.status >= 400) throw new Error(`${path}: ${response.text}`);
  };
  await send('PUT', `/tracks/${firstTrack.id}/metadata`, {
    title: 'Edited, "by hand"',
    artist: 'Somebody',
    album: 'Elsewhere',
    year: 1999,
  });
  await send('PUT', `/tracks/${secondTrack.id}/lyrics`, { text: 'One line\nand another' });
  await send('DELETE', `/tracks/${lastTrack.id}`);
  server.app.db.$client.exec(`
    INSERT INTO bookmarks (user_id, track_id, position_ms, comment, created_at, updated_at)
      VALUES (1, ${firstTrack.id}, 61000, 'here', 1, 2);
    INSERT INTO radio_stations (name, stream_url, created_at) VALUES ('=1+1', 'https://radio.example/night', 3);
    INSERT INTO podcasts (url, title, status, created_at) VALUES ('https://pod.example/feed', 'Talk', 'completed', 4);
    INSERT INTO podcast_episodes (podcast_id, guid, title, published_at, audio_url, status, created_at)
      VALUES (1, 'one', 'First', 5, 'https://pod.example/1.mp3', 'new', 6);
    INSERT INTO podcast_positions (user_id, episode_id, position_ms, created_at, updated_at) VALUES (1, 1, 7000, 8, 9)`);
  await server.app.drain();
  await exportTo(server, folder);
  await makeBackup(server, backup);
  await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function exportTo(server: TestServer, to: string): Promise<JobOut> {
  const { body } = await server.api<JobOut>('/exports', { method: 'POST', body: { folder: to } });
  await server.app.drain();
  return (await server.api<JobOut>(`/jobs/${body.id}`)).body;
}

const makeDataPath = (): string => join(mkdtempSync(join(base, 'fresh-')), 'data');
const importFrom = (from: string, dir: string, ...rest: string[]) =>
  runServer(['import', from, '--data-dir', dir, ...rest]);

/** Makes the imported account an administrator: it has neither a password nor rights. */
async function becomeAdmin(dir: string): Promise<void> {
  const { username, password } = ADMIN;
  const passwd = ['user', 'passwd', username, '--data-dir', dir];
  expect((await runServer(passwd, {}, { input: `${password}\n` })).code).toBe(0);
  expect((await runServer(['user', 'promote', username, '--data-dir', dir])).code).toBe(0);
}

/** An export contains neither credentials nor the library identity. */
const NOT_EXPORTED = ['sessions', 'app_passwords', 'scrobble_accounts', 'library_identity'];
/** Tables whose rows belong to the server and are not imported. */
const NOT_IMPORTED = [...NOT_EXPORTED, 'notices', 'music_folders'];
function libraryIn(dir: string): Record<string, unknown[]> {
  const { users, ...rest } = rowsIn(dir);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([table]) => !NOT_IMPORTED.includes(table))),
    users: (users as Record<string, unknown>[]).map(({ id, username, created_at }) => ({ id, username, created_at })),
  };
}

describe('an export', () => {
  it('imported into an empty data folder is the same library, row for row and byte for byte', async () => {
    const dir = makeDataPath();
    const { code, stdout } = await importFrom(folder, dir);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Imported ${tracks.length - 1} tracks`)]);
    expect(stdout).toContain('tonearm user passwd admin ');
    expect(stdout).toContain('tonearm user passwd listener ');
    expect(libraryIn(dir)).toEqual(libraryIn(data));
    expect(filesIn(join(dir, 'library'))).toEqual(filesIn(join(data, 'library')));

    expect(stdout).toContain('tonearm user promote NAME');
    await becomeAdmin(dir);
    const server = await startServer({ dir });
    const media = { headers: { Authorization: `Bearer ${server.token}` } };
    expect((await fetch(`${server.url}/stream/${tracks[1]!.id}`, media)).status).toBe(200);
    const wrongCredentials = { username: 'listener', password: '' };
    expect((await server.api('/auth/login', { method: 'POST', token: null, body: wrongCredentials })).status).not.toBe(
      200,
    );
    const trashedId = tracks.at(-1)!.id;
    await server.api('/trash/restore', { method: 'POST', body: { track_ids: [trashedId] } });
    expect((await fetch(`${server.url}/stream/${trashedId}`, media)).status).toBe(200);
    const { items } = (await server.api<{ items: PlaylistOut[] }>('/playlists')).body;
    await server.api(`/playlists/${items[0]!.id}/restore`, { method: 'POST', body: { version: 2 } });
    expect((await server.api<PlaylistOut>(`/playlists/${items[0]!.id}`)).body.track_count).toBe(9);
    await server.close();
  });

  it.each(['tonearm.db', 'library/audio'])(
    'whose import is killed leaves no half library (%s)',
    async (interruptedPath) => {
      const dir = makeDataPath();
      const killWhen = (): boolean => existsSync(join(dir, '.restoring/new', interruptedPath));
      const { code } = await runServer(['import', folder, '--data-dir', dir], {}, { killWhen });
      // the import may have ended before the signal, but then the library is complete
      if (code === null && (!existsSync(join(dir, 'tonearm.db')) || existsSync(join(dir, '.restoring'))))
        expect(await importFrom(folder, dir)).toMatchObject({ code: 0 });
      expect(libraryIn(dir)).toEqual(libraryIn(data));
      expect(filesIn(join(dir, 'library'))).toEqual(filesIn(join(data, 'library')));
      expect(existsSync(join(dir, '.restoring'))).toBe(false);
    },
  );

  it('has no passwords or tokens, in the database neither', () => {
    const bytes = readFileSync(join(folder, 'data', 'library.db'));
    expect(bytes.includes('$argon2id$')).toBe(false);
    const db = new Database(join(folder, 'data', 'library.db'), { readonly: true });
    for (const table of NOT_EXPORTED) expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
    db.close();
  });

  it('has everything as CSV beside JSON', () => {
    const lines = (name: string): string[] =>
      readFileSync(join(folder, 'data', `${name}.csv`), 'utf8')
        .trimEnd()
        .split('\r\n');
    expect(lines('plays')).toHaveLength(13);
    expect(lines('users')[0]).toBe('id,username,is_superuser,created_at');
    expect(lines('playlists_entries')[0]).toBe(
      'playlist_id,entry_id,track_id,title,artist_name,position,since_version,added_at',
    );
    expect(lines('podcasts_episodes')[1]).toContain('{""admin"":7000}');
    expect(lines('tracks').join('\n')).toContain('"Edited, ""by hand"""');
    // the apostrophe keeps spreadsheets from running the text as a formula
    expect(lines('radio')[1]).toContain("'=1+1,");
    for (const name of ['albums', 'artists', 'likes', 'ratings', 'radio', 'lyrics', 'edits', 'playlists_versions'])
      expect([name, lines(name).length]).toEqual([name, expect.toSatisfy((count: number) => count > 1)]);
  });

  it('is refused for a folder that has a library, and moves the library aside on request', async () => {
    const dir = makeDataPath();
    cpSync(data, dir, { recursive: true });
    const { code, stderr } = await importFrom(folder, dir);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    const { stdout } = await importFrom(folder, dir, '--replace');
    expect(stdout).toContain('The previous library is in');
    expect(stdout).not.toContain('Passwords'); // the accounts of the previous library have passwords
    const server = await startServer({ dir });
    expect(await allTracks(server)).toHaveLength(tracks.length - 1);
    await server.close();
  });

  it('with a damaged or missing file is named, and the rest is imported on request', async () => {
    const [copy, dir] = [join(base, 'damaged'), makeDataPath()];
    cpSync(folder, copy, { recursive: true });
    const [damagedPath, missingPath] = (
      JSON.parse(readFileSync(join(copy, 'data', 'tracks.json'), 'utf8')) as { path: string }[]
    ).map(({ path }) => join(copy, path)) as [string, string];
    appendFileSync(damagedPath, 'x');
    rmSync(missingPath);
    const { code, stderr } = await importFrom(copy, dir);
    expect([code, stderr]).toEqual([1, expect.stringContaining('2 files in the export')]);
    expect(existsSync(join(dir, 'tonearm.db'))).toBe(false);
    expect((await importFrom(copy, dir, '--skip-damaged')).code).toBe(0);
    const db = new Database(join(dir, 'tonearm.db'), { readonly: true });
    expect(db.prepare("SELECT count(*) FROM tracks WHERE availability = 'missing'").pluck().get()).toBe(2);
    db.close();
    rmSync(join(copy, 'data', 'export.json'));
    expect((await importFrom(copy, makeDataPath())).stderr).toContain('There is no complete export in');
  });

  it('is imported by a running server at its next start; the importing account signs in as before', async () => {
    const dir = makeDataPath();
    mkdirSync(dir);
    let server = await startServer({ dir });
    const oldToken = server.token;
    expect((await server.api('/imports', { method: 'POST', body: { folder } })).status).toBe(409);
    const { body } = await server.api<JobOut>('/imports', { method: 'POST', body: { folder, replace: true } });
    await server.app.drain();
    expect((await server.api<JobOut>(`/jobs/${body.id}`)).body).toMatchObject({
      status: 'succeeded',
      result: { is_restart_needed: true, tracks: tracks.length - 1 },
    });
    await server.close();
    await finishRestore(dir, () => new Date());
    server = await startServer({ dir });
    expect((await server.api('/users/me', { token: oldToken })).status).toBe(401);
    expect(await allTracks(server)).toHaveLength(tracks.length - 1);
    await server.close();
  });

  describe('from somebody else', () => {
    const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

    /** Makes a copy of the export with another database, and a manifest that matches it. */
    function makeForgedExport(sql: string): string {
      const to = join(mkdtempSync(join(base, 'forged-')), 'export');
      cpSync(folder, to, { recursive: true });
      const path = join(to, 'data', 'library.db');
      const db = new Database(path);
      db.exec(sql);
      db.close();
      const manifest = JSON.parse(readFileSync(join(to, 'data', 'export.json'), 'utf8')) as Record<string, unknown>;
      const bytes = readFileSync(path);
      Object.assign(manifest, { database: { size: bytes.length, sha256: sha256(bytes) } });
      Object.assign(manifest, { keys: { jwt_secret: 'known', compat_secret_key: 'known', settings: {} } });
      writeFileSync(join(to, 'data', 'export.json'), JSON.stringify(manifest));
      return to;
    }

    /** Changes files.json, and its hash in the manifest. */
    function withFiles(to: string, edit: (text: string) => string): string {
      const [files, manifest] = [join(to, 'data', 'files.json'), join(to, 'data', 'export.json')];
      const [originalHash, text] = [sha256(readFileSync(files)), edit(readFileSync(files, 'utf8'))];
      writeFileSync(files, text);
      writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(originalHash, sha256(Buffer.from(text))));
      return to;
    }

    const restoreInto = async (from: string, dir: string) =>
      restoreFrom(await openExport(from), dir, { replace: true, skipDamaged: true });

    it('lets nobody in: passwords, keys, sessions and rights stay those of the server', async () => {
      const dir = makeDataPath();
      cpSync(data, dir, { recursive: true });
      const ownAccounts = (rowsIn(data)['users'] as Record<string, unknown>[]).map((row) => [
        row['username'],
        row['password_hash'],
        row['is_superuser'],
      ]);
      const secrets = readFileSync(join(dir, 'secrets.json'), 'utf8');
      const from = makeForgedExport(`
        UPDATE users SET is_superuser = 1, password_hash = '$argon2id$known';
        INSERT INTO users (username, username_key, password_hash, is_superuser, created_at)
          VALUES ('mallory', 'mallory', '$argon2id$known', 1, 1);
        INSERT INTO sessions (user_id, created_at, expires_at, last_used_at) VALUES (1, 1, 9e15, 1);
        INSERT INTO app_passwords (user_id, name, sealed, salt, lookup, created_at)
          VALUES (1, 'mine', x'00', x'00', 'known', 1);
        INSERT INTO shares (user_id, token, created_at) VALUES (1, 'known', 1), (1, 'still shared', 1)`);
      const database = new Database(join(dir, 'tonearm.db'));
      database.exec("INSERT INTO shares (user_id, token, created_at) VALUES (1, 'still shared', 1)");
      database.close();
      await restoreInto(from, dir);
      const rows = rowsIn(dir);
      expect(
        (rows['users'] as Record<string, unknown>[]).map((row) => [
          row['username'],
          row['password_hash'],
          row['is_superuser'],
        ]),
      ).toEqual([...ownAccounts, ['mallory', '', 0]]);
      expect([rowsOf(dir, 'SELECT id FROM sessions'), rows['app_passwords']]).toEqual([[], []]);
      expect(rows['shares']).toEqual([expect.objectContaining({ token: 'still shared' })]);
      expect(readFileSync(join(dir, 'secrets.json'), 'utf8')).toBe(secrets);
    });

    it('runs nothing of its own in the server', async () => {
      const trigger = 'CREATE TRIGGER mine AFTER UPDATE ON users BEGIN UPDATE users SET is_superuser = 1; END';
      const dir = makeDataPath();
      await expect(restoreInto(makeForgedExport(trigger), dir)).rejects.toThrow(
        'has a trigger mine that its version does not make',
      );
      expect(existsSync(join(dir, 'tonearm.db'))).toBe(false);
      await expect(
        restoreInto(makeForgedExport("INSERT INTO migrations VALUES ('9999_later', 'x', 1)"), dir),
      ).rejects.toThrow('newer version');
    });

    it.skipIf(process.platform === 'win32')('reads plain files of its folder only', async () => {
      const from = makeForgedExport('SELECT 1');
      const [linkedPath, pipePath, largePath, plainPath] = (
        JSON.parse(readFileSync(join(from, 'data', 'tracks.json'), 'utf8')) as { path: string }[]
      ).map(({ path }) => path) as [string, string, string, string];
      const outsideFile = join(from, '..', 'outside');
      renameSync(join(from, linkedPath), outsideFile);
      symlinkSync(outsideFile, join(from, linkedPath));
      rmSync(join(from, pipePath));
      execFileSync('mkfifo', [join(from, pipePath)]);
      truncateSync(join(from, largePath), 1 << 30);
      renameSync(join(from, plainPath), join(from, '..', 'beside'));
      withFiles(from, (text) => text.replace(JSON.stringify(plainPath), '"../beside"'));
      expect((await restoreInto(from, makeDataPath())).lost).toHaveLength(4);
    });

    it('with a line that never ends is damaged', async () => {
      const from = withFiles(makeForgedExport('SELECT 1'), (text) => text.replaceAll('\n', ''));
      appendFileSync(join(from, 'data', 'files.json'), ' '.repeat(1 << 20));
      await expect(restoreInto(from, makeDataPath())).rejects.toThrow('The list of files is damaged');
    });
  });

  it.each(['backup', 'import'] as const)(
    'or a backup of the first release is brought up to date (%s)',
    async (scope) => {
      const oldDataDir = makeDataPath();
      await makeFirstRelease(oldDataDir, 'local', 50);
      const [from, to] = [join(oldDataDir, 'tonearm.db'), join(oldDataDir, 'taken.db')];
      new Database(from).pragma('journal_mode = DELETE');
      copyForeignLibrary({ from, to, migrationsDir: 'migrations', scope });
      const db = new Database(to, { readonly: true });
      const value = (sql: string): unknown => db.prepare(sql).pluck().get();
      expect(value("SELECT count(*) FROM tracks WHERE storage_uri LIKE 'local:audio/%'")).toBe(50);
      expect(value('SELECT sum(track_count) FROM albums')).toBe(50);
      expect(value("SELECT count(*) FROM users WHERE password_hash = ''")).toBe(scope === 'import' ? 2 : 0);
      expect(value('SELECT count(*) FROM app_passwords')).toBe(scope === 'import' ? 0 : 1);
      expect(value('SELECT count(*) FROM migrations')).toBe(
        readdirSync('migrations').filter((name) => name.endsWith('.sql')).length,
      );
      db.close();
    },
  );

  it('keeps what happened to the accounts until the next start', async () => {
    const dir = makeDataPath();
    mkdirSync(dir);
    const server = await startServer({ dir });
    await server.api('/imports', { method: 'POST', body: { folder, replace: true } });
    await server.app.drain();
    const laterAccount = { username: 'later', password: 'long enough, made after it' };
    expect((await server.api('/users', { method: 'POST', body: laterAccount })).status).toBe(201);
    await server.close();
    await finishRestore(dir, () => new Date());
    expect((rowsIn(dir)['users'] as { username: string }[]).map(({ username }) => username)).toContain('later');
  });

  it('of a library that only indexes its music folder has the files themselves', async () => {
    const [from, to, dir] = [makeDataPath(), join(base, 'of-indexed'), makeDataPath()];
    mkdirSync(from);
    mkdirSync(to);
    let server = await startServer({
      dir: from,
      env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference' },
    });
    await server.api('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
    await exportTo(server, to);
    const secondExport = await exportTo(server, to);
    expect(secondExport.result).toMatchObject({ tracks: tracks.length, written: 0 });
    await server.close();
    expect((await importFrom(to, dir)).code).toBe(0);
    await becomeAdmin(dir);
    server = await startServer({ dir });
    const importedTracks = await allTracks(server);
    expect(importedTracks.map(({ availability }) => availability)).toEqual(tracks.map(() => 'available'));
    const response = await fetch(`${server.url}/stream/${importedTracks[0]!.id}`, {
      headers: { Authorization: `Bearer ${server.token}` },
    });
    expect(
      Buffer.from(await response.arrayBuffer()).equals(readFileSync(join(music, importedTracks[0]!.source_id ?? ''))),
    ).toBe(true);
    await server.close();
  });
});

const tools = ['sqlite3', 'jq', 'zstd'].every((name) =>
  toolOrWarn(name, 'getting everything out by hand is', '--version'),
);

describe.runIf(tools)('the page on getting everything out by hand', () => {
  /** Runs the commands of a section with the folders of this test. */
  function follow(section: string, folders: Record<string, string>): void {
    const page = readFileSync(join(root, 'docs', 'BY-HAND.md'), 'utf8');
    const text = page.split(/^## /m).find((pageSection) => pageSection.startsWith(section)) ?? '';
    let script = [...text.matchAll(/^ {4}(.*)$/gm)].map(([, line]) => line).join('\n');
    for (const [from, to] of Object.entries(folders)) script = script.replaceAll(from, to);
    const file = join(base, 'by-hand.sh');
    writeFileSync(file, script);
    execFileSync('bash', ['-eu', file], { stdio: ['ignore', 'inherit', 'inherit'] });
  }

  it('gets likes, plays, ratings and old versions out of an export, and checks its files', () => {
    const copy = join(base, 'by-hand');
    cpSync(folder, copy, { recursive: true });
    const readLines = (name: string): string[] => readFileSync(join(copy, name), 'utf8').split('\n').filter(Boolean);
    appendFileSync(join(copy, 'Music', 'nobody knows this.txt'), 'x');
    follow('From an export', { '/media/disk/music': copy });
    expect(readLines('liked.m3u8')).toHaveLength(4);
    for (const path of readLines('liked.m3u8')) expect(existsSync(join(copy, path))).toBe(true);
    expect([readLines('plays.csv').length, readLines('version-2.txt').length, readLines('damaged.txt')]).toEqual([
      13,
      9,
      [],
    ]);
    expect(readLines('ratings.csv')[0]).toContain('username,rating,title');
    const list = JSON.parse(readFileSync(join(copy, 'data', 'files.json'), 'utf8')) as { path: string }[];
    appendFileSync(join(copy, list[0]!.path), 'x');
    follow('From an export', { '/media/disk/music': copy });
    expect(readLines('damaged.txt')).toEqual([`damaged: ${list[0]!.path}`]);
  });

  it('gets every file and the database out of a backup', () => {
    const exportFolder = join(base, 'out');
    follow('From a backup', { '/media/disk/tonearm': backup, '/tmp/library': exportFolder });
    const storedFiles = filesIn(join(data, 'library'));
    const exportedFiles = filesIn(exportFolder);
    for (const [key, hash] of Object.entries(storedFiles)) expect([key, exportedFiles[key]]).toEqual([key, hash]);
    const db = new Database(join(exportFolder, 'library.db'), { readonly: true });
    expect(db.prepare('SELECT count(*) FROM plays').pluck().get()).toBe(12);
    db.close();
    expect(Object.keys(exportedFiles).filter((name) => name.startsWith('by artist/')).length).toBeGreaterThan(0);
  });
});
