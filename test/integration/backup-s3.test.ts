// A bucket as backup target, and a library in a bucket that is restored into a folder.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, afterEach, expect, it } from 'vitest';
import { hashInKey } from '../../server/storage/local-paths.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { filesIn, livelyServer, makeBackup, rowsIn } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer } from '../support/process.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer } from '../support/server.ts';

const LOCK = { BACKUP_PASSPHRASE: 'a passphrase of some length' };

let base: string;
let music: string;
let store: FakeS3;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-backup-s3-'));
  music = makeLibrary({ tracks: 8, seed: 's3', art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
});
beforeEach(async () => {
  store = await startFakeS3();
});
afterEach(() => store.close());
afterAll(() => rmSync(base, { recursive: true, force: true }));

const folder = (name: string): string => {
  const path = join(base, name);
  mkdirSync(path);
  return path;
};

it('a library in a folder is backed up to a bucket, encrypted, and restored', async () => {
  const dir = folder('local');
  const server = await livelyServer({
    music,
    dir,
    env: { ...store.settings, ...store.backupSettings, ...LOCK, BACKUP_TARGET: 's3' },
  });
  expect(await makeBackup(server)).toMatchObject({ status: 'succeeded', absent: 0, tidy_problem: null });
  expect(await makeBackup(server)).toMatchObject({ status: 'succeeded', added: 0 });
  await server.close();
  const names = [...store.objects.keys()];
  expect(names.every((name) => name.startsWith('backups/'))).toBe(true);
  const library = filesIn(join(dir, 'library'));
  for (const key of Object.keys(library).filter((name) => name.startsWith('audio/')))
    expect(names.join()).not.toContain(hashInKey(key));

  const place = join(base, 'local-restored');
  const { code, stderr } = await runServer(['restore', '--from', 's3', '--data-dir', place], {
    ...store.backupSettings,
    ...LOCK,
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(rowsIn(place)).toEqual(rowsIn(dir));
  expect(filesIn(join(place, 'library'))).toEqual(library);
});

it('a library in a bucket is backed up to a folder, and restored into one', async () => {
  const [dir, backup] = [folder('remote'), folder('backup')];
  const server = await livelyServer({
    music,
    dir,
    env: { ...store.settings, STORAGE_BACKEND: 's3', BACKUP_TARGET: backup },
  });
  const before = await allTracks(server);
  expect(await makeBackup(server)).toMatchObject({ status: 'succeeded', files: before.length, absent: 0 });
  await server.close();

  const place = join(base, 'remote-restored');
  expect((await runServer(['restore', '--from', backup, '--data-dir', place])).code).toBe(0);
  const restored = await startServer({ dir: place });
  expect(await allTracks(restored)).toEqual(
    before.map((track) => ({ ...track, storage_uri: track.storage_uri?.replace(/^s3:/, 'local:') ?? null })),
  );
  for (const { id, size_bytes: size } of before) {
    const audio = await fetch(`${restored.url}/stream/${id}?token=${restored.token}`);
    expect([audio.status, (await audio.arrayBuffer()).byteLength]).toEqual([200, size]);
  }
  await restored.close();
});
