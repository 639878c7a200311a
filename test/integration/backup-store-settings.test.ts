// Backups in an object store have their own settings; set-ups from before these settings existed keep working.
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

const LIBRARY_SETTINGS = {
  S3_BUCKET: 'music',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
  S3_PREFIX: 'home',
};
const BACKUP_SETTINGS = {
  BACKUP_S3_BUCKET: 'safe',
  BACKUP_S3_ACCESS_KEY_ID: 'other',
  BACKUP_S3_SECRET_ACCESS_KEY: 'words',
};
const backupTargetFor = (env: Record<string, string>) => s3.forBackups?.(loadConfig({ file: {}, env }));

describe('the place of backups in an object store', () => {
  it('has its own settings, and takes none from those of the library', () => {
    const target = backupTargetFor({
      ...LIBRARY_SETTINGS,
      ...BACKUP_SETTINGS,
      S3_ENDPOINT: 'https://one.example',
      STORAGE_BACKEND: 's3',
    });
    expect(target?.config.settings).toMatchObject({ S3_BUCKET: 'safe', S3_ACCESS_KEY_ID: 'other' });
    expect([target?.config.settings['S3_PREFIX'], target?.config.settings['S3_ENDPOINT']]).toEqual([
      undefined,
      undefined,
    ]);
    expect([target?.sharesWithLibrary, target?.onlyIfExists]).toEqual([false, undefined]);
    const { BACKUP_S3_SECRET_ACCESS_KEY: _, ...incompleteSettings } = BACKUP_SETTINGS;
    expect(() => backupTargetFor({ ...LIBRARY_SETTINGS, ...incompleteSettings })).toThrow(
      'BACKUP_S3_SECRET_ACCESS_KEY',
    );
  });

  it('is named with its address, because two providers may have a bucket of the same name', () => {
    expect(backupTargetFor({ ...BACKUP_SETTINGS, BACKUP_S3_ENDPOINT: 'https://s3.example:9000' })?.description).toBe(
      'the bucket safe at s3.example:9000',
    );
    expect(
      backupTargetFor({ ...BACKUP_SETTINGS, BACKUP_S3_PROVIDER: 'b2', BACKUP_S3_REGION: 'us-west-004' })?.description,
    ).toBe('the bucket safe at s3.us-west-004.backblazeb2.com');
    expect(backupTargetFor({ ...BACKUP_SETTINGS, BACKUP_S3_REGION: 'eu-central-1' })?.description).toBe(
      'the bucket safe at s3.eu-central-1.amazonaws.com',
    );
  });

  it('is recognized in the bucket of the library', () => {
    const sharedBucket = { ...BACKUP_SETTINGS, BACKUP_S3_BUCKET: 'music', STORAGE_BACKEND: 's3' };
    expect(backupTargetFor({ ...LIBRARY_SETTINGS, ...sharedBucket })?.sharesWithLibrary).toBe(true);
    expect(
      backupTargetFor({ ...LIBRARY_SETTINGS, ...sharedBucket, S3_ENDPOINT: 'https://one.example' })?.sharesWithLibrary,
    ).toBe(false);
  });
});

it('an error about a refused key names the settings for backups, not those of the library', async () => {
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

describe('a set-up from before these settings', () => {
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

  async function migrateSettings(isBackedUp: boolean) {
    const settingsFile = Object.fromEntries(
      Object.entries({ ...fake.settings, S3_PREFIX: 'home', BACKUP_TARGET: 's3' })
        .filter(([name]) => !name.includes('SECRET'))
        .map(([name, value]) => [name.toLowerCase(), value]),
    );
    writeFileSync(join(dir, 'settings.json'), JSON.stringify(settingsFile));
    const log = createLog('silent');
    const secretStore = await openSecretStore({ file: join(dir, 'secrets.json'), requestedPlace: 'file', log });
    await secretStore.set('setting.s3_secret_access_key', fake.settings.S3_SECRET_ACCESS_KEY);
    const config = await addStoredSettings(loadConfig({ file: settingsFile, env: { DATA_DIR: dir } }), secretStore);
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

  it('continues at the same place, and its settings are written to settings.json', async () => {
    const { config, secretStore } = await migrateSettings(true);
    const writtenSettings = JSON.parse(readFileSync(join(dir, 'settings.json'), 'utf8')) as Record<string, unknown>;
    expect(writtenSettings).toMatchObject({
      backup_s3_bucket: 'tonearm-test',
      backup_s3_prefix: 'home/backups',
      s3_prefix: 'home',
    });
    expect(JSON.stringify(writtenSettings)).not.toContain(fake.settings.S3_SECRET_ACCESS_KEY);
    expect(s3.forBackups?.(config).config.settings).toMatchObject({ S3_PREFIX: 'home/backups' });
    const reloadedConfig = await addStoredSettings(
      loadConfig({ file: writtenSettings, env: { DATA_DIR: dir } }),
      secretStore,
    );
    expect(reloadedConfig.settings).toEqual(config.settings);
  });

  it('starts no new backup there if the store has none', async () => {
    const { config } = await migrateSettings(false);
    const deps = targetDeps(config, () => new Date());
    await expect(openTarget('s3', deps)).rejects.toThrow(/BACKUP_S3_BUCKET/);
    fake.putObject('home/backups/backup.json', Buffer.from('{}'));
    expect((await openTarget('s3', deps)).name).toContain('tonearm-test/home/backups');
  });
});
