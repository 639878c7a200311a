// In-memory index of blobs and their packs.
import type { Blob, Pack } from './packs.ts';

export function createPackIndex() {
  const packs = new Map<string, Pack>();
  const blobs = new Map<string, Blob>();

  /** Adds a pack. A blob that is in several packs is looked up in the pack that was added last. */
  function add(pack: Pack): void {
    packs.set(pack.id, pack);
    for (const blob of pack.blobs) blobs.set(blob.name, blob);
  }

  function removeFromIndex(removedBlobs: ReadonlySet<Blob>): void {
    const names = new Set([...removedBlobs].filter((blob) => blobs.get(blob.name) === blob).map(({ name }) => name));
    for (const name of names) blobs.delete(name);
    if (names.size === 0) return;
    for (const pack of packs.values())
      for (const blob of pack.blobs) if (names.has(blob.name) && !removedBlobs.has(blob)) blobs.set(blob.name, blob);
  }

  return {
    add,
    packs: packs as ReadonlyMap<string, Pack>,
    find: (name: string): Blob | undefined => blobs.get(name),
    lists: (): Blob[] => [...blobs.values()].filter(({ isList }) => isList),

    clear(): void {
      packs.clear();
      blobs.clear();
    },

    removePacks(ids: Iterable<string>): void {
      const removedBlobs = new Set<Blob>();
      for (const id of ids) {
        for (const blob of packs.get(id)?.blobs ?? []) removedBlobs.add(blob);
        packs.delete(id);
      }
      removeFromIndex(removedBlobs);
    },

    /** Removes blobs from the index and from their packs; the packs stay. */
    removeBlobs(removedBlobs: ReadonlySet<Blob>): void {
      for (const id of new Set([...removedBlobs].map(({ pack }) => pack))) {
        const pack = packs.get(id);
        if (pack) pack.blobs = pack.blobs.filter((blob) => !removedBlobs.has(blob));
      }
      removeFromIndex(removedBlobs);
    },

    /** Undoes removeBlobs for blobs that no other pack contains. Returns these blobs. */
    restoreBlobs(removedBlobs: Iterable<Blob>): Blob[] {
      const restoredBlobs = [...removedBlobs].filter(({ name, pack }) => !blobs.has(name) && packs.has(pack));
      for (const blob of restoredBlobs) {
        packs.get(blob.pack)?.blobs.push(blob);
        blobs.set(blob.name, blob);
      }
      return restoredBlobs;
    },
  };
}
