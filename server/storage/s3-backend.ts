// S3-compatible object stores, for the library and for backups.
import type { Backend } from './backend.ts';

export const s3: Backend = {
  name: 's3',
  title: 'the object store',
  settings: [
    'S3_ENDPOINT',
    'S3_REGION',
    'S3_BUCKET',
    'S3_PREFIX',
    'S3_ACCESS_KEY_ID',
    'S3_SECRET_ACCESS_KEY',
    'S3_FORCE_PATH_STYLE',
  ],
  needed: ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  verifyDays: 0, // stores charge for reading, and keep checksums themselves
  mayBeDown: true,
  canBeTested: true,

  async open({ settings, paths }, { storeLimits }) {
    // loaded on use: the SDK takes 33 MB of memory
    const [{ openBucket }, { createS3Storage }] = await Promise.all([import('./s3-client.ts'), import('./s3.ts')]);
    return createS3Storage({ backend: s3, ...openBucket(settings, storeLimits), tmpDir: paths.tmp });
  },

  forBackups({ settings, paths }) {
    const S3_PREFIX = [settings.S3_PREFIX, 'backups'].filter((part) => part !== undefined).join('/');
    return { config: { settings: { ...settings, S3_PREFIX }, paths }, place: `the bucket ${settings.S3_BUCKET ?? ''}` };
  },
};
