// Reading the files that a backup consists of: packs with their directories, and indexes.
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { DamagedObject, type Cipher } from './encryption.ts';
import {
  Directory,
  fromDirectory,
  fromStored,
  gathered,
  isDamage,
  MAX_PACK_BYTES,
  openDirectory,
  sumOf,
  TAIL_BYTES,
  tailLength,
  unlessDamaged,
  unseal,
  type Blob,
  type Pack,
} from './packs.ts';
import type { BackupTarget } from './target.ts';

/** Whole packs that are kept in memory while a snapshot is read. */
const CACHE_BYTES = 48 << 20;
const IndexFile = z.object({ packs: z.array(z.object({ id: z.string(), size: z.int(), blobs: Directory })) });

export const packKey = (id: string): string => `packs/${id.slice(0, 2)}/${id}`;
export const nameIn = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

export type PackFiles = ReturnType<typeof createPackFiles>;

export function createPackFiles(target: BackupTarget, cipher: Cipher) {
  const readPack = (id: string): Promise<Buffer> => target.read(packKey(id), MAX_PACK_BYTES);
  const cache = createPackCache(readPack);

  async function readEnd(id: string, size: number, bytes: number): Promise<Buffer> {
    if (size === 0) return Buffer.alloc(0);
    const { stream } = await target.open(packKey(id), { start: Math.max(0, size - bytes), end: size - 1 });
    return gathered(stream as AsyncIterable<Buffer>);
  }

  async function fetchDirectory(id: string, size: number): Promise<Blob[] | undefined> {
    let tail = await readEnd(id, size, TAIL_BYTES);
    const length = tailLength(tail, size);
    if (length === undefined) return undefined;
    if (length > tail.length) tail = await readEnd(id, size, length);
    return openDirectory(cipher, id, tail.subarray(-length));
  }

  return {
    readPack,

    /** Undefined when it is damaged. */
    readDirectory: (id: string, size: number): Promise<Blob[] | undefined> => unlessDamaged(fetchDirectory(id, size)),

    async readIndex(key: string): Promise<Pack[] | 'gone' | 'damaged'> {
      try {
        const { packs } = IndexFile.parse(
          await unseal(cipher, await target.read(key, TEXT_LIMITS.backup.index.bytes), 'index'),
        );
        return packs.map(({ id, size, blobs }) => ({ id, size, blobs: fromDirectory(id, blobs) }));
      } catch (error) {
        if (!isDamage(error)) throw error;
        return error instanceof AppError ? 'gone' : 'damaged';
      }
    },

    /** Throws `not_found` and DamagedObject. */
    async readBlob(blob: Blob | undefined): Promise<Buffer> {
      if (!blob) throw notFound('object of the backup');
      const pack = await cache.get(blob.pack);
      const plain = await fromStored(cipher, blob, pack.subarray(blob.offset, blob.offset + blob.length));
      if (!blob.isList && plain.length !== blob.size) throw new DamagedObject('it has another size');
      return plain;
    },

    /** Reads all of a pack. `isRestDamaged`: its directory is, or what nothing needs any more. */
    async verifyPack({ id, size, blobs }: Pack): Promise<{ damaged: Blob[]; isRestDamaged: boolean }> {
      const bytes = (await unlessDamaged(readPack(id))) ?? Buffer.alloc(0);
      const length = bytes.length === size ? tailLength(bytes, size) : undefined;
      const directory =
        length !== undefined
          ? await openDirectory(cipher, id, bytes.subarray(-length)).catch(() => undefined)
          : undefined;
      const wrong = (directory ?? blobs).filter(
        ({ offset, length: its, sum }) => sumOf(bytes.subarray(offset, offset + its)) !== sum,
      );
      const offsets = new Set(wrong.map(({ offset }) => offset));
      const damaged = blobs.filter(({ offset }) => offsets.has(offset));
      return { damaged, isRestDamaged: !directory || wrong.length > damaged.length };
    },
  };
}

/** Packs that were read last. */
function createPackCache(fetch: (id: string) => Promise<Buffer>) {
  const held = new Map<string, { bytes: Promise<Buffer>; size: number }>();
  return {
    async get(id: string): Promise<Buffer> {
      const found = held.get(id) ?? { bytes: fetch(id), size: 0 };
      held.delete(id);
      held.set(id, found); // the latest is last
      try {
        found.size = (await found.bytes).length;
      } catch (error) {
        held.delete(id);
        throw error;
      }
      let size = 0;
      for (const [one, { size: its }] of [...held].reverse())
        if ((size += its) > CACHE_BYTES && one !== id) held.delete(one);
      return found.bytes;
    },
  };
}
