// Tests a storage: writes, reads, lists and deletes a small object.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../errors.ts';
import type { Storage } from './storage.ts';

/** Prefix of the keys of test objects. */
export const PROBE_PREFIX = 'probe-';

/** Tests the storage. Throws `unavailable` or `storage_full`, saying what failed. */
export async function probeStorage(storage: Pick<Storage, 'put' | 'stat' | 'open' | 'list' | 'delete'>): Promise<void> {
  const [key, bytes] = [`${PROBE_PREFIX}${randomBytes(8).toString('hex')}`, randomBytes(64)];
  await nameFailedStep('Writing', storage.put(key, bytes));
  try {
    const readBytes = await nameFailedStep(
      'Reading',
      storage.open(key).then(({ stream }) => buffer(stream)),
    );
    if (!readBytes.equals(bytes))
      throw new AppError('unavailable', 'The storage returned different data than was written.');
    if (!(await nameFailedStep('Listing', isListed(storage, key))))
      throw new AppError('unavailable', 'The storage does not list what was written.');
  } finally {
    await nameFailedStep('Deleting', storage.delete(key));
  }
}

async function isListed(storage: Pick<Storage, 'list'>, key: string): Promise<boolean> {
  for await (const object of storage.list(key)) if (object.key === key) return true;
  return false;
}

async function nameFailedStep<T>(step: string, work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw cause instanceof AppError && cause.code === 'unavailable'
      ? new AppError('unavailable', `${step} failed: ${cause.message}`, { cause })
      : cause;
  });
}
