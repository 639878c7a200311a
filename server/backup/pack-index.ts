// Which blob is in which pack, in memory.
import type { Blob, Pack } from './packs.ts';

export function createPackIndex() {
  const packs = new Map<string, Pack>();
  const blobs = new Map<string, Blob>();

  /** A blob that is in several packs is looked up in the last one added. */
  function add(pack: Pack): void {
    packs.set(pack.id, pack);
    for (const blob of pack.blobs) blobs.set(blob.name, blob);
  }

  function forget(gone: ReadonlySet<Blob>): void {
    const names = new Set([...gone].filter((blob) => blobs.get(blob.name) === blob).map(({ name }) => name));
    for (const name of names) blobs.delete(name);
    if (names.size === 0) return;
    for (const pack of packs.values())
      for (const blob of pack.blobs) if (names.has(blob.name) && !gone.has(blob)) blobs.set(blob.name, blob);
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
      const gone = new Set<Blob>();
      for (const id of ids) {
        for (const blob of packs.get(id)?.blobs ?? []) gone.add(blob);
        packs.delete(id);
      }
      forget(gone);
    },

    /** Their packs stay, without them. */
    removeBlobs(gone: ReadonlySet<Blob>): void {
      for (const id of new Set([...gone].map(({ pack }) => pack))) {
        const pack = packs.get(id);
        if (pack) pack.blobs = pack.blobs.filter((blob) => !gone.has(blob));
      }
      forget(gone);
    },

    /** Undoes removeBlobs for those that are nowhere else. */
    returnBlobs(gone: Iterable<Blob>): Blob[] {
      const back = [...gone].filter(({ name, pack }) => !blobs.has(name) && packs.has(pack));
      for (const blob of back) {
        packs.get(blob.pack)?.blobs.push(blob);
        blobs.set(blob.name, blob);
      }
      return back;
    },
  };
}
