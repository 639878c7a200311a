// The objects of a backup, by the hash of their content: storing and reading them, finding out what is missing of them,
// and rewriting the packs that they are in.
import { hash as hashOf } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCatalog } from './catalog.ts';
import type { ReadBlobs } from './blob-threads.ts';
import { DamagedObject, type Cipher } from './encryption.ts';
import { createLooseObjects } from './first-format.ts';
import { checkedPieces, checking } from './object-source.ts';
import { createPackFiles, packKey } from './pack-files.ts';
import { createPackWriter, type PackKind } from './pack-writer.ts';
import { isDamage, chunks, PIECE_BYTES, sumOf, type Blob } from './packs.ts';
import type { BackupTarget } from './target.ts';

const HASH_BYTES = 32;
const PACKS_PER_REWRITE = 64;
/** A database is a list of segments, which are lists of leaves. A file is one blob, or a list of blobs. */
const MAX_LIST_DEPTH = 2;
/** Read before requests get a turn. */
const PARTS_PER_TURN = 50;

/** What loading found to be wrong; it was left out. */
interface Faults {
  /** Keys of damaged files. */
  indexes: string[];
  /** Packs that are gone or have another size. */
  packs: string[];
}

export const describeFaults = ({ indexes, packs }: Faults): string[] => [
  ...indexes.map((key) => `${key} was damaged, and was made again`),
  ...packs.map((id) => `pack ${id} is missing or incomplete`),
];

/** `isFirstFormat`: the backup was begun when every object was a file. */
export function createObjects(target: BackupTarget, cipher: Cipher, isFirstFormat: boolean) {
  const files = createPackFiles(target, cipher);
  const catalog = createCatalog(target, cipher, files);
  const { index } = catalog;
  const packs = createPackWriter(target, cipher, catalog.add);
  const loose = createLooseObjects(target, cipher);
  const writing = new Map<string, Promise<number | undefined>>();
  let loading: Promise<Faults> | undefined;

  const has = (hash: string, size: number | null): boolean => {
    const name = cipher.nameOf(hash);
    const found = index.find(name);
    if (found) return size === null || found.size === size;
    return packs.has(name) || loose.has(name, size);
  };

  /** Finds out what is there, once. */
  const load = (): Promise<Faults> => (loading ??= reload());

  async function reload(): Promise<Faults> {
    const indexes = await catalog.load();
    if (isFirstFormat) await loose.load();
    return { indexes, packs: [] };
  }

  /** Loads anew what is there, and compares it with the packs themselves. Needed before anything is written. */
  async function prepare(): Promise<Faults> {
    loading = undefined;
    const { indexes } = await load();
    const { gone, isIncomplete } = await catalog.compareWithPacks();
    if (isIncomplete) await dropIncomplete();
    return { indexes, packs: gone };
  }

  /**
   * Stores an object and returns its plain size. Throws SourceProblem when the source cannot be read or does not match
   * the hash. Concurrent calls for the same hash write it once.
   */
  async function put(hash: string, source: AsyncIterable<Buffer>, kind: PackKind = 'data'): Promise<number> {
    return (await once(hash, () => write(hash, source, kind))) ?? put(hash, source, kind);
  }

  /** The same of what threads read. Undefined when they cannot read it, or it does not match the hash. */
  const putRead = (hash: string, read: ReadBlobs): Promise<number | undefined> =>
    once(hash, () => writeRead(hash, read));

  function once(hash: string, work: () => Promise<number | undefined>): Promise<number | undefined> {
    const done = writing.get(hash) ?? work().finally(() => writing.delete(hash));
    writing.set(hash, done);
    return done;
  }

  async function write(hash: string, source: AsyncIterable<Buffer>, kind: PackKind): Promise<number> {
    const pieces: string[] = [];
    let size = 0;
    for await (const { piece, n, isLast } of checkedPieces(source, hash)) {
      size += piece.length;
      if (n === 0 && isLast) await putBlob(hash, piece, kind);
      else pieces.push(await putBytes(piece, kind));
    }
    if (pieces.length > 0) await putList(hash, size, pieces);
    return size;
  }

  async function writeRead(hash: string, read: ReadBlobs): Promise<number | undefined> {
    const pieces: string[] = [];
    const size = await read(async (blob) => {
      pieces.push(blob.hash);
      if (has(blob.hash, blob.size)) return;
      const name = cipher.nameOf(blob.hash);
      await packs.addMade('data', { name, size: blob.size, isList: false }, blob.stored, blob.sum);
    });
    if (size !== undefined && pieces[0] !== hash) await putList(hash, size, pieces);
    return size;
  }

  /** Stores up to 4 MB unless they are there, and returns their hash. */
  async function putBytes(bytes: Buffer, kind: PackKind = 'data'): Promise<string> {
    const hash = hashOf('sha256', bytes);
    if (has(hash, bytes.length)) return hash;
    if (bytes.length > PIECE_BYTES) await put(hash, chunks(bytes), kind);
    else await putBlob(hash, bytes, kind);
    return hash;
  }

  const putBlob = (hash: string, plain: Buffer, kind: PackKind): Promise<void> =>
    packs.add(kind, { name: cipher.nameOf(hash), size: plain.length, isList: false }, plain);

  /** Stores an object as the list of the objects that it consists of. */
  const putList = (hash: string, size: number, hashes: readonly string[]): Promise<void> =>
    packs.add('meta', { name: cipher.nameOf(hash), size, isList: true }, Buffer.from(hashes.join(''), 'hex'));

  /** Everything that was put is in the backup, and in an index, when this returns. */
  async function flush(): Promise<void> {
    await packs.finish();
    await catalog.flush();
  }

  /**
   * Names of the objects that a list consists of, which together have its size. Throws DamagedObject, also for a list
   * at a depth at which none is written: one may name itself.
   */
  async function* partsOf(list: Blob, depth: number): AsyncGenerator<string> {
    if (depth >= MAX_LIST_DEPTH) throw new DamagedObject('its lists are nested too deeply');
    let bytesLeft = list.size;
    let isKnown = true;
    for (const [n, hash] of [...hashesIn(await files.readBlob(list))].entries()) {
      const name = cipher.nameOf(hash);
      const part = index.find(name);
      if (part?.size === 0 || (part?.size ?? 0) > bytesLeft) throw new DamagedObject('its parts have another size');
      bytesLeft -= part?.size ?? 0;
      isKnown &&= part !== undefined;
      yield name;
      if (n % PARTS_PER_TURN === 0) await nextTurn();
    }
    if (isKnown && bytesLeft > 0) throw new DamagedObject('its parts have another size');
  }

  async function* piecesOf(name: string, depth = 0): AsyncGenerator<Buffer> {
    const blob = index.find(name);
    if (blob?.isList) for await (const part of partsOf(blob, depth)) yield* piecesOf(part, depth + 1);
    else if (!blob && loose.sizes.has(name)) yield* loose.read(name);
    else yield await files.readBlob(blob);
  }

  /** The bytes of an object. Throws `not_found`, and DamagedObject at the latest when they do not match the hash. */
  async function* read(hash: string): AsyncGenerator<Buffer> {
    await load();
    yield* checking(piecesOf(cipher.nameOf(hash)), hash);
  }

  /**
   * Whether an object is there with all that it consists of; `seen` collects their names, and whether they are. A
   * damaged list hides what it consists of: `isStrict` throws then.
   */
  const reach = (hash: string, seen: Map<string, boolean>, isStrict = false): Promise<boolean> =>
    reachName(cipher.nameOf(hash), seen, isStrict);

  async function reachName(name: string, seen: Map<string, boolean>, isStrict = false, depth = 0): Promise<boolean> {
    const known = seen.get(name);
    if (known !== undefined) return known;
    const blob = index.find(name);
    let isThere = blob !== undefined || loose.sizes.has(name);
    if (blob?.isList) {
      seen.set(name, false); // for a list that names itself
      try {
        for await (const part of partsOf(blob, depth))
          if (!(await reachName(part, seen, isStrict, depth + 1))) isThere = false;
      } catch (error) {
        if (isStrict || !isDamage(error)) throw error;
        isThere = false;
      }
    }
    seen.set(name, isThere);
    return isThere;
  }

  /** Forgets lists of which something is missing, so that they are stored again. Returns them. */
  async function dropIncomplete(): Promise<Blob[]> {
    const seen = new Map<string, boolean>();
    const broken: Blob[] = [];
    for (const blob of index.lists()) if (!(await reachName(blob.name, seen))) broken.push(blob);
    index.removeBlobs(new Set(broken));
    return broken;
  }

  /**
   * Writes what is kept of some packs into new ones, and deletes them: new packs first, then the index, then the old
   * ones go. A pack with damage in what is kept stays as it is. Returns the number of packs deleted.
   */
  async function rewrite(
    ids: readonly string[],
    { isKept, assertHeld }: { isKept: (blob: Blob) => boolean; assertHeld: () => Promise<void> },
  ): Promise<number> {
    let deleted = 0;
    for (let at = 0; at < ids.length; at += PACKS_PER_REWRITE) {
      const done: string[] = [];
      for (const id of ids.slice(at, at + PACKS_PER_REWRITE)) if (await copyKept(id, isKept)) done.push(id);
      await packs.finish();
      index.removePacks(done);
      await assertHeld();
      await catalog.rewriteIndex();
      for (const id of done) if (await target.delete(packKey(id))) deleted++;
    }
    return deleted;
  }

  async function copyKept(id: string, isKept: (blob: Blob) => boolean): Promise<boolean> {
    const pack = index.packs.get(id);
    const kept = pack?.blobs.filter((blob) => index.find(blob.name) === blob && isKept(blob)) ?? [];
    if (kept.length === 0) return true;
    const bytes = await files.readPack(id);
    const parts = kept.map((blob) => ({ blob, stored: bytes.subarray(blob.offset, blob.offset + blob.length) }));
    if (parts.some(({ blob, stored }) => sumOf(stored) !== blob.sum)) return false;
    const kind = kept.some(({ isList }) => isList) ? 'meta' : 'data';
    for (const { blob, stored } of parts) await packs.addStored(kind, blob, stored);
    return true;
  }

  return {
    has,
    find: (hash: string): Blob | undefined => index.find(cipher.nameOf(hash)),
    load,
    unlisted: catalog.unlisted,
    prepare,
    key: cipher.key,
    put,
    putRead,
    putBytes,
    putList,
    flush,
    read,
    reach,
    dropIncomplete,
    rewrite,
    verifyPack: files.verifyPack,
    index,
    loose,
  };
}

function* hashesIn(list: Buffer): Generator<string> {
  for (let at = 0; at < list.length; at += HASH_BYTES) yield list.subarray(at, at + HASH_BYTES).toString('hex');
}
