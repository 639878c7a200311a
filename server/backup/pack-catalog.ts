// The packs of a backup and their contents, as read from the indexes, and from the directories of packs that no index
// lists. New packs are written before old ones are deleted, so after any interruption all packs in an index exist.
import { randomBytes } from 'node:crypto';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { StoredObject } from '../storage/storage.ts';
import type { Cipher } from './encryption.ts';
import { nameIn, type PackFiles } from './pack-files.ts';
import { createPackIndex } from './pack-index.ts';
import { seal, toDirectory, type Pack } from './packs.ts';
import type { BackupTarget } from './target.ts';

const MAX_CONCURRENT_INDEXES = 4;
/** An index is written after this many packs, so that an interrupted backup leaves few packs without one. */
const PACKS_PER_INDEX = 64;
/** If there are more indexes, they are rewritten as one. */
const MAX_INDEXES = 16;
const BLOBS_PER_INDEX = 50_000;

export function createCatalog(target: BackupTarget, cipher: Cipher, files: PackFiles) {
  const index = createPackIndex();
  let indexKeys: string[] = [];
  let unindexedPacks: Pack[] = [];
  let isRewriteDue = false;
  /** True if the directory of a pack could not be read, so that blobs are unknown. */
  let isIncomplete = false;

  /** Reads the indexes, and the directories of packs that no index lists. Returns the keys of damaged indexes. */
  async function load(isRetry = false): Promise<string[]> {
    index.clear();
    unindexedPacks = [];
    const damagedKeys: string[] = [];
    indexKeys = (await listNewestFirst(target.list('index/'))).map(({ key }) => key);
    let isChanging = false;
    const packsByIndex = new Map<string, Pack[]>();
    await forEachConcurrently(indexKeys, MAX_CONCURRENT_INDEXES, async (key) => {
      const packs = await files.readIndex(key);
      if (packs === 'gone') isChanging = true;
      else if (packs === 'damaged') damagedKeys.push(key);
      else packsByIndex.set(key, packs);
    });
    // A kill during a rewrite leaves old indexes, too. Packs of newer indexes are added last, because they have the
    // better copies of blobs.
    const packsById = new Map<string, Pack>();
    for (const key of indexKeys.toReversed())
      for (const pack of packsByIndex.get(key) ?? []) {
        packsById.delete(pack.id);
        packsById.set(pack.id, pack);
      }
    for (const pack of packsById.values()) index.add(pack);
    if (isChanging && !isRetry) return load(true); // a rewrite has replaced the indexes since they were listed
    if (isChanging || damagedKeys.length > 0) isRewriteDue = true;
    // These packs may belong to an index that is missing, or that a store does not list yet.
    await addUnlistedPacks(await listPacks());
    return damagedKeys;
  }

  async function listPacks(): Promise<Map<string, number>> {
    return new Map((await listNewestFirst(target.list('packs/'))).map(({ key, size }) => [nameIn(key), size]));
  }

  /**
   * Adds packs that no index lists, because a run was interrupted after writing them or before deleting them. In the
   * second case their good blobs were copied before, so blobs that are known already are left out.
   */
  async function addUnlistedPacks(packSizes: ReadonlyMap<string, number>): Promise<void> {
    for (const [id, size] of packSizes) {
      if (index.packs.has(id)) continue;
      const blobs = await files.readDirectory(id, size);
      if (!blobs) isIncomplete = true;
      const pack = { id, size, blobs: blobs?.filter(({ name }) => !index.find(name)) ?? [] };
      index.add(pack);
      unindexedPacks.push(pack);
    }
  }

  async function writeIndex(packs: readonly Pack[]): Promise<void> {
    const key = `index/${randomBytes(16).toString('hex')}`;
    const entries = packs.map(({ id, size, blobs }) => ({ id, size, blobs: toDirectory(blobs) }));
    await target.put(key, await seal(cipher, { packs: entries }));
    indexKeys.push(key);
  }

  /** Replaces all indexes by new ones. */
  async function rewriteIndex(): Promise<void> {
    const oldKeys = indexKeys;
    [indexKeys, unindexedPacks] = [[], []];
    let packs: Pack[] = [];
    let blobs = 0;
    for (const pack of index.packs.values()) {
      packs.push(pack);
      if ((blobs += pack.blobs.length) < BLOBS_PER_INDEX) continue;
      await writeIndex(packs);
      [packs, blobs] = [[], 0];
    }
    if (packs.length > 0) await writeIndex(packs);
    for (const key of oldKeys) await target.delete(key);
    isRewriteDue = false;
  }

  return {
    index,
    load: () => load(),
    /** Returns the number of packs that no index lists. */
    countUnlisted: (): number => unindexedPacks.length,
    rewriteIndex,

    /** Leaves out packs that are missing or have another size. `isIncomplete` says that some objects may be unknown. */
    async compareWithPacks(): Promise<{ missingPacks: string[]; isIncomplete: boolean }> {
      const packSizes = await listPacks();
      await addUnlistedPacks(packSizes);
      const missingPacks = [...index.packs.values()]
        .filter(({ id, size }) => packSizes.get(id) !== size)
        .map(({ id }) => id);
      index.removePacks(missingPacks);
      isIncomplete ||= missingPacks.length > 0;
      isRewriteDue ||= isIncomplete;
      return { missingPacks, isIncomplete };
    },

    async add(pack: Pack): Promise<void> {
      index.add(pack);
      unindexedPacks.push(pack);
      const blobs = unindexedPacks.reduce((sum, entry) => sum + entry.blobs.length, 0);
      if (unindexedPacks.length >= PACKS_PER_INDEX || blobs >= BLOBS_PER_INDEX)
        await writeIndex(unindexedPacks.splice(0));
    },

    /** Writes an index of the new packs. When this returns, all packs are in an index. */
    async flush(): Promise<void> {
      if (isRewriteDue || indexKeys.length >= MAX_INDEXES) await rewriteIndex();
      else if (unindexedPacks.length > 0) await writeIndex(unindexedPacks.splice(0));
    },
  };
}

async function listNewestFirst(source: AsyncIterable<StoredObject>): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const object of source) objects.push(object);
  return objects.sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
}
