import { expect, it } from 'vitest';
import { plainCipher } from '../../../server/backup/encryption.ts';
import { createPackWriter } from '../../../server/backup/pack-writer.ts';
import { MAX_PACK_BLOBS, type Pack } from '../../../server/backup/packs.ts';

const unused = (): never => {
  throw new Error('it only writes');
};

function writerTo(put: (key: string) => Promise<{ size: number }>, written: Pack[]) {
  const target = { name: 'a fake', put, read: unused, open: unused, stat: unused, delete: unused, list: unused };
  return createPackWriter(
    { ...target, listForeignFiles: unused, probe: unused, freeBytes: unused },
    plainCipher,
    async (pack) => {
      written.push(pack);
    },
  );
}

it('a list is sent when all that it names is in the target, since a kill may leave it there', async () => {
  const under = new Set<string>();
  const written: Pack[] = [];
  const put = async (key: string): Promise<{ size: number }> => {
    expect([...under]).toEqual([]); // the pack with the list waits for the other
    under.add(key);
    await new Promise(setImmediate);
    under.delete(key);
    return { size: 0 };
  };
  const writer = writerTo(put, written);
  await writer.add('meta', { name: 'list', size: 4, isList: true }, Buffer.from('leaf'));
  await writer.add('data', { name: 'leaf', size: 4, isList: false }, Buffer.from('abcd'));
  await writer.finish();
  expect(written.map(({ blobs }) => blobs.map(({ name }) => name))).toEqual([['leaf'], ['list']]);
});

it('a pack of tiny blobs is closed before its directory becomes long', async () => {
  const written: Pack[] = [];
  const writer = writerTo(() => Promise.resolve({ size: 0 }), written);
  for (let n = 0; n <= MAX_PACK_BLOBS; n++)
    await writer.addEncoded('data', { name: String(n), size: 1, isList: false }, Buffer.from('x'), 'sum');
  await writer.finish();
  expect(written.map(({ blobs }) => blobs.length).sort((a, b) => b - a)).toEqual([MAX_PACK_BLOBS, 1]); // sent together
});
