// Tests a bucket as backup target, and a library in a bucket that is restored into a folder.
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

const PASSPHRASE_ENV = { BACKUP_PASSPHRASE: 'a passphrase of some length' };

let base: string;
let musicDir: string;
let fakeS3: FakeS3;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-backup-s3-'));
  musicDir = makeLibrary({ tracks: 8, seed: 's3', art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
});
beforeEach(async () => {
  fakeS3 = await startFakeS3();
});
afterEach(() => fakeS3.close());
afterAll(() => rmSync(base, { recursive: true, force: true }));

const makeFolder = (name: string): string => {
  const path = join(base, name);
  mkdirSync(path);
  return path;
};

it('a library in a folder is backed up to a bucket, encrypted, and restored', async () => {
  const dir = makeFolder('local');
  const server = await livelyServer({
    music: musicDir,
    dir,
    env: { ...fakeS3.settings, ...fakeS3.backupSettings, ...PASSPHRASE_ENV, BACKUP_TARGET: 's3' },
  });
  expect(await makeBackup(server)).toMatchObject({ status: 'succeeded', absent: 0, tidy_problem: null });
  expect(await makeBackup(server)).toMatchObject({ status: 'succeeded', added: 0 });
  await server.close();
  const names = [...fakeS3.objects.keys()];
  expect(names.every((name) => name.startsWith('backups/'))).toBe(true);
  const library = filesIn(join(dir, 'library'));
  for (const key of Object.keys(library).filter((name) => name.startsWith('audio/')))
    expect(names.join()).not.toContain(hashInKey(key));

  const restoredDir = join(base, 'local-restored');
  const { code, stderr } = await runServer(['restore', '--from', 's3', '--data-dir', restoredDir], {
    ...fakeS3.backupSettings,
    ...PASSPHRASE_ENV,
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(rowsIn(restoredDir)).toEqual(rowsIn(dir));
  expect(filesIn(join(restoredDir, 'library'))).toEqual(library);
});

it('a library in a bucket is backed up to a folder, and restored into one', async () => {
  const [dir, backup] = [makeFolder('remote'), makeFolder('backup')];
  const server = await livelyServer({
    music: musicDir,
    dir,
    env: { ...fakeS3.settings, STORAGE_BACKEND: 's3', BACKUP_TARGET: backup },
  });
  const tracks = await allTracks(server);
  expect(await makeBackup(server)).toMatchObject({ status: 'succeeded', files: tracks.length, absent: 0 });
  await server.close();

  const restoredDir = join(base, 'remote-restored');
  expect((await runServer(['restore', '--from', backup, '--data-dir', restoredDir])).code).toBe(0);
  const restoredServer = await startServer({ dir: restoredDir });
  expect(await allTracks(restoredServer)).toEqual(
    tracks.map((track) => ({ ...track, storage_uri: track.storage_uri?.replace(/^s3:/, 'local:') ?? null })),
  );
  for (const { id, size_bytes: size } of tracks) {
    const audioResponse = await fetch(`${restoredServer.url}/stream/${id}?token=${restoredServer.token}`);
    expect([audioResponse.status, (await audioResponse.arrayBuffer()).byteLength]).toEqual([200, size]);
  }
  await restoredServer.close();
});
