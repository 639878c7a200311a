// Backups and exports with forged or edited files: no file leads out of its folder, none costs more than its size, and
// anything that is not a plain file is not opened.
import { execFileSync } from 'node:child_process';
import { createHash, hash as hashOf } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openExport } from '../../server/backup/export-source.ts';
import type { Manifest } from '../../server/backup/manifest.ts';
import type { Repository } from '../../server/backup/repository.ts';
import { finishRestore, restorePaths } from '../../server/backup/restore-state.ts';
import type { BackupsOut } from '../../server/backup/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { openPlainFile, openPlainFileSync, readPlainFileSync } from '../../server/runtime/plain-files.ts';
import { nameToText, pathBelow } from '../../server/storage/file-names.ts';
import { backUpInto, openBackup, restoreFolder, restoreFrom } from '../support/backup-folders.ts';
import { livelyServer, makeBackup } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer } from '../support/process.ts';
import { startServer, type TestServer } from '../support/server.ts';

const BACKUP_PASSPHRASE = 'a passphrase of some length';
const HUGE_MIN_FREE = 9_000_000_000_000_000;

let base: string;
let library: string;
let exportFolder: string;
let server: TestServer | undefined;
let folderCount = 0;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-hostile-files-'));
  library = folder('library');
  exportFolder = folder('export');
  const music = makeLibrary({ tracks: 10, seed: 'hostile', art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
  const sourceServer = await livelyServer({ music, dir: library });
  await sourceServer.api('/exports', { method: 'POST', body: { folder: exportFolder } });
  await sourceServer.app.drain();
  await sourceServer.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const folder = (name: string): string => {
  const path = join(base, `${name}-${++folderCount}`);
  mkdirSync(path);
  return path;
};
const unused = (name: string): string => join(base, `${name}-${++folderCount}`);
const filesBelow = (path: string): string[] =>
  existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }).sort() : [];

interface OpenedBackup {
  backup: string;
  repo: Repository;
  manifest: Manifest;
  /** Rewrites the snapshot with a list of these files, in addition to the snapshot's own lists or in place of them. */
  list(lines: object[], how?: 'beside' | 'alone'): Promise<void>;
}

/** Opens a backup of the library after running SQL on its database; tests edit it further. */
async function openedBackup(sql = '', passphrase?: string): Promise<OpenedBackup> {
  const [data, backup] = [folder('data'), folder('backup')];
  cpSync(library, data, { recursive: true });
  const db = new Database(join(data, 'tonearm.db'));
  db.exec(sql);
  db.close();
  const repo = await openBackup(backup, { isNew: true, passphrase });
  const { snapshot } = await backUpInto(repo, data, folder('tmp'));
  const manifest = await repo.readSnapshot(snapshot);
  await repo.objects.prepare();
  return {
    backup,
    repo,
    manifest,
    async list(lines, placement = 'beside') {
      const sha256 = await repo.objects.putBytes(Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')));
      await repo.objects.flush();
      const lists = [...(placement === 'beside' ? manifest.lists : []), { sha256, lines: lines.length }];
      await repo.writeSnapshot({ ...manifest, lists });
    },
  };
}

/** Copies the export, runs SQL on its database, and writes a matching manifest with additional fields. */
function editExport(sql: string, manifest: object = {}): string {
  const editedFolder = folder('edited');
  cpSync(exportFolder, editedFolder, { recursive: true });
  const [path, file] = [join(editedFolder, 'data', 'library.db'), join(editedFolder, 'data', 'export.json')];
  const db = new Database(path);
  db.exec(sql);
  db.close();
  const bytes = readFileSync(path);
  const database = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), database, ...manifest }));
  return editedFolder;
}

async function importFolder(exportPath: string): Promise<JobOut> {
  const { api, app } = server as TestServer;
  const { body } = await api<JobOut>('/imports', { method: 'POST', body: { folder: exportPath, replace: true } });
  await app.drain();
  return (await api<JobOut>(`/jobs/${body.id}`)).body;
}

test.each([
  String.raw`\x2e\x2e/\x2e\x2e/home/.config/autostart/evil.mp3`,
  String.raw`a/\x2e./evil.mp3`,
  String.raw`a\x2f..\x2f..\x2fevil.mp3`,
  String.raw`evil.mp3\x00`,
  'a/../../evil.mp3',
  './evil.mp3',
  '/evil.mp3',
  'a//evil.mp3',
  'evil.desktop',
  '',
])('no copy of a music file is written outside of the folder, or as anything but audio: %j', async (path) => {
  const { repo, list, backup } = await openedBackup();
  const bytes = Buffer.from('#!/bin/sh\necho owned\n');
  const hash = await repo.objects.putBytes(bytes);
  await list([{ kind: 'own', path, hash, size: bytes.length, mtimeMs: null, isCopied: true }]);
  const home = folder('home');
  const musicDir = join(home, 'user', 'Music');
  mkdirSync(musicDir, { recursive: true });
  const previousFiles = filesBelow(home);
  await expect(restoreFolder(backup, unused('restored'), { musicDir })).rejects.toThrow(/The list of files names/);
  expect(filesBelow(home)).toEqual(previousFiles);
});

test('a copy of a music file goes beside half a download of the same name', async () => {
  const { repo, list, backup } = await openedBackup(
    "UPDATE tracks SET storage_uri = 'file:sub/x.mp3' WHERE id = (SELECT min(id) FROM tracks)",
  );
  const bytes = Buffer.from('music');
  const hash = await repo.objects.putBytes(bytes);
  await list([{ kind: 'own', path: 'sub/x.mp3', hash, size: bytes.length, mtimeMs: null, isCopied: true }], 'alone');
  const musicDir = folder('Music');
  mkdirSync(join(musicDir, 'sub'));
  writeFileSync(join(musicDir, 'sub', 'x.mp3.part'), 'half');
  const { copies } = await restoreFolder(backup, unused('restored'), { musicDir });
  expect(copies.written).toBe(1);
  expect(filesBelow(musicDir)).toEqual(['sub', 'sub/x.mp3', 'sub/x.mp3.part']);
  expect(readFileSync(join(musicDir, 'sub', 'x.mp3.part'), 'utf8')).toBe('half');
});

test('names on the disk stay what they are, and no text becomes dots', () => {
  for (const name of ['a..b', '...', '.hidden', String.raw`\x2e\x2e`, 'é'])
    expect(Buffer.from(pathBelow('/m', nameToText(Buffer.from(name)))).toString()).toBe(`/m/${name}`);
  expect(pathBelow('/m', nameToText(Buffer.from([0xe9, 0x2e])))).toEqual(
    Buffer.concat([Buffer.from('/m/'), Buffer.from([0xe9, 0x2e])]),
  );
  for (const text of ['..', 'a/..', String.raw`\x2e\x2E`, String.raw`a\x2fb`, '\0', String.raw`\x00`, ''])
    expect(() => pathBelow('/m', text), text).toThrow(/is not a path inside a folder/);
});

const addChecksum = (body: string): Buffer => zstdCompressSync(Buffer.from(`${hashOf('sha256', body)}\n${body}`));

test('a snapshot of some kilobytes that unpacks to 180 MB is named as damaged, and others are answered', async () => {
  const dir = folder('data');
  cpSync(library, dir, { recursive: true });
  const backup = folder('backup');
  server = await startServer({ dir, env: { BACKUP_TARGET: backup } });
  const { snapshot } = await makeBackup(server);
  const bomb = addChecksum(`{"settings":{"x":[${'[],'.repeat(60_000_000)}0]}}`);
  expect(bomb.length).toBeLessThan(100_000);
  for (const copyFolder of ['snapshots', 'copies'])
    writeFileSync(join(backup, copyFolder, '20261127T060000000Z'), bomb);
  global.gc?.();
  const previousRss = process.memoryUsage().rss;
  const startMs = performance.now();
  const { items } = (await server.api<BackupsOut>('/backups')).body;
  expect(performance.now() - startMs).toBeLessThan(5_000);
  expect(process.memoryUsage().rss - previousRss).toBeLessThan(200 << 20);
  expect(items.map(({ id, problem }) => [id, problem])).toEqual(
    [
      ['20261127T060000000Z', expect.stringContaining('damaged')],
      [snapshot, null],
    ].sort((a, b) => ((a[0] as string) < (b[0] as string) ? 1 : -1)),
  );
});

test.each([
  ['of many brackets', `[${'[],'.repeat(100_000)}0]`],
  ['that nests deeply', `${'{"x":'.repeat(50)}0${'}'.repeat(50)}`],
])('a snapshot %s is not parsed', async (_, value) => {
  const { repo, backup, manifest } = await openedBackup();
  const body = JSON.stringify({ ...manifest, settings: { x: 'VALUE' } }).replace('"VALUE"', value);
  for (const copyFolder of ['snapshots', 'copies'])
    writeFileSync(join(backup, copyFolder, manifest.id), addChecksum(body));
  await expect(repo.readSnapshot(manifest.id)).rejects.toThrow(/is damaged/);
});

test('an index that unpacks to more than indexes do is made again from the packs', async () => {
  const { backup, manifest } = await openedBackup();
  const bomb = addChecksum(`{"packs":[${'[],'.repeat(5_000_000)}0]}`);
  for (const name of readdirSync(join(backup, 'index'))) writeFileSync(join(backup, 'index', name), bomb);
  const repo = await openBackup(backup);
  const { indexes } = await repo.objects.load();
  expect(indexes).toHaveLength(readdirSync(join(backup, 'index')).length);
  for (const { sha256 } of manifest.lists) expect(repo.objects.findBlob(sha256)).toBeDefined();
});

test('a pack without end is not read', async () => {
  const { backup, repo, manifest } = await openedBackup();
  const pack = repo.objects.findBlob(manifest.lists[0]?.sha256 ?? '')?.pack ?? '';
  execFileSync('truncate', ['-s', '1T', join(backup, 'packs', pack.slice(0, 2), pack)]);
  const reopenedRepo = await openBackup(backup);
  const readFiles = async (): Promise<void> => {
    for await (const _ of reopenedRepo.readFiles(manifest));
  };
  await expect(readFiles()).rejects.toThrow(/too large/);
  expect((await reopenedRepo.objects.prepare()).packs).toContain(pack);
});

const fakeHash = (letters: string): string => letters + '0'.repeat(64 - letters.length);

test('objects that stand for more than they are, or for themselves, are damaged', async () => {
  const { repo } = await openedBackup();
  const { objects } = repo;
  const pieceHash = await objects.putBytes(Buffer.alloc(1 << 20));
  const manyPieces = Array<string>(1_000).fill(pieceHash);
  const listsByHash: Record<string, [size: number, parts: string[]]> = {
    [fakeHash('a1')]: [1, manyPieces],
    [fakeHash('a2')]: [1 << 20, [fakeHash('a2')]],
    [fakeHash('a3')]: [1 << 30, Array<string>(1_024).fill(fakeHash('a4'))],
    [fakeHash('a4')]: [1 << 20, [pieceHash, fakeHash('a3')]],
    [fakeHash('a5')]: [2 << 20, [pieceHash]],
    [fakeHash('b0')]: [0, []],
    [fakeHash('a6')]: [1 << 20, Array<string>(100_000).fill(fakeHash('b0'))],
    [fakeHash('c1')]: [1 << 20, [pieceHash]],
    [fakeHash('c2')]: [1 << 20, [fakeHash('c1')]],
    [fakeHash('c3')]: [1 << 20, [fakeHash('c2')]],
  };
  for (const [hash, [size, parts]] of Object.entries(listsByHash)) await objects.putList(hash, size, parts);
  await objects.flush();
  const damagedHashes = Object.keys(listsByHash).filter((hash) => !hash.startsWith('b0') && !/^c[12]/.test(hash));
  for (const hash of damagedHashes) {
    let bytes = 0;
    const readObject = async (): Promise<void> => {
      for await (const chunk of objects.read(hash)) bytes += chunk.length;
    };
    await expect(readObject(), hash).rejects.toThrow(/nested too deeply|another size|does not match|do not match/);
    expect(bytes, hash).toBeLessThanOrEqual(2 << 20);
    expect(await objects.isComplete(hash, new Map()), hash).toBe(false);
    expect(await objects.isComplete(hash, new Map(), true).catch(() => false), hash).toBe(false);
  }
});

test('a file of a list is written up to its size', async () => {
  const { repo, list, backup } = await openedBackup();
  const bytes = Buffer.alloc(3 << 20, 1);
  const hash = await repo.objects.putBytes(bytes);
  const key = `audio/${hash.slice(0, 2)}/${hash}.mp3`;
  await list([{ kind: 'stored', key, hash, size: 1 }]);
  const { unnamed } = await restoreFolder(backup, unused('restored'), { skipDamaged: true });
  expect(unnamed).toBe(1);
  const namingBackup = await openedBackup(`UPDATE tracks SET storage_uri = 'local:${key}', content_hash = '${hash}'
    WHERE id = (SELECT min(id) FROM tracks)`);
  await namingBackup.repo.objects.putBytes(bytes);
  await namingBackup.list([{ kind: 'stored', key, hash, size: 1 }]);
  await expect(restoreFolder(namingBackup.backup, unused('restored'))).rejects.toThrow(/are damaged or missing/);
});

test('files that no row names are not written, and are counted', async () => {
  const { repo, list, backup } = await openedBackup();
  const hash = await repo.objects.putBytes(Buffer.alloc(1 << 20, 2));
  const keys = Array.from({ length: 50 }, (_, n) => `covers/x/run${n}.png`);
  await list(keys.map((key) => ({ kind: 'stored', key, hash, size: null })));
  const dir = unused('restored');
  const { code, stdout } = await runServer(['restore', '--from', backup, '--data-dir', dir, '--accept-settings'], {
    MIN_FREE_BYTES: '0',
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining('50 listed files belong to nothing in the library')]);
  expect(filesBelow(join(dir, 'library', 'covers'))).not.toContain('x');
});

test.each(['covers/x/run.exe', 'covers/1.svg', 'audio/aa/evil.mp3', 'library-id'])(
  'a stored file is audio by its hash, or a picture: %s',
  async (key) => {
    const { repo, list, backup } = await openedBackup();
    const hash = await repo.objects.putBytes(Buffer.from('x'));
    await list([{ kind: 'stored', key, hash, size: 1 }]);
    await expect(restoreFolder(backup, unused('restored'))).rejects.toThrow(/is no place of audio or covers/);
  },
);

test('a cover that is larger than covers may be is not written', async () => {
  const bytes = Buffer.alloc((20 << 20) + 1, 3);
  const hash = hashOf('sha256', bytes);
  const { repo, list, backup } = await openedBackup(
    `UPDATE album_covers SET key = 'covers/1.png', etag = '${hash}' WHERE album_id = (SELECT min(album_id)
      FROM album_covers WHERE key IS NOT NULL)`,
  );
  await repo.objects.putBytes(bytes);
  await list([{ kind: 'stored', key: 'covers/1.png', hash, size: null }]);
  const dir = unused('restored');
  await expect(restoreFolder(backup, dir)).rejects.toThrow(/are damaged or missing/);
  expect(filesBelow(join(restorePaths(dir).building, 'library'))).not.toContain('covers/1.png');
});

test('the database of an export is one file', async () => {
  const { database } = JSON.parse(readFileSync(join(exportFolder, 'data', 'export.json'), 'utf8')) as Manifest;
  const editedFolder = editExport('', { database: { ...database, pieces: [database.sha256] } });
  await expect(openExport(editedFolder)).rejects.toThrow(/is damaged or from a newer version/);
});

test('a restore and an import leave free what uploads leave free', async () => {
  const { backup } = await openedBackup();
  const dir = unused('restored');
  await expect(restoreFolder(backup, dir, { minFreeBytes: HUGE_MIN_FREE })).rejects.toMatchObject({
    code: 'storage_full',
  });
  expect(existsSync(dir)).toBe(false);
  server = await startServer();
  await server.api('/settings', { method: 'PATCH', body: { min_free_bytes: HUGE_MIN_FREE } });
  expect(await importFolder(exportFolder)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('MIN_FREE_BYTES'),
  });
  const command = await runServer(['import', exportFolder, '--data-dir', unused('imported'), '--yes'], {
    MIN_FREE_BYTES: String(HUGE_MIN_FREE),
  });
  expect([command.code, command.stderr]).toEqual([1, expect.stringContaining('MIN_FREE_BYTES')]);
});

test('a header that asks for gigabytes is not obeyed', async () => {
  const { backup } = await openedBackup('', BACKUP_PASSPHRASE);
  for (const name of ['backup.json', 'copies/backup.json']) {
    const header = JSON.parse(readFileSync(join(backup, name), 'utf8')) as { lock: object; sum?: string };
    const { sum: _, ...fields } = { ...header, lock: { ...header.lock, n: 1 << 20, r: 32, p: 16 } };
    writeFileSync(
      join(backup, name),
      `${JSON.stringify({ ...fields, sum: hashOf('sha256', JSON.stringify(fields)) })}\n`,
    );
  }
  const startMs = performance.now();
  await expect(openBackup(backup, { passphrase: BACKUP_PASSPHRASE })).rejects.toThrow(
    /is damaged or from a newer version/,
  );
  expect(performance.now() - startMs).toBeLessThan(2_000);
});

test.skipIf(process.platform === 'win32')('a pipe in the place of a file holds nobody up', async () => {
  const dir = folder('data');
  cpSync(library, dir, { recursive: true });
  const backup = folder('backup');
  server = await startServer({ dir, env: { BACKUP_TARGET: backup } });
  const { snapshot } = await makeBackup(server);
  for (const name of ['backup.json', 'copies/backup.json', `snapshots/${snapshot}`, `copies/${snapshot}`]) {
    rmSync(join(backup, name));
    execFileSync('mkfifo', [join(backup, name)]);
  }
  const { api } = server;
  const answers = await Promise.all(Array.from({ length: 20 }, () => api<BackupsOut>('/backups')));
  for (const { body } of answers) expect(body.problem).toContain('is not a file');
  const [track] = (await api<{ items: TrackOut[] }>('/tracks')).body.items;
  const stream = await fetch(`${server.url}/stream/${track?.id}?token=${server.token}`);
  expect([stream.status, (await stream.arrayBuffer()).byteLength]).toEqual([200, track?.size_bytes]);

  const pipedFolder = folder('piped');
  cpSync(exportFolder, pipedFolder, { recursive: true });
  rmSync(join(pipedFolder, 'data', 'files.json'));
  execFileSync('mkfifo', [join(pipedFolder, 'data', 'files.json')]);
  expect((await importFolder(pipedFolder)).status).toBe('failed');

  const pipe = join(pipedFolder, 'data', 'files.json');
  await expect(openPlainFile(pipe)).rejects.toThrow(/is not a file/);
  for (const open of [openPlainFileSync, (path: string) => readPlainFileSync(path, 10)])
    expect(() => open(pipe)).toThrow(/is not a file/);
});

test('an interrupted import of another export with the same id is not gone on with', async () => {
  const dir = folder('data');
  server = await startServer({ dir });
  expect((await importFolder(editExport("UPDATE tracks SET title = 'hostile'"))).status).toBe('succeeded');
  expect((await importFolder(exportFolder)).status).toBe('succeeded');
  await server.close();
  await finishRestore(dir, () => new Date());
  server = await startServer({ dir });
  const titles = (await server.api<{ items: TrackOut[] }>('/tracks')).body.items.map(({ title }) => title);
  expect(titles).not.toContain('hostile');
});

test('an interrupted restore of a backup is no import of an export with the same id', async () => {
  const { repo, manifest } = await openedBackup();
  const dir = unused('restored');
  const controller = new AbortController();
  await expect(
    restoreFrom(repo, dir, {
      signal: controller.signal,
      decide: () => {
        controller.abort(new Error('stopped'));
        return 'keep';
      },
    }),
  ).rejects.toThrow(/stopped/);
  const { takenDatabase } = restorePaths(dir);
  const previousInode = statSync(takenDatabase).ino;
  const editedFolder = editExport("UPDATE users SET is_superuser = 1, password_hash = ''", { id: manifest.id });
  await restoreFrom(await openExport(editedFolder), dir);
  expect(existsSync(takenDatabase) && statSync(takenDatabase).ino === previousInode).toBe(false);
  const db = new Database(join(dir, 'tonearm.db'), { readonly: true });
  expect(db.prepare('SELECT count(*) FROM users WHERE is_superuser = 1').pluck().get()).toBe(0);
  db.close();
});
