// Reading back the first object and every hundredth one reveals a store that does not keep what it is given.
import { expect, test } from 'vitest';
import { DamagedObject } from '../../../server/backup/encryption.ts';
import { createReadBack } from '../../../server/backup/read-back.ts';
import { AppError } from '../../../server/errors.ts';

/** Opens a store in which `storedBytesOf` returns the bytes that are stored of each object; undefined stores nothing. */
function openStore(name: string, storedBytesOf: (bytes: Buffer, index: number) => Buffer | undefined) {
  const objects = new Map<string, Buffer>();
  const readKeys: string[] = [];
  const readBackObject = createReadBack({
    name,
    read(key, maxBytes) {
      readKeys.push(key);
      const bytes = objects.get(key);
      if (!bytes) return Promise.reject(new AppError('not_found', 'not there'));
      return bytes.length > maxBytes ? Promise.reject(new DamagedObject('it is too large')) : Promise.resolve(bytes);
    },
  });
  return {
    readKeys,
    async putObject(index: number): Promise<void> {
      const bytes = Buffer.from(`object ${index}`);
      const storedBytes = storedBytesOf(bytes, index);
      if (storedBytes) objects.set(`${index}`, storedBytes);
      await readBackObject(`${index}`, bytes);
    },
  };
}

test('reads back the first object and one in a hundred', async () => {
  const { putObject, readKeys } = openStore('honest', (bytes) => bytes);
  for (let index = 0; index < 250; index++) await putObject(index);
  expect(readKeys).toEqual(['0', '100', '200']);
});

test.each([
  ['keeps nothing', () => undefined],
  ['keeps other bytes', () => Buffer.from('objecT 0')],
  ['keeps more', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
])('says that a store %s', async (fault, keep) => {
  const { putObject } = openStore(fault, keep);
  await expect(putObject(0)).rejects.toThrow(`${fault} confirmed that it stored 0, but does not have it.`);
});

test('reads back every object of a store that has failed once', async () => {
  const { putObject, readKeys } = openStore('forgetful', (bytes, index) => (index === 0 ? undefined : bytes));
  await expect(putObject(0)).rejects.toThrow('is not reliable');
  for (let index = 1; index < 4; index++) await putObject(index);
  expect(new Set(readKeys)).toEqual(new Set(['0', '1', '2', '3']));
});
