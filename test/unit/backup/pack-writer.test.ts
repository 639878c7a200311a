import { expect, it } from 'vitest';
import { plainCipher } from '../../../server/backup/encryption.ts';
import { createPackWriter } from '../../../server/backup/pack-writer.ts';
import { MAX_PACK_BLOBS, type Pack } from '../../../server/backup/packs.ts';

const unused = (): never => {
  throw new Error('it only writes');
};

function openWriter(putObject: (key: string) => Promise<{ size: number }>, writtenPacks: Pack[]) {
  const target = {
    name: 'a fake',
    put: putObject,
    read: unused,
    open: unused,
    stat: unused,
    delete: unused,
    list: unused,
  };
  return createPackWriter(
    { ...target, listForeignFiles: unused, probe: unused, freeBytes: unused },
    plainCipher,
    async (pack) => {
      writtenPacks.push(pack);
    },
  );
}

it('a list is sent after everything that it names, so that a kill leaves no list without its packs', async () => {
  const storedKeys = new Set<string>();
  const writtenPacks: Pack[] = [];
  const putObject = async (key: string): Promise<{ size: number }> => {
    expect([...storedKeys]).toEqual([]); // the pack with the list waits for the other pack
    storedKeys.add(key);
    await new Promise(setImmediate);
    storedKeys.delete(key);
    return { size: 0 };
  };
  const writer = openWriter(putObject, writtenPacks);
  await writer.add('meta', { name: 'list', size: 4, isList: true }, Buffer.from('leaf'));
  await writer.add('data', { name: 'leaf', size: 4, isList: false }, Buffer.from('abcd'));
  await writer.finish();
  expect(writtenPacks.map(({ blobs }) => blobs.map(({ name }) => name))).toEqual([['leaf'], ['list']]);
});

it('a pack of tiny blobs is closed before its directory becomes long', async () => {
  const writtenPacks: Pack[] = [];
  const writer = openWriter(() => Promise.resolve({ size: 0 }), writtenPacks);
  for (let n = 0; n <= MAX_PACK_BLOBS; n++)
    await writer.addEncoded('data', { name: String(n), size: 1, isList: false }, Buffer.from('x'), 'sum');
  await writer.finish();
  // both packs are sent together
  expect(writtenPacks.map(({ blobs }) => blobs.length).sort((a, b) => b - a)).toEqual([MAX_PACK_BLOBS, 1]);
});
