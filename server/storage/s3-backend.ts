// S3-compatible object stores, for the library and for backups.
import type { Backend, BackendConfig } from './backend.ts';
import { S3_SETTINGS, type S3Settings } from './s3-settings.ts';

/** They were parsed by the rules of S3_SETTINGS. */
export const toS3 = (settings: BackendConfig['settings']): S3Settings => settings as unknown as S3Settings;

export const s3: Backend = {
  name: 's3',
  title: 'the object store',
  declares: S3_SETTINGS,
  settings: Object.keys(S3_SETTINGS),
  needed: ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  verifyDays: 0, // stores charge for reading, and keep checksums themselves
  mayBeDown: true,
  canBeTested: true,

  async open({ settings, paths }, { storeLimits }) {
    // loaded on use: the SDK takes 33 MB of memory
    const [{ openBucket }, { createS3Storage }] = await Promise.all([import('./s3-client.ts'), import('./s3.ts')]);
    return createS3Storage({ backend: s3, ...openBucket(toS3(settings), storeLimits), tmpDir: paths.tmp });
  },

  forBackups({ settings, paths }) {
    const own = toS3(settings);
    const S3_PREFIX = [own.S3_PREFIX, 'backups'].filter((part) => part !== undefined).join('/');
    return { config: { settings: { ...settings, S3_PREFIX }, paths }, place: `the bucket ${own.S3_BUCKET ?? ''}` };
  },
};
