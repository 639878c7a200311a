// Tests a storage: writes, reads, lists and deletes a small object.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../errors.ts';
import type { Storage } from './storage.ts';

/** Prefix of its keys. */
export const PROBE = 'probe-';

/** Throws `unavailable` or `storage_full`, saying what failed. */
export async function probe(storage: Pick<Storage, 'put' | 'stat' | 'open' | 'list' | 'delete'>): Promise<void> {
  const [key, bytes] = [`${PROBE}${randomBytes(8).toString('hex')}`, randomBytes(64)];
  await doing('Writing', storage.put(key, bytes));
  try {
    const read = await doing(
      'Reading',
      storage.open(key).then(({ stream }) => buffer(stream)),
    );
    if (!read.equals(bytes)) throw new AppError('unavailable', 'The storage returned different data than was written.');
    if (!(await doing('Listing', isListed(storage, key))))
      throw new AppError('unavailable', 'The storage does not list what was written.');
  } finally {
    await doing('Deleting', storage.delete(key));
  }
}

async function isListed(storage: Pick<Storage, 'list'>, key: string): Promise<boolean> {
  for await (const found of storage.list(key)) if (found.key === key) return true;
  return false;
}

async function doing<T>(what: string, work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw cause instanceof AppError && cause.code === 'unavailable'
      ? new AppError('unavailable', `${what} failed: ${cause.message}`, { cause })
      : cause;
  });
}
