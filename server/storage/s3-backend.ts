// S3-compatible object stores, for the library and for backups.
import { AppError } from '../errors.ts';
import type { Backend, BackendConfig } from './backend.ts';
import { addressOf } from './s3-providers.ts';
import {
  asBackupSettings,
  BACKUP_S3_SETTINGS,
  S3_SETTINGS,
  s3OfBackups,
  withBackupNames,
  type S3Settings,
} from './s3-settings.ts';

/** They were parsed by the rules of S3_SETTINGS. */
export const toS3 = (settings: BackendConfig['settings']): S3Settings => settings as unknown as S3Settings;

const NEEDED = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

export const s3: Backend = {
  name: 's3',
  title: 'the object store',
  declares: { ...S3_SETTINGS, ...BACKUP_S3_SETTINGS },
  settings: Object.keys(S3_SETTINGS),
  needed: [...NEEDED],
  verifyDays: 0, // stores charge for reading, and keep checksums themselves
  mayBeDown: true,
  canBeTested: true,

  async open({ settings, paths }, { storeLimits }) {
    // loaded on use: the SDK takes 33 MB of memory
    const [{ openBucket }, { createS3Storage }] = await Promise.all([import('./s3-client.ts'), import('./s3.ts')]);
    return createS3Storage({ backend: s3, ...openBucket(toS3(settings), storeLimits), tmpDir: paths.tmp });
  },

  forBackups({ settings, paths }) {
    const own = s3OfBackups(settings);
    const isOwn = [...NEEDED, 'S3_PROVIDER' as const, 'S3_ENDPOINT' as const].some((name) => own[name] !== undefined);
    const used = isOwn ? own : ofEarlierBackups(toS3(settings));
    const missing = NEEDED.filter((name) => used[name] === undefined).map((name) => `BACKUP_${name}`);
    if (missing.length > 0)
      throw new AppError('invalid', `Backups in the object store need ${missing.join(', ')}.`, {
        fields: missing.map((name) => ({ field: name.toLowerCase(), message: 'is required for backups' })),
      });
    return {
      config: { settings: { ...settings, ...used }, paths },
      place: placeOf(used),
      ...(isOwn ? { withOwnNames: withBackupNames } : { onlyIfThere: true }),
      sharesWithLibrary: settings.STORAGE_BACKEND === 's3' && isSameBucket(used, toS3(settings)),
    };
  },

  backupsBefore: (settings) => asBackupSettings(ofEarlierBackups(toS3(settings))),
};

/** Where backups were before they had settings of their own: in the bucket of the library. */
const ofEarlierBackups = (own: S3Settings): S3Settings => ({
  ...own,
  S3_PREFIX: [own.S3_PREFIX, 'backups'].filter((part) => part !== undefined).join('/'),
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

/** For messages, and to recognize it: two providers may each have a bucket of that name. */
const placeOf = (settings: S3Settings): string =>
  `the bucket ${[settings.S3_BUCKET, settings.S3_PREFIX].filter(Boolean).join('/')} at ${endpointOf(settings)}`;

const isSameBucket = (one: S3Settings, other: S3Settings): boolean =>
  one.S3_BUCKET === other.S3_BUCKET && endpointOf(one) === endpointOf(other);
