// Reads the files of a backup: packs with their directories, and indexes.
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { DamagedObject, type Cipher } from './encryption.ts';
import {
  Directory,
  fromDirectory,
  fromStored,
  readBytes,
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

/** Maximum size of the packs that are cached while a snapshot is read. */
const MAX_CACHE_BYTES = 48 << 20;
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
    return readBytes(stream as AsyncIterable<Buffer>);
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

    /** Reads the directory of a pack. Returns undefined when the directory is damaged. */
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

    /** Reads the plain bytes of a blob. Throws `not_found` and DamagedObject. */
    async readBlob(blob: Blob | undefined): Promise<Buffer> {
      if (!blob) throw notFound('object of the backup');
      const pack = await cache.get(blob.pack);
      const plainBytes = await fromStored(cipher, blob, pack.subarray(blob.offset, blob.offset + blob.length));
      if (!blob.isList && plainBytes.length !== blob.size) throw new DamagedObject('it has another size');
      return plainBytes;
    },

    /**
     * Reads a whole pack, and returns its damaged blobs. `isRestDamaged` says that something else in the pack is
     * damaged: its directory, or bytes that nothing needs any more.
     */
    async verifyPack({ id, size, blobs }: Pack): Promise<{ damaged: Blob[]; isRestDamaged: boolean }> {
      const bytes = (await unlessDamaged(readPack(id))) ?? Buffer.alloc(0);
      const length = bytes.length === size ? tailLength(bytes, size) : undefined;
      const directory =
        length !== undefined
          ? await openDirectory(cipher, id, bytes.subarray(-length)).catch(() => undefined)
          : undefined;
      const wrongBlobs = (directory ?? blobs).filter(
        ({ offset, length: blobLength, sum }) => sumOf(bytes.subarray(offset, offset + blobLength)) !== sum,
      );
      const offsets = new Set(wrongBlobs.map(({ offset }) => offset));
      const damagedBlobs = blobs.filter(({ offset }) => offsets.has(offset));
      return { damaged: damagedBlobs, isRestDamaged: !directory || wrongBlobs.length > damagedBlobs.length };
    },
  };
}

/** Caches the packs that were read most recently. */
function createPackCache(fetch: (id: string) => Promise<Buffer>) {
  const packsById = new Map<string, { bytes: Promise<Buffer>; size: number }>();
  return {
    async get(id: string): Promise<Buffer> {
      const pack = packsById.get(id) ?? { bytes: fetch(id), size: 0 };
      packsById.delete(id);
      packsById.set(id, pack); // the most recently read pack moves to the end of the map
      try {
        pack.size = (await pack.bytes).length;
      } catch (error) {
        packsById.delete(id);
        throw error;
      }
      let size = 0;
      for (const [cachedId, { size: packSize }] of [...packsById].reverse())
        if ((size += packSize) > MAX_CACHE_BYTES && cachedId !== id) packsById.delete(cachedId);
      return pack.bytes;
    },
  };
}
