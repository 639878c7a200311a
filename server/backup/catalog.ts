// Which packs there are, and what is in them: from the indexes, and of packs that none lists from their directories.
// Whatever is interrupted, nothing that an index lists is gone: new ones are written before old ones are deleted.
import { randomBytes } from 'node:crypto';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { StoredObject } from '../storage/storage.ts';
import type { Cipher } from './encryption.ts';
import { nameIn, type PackFiles } from './pack-files.ts';
import { createPackIndex } from './pack-index.ts';
import { seal, toDirectory, type Pack } from './packs.ts';
import type { BackupTarget } from './target.ts';

const INDEXES_AT_ONCE = 4;
/** An index is written after so many packs, so that an interrupted backup has few packs to look into. */
const PACKS_PER_INDEX = 64;
/** More are written anew as one. */
const MOST_INDEXES = 16;
const BLOBS_PER_INDEX = 50_000;

export function createCatalog(target: BackupTarget, cipher: Cipher, files: PackFiles) {
  const index = createPackIndex();
  let indexKeys: string[] = [];
  let unindexed: Pack[] = [];
  let isRewriteDue = false;
  /** The directory of a pack could not be read. */
  let isIncomplete = false;

  /**
   * Reads the indexes, and of packs that none of them lists the directories. Returns the keys of damaged ones.
   */
  async function load(isAgain = false): Promise<string[]> {
    index.clear();
    unindexed = [];
    const damaged: string[] = [];
    indexKeys = (await newestFirst(target.list('index/'))).map(({ key }) => key);
    let isChanging = false;
    const read = new Map<string, Pack[]>();
    await forEachConcurrently(indexKeys, INDEXES_AT_ONCE, async (key) => {
      const packs = await files.readIndex(key);
      if (packs === 'gone') isChanging = true;
      else if (packs === 'damaged') damaged.push(key);
      else read.set(key, packs);
    });
    // after a kill while they were rewritten there are old ones too: the newest counts, and has the better copies
    const listed = new Map<string, Pack>();
    for (const key of indexKeys.toReversed())
      for (const pack of read.get(key) ?? []) {
        listed.delete(pack.id);
        listed.set(pack.id, pack);
      }
    for (const pack of listed.values()) index.add(pack);
    if (isChanging && !isAgain) return load(true); // a rewrite replaced them meanwhile
    if (isChanging || damaged.length > 0) isRewriteDue = true;
    // also of an index that is not there, or that a store does not list yet
    await adopt(await listPacks());
    return damaged;
  }

  async function listPacks(): Promise<Map<string, number>> {
    return new Map((await newestFirst(target.list('packs/'))).map(({ key, size }) => [nameIn(key), size]));
  }

  /**
   * Adds packs that no index lists: an earlier run was interrupted after it wrote them, or before it deleted them. Of
   * the latter everything that was good is elsewhere, so what is known already does not count.
   */
  async function adopt(found: ReadonlyMap<string, number>): Promise<void> {
    for (const [id, size] of found) {
      if (index.packs.has(id)) continue;
      const blobs = await files.readDirectory(id, size);
      if (!blobs) isIncomplete = true;
      const pack = { id, size, blobs: blobs?.filter(({ name }) => !index.find(name)) ?? [] };
      index.add(pack);
      unindexed.push(pack);
    }
  }

  async function writeIndex(packs: readonly Pack[]): Promise<void> {
    const key = `index/${randomBytes(16).toString('hex')}`;
    const listed = packs.map(({ id, size, blobs }) => ({ id, size, blobs: toDirectory(blobs) }));
    await target.put(key, await seal(cipher, { packs: listed }));
    indexKeys.push(key);
  }

  /** Replaces all indexes by new ones. */
  async function rewriteIndex(): Promise<void> {
    const old = indexKeys;
    [indexKeys, unindexed] = [[], []];
    let packs: Pack[] = [];
    let blobs = 0;
    for (const pack of index.packs.values()) {
      packs.push(pack);
      if ((blobs += pack.blobs.length) < BLOBS_PER_INDEX) continue;
      await writeIndex(packs);
      [packs, blobs] = [[], 0];
    }
    if (packs.length > 0) await writeIndex(packs);
    for (const key of old) await target.delete(key);
    isRewriteDue = false;
  }

  return {
    index,
    load: () => load(),
    /** Packs that no index lists. */
    unlisted: (): number => unindexed.length,
    rewriteIndex,

    /** Leaves out packs that are gone or have another size. `isIncomplete`: objects may be missing. */
    async compareWithPacks(): Promise<{ gone: string[]; isIncomplete: boolean }> {
      const found = await listPacks();
      await adopt(found);
      const gone = [...index.packs.values()].filter(({ id, size }) => found.get(id) !== size).map(({ id }) => id);
      index.removePacks(gone);
      isIncomplete ||= gone.length > 0;
      isRewriteDue ||= isIncomplete;
      return { gone, isIncomplete };
    },

    async add(pack: Pack): Promise<void> {
      index.add(pack);
      unindexed.push(pack);
      const blobs = unindexed.reduce((sum, one) => sum + one.blobs.length, 0);
      if (unindexed.length >= PACKS_PER_INDEX || blobs >= BLOBS_PER_INDEX) await writeIndex(unindexed.splice(0));
    },

    /** All packs are in an index when this returns. */
    async flush(): Promise<void> {
      if (isRewriteDue || indexKeys.length >= MOST_INDEXES) await rewriteIndex();
      else if (unindexed.length > 0) await writeIndex(unindexed.splice(0));
    },
  };
}

async function newestFirst(source: AsyncIterable<StoredObject>): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  for await (const object of source) found.push(object);
  return found.sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
}
