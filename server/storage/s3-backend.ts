// The backend of S3-compatible object stores, for the library and for backups.
import { AppError } from '../errors.ts';
import type { Backend, BackendConfig } from './backend.ts';
import { addressOf } from './s3-providers.ts';
import {
  toBackupSettings,
  BACKUP_S3_SETTINGS,
  S3_SETTINGS,
  readBackupSettings,
  withBackupNames,
  type S3Settings,
} from './s3-settings.ts';

/** Returns the settings with their type; they were parsed by the rules of S3_SETTINGS. */
export const toS3 = (settings: BackendConfig['settings']): S3Settings => settings as unknown as S3Settings;

const REQUIRED_SETTINGS = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

export const s3: Backend = {
  name: 's3',
  title: 'the object store',
  declaredSettings: { ...S3_SETTINGS, ...BACKUP_S3_SETTINGS },
  settings: Object.keys(S3_SETTINGS),
  requiredSettings: [...REQUIRED_SETTINGS],
  verifyDays: 0, // stores charge for reading, and keep checksums themselves
  mayBeDown: true,
  canBeTested: true,

  async open({ settings, paths }, { storeLimits }) {
    // loaded on first use, because the SDK takes 33 MB of memory
    const [{ openBucket }, { createS3Storage }] = await Promise.all([import('./s3-client.ts'), import('./s3.ts')]);
    return createS3Storage({ backend: s3, ...openBucket(toS3(settings), storeLimits), tmpDir: paths.tmp });
  },

  forBackups({ settings, paths }) {
    const backupSettings = readBackupSettings(settings);
    const hasBackupSettings = [...REQUIRED_SETTINGS, 'S3_PROVIDER' as const, 'S3_ENDPOINT' as const].some(
      (name) => backupSettings[name] !== undefined,
    );
    const bucketSettings = hasBackupSettings ? backupSettings : toEarlierBackupSettings(toS3(settings));
    const missingNames = REQUIRED_SETTINGS.filter((name) => bucketSettings[name] === undefined).map(
      (name) => `BACKUP_${name}`,
    );
    if (missingNames.length > 0)
      throw new AppError('invalid', `Backups in the object store need ${missingNames.join(', ')}.`, {
        fields: missingNames.map((name) => ({ field: name.toLowerCase(), message: 'is required for backups' })),
      });
    return {
      config: { settings: { ...settings, ...bucketSettings }, paths },
      description: describeBucket(bucketSettings),
      ...(hasBackupSettings ? { withBackupNames } : { onlyIfExists: true }),
      sharesWithLibrary: settings.STORAGE_BACKEND === 's3' && isSameBucket(bucketSettings, toS3(settings)),
    };
  },

  earlierBackupSettings: (settings) => toBackupSettings(toEarlierBackupSettings(toS3(settings))),
};

/**
 * Returns the place of backups from before they had settings of their own: in the bucket of the library, below
 * `backups`.
 */
const toEarlierBackupSettings = (settings: S3Settings): S3Settings => ({
  ...settings,
  S3_PREFIX: [settings.S3_PREFIX, 'backups'].filter((segment) => segment !== undefined).join('/'),
});

const endpointOf = (settings: S3Settings): string => {
  const { endpoint, region } = addressOf({
    provider: settings.S3_PROVIDER,
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    pathStyle: settings.S3_FORCE_PATH_STYLE,
  });
  return endpoint === undefined ? `s3.${region}.amazonaws.com` : new URL(endpoint).host;
};

/**
 * Returns a description of the bucket for messages, which also identifies it: two providers may each have a bucket of
 * the same name.
 */
const describeBucket = (settings: S3Settings): string =>
  `the bucket ${[settings.S3_BUCKET, settings.S3_PREFIX].filter(Boolean).join('/')} at ${endpointOf(settings)}`;

const isSameBucket = (settings: S3Settings, otherSettings: S3Settings): boolean =>
  settings.S3_BUCKET === otherSettings.S3_BUCKET && endpointOf(settings) === endpointOf(otherSettings);
