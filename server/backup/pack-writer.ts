// Writing packs: blobs are collected until they are 16 MB, and two packs are uploaded at once; those with lists after
// all that the lists name.
import { randomBytes } from 'node:crypto';
import { createSlots } from '../runtime/concurrency.ts';
import type { Cipher } from './encryption.ts';
import { packKey } from './pack-files.ts';
import { closePack, PACK_BLOBS, PACK_BYTES, sumOf, toStored, type Blob, type Pack } from './packs.ts';
import type { BackupTarget } from './target.ts';

const UPLOADS_AT_ONCE = 2;

/** What is read together is written together: lists are read to find out what a snapshot needs, the rest is not. */
export type PackKind = 'data' | 'meta';
type NewBlob = Pick<Blob, 'name' | 'size' | 'isList'>;
interface OpenPack {
  id: string;
  stored: Buffer[];
  blobs: Blob[];
  size: number;
}

/** `onWritten`: a pack is in the target. */
export function createPackWriter(target: BackupTarget, cipher: Cipher, onWritten: (pack: Pack) => Promise<void>) {
  /** Blobs that are on their way into a pack. */
  const underWay = new Set<string>();
  const beingStored = new Set<Promise<void>>();
  const open: Partial<Record<PackKind, OpenPack>> = {};
  const uploads = new Set<Promise<void>>();
  const slots = createSlots(UPLOADS_AT_ONCE);
  let failure: { error: unknown } | undefined;

  function collect(kind: PackKind, { name, size, isList }: NewBlob, stored: Buffer, sum = sumOf(stored)): void {
    const pack = (open[kind] ??= { id: randomBytes(16).toString('hex'), stored: [], blobs: [], size: 0 });
    const place = { pack: pack.id, offset: pack.size, length: stored.length, sum };
    pack.blobs.push({ name, size, isList, ...place });
    pack.stored.push(stored);
    pack.size += stored.length;
  }

  async function uploadIfFull(kind: PackKind): Promise<void> {
    const { size = 0, blobs = [] } = open[kind] ?? {};
    if (size >= PACK_BYTES || blobs.length >= PACK_BLOBS) await upload(kind);
    if (failure) throw failure.error;
  }

  /** Waits while as many are under way as may be. */
  async function upload(kind: PackKind): Promise<void> {
    const pack = open[kind];
    if (!pack) return;
    delete open[kind];
    if (kind === 'meta') await finishData();
    const done = slots(() => send(pack))
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => uploads.delete(done));
    uploads.add(done);
    while (uploads.size >= UPLOADS_AT_ONCE) await Promise.race(uploads);
  }

  /**
   * Everything that a list names is in the target when this returns. After a kill, a list without it would pass for an
   * object that is there.
   */
  async function finishData(): Promise<void> {
    await Promise.all(beingStored);
    await upload('data');
    await Promise.all(uploads);
    if (failure) throw failure.error;
  }

  async function send({ id, stored, blobs }: OpenPack): Promise<void> {
    const bytes = await closePack(cipher, stored, blobs);
    stored.length = 0;
    await target.put(packKey(id), bytes);
    await onWritten({ id, size: bytes.length, blobs });
    for (const { name } of blobs) underWay.delete(name);
  }

  return {
    has: (name: string): boolean => underWay.has(name),

    /** Nothing happens when it is on its way already. */
    async add(kind: PackKind, blob: NewBlob, plain: Buffer): Promise<void> {
      if (underWay.has(blob.name)) return;
      underWay.add(blob.name);
      const done = toStored(cipher, plain)
        .then((stored) => collect(kind, blob, stored))
        .finally(() => beingStored.delete(done));
      beingStored.add(done);
      await done;
      await uploadIfFull(kind);
    },

    /** What a thread has made of it. Nothing happens when it is on its way already. */
    async addMade(kind: PackKind, blob: NewBlob, stored: Buffer, sum: string): Promise<void> {
      if (underWay.has(blob.name)) return;
      underWay.add(blob.name);
      collect(kind, blob, stored, sum);
      await uploadIfFull(kind);
    },

    /** Bytes of another pack, as they are. */
    async addStored(kind: PackKind, blob: NewBlob, stored: Buffer): Promise<void> {
      collect(kind, blob, stored);
      await uploadIfFull(kind);
    },

    /** Everything that was added is in the target when this returns. */
    async finish(): Promise<void> {
      await upload('data');
      await upload('meta');
      await Promise.all(uploads);
      if (failure) throw failure.error;
    },
  };
}
