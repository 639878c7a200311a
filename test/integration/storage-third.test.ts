// A third backend: one file that adds itself to the list of backends, without other changes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// this import comes first, because it adds itself to the backends
import { archive, createArchiveStorage } from '../support/archive-storage.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackupsOut } from '../../server/backup/wire.ts';
import { parseCommandLine } from '../../server/cli/command-line.ts';
import { helpText } from '../../server/cli/help.ts';
import { runMigrate } from '../../server/cli/storage.ts';
import { loadConfig } from '../../server/config/config.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { VerifyReport } from '../../server/maintenance/verify-report.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { SettingsOut } from '../../server/settings/wire.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { paths } from '../support/product.ts';
import { allTracks, differences } from '../support/served-library.ts';
import { offline, quiet, startServer, type TestServer } from '../support/server.ts';
import { describeStorage } from './storage-conformance.ts';

describeStorage('archive', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-archive-'));
  return Promise.resolve({
    storage: createArchiveStorage(folder),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  });
});

let base: string;
let manifest: Manifest;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-third-'));
  manifest = makeLibrary({ tracks: 24, messy: 0, seed: 'third', art: 'folder' }, join(base, 'music'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function runJobOn<R>(server: TestServer, path: string): Promise<JobOut & { result: R }> {
  const { body } = await server.api<JobOut>(path, { method: 'POST', body: {} });
  await server.app.drain();
  return (await server.api<JobOut & { result: R }>(`/jobs/${body.id}`)).body;
}

const readOriginal = (track: TrackOut): Buffer => readFileSync(join(manifest.dir, track.source_id ?? ''));

async function expectPlayable(server: TestServer, scheme: string): Promise<void> {
  const tracks = await allTracks(server);
  expect(differences(tracks, manifest)).toEqual([]);
  for (const track of tracks) {
    expect(track.storage_uri).toMatch(new RegExp(`^${scheme}:audio/`));
    const answer = await fetch(`${server.url}/stream/${track.id}`, {
      headers: { Authorization: `Bearer ${server.token}`, Range: 'bytes=10-' },
    });
    expect(answer.status).toBe(206);
    expect(Buffer.from(await answer.arrayBuffer()).equals(readOriginal(track).subarray(10))).toBe(true);
  }
}

describe('a library in a third storage', () => {
  let server: TestServer;
  let dir: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    dir = join(base, 'data');
    env = {
      STORAGE_BACKEND: 'archive',
      STORAGE_ROOT: join(base, 'store'),
      ARCHIVE_FILE: 'music.db',
      LOCAL_MEDIA_IMPORT_PATH: manifest.dir,
    };
    server = await startServer({ dir, env: { ...env, BACKUP_TARGET: 'archive' } });
  });
  afterAll(() => server.close());

  it('is scanned, played, shown with its covers and compared with its checksums', async () => {
    const { status, result } = await runJobOn<ScanResult>(server, '/sources/local_folder/scan');
    expect([status, result.failed_count, result.added]).toEqual(['succeeded', 0, result.files]);
    await expectPlayable(server, 'archive');
    expect(existsSync(join(dir, 'library'))).toBe(false);
    expect(existsSync(join(base, 'store', 'music.db'))).toBe(true);
    expect((await runJobOn<ScanResult>(server, '/sources/local_folder/scan')).result).toMatchObject({ added: 0 });

    const verifyReport = (await runJobOn<VerifyReport>(server, '/jobs/verify')).result;
    expect(verifyReport).toMatchObject({ damaged: 0, missing: 0 });
    expect(verifyReport.checked).toBeGreaterThanOrEqual(manifest.files.filter((file) => !file.duplicateOf).length);
    expect((await server.api('/health')).body).toMatchObject({ storage: 'ok' });
  });

  it('is backed up to the backup target of the same storage', async () => {
    expect((await runJobOn(server, '/backups')).status).toBe('succeeded');
    const { body } = await server.api<BackupsOut>('/backups');
    expect([body.target, body.problem, body.items.length]).toEqual(['archive', null, 1]);
  });

  it('is in the settings, with the settings that it reads, and can be tested', async () => {
    const { body } = await server.api<SettingsOut>('/settings');
    const item = (key: string) => body.items.find((setting) => setting.key === key);
    expect(item('storage_backend')?.choices).toEqual(['local', 's3', 'archive']);
    expect(['storage_root', 'archive_file', 's3_bucket'].map((key) => item(key)?.is_in_use)).toEqual([
      true,
      true,
      false,
    ]);
    expect(item('archive_file')).toMatchObject({ value: 'music.db', origin: 'env' });
    expect(body.can_test_storage).toBe(true);
    expect((await server.api('/storage/test', { method: 'POST', body: {} })).body).toEqual({ problem: null });
  });

  it('is accepted by the command line', () => {
    expect(parseCommandLine(['storage', 'migrate', '--to', 'archive']).to).toBe('archive');
    expect(() => parseCommandLine(['storage', 'migrate', '--to', 'attic'])).toThrow(/--to local\|s3\|archive/);
    expect(helpText()).toMatch(/storage migrate --to local\|s3\|archive/);
    expect(helpText()).toMatch(/ARCHIVE_FILE +Name of the file in the folder\. \["archive\.db"\]/);
  });

  it('is moved to the local disk, and back', async () => {
    await server.close();
    const move = (to: string): Promise<void> =>
      runMigrate(
        loadConfig({ file: {}, env: { ...env, ...offline({}), DATA_DIR: dir, LOG_LEVEL: 'silent' } }),
        paths,
        quiet,
        to,
      );
    await move('local');
    server = await startServer({ dir, env: { ...env, STORAGE_BACKEND: 'local' } });
    await expectPlayable(server, 'local');
    await server.close();
    await move('archive');
    server = await startServer({ dir, env });
    await expectPlayable(server, 'archive');
  });
});

it('a storage is not opened without required settings, and other values are rejected', async () => {
  await expect(startServer({ env: { STORAGE_BACKEND: 'attic' } })).rejects.toThrow(
    'Setting STORAGE_BACKEND = "attic": must be one of local, s3, archive.',
  );
  await expect(startServer({ env: { STORAGE_BACKEND: archive.name } })).rejects.toThrow(
    'The archive needs STORAGE_ROOT.',
  );
});
