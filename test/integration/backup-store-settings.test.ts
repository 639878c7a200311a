// The settings of backups in an object store are their own, and set-ups from before they were go on.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrateBackupSettings } from '../../server/backup/migrate-backup-settings.ts';
import { openTarget } from '../../server/backup/target.ts';
import { targetDeps } from '../../server/backup/service.ts';
import { BACKUP_TASK } from '../../server/backup/tasks.ts';
import { loadConfig } from '../../server/config/config.ts';
import { openSecretStore } from '../../server/config/secret-store.ts';
import { addStoredSettings } from '../../server/config/secrets.ts';
import { createLog } from '../../server/log/log.ts';
import { s3 } from '../../server/storage/s3-backend.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { openMigrated } from '../support/temp-database.ts';

const LIBRARY = { S3_BUCKET: 'music', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret', S3_PREFIX: 'home' };
const OWN = { BACKUP_S3_BUCKET: 'safe', BACKUP_S3_ACCESS_KEY_ID: 'other', BACKUP_S3_SECRET_ACCESS_KEY: 'words' };
const placeFor = (env: Record<string, string>) => s3.forBackups?.(loadConfig({ file: {}, env }));

describe('the place of backups in an object store', () => {
  it('has settings of its own, of which none comes from those of the library', () => {
    const place = placeFor({ ...LIBRARY, ...OWN, S3_ENDPOINT: 'https://one.example', STORAGE_BACKEND: 's3' });
    expect(place?.config.settings).toMatchObject({ S3_BUCKET: 'safe', S3_ACCESS_KEY_ID: 'other' });
    expect([place?.config.settings['S3_PREFIX'], place?.config.settings['S3_ENDPOINT']]).toEqual([
      undefined,
      undefined,
    ]);
    expect([place?.sharesWithLibrary, place?.onlyIfExists]).toEqual([false, undefined]);
    const { BACKUP_S3_SECRET_ACCESS_KEY: _, ...some } = OWN;
    expect(() => placeFor({ ...LIBRARY, ...some })).toThrow('BACKUP_S3_SECRET_ACCESS_KEY');
  });

  it('is named with its address: two providers may have a bucket of that name', () => {
    expect(placeFor({ ...OWN, BACKUP_S3_ENDPOINT: 'https://s3.example:9000' })?.description).toBe(
      'the bucket safe at s3.example:9000',
    );
    expect(placeFor({ ...OWN, BACKUP_S3_PROVIDER: 'b2', BACKUP_S3_REGION: 'us-west-004' })?.description).toBe(
      'the bucket safe at s3.us-west-004.backblazeb2.com',
    );
    expect(placeFor({ ...OWN, BACKUP_S3_REGION: 'eu-central-1' })?.description).toBe(
      'the bucket safe at s3.eu-central-1.amazonaws.com',
    );
  });

  it('is known to be in the bucket of the library', () => {
    const same = { ...OWN, BACKUP_S3_BUCKET: 'music', STORAGE_BACKEND: 's3' };
    expect(placeFor({ ...LIBRARY, ...same })?.sharesWithLibrary).toBe(true);
    expect(placeFor({ ...LIBRARY, ...same, S3_ENDPOINT: 'https://one.example' })?.sharesWithLibrary).toBe(false);
  });
});

it('a store that refuses a key is named with the settings for backups, not those of the library', async () => {
  const fake = await startFakeS3();
  try {
    const env = { ...fake.settings, ...fake.backupSettings, BACKUP_S3_SECRET_ACCESS_KEY: 'another' };
    const target = await openTarget(
      's3',
      targetDeps(loadConfig({ file: {}, env }), () => new Date()),
    );
    await expect(target.read('backup.json')).rejects.toThrow(/ BACKUP_S3_SECRET_ACCESS_KEY/);
  } finally {
    await fake.close();
  }
});

describe('a set-up from before', () => {
  let dir: string;
  let fake: FakeS3;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tonearm-earlier-'));
    fake = await startFakeS3();
  });
  afterEach(async () => {
    await fake.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function started(isBackedUp: boolean) {
    const file = Object.fromEntries(
      Object.entries({ ...fake.settings, S3_PREFIX: 'home', BACKUP_TARGET: 's3' })
        .filter(([name]) => !name.includes('SECRET'))
        .map(([name, value]) => [name.toLowerCase(), value]),
    );
    writeFileSync(join(dir, 'settings.json'), JSON.stringify(file));
    const log = createLog('silent');
    const secretStore = await openSecretStore({ file: join(dir, 'secrets.json'), requestedPlace: 'file', log });
    await secretStore.set('setting.s3_secret_access_key', fake.settings.S3_SECRET_ACCESS_KEY);
    const config = await addStoredSettings(loadConfig({ file, env: { DATA_DIR: dir } }), secretStore);
    const db = openMigrated(join(dir, 'tonearm.db'));
    if (isBackedUp)
      db.$client
        .prepare(
          `INSERT INTO jobs (task, payload, status, attempts, max_attempts, result, run_at, created_at)
           VALUES (?, '{}', 'succeeded', 1, 3, ?, 0, 0)`,
        )
        .run(BACKUP_TASK.name, JSON.stringify({ target: 'the bucket tonearm-test' }));
    try {
      return { config: await migrateBackupSettings(config, { db, secretStore, log }), secretStore };
    } finally {
      db.$client.close();
    }
  }

  it('goes on at the same place, with its settings written out', async () => {
    const { config, secretStore } = await started(true);
    const written = JSON.parse(readFileSync(join(dir, 'settings.json'), 'utf8')) as Record<string, unknown>;
    expect(written).toMatchObject({
      backup_s3_bucket: 'tonearm-test',
      backup_s3_prefix: 'home/backups',
      s3_prefix: 'home',
    });
    expect(JSON.stringify(written)).not.toContain(fake.settings.S3_SECRET_ACCESS_KEY);
    expect(s3.forBackups?.(config).config.settings).toMatchObject({ S3_PREFIX: 'home/backups' });
    const again = await addStoredSettings(loadConfig({ file: written, env: { DATA_DIR: dir } }), secretStore);
    expect(again.settings).toEqual(config.settings);
  });

  it('is not taken for a new place: without a backup there, none is begun', async () => {
    const { config } = await started(false);
    const deps = targetDeps(config, () => new Date());
    await expect(openTarget('s3', deps)).rejects.toThrow(/BACKUP_S3_BUCKET/);
    fake.put('home/backups/backup.json', Buffer.from('{}'));
    expect((await openTarget('s3', deps)).name).toContain('tonearm-test/home/backups');
  });
});
