// Objects of backups that were begun with the first format, where each object is a file. They stay in use, but no new
// ones are written.
import { createHash } from 'node:crypto';
import type { Cipher } from './encryption.ts';
import { nameIn } from './pack-files.ts';
import { unlessDamaged } from './packs.ts';
import type { BackupTarget } from './target.ts';

const keyOf = (name: string): string => `objects/${name.slice(0, 2)}/${name}`;

export function createLooseObjects(target: BackupTarget, cipher: Cipher) {
  /** Sizes of the stored objects, by name. */
  const sizes = new Map<string, number>();

  async function* read(name: string): AsyncGenerator<Buffer> {
    const { stream } = await target.open(keyOf(name));
    try {
      yield* cipher.decrypt(stream as AsyncIterable<Buffer>);
    } finally {
      stream.destroy();
    }
  }

  async function hashOf(name: string): Promise<string> {
    const hasher = createHash('sha256');
    for await (const chunk of read(name)) hasher.update(chunk);
    return hasher.digest('hex');
  }

  return {
    sizes: sizes as ReadonlyMap<string, number>,
    read,

    async load(): Promise<void> {
      sizes.clear();
      for await (const { key, size } of target.list('objects/')) sizes.set(nameIn(key), size);
    },

    has(name: string, size: number | null): boolean {
      const storedSize = sizes.get(name);
      return storedSize !== undefined && (size === null || storedSize === cipher.sizeOf(size));
    },

    /** Returns whether the content of an object matches its name. Covers are named by the first half of their hash. */
    async verify(name: string): Promise<boolean> {
      const hash = await unlessDamaged(hashOf(name));
      return hash !== undefined && [hash, hash.slice(0, 32)].some((candidate) => cipher.nameOf(candidate) === name);
    },

    forget: (name: string): boolean => sizes.delete(name),
    delete: (name: string): Promise<boolean> => target.delete(keyOf(name)),
  };
}
