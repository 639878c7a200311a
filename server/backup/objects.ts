// The objects of a backup, by the hash of their content: what is there, writing them into packs, reading them, and
// rewriting packs. Whatever is interrupted, nothing that an index lists is gone: new packs and their index are written
// before old ones are deleted, and packs that no index lists are found by their directory.
import { createHash, hash as hashOf, randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import { createSlots, eachAtOnce } from '../runtime/at-once.ts';
import { DamagedObject, type Cipher } from './encryption.ts';
import { createPackIndex } from './pack-index.ts';
import {
  closePack,
  Directory,
  fromDirectory,
  fromStored,
  gathered,
  oneChunk,
  openDirectory,
  PACK_BYTES,
  PIECE_BYTES,
  seal,
  sumOf,
  TAIL_BYTES,
  tailLength,
  toDirectory,
  toStored,
  unseal,
  type Blob,
  type Pack,
} from './packs.ts';
import type { StoredObject } from '../storage/storage.ts';
import type { BackupTarget } from './target.ts';

const HASH_BYTES = 32;
const UPLOADS_AT_ONCE = 2;
const INDEXES_AT_ONCE = 4;
/** An index is written after so many packs, so that an interrupted backup has few packs to look into. */
const PACKS_PER_INDEX = 64;
/** More are written anew as one. */
const MOST_INDEXES = 16;
const BLOBS_PER_INDEX = 50_000;
/** Whole packs that are kept in memory while a snapshot is read. */
const CACHE_BYTES = 48 << 20;
const PACKS_PER_REWRITE = 64;

const IndexFile = z.object({ packs: z.array(z.object({ id: z.string(), size: z.int(), blobs: Directory })) });

/** The source could not be read, as opposed to the backup not being writable. */
export class SourceProblem extends Error {
  override name = 'SourceProblem';
}

/** What is read together is written together: lists are read to find out what a snapshot needs, the rest is not. */
type PackKind = 'data' | 'meta';
interface OpenPack {
  id: string;
  stored: Buffer[];
  blobs: Blob[];
  size: number;
}

/** What loading found to be wrong; it was left out. */
export interface Faults {
  /** Keys of damaged files. */
  indexes: string[];
  /** Packs that are gone or have another size. */
  packs: string[];
}

export type Objects = ReturnType<typeof createObjects>;

/** `isFirstFormat`: the backup was begun when every object was a file. */
export function createObjects(target: BackupTarget, cipher: Cipher, isFirstFormat: boolean) {
  const index = createPackIndex();
  /** Objects of the first format, a file each; sizes by name. */
  const loose = new Map<string, number>();
  const writing = new Map<string, Promise<number>>();
  /** Blobs that are on their way into a pack. */
  const underWay = new Set<string>();
  const open: Partial<Record<PackKind, OpenPack>> = {};
  const uploads = new Set<Promise<void>>();
  const slots = createSlots(UPLOADS_AT_ONCE);
  let indexKeys: string[] = [];
  let unindexed: Pack[] = [];
  let loading: Promise<Faults> | undefined;
  let isIndexRewriteDue = false;
  /** The directory of a pack could not be read. */
  let isIncomplete = false;
  let failure: { error: unknown } | undefined;
  const cache = createPackCache((id) => readWhole(packKey(id)));

  const has = (hash: string, size: number | null): boolean => {
    const name = cipher.nameOf(hash);
    const found = index.find(name);
    if (found) return size === null || found.size === size;
    return underWay.has(name) || hasLoose(name, size);
  };
  const hasLoose = (name: string, size: number | null): boolean => {
    const found = loose.get(name);
    return found !== undefined && (size === null || found === cipher.sizeOf(size));
  };

  /** Reads the indexes, once. Packs that a damaged one listed are found by their directory. */
  const load = (): Promise<Faults> => (loading ??= reload());

  async function reload(isAgain = false): Promise<Faults> {
    index.clear();
    loose.clear();
    const faults: Faults = { indexes: [], packs: [] };
    const found = await newestFirst(target.list('index/'));
    indexKeys = found.map(({ key }) => key);
    let isChanging = false;
    const read = new Map<string, Pack[]>();
    await eachAtOnce(fromArray(indexKeys), INDEXES_AT_ONCE, async (key) => {
      const packs = await readIndex(key);
      if (packs === 'gone') isChanging = true;
      else if (packs === 'damaged') faults.indexes.push(key);
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
    if (isChanging && !isAgain) return reload(true); // a rewrite replaced them meanwhile
    if (isFirstFormat) for await (const { key, size } of target.list('objects/')) loose.set(nameIn(key), size);
    if (isChanging || faults.indexes.length > 0) {
      isIndexRewriteDue = true;
      await adopt(await listPacks());
    }
    return faults;
  }

  async function readIndex(key: string): Promise<Pack[] | 'gone' | 'damaged'> {
    try {
      const { packs } = IndexFile.parse(await unseal(cipher, await readWhole(key)));
      return packs.map(({ id, size, blobs }) => ({ id, size, blobs: fromDirectory(id, blobs) }));
    } catch (error) {
      if (isAbsent(error)) return 'gone';
      if (isDamage(error)) return 'damaged';
      throw error;
    }
  }

  async function listPacks(): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const { key, size } of await newestFirst(target.list('packs/'))) found.set(nameIn(key), size);
    return found;
  }

  /**
   * Adds packs that no index lists: an earlier run was interrupted after it wrote them, or before it deleted them. Of
   * the latter everything that was good is elsewhere, so what is known already does not count.
   */
  async function adopt(found: ReadonlyMap<string, number>): Promise<void> {
    for (const [id, size] of found) {
      if (index.packs.has(id)) continue;
      const blobs = await readDirectory(id, size);
      if (!blobs) isIncomplete = true;
      const pack = { id, size, blobs: blobs?.filter(({ name }) => !index.find(name)) ?? [] };
      index.add(pack);
      unindexed.push(pack);
    }
  }

  /** Undefined when it is damaged. */
  async function readDirectory(id: string, size: number): Promise<Blob[] | undefined> {
    try {
      let tail = await readRange(packKey(id), Math.max(0, size - TAIL_BYTES), size);
      const length = tailLength(tail, size);
      if (length === undefined) return undefined;
      if (length > tail.length) tail = await readRange(packKey(id), size - length, size);
      return await openDirectory(cipher, id, tail.subarray(-length));
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  }

  /** Loads anew what is there, and compares it with the packs themselves. Needed before anything is written. */
  async function prepare(): Promise<Faults> {
    loading = undefined;
    unindexed = [];
    const faults = await load();
    const found = await listPacks();
    await adopt(found);
    for (const [id, { size }] of index.packs) if (found.get(id) !== size) faults.packs.push(id);
    if (faults.packs.length > 0 || isIncomplete) {
      index.removePacks(faults.packs);
      isIndexRewriteDue = true;
      await dropIncomplete();
    }
    return faults;
  }

  async function readWhole(key: string): Promise<Buffer> {
    const { stream } = await target.open(key);
    return gathered(stream as AsyncIterable<Buffer>);
  }

  async function readRange(key: string, start: number, end: number): Promise<Buffer> {
    if (start >= end) return Buffer.alloc(0);
    const { stream } = await target.open(key, { start, end: end - 1 });
    return gathered(stream as AsyncIterable<Buffer>);
  }

  /**
   * Stores an object and returns its plain size. Throws SourceProblem when the source cannot be read or does not match
   * the hash. Concurrent calls for the same hash write it once.
   */
  function put(hash: string, source: AsyncIterable<Buffer>, kind: PackKind = 'data'): Promise<number> {
    const done = writing.get(hash) ?? write(hash, source, kind).finally(() => writing.delete(hash));
    writing.set(hash, done);
    return done;
  }

  async function write(hash: string, source: AsyncIterable<Buffer>, kind: PackKind): Promise<number> {
    const pieces: string[] = [];
    let size = 0;
    for await (const { piece, isOnly } of reading(inPieces(source, hash))) {
      size += piece.length;
      if (isOnly) await putBlob(hash, piece, kind);
      else pieces.push(await putBytes(piece, kind));
    }
    if (pieces.length > 0) await putList(hash, size, pieces);
    return size;
  }

  /** Stores up to 4 MB unless they are there, and returns their hash. */
  async function putBytes(bytes: Buffer, kind: PackKind = 'data'): Promise<string> {
    const hash = hashOf('sha256', bytes);
    if (has(hash, bytes.length)) return hash;
    if (bytes.length > PIECE_BYTES) await put(hash, oneChunk(bytes), kind);
    else await putBlob(hash, bytes, kind);
    return hash;
  }

  async function putBlob(hash: string, plain: Buffer, kind: PackKind): Promise<void> {
    const name = cipher.nameOf(hash);
    if (underWay.has(name)) return;
    underWay.add(name);
    const stored = await toStored(cipher, plain);
    await addToPack(kind, { name, size: plain.length, isList: false }, stored);
  }

  /** Stores an object as the list of the objects that it consists of. */
  async function putList(hash: string, size: number, hashes: readonly string[]): Promise<void> {
    const name = cipher.nameOf(hash);
    if (underWay.has(name)) return;
    underWay.add(name);
    const stored = await toStored(cipher, Buffer.from(hashes.join(''), 'hex'));
    await addToPack('meta', { name, size, isList: true }, stored);
  }

  async function addToPack(
    kind: PackKind,
    { name, size, isList }: Pick<Blob, 'name' | 'size' | 'isList'>,
    stored: Buffer,
  ): Promise<void> {
    const pack = (open[kind] ??= { id: randomBytes(16).toString('hex'), stored: [], blobs: [], size: 0 });
    pack.blobs.push({
      name,
      pack: pack.id,
      offset: pack.size,
      length: stored.length,
      size,
      sum: sumOf(stored),
      isList,
    });
    pack.stored.push(stored);
    pack.size += stored.length;
    if (pack.size >= PACK_BYTES) await upload(kind);
    if (failure) throw failure.error;
  }

  /** Waits while as many are under way as may be. */
  async function upload(kind: PackKind): Promise<void> {
    const pack = open[kind];
    if (!pack) return;
    delete open[kind];
    const done = slots(() => send(pack))
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => uploads.delete(done));
    uploads.add(done);
    while (uploads.size >= UPLOADS_AT_ONCE) await Promise.race(uploads);
  }

  async function send({ id, stored, blobs }: OpenPack): Promise<void> {
    const bytes = await closePack(cipher, stored, blobs);
    stored.length = 0;
    await target.put(packKey(id), bytes);
    const pack = { id, size: bytes.length, blobs };
    index.add(pack);
    for (const { name } of blobs) underWay.delete(name);
    unindexed.push(pack);
    if (unindexed.length >= PACKS_PER_INDEX) await writeIndex(unindexed.splice(0));
  }

  /** Everything that was put is in the backup, and in an index, when this returns. */
  async function flush(): Promise<void> {
    await upload('data');
    await upload('meta');
    await Promise.all(uploads);
    if (failure) throw failure.error;
    if (isIndexRewriteDue || indexKeys.length >= MOST_INDEXES) await rewriteIndex();
    else if (unindexed.length > 0) await writeIndex(unindexed.splice(0));
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
    isIndexRewriteDue = false;
  }

  /** Throws `not_found` and DamagedObject. */
  async function readBlob(name: string): Promise<{ plain: Buffer; isList: boolean }> {
    const blob = index.find(name);
    if (!blob) throw notFound('object of the backup');
    const pack = await cache.get(blob.pack);
    const stored = pack.subarray(blob.offset, blob.offset + blob.length);
    return { plain: await fromStored(cipher, blob, stored), isList: blob.isList };
  }

  async function* piecesOf(name: string): AsyncGenerator<Buffer> {
    const { plain, isList } = await readBlob(name);
    if (isList) for (const hash of hashesIn(plain)) yield* piecesOf(cipher.nameOf(hash));
    else yield plain;
  }

  /** The bytes of an object. Throws `not_found`, and DamagedObject at the latest when they do not match the hash. */
  async function* read(hash: string): AsyncGenerator<Buffer> {
    await load();
    const name = cipher.nameOf(hash);
    if (!index.find(name) && loose.has(name)) yield* checking(readLoose(name), hash);
    else yield* checking(piecesOf(name), hash);
  }

  async function* readLoose(name: string): AsyncGenerator<Buffer> {
    const { stream } = await target.open(looseKey(name));
    try {
      yield* cipher.decrypt(stream as AsyncIterable<Buffer>);
    } finally {
      stream.destroy();
    }
  }

  /**
   * Whether an object is there with all that it consists of; `seen` collects their names, and whether they are. A
   * damaged list hides what it consists of: `isStrict` throws then.
   */
  async function reach(hash: string, seen: Map<string, boolean>, isStrict = false): Promise<boolean> {
    const name = cipher.nameOf(hash);
    return seen.get(name) ?? reachName(name, seen, isStrict);
  }

  async function reachName(name: string, seen: Map<string, boolean>, isStrict = false): Promise<boolean> {
    const blob = index.find(name);
    let isThere = blob !== undefined || loose.has(name);
    if (blob?.isList) {
      try {
        for (const hash of hashesIn((await readBlob(name)).plain))
          if (!(await reach(hash, seen, isStrict))) isThere = false;
      } catch (error) {
        if (isStrict || !isDamage(error)) throw error;
        isThere = false;
      }
      await nextTurn();
    }
    seen.set(name, isThere);
    return isThere;
  }

  /** Forgets lists of which something is missing, so that they are stored again. Returns them. */
  async function dropIncomplete(): Promise<Blob[]> {
    const seen = new Map<string, boolean>();
    const broken: Blob[] = [];
    for (const blob of index.lists())
      if (!(seen.get(blob.name) ?? (await reachName(blob.name, seen)))) broken.push(blob);
    index.removeBlobs(new Set(broken));
    return broken;
  }

  /**
   * Writes what is kept of some packs into new ones, and deletes them. One with damage in what is kept stays as it is.
   * Returns the number of packs deleted.
   */
  async function rewrite(
    ids: readonly string[],
    { isKept, assertHeld }: { isKept: (blob: Blob) => boolean; assertHeld: () => Promise<void> },
  ): Promise<number> {
    let deleted = 0;
    for (let at = 0; at < ids.length; at += PACKS_PER_REWRITE) {
      const done: string[] = [];
      for (const id of ids.slice(at, at + PACKS_PER_REWRITE)) if (await copyKept(id, isKept)) done.push(id);
      await upload('data');
      await upload('meta');
      await Promise.all(uploads);
      if (failure) throw failure.error;
      index.removePacks(done);
      await assertHeld();
      await rewriteIndex();
      for (const id of done) if (await target.delete(packKey(id))) deleted++;
    }
    return deleted;
  }

  async function copyKept(id: string, isKept: (blob: Blob) => boolean): Promise<boolean> {
    const pack = index.packs.get(id);
    const kept = pack?.blobs.filter((blob) => index.find(blob.name) === blob && isKept(blob)) ?? [];
    if (kept.length === 0) return true;
    const bytes = await readWhole(packKey(id));
    const parts = kept.map((blob) => ({ blob, stored: bytes.subarray(blob.offset, blob.offset + blob.length) }));
    if (parts.some(({ blob, stored }) => sumOf(stored) !== blob.sum)) return false;
    const isMeta = kept.some(({ isList }) => isList);
    for (const { blob, stored } of parts) await addToPack(isMeta ? 'meta' : 'data', blob, stored);
    return true;
  }

  /** Reads all of a pack. Returns what is damaged in it, and whether its directory is. */
  async function verifyPack({ id, size, blobs }: Pack): Promise<{ damaged: Blob[]; isDirectoryDamaged: boolean }> {
    const bytes = await readWhole(packKey(id)).catch((error: unknown) => {
      if (isDamage(error)) return Buffer.alloc(0);
      throw error;
    });
    const damaged = blobs.filter((blob) => sumOf(bytes.subarray(blob.offset, blob.offset + blob.length)) !== blob.sum);
    const length = tailLength(bytes, bytes.length);
    const directory =
      length !== undefined && bytes.length === size
        ? await openDirectory(cipher, id, bytes.subarray(-length)).catch(() => undefined)
        : undefined;
    return { damaged, isDirectoryDamaged: directory === undefined };
  }

  /** Whether an object of the first format is as it was written. */
  async function verifyLoose(name: string): Promise<boolean> {
    const sum = createHash('sha256');
    try {
      for await (const chunk of readLoose(name)) sum.update(chunk);
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
    const hash = sum.digest('hex');
    return [hash, hash.slice(0, 32)].some((one) => cipher.nameOf(one) === name); // covers have the first half
  }

  return {
    has,
    find: (hash: string): Blob | undefined => index.find(cipher.nameOf(hash)),
    load,
    prepare,
    put,
    putBytes,
    putList,
    flush,
    read,
    reach,
    dropIncomplete,
    rewrite,
    rewriteIndex,
    verifyPack,
    verifyLoose,
    index,
    loose: loose as ReadonlyMap<string, number>,
    forgetLoose: (name: string): boolean => loose.delete(name),
    deleteLoose: (name: string): Promise<boolean> => target.delete(looseKey(name)),
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

const packKey = (id: string): string => `packs/${id.slice(0, 2)}/${id}`;
const looseKey = (name: string): string => `objects/${name.slice(0, 2)}/${name}`;
const nameIn = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

const isAbsent = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found';
export const isDamage = (error: unknown): boolean =>
  error instanceof DamagedObject || error instanceof z.ZodError || isAbsent(error);

async function newestFirst(source: AsyncIterable<StoredObject>): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  for await (const object of source) found.push(object);
  return found.sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime());
}

function* hashesIn(list: Buffer): Generator<string> {
  for (let at = 0; at < list.length; at += HASH_BYTES) yield list.subarray(at, at + HASH_BYTES).toString('hex');
}

async function* fromArray<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Yields the same bytes, and throws DamagedObject after the last when their SHA-256 does not start with `hash`. */
export async function* checking(source: AsyncIterable<Buffer>, hash: string): AsyncGenerator<Buffer> {
  const sum = createHash('sha256');
  for await (const chunk of source) {
    sum.update(chunk);
    yield chunk;
  }
  if (!sum.digest('hex').startsWith(hash)) throw new DamagedObject('its bytes do not match its hash');
}

/** Pieces of 4 MB; the last comes when the hash of the whole is known to be right. */
async function* inPieces(
  source: AsyncIterable<Buffer>,
  hash: string,
): AsyncGenerator<{ piece: Buffer; isOnly: boolean }> {
  let held: Buffer[] = [];
  let length = 0;
  let isFirst = true;
  for await (const chunk of checking(source, hash)) {
    held.push(chunk);
    length += chunk.length;
    if (length <= PIECE_BYTES) continue; // a full piece may be the last one
    const all = Buffer.concat(held);
    let at = 0;
    for (; all.length - at > PIECE_BYTES; at += PIECE_BYTES) {
      yield { piece: all.subarray(at, at + PIECE_BYTES), isOnly: false };
      isFirst = false;
    }
    held = [all.subarray(at)];
    length = all.length - at;
  }
  yield { piece: Buffer.concat(held), isOnly: isFirst };
}

/** Errors of the source as SourceProblem. */
async function* reading<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (cause) {
    throw new SourceProblem(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
