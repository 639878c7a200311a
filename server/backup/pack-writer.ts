// Writes packs. Blobs are collected up to 16 MB, and two packs are uploaded at the same time. Packs with lists are
// uploaded after everything that the lists name.
import { randomBytes } from 'node:crypto';
import { createSlots } from '../runtime/concurrency.ts';
import type { Cipher } from './encryption.ts';
import { packKey } from './pack-files.ts';
import { closePack, MAX_PACK_BLOBS, PACK_BYTES, sumOf, toStored, type Blob, type Pack } from './packs.ts';
import type { BackupTarget } from './target.ts';

const MAX_CONCURRENT_UPLOADS = 2;

/**
 * Blobs that are read together are written into the same packs. `meta` packs have lists, which are read to find what a
 * snapshot needs; `data` packs have everything else.
 */
export type PackKind = 'data' | 'meta';
type NewBlob = Pick<Blob, 'name' | 'size' | 'isList'>;
interface OpenPack {
  id: string;
  storedBlobs: Buffer[];
  blobs: Blob[];
  size: number;
}

/** `onWritten` is called when a pack has been stored in the target. */
export function createPackWriter(target: BackupTarget, cipher: Cipher, onWritten: (pack: Pack) => Promise<void>) {
  /** Names of blobs that were added, but are not stored yet. */
  const pendingNames = new Set<string>();
  const encodings = new Set<Promise<void>>();
  const openPacks: Partial<Record<PackKind, OpenPack>> = {};
  const uploads = new Set<Promise<void>>();
  const slots = createSlots(MAX_CONCURRENT_UPLOADS);
  let failure: { error: unknown } | undefined;

  function collect(
    kind: PackKind,
    { name, size, isList }: NewBlob,
    storedBytes: Buffer,
    sum = sumOf(storedBytes),
  ): void {
    const pack = (openPacks[kind] ??= { id: randomBytes(16).toString('hex'), storedBlobs: [], blobs: [], size: 0 });
    const location = { pack: pack.id, offset: pack.size, length: storedBytes.length, sum };
    pack.blobs.push({ name, size, isList, ...location });
    pack.storedBlobs.push(storedBytes);
    pack.size += storedBytes.length;
  }

  async function uploadIfFull(kind: PackKind): Promise<void> {
    const { size = 0, blobs = [] } = openPacks[kind] ?? {};
    if (size >= PACK_BYTES || blobs.length >= MAX_PACK_BLOBS) await upload(kind);
    if (failure) throw failure.error;
  }

  /** Uploads the collected blobs as a pack. Waits while the maximum number of uploads runs. */
  async function upload(kind: PackKind): Promise<void> {
    const pack = openPacks[kind];
    if (!pack) return;
    delete openPacks[kind];
    if (kind === 'meta') await finishData();
    const uploadPromise = slots(() => sendPack(pack))
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => uploads.delete(uploadPromise));
    uploads.add(uploadPromise);
    while (uploads.size >= MAX_CONCURRENT_UPLOADS) await Promise.race(uploads);
  }

  /**
   * Waits until all data that a list may name is in the target. Otherwise, after a kill, a list without its data would
   * pass for a complete object.
   */
  async function finishData(): Promise<void> {
    await Promise.all(encodings);
    await upload('data');
    await Promise.all(uploads);
    if (failure) throw failure.error;
  }

  async function sendPack({ id, storedBlobs, blobs }: OpenPack): Promise<void> {
    const bytes = await closePack(cipher, storedBlobs, blobs);
    storedBlobs.length = 0;
    await target.put(packKey(id), bytes);
    await onWritten({ id, size: bytes.length, blobs });
    for (const { name } of blobs) pendingNames.delete(name);
  }

  return {
    has: (name: string): boolean => pendingNames.has(name),

    /** Adds a blob, unless it was added already. */
    async add(kind: PackKind, blob: NewBlob, plainBytes: Buffer): Promise<void> {
      if (pendingNames.has(blob.name)) return;
      pendingNames.add(blob.name);
      const encoding = toStored(cipher, plainBytes)
        .then((storedBytes) => collect(kind, blob, storedBytes))
        .finally(() => encodings.delete(encoding));
      encodings.add(encoding);
      await encoding;
      await uploadIfFull(kind);
    },

    /** Adds a blob that a thread has encoded, unless it was added already. */
    async addEncoded(kind: PackKind, blob: NewBlob, storedBytes: Buffer, sum: string): Promise<void> {
      if (pendingNames.has(blob.name)) return;
      pendingNames.add(blob.name);
      collect(kind, blob, storedBytes, sum);
      await uploadIfFull(kind);
    },

    /** Adds a blob with its stored bytes from another pack. */
    async addStored(kind: PackKind, blob: NewBlob, storedBytes: Buffer): Promise<void> {
      collect(kind, blob, storedBytes);
      await uploadIfFull(kind);
    },

    /** Waits until all added blobs are in the target. */
    async finish(): Promise<void> {
      await upload('data');
      await upload('meta');
      await Promise.all(uploads);
      if (failure) throw failure.error;
    },
  };
}
