// The first object that is read back, or the next within a hundred, shows that a store does not keep what it is given.
import { expect, test } from 'vitest';
import { DamagedObject } from '../../../server/backup/encryption.ts';
import { createReadBack } from '../../../server/backup/read-back.ts';
import { AppError } from '../../../server/errors.ts';

/** `keep` gives what the store has of the nth object; undefined for nothing. */
function storeThat(name: string, keep: (bytes: Buffer, nth: number) => Buffer | undefined) {
  const kept = new Map<string, Buffer>();
  const readKeys: string[] = [];
  const readBack = createReadBack({
    name,
    read(key, most) {
      readKeys.push(key);
      const bytes = kept.get(key);
      if (!bytes) return Promise.reject(new AppError('not_found', 'not there'));
      return bytes.length > most ? Promise.reject(new DamagedObject('it is too large')) : Promise.resolve(bytes);
    },
  });
  return {
    readKeys,
    async put(nth: number): Promise<void> {
      const bytes = Buffer.from(`object ${nth}`);
      const stored = keep(bytes, nth);
      if (stored) kept.set(`${nth}`, stored);
      await readBack(`${nth}`, bytes);
    },
  };
}

test('reads back the first object and one in a hundred', async () => {
  const { put, readKeys } = storeThat('honest', (bytes) => bytes);
  for (let nth = 0; nth < 250; nth++) await put(nth);
  expect(readKeys).toEqual(['0', '100', '200']);
});

test.each([
  ['keeps nothing', () => undefined],
  ['keeps other bytes', () => Buffer.from('objecT 0')],
  ['keeps more', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
])('says that a store %s', async (what, keep) => {
  const { put } = storeThat(what, keep);
  await expect(put(0)).rejects.toThrow(`${what} confirmed that it stored 0, but does not have it.`);
});

test('reads back everything where that failed once', async () => {
  const { put, readKeys } = storeThat('forgetful', (bytes, nth) => (nth === 0 ? undefined : bytes));
  await expect(put(0)).rejects.toThrow('is not reliable');
  for (let nth = 1; nth < 4; nth++) await put(nth);
  expect(new Set(readKeys)).toEqual(new Set(['0', '1', '2', '3']));
});
