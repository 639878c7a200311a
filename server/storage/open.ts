// The one place that knows which backends there are.
import type { Config } from '../config/config.ts';
import type { Settings } from '../config/settings.ts';
import { AppError, messageOf } from '../errors.ts';
import { createLocalStorage } from './local.ts';
import type { S3Limits } from './s3-client.ts';
import type { Storage } from './storage.ts';
import { sweepTemp } from './sweep-temp.ts';

export interface OpenOptions {
  now?: () => Date;
  s3Limits?: Partial<S3Limits>;
}

/** The storage that is set, or the other one for whoever moves objects between them. */
export const openStorage = (
  { settings, paths }: Pick<Config, 'settings' | 'paths'>,
  options: OpenOptions = {},
  kind: Storage['kind'] = settings.STORAGE_BACKEND,
): Promise<Storage> => (kind === 's3' ? openS3(settings, paths.tmp, options) : openLocal(paths.storageRoot, options));

/**
 * Throws `invalid`, naming the settings that are missing. Whether the store can be reached is not asked: the library is
 * there without it.
 */
async function openS3(settings: Settings, tmpDir: string, { s3Limits }: OpenOptions): Promise<Storage> {
  // 33 MB that a local library saves
  const [{ openBucket }, { createS3Storage }] = await Promise.all([import('./s3-client.ts'), import('./s3.ts')]);
  return createS3Storage({ ...openBucket(settings, s3Limits), tmpDir });
}

/**
 * Also removes what a killed process left half-written. Throws `unavailable`, naming the folder, when it cannot be
 * read.
 */
async function openLocal(root: string, { now = () => new Date() }: OpenOptions): Promise<Storage> {
  try {
    await sweepTemp({ root, now });
  } catch (cause) {
    throw new AppError(
      'unavailable',
      `The library folder ${root} cannot be used (${messageOf(cause)}). Check its permissions, or set STORAGE_ROOT.`,
      { cause },
    );
  }
  return createLocalStorage({ root });
}
