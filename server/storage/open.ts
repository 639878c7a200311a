// The one place that knows which backends there are.
import type { Config } from '../config/config.ts';
import { AppError, messageOf } from '../errors.ts';
import { createLocalStorage } from './local.ts';
import type { Storage } from './storage.ts';
import { sweepTemp } from './sweep-temp.ts';

/** Also removes what a killed process left half-written. Throws `unavailable`, naming the folder, when it cannot be read. */
export async function openStorage({ settings, paths }: Pick<Config, 'settings' | 'paths'>, now: () => Date = () => new Date()): Promise<Storage> {
  if (settings.STORAGE_BACKEND === 's3') throw new AppError('unavailable', 'STORAGE_BACKEND = s3 is not possible in this version yet. Set it to local.');
  const root = paths.storageRoot;
  try {
    await sweepTemp({ root, now });
  } catch (cause) {
    throw new AppError('unavailable', `The library folder ${root} cannot be used (${messageOf(cause)}). Check its permissions, or set STORAGE_ROOT.`, { cause });
  }
  return createLocalStorage({ root });
}
