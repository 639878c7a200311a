// The objects of a backup, by the hash of their content: storing and reading them, finding missing parts, and rewriting
// the packs that contain them.
import { hash as hashOf } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCatalog } from './pack-catalog.ts';
import type { ReadBlobs } from './blob-threads.ts';
import { DamagedObject, type Cipher } from './encryption.ts';
import { createLooseObjects } from './loose-objects.ts';
import { readVerifiedPieces, verifyHash } from './object-source.ts';
import { createPackFiles, packKey } from './pack-files.ts';
import { createPackWriter, type PackKind } from './pack-writer.ts';
import { isDamage, toChunks, PIECE_BYTES, sumOf, type Blob } from './packs.ts';
import type { BackupTarget } from './target.ts';
import { bindContext } from '../runtime/bind-context.ts';

const HASH_BYTES = 32;
const PACKS_PER_REWRITE = 64;
/**
 * A database is a list of segments, which are lists of leaves. A file is one blob, or a list of blobs. So lists are
 * nested at most twice.
 */
const MAX_LIST_DEPTH = 2;
/** Number of parts that are read before other requests get a turn. */
const PARTS_PER_TURN = 50;

/** Errors that were found while loading a backup; the affected files are left out. */
interface Faults {
  /** Keys of damaged indexes. */
  indexes: string[];
  /** Ids of packs that are missing or have another size than their index says. */
  packs: string[];
}

export const describeFaults = ({ indexes, packs }: Faults): string[] => [
  ...indexes.map((key) => `${key} was damaged, and was rewritten`),
  ...packs.map((id) => `pack ${id} is missing or incomplete`),
];

/** `isFirstFormat` says that the backup was begun when every object was a file. */
export function createObjects(target: BackupTarget, cipher: Cipher, isFirstFormat: boolean) {
  const context = createContext(target, cipher, isFirstFormat);

  return {
    ...bindContext(context, {
      findBlob,
      has,
      load,
      prepare,
      put,
      putBlobs,
      putBytes,
      putList,
      flush,
      read,
      isComplete,
      forgetIncompleteLists,
      rewrite,
    }),
    countUnlistedPacks: context.catalog.countUnlisted,
    key: context.cipher.key,
    verifyPack: context.files.verifyPack,
    index: context.index,
    looseObjects: context.looseObjects,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext(target: BackupTarget, cipher: Cipher, isFirstFormat: boolean) {
  const files = createPackFiles(target, cipher);
  const catalog = createCatalog(target, cipher, files);
  const { index } = catalog;
  const packWriter = createPackWriter(target, cipher, catalog.add);
  const looseObjects = createLooseObjects(target, cipher);
  const writes = new Map<string, Promise<number | undefined>>();
  return {
    target,
    cipher,
    isFirstFormat,
    files,
    catalog,
    index,
    packWriter,
    looseObjects,
    writes,
    faultsPromise: undefined as Promise<Faults> | undefined,
  };
}

function has({ cipher, index, packWriter, looseObjects }: Context, hash: string, size: number | null): boolean {
  const name = cipher.nameOf(hash);
  const blob = index.find(name);
  if (blob) return size === null || blob.size === size;
  return packWriter.has(name) || looseObjects.has(name, size);
}

/** Reads what the backup contains, once. */
const load = (context: Context): Promise<Faults> => (context.faultsPromise ??= reload(context));

async function reload(context: Context): Promise<Faults> {
  const indexes = await context.catalog.load();
  if (context.isFirstFormat) await context.looseObjects.load();
  return { indexes, packs: [] };
}

/**
 * Reads again what the backup contains, and compares the indexes with the existing packs. Needed before any write.
 */
async function prepare(context: Context): Promise<Faults> {
  context.faultsPromise = undefined;
  const { indexes } = await load(context);
  const { missingPacks, isIncomplete } = await context.catalog.compareWithPacks();
  if (isIncomplete) await forgetIncompleteLists(context);
  return { indexes, packs: missingPacks };
}

/**
 * Stores an object and returns its plain size. Throws SourceError when the source cannot be read or does not match
 * the hash. Concurrent calls for the same hash write it once.
 */
async function put(
  context: Context,
  hash: string,
  source: AsyncIterable<Buffer>,
  kind: PackKind = 'data',
): Promise<number> {
  return (
    (await writeOnce(context, hash, () => writeObject(context, hash, source, kind))) ?? put(context, hash, source, kind)
  );
}

/**
 * Stores an object whose blobs are read by threads. Returns undefined when the threads cannot read the file, or it
 * does not match the hash.
 */
const putBlobs = (context: Context, hash: string, readBlobs: ReadBlobs): Promise<number | undefined> =>
  writeOnce(context, hash, () => writeBlobs(context, hash, readBlobs));

function writeOnce(
  context: Context,
  hash: string,
  work: () => Promise<number | undefined>,
): Promise<number | undefined> {
  const write = context.writes.get(hash) ?? work().finally(() => context.writes.delete(hash));
  context.writes.set(hash, write);
  return write;
}

async function writeObject(
  context: Context,
  hash: string,
  source: AsyncIterable<Buffer>,
  kind: PackKind,
): Promise<number> {
  const pieces: string[] = [];
  let size = 0;
  for await (const { piece, index: pieceIndex, isLast } of readVerifiedPieces(source, hash)) {
    size += piece.length;
    if (pieceIndex === 0 && isLast) await putBlob(context, hash, piece, kind);
    else pieces.push(await putBytes(context, piece, kind));
  }
  if (pieces.length > 0) await putList(context, hash, size, pieces);
  return size;
}

async function writeBlobs(context: Context, hash: string, readBlobs: ReadBlobs): Promise<number | undefined> {
  const pieces: string[] = [];
  const size = await readBlobs(async (blob) => {
    pieces.push(blob.hash);
    if (has(context, blob.hash, blob.size)) return;
    const name = context.cipher.nameOf(blob.hash);
    await context.packWriter.addEncoded('data', { name, size: blob.size, isList: false }, blob.storedBytes, blob.sum);
  });
  if (size !== undefined && pieces[0] !== hash) await putList(context, hash, size, pieces);
  return size;
}

/** Stores bytes unless the backup has them, and returns their hash. */
async function putBytes(context: Context, bytes: Buffer, kind: PackKind = 'data'): Promise<string> {
  const hash = hashOf('sha256', bytes);
  if (has(context, hash, bytes.length)) return hash;
  if (bytes.length > PIECE_BYTES) await put(context, hash, toChunks(bytes), kind);
  else await putBlob(context, hash, bytes, kind);
  return hash;
}

const putBlob = ({ packWriter, cipher }: Context, hash: string, plainBytes: Buffer, kind: PackKind): Promise<void> =>
  packWriter.add(kind, { name: cipher.nameOf(hash), size: plainBytes.length, isList: false }, plainBytes);

/** Stores an object as the list of its parts. */
const putList = (
  { packWriter, cipher }: Context,
  hash: string,
  size: number,
  hashes: readonly string[],
): Promise<void> =>
  packWriter.add('meta', { name: cipher.nameOf(hash), size, isList: true }, Buffer.from(hashes.join(''), 'hex'));

/** Writes everything that was put. When this returns, all these objects are in the backup and in an index. */
async function flush(context: Context): Promise<void> {
  await context.packWriter.finish();
  await context.catalog.flush();
}

/**
 * Yields the names of the parts of a list. Throws DamagedObject if their sizes do not add up to that of the list, and
 * if lists are nested too deeply: a damaged list may name itself.
 */
async function* listParts(context: Context, list: Blob, depth: number): AsyncGenerator<string> {
  if (depth >= MAX_LIST_DEPTH) throw new DamagedObject('its lists are nested too deeply');
  let bytesLeft = list.size;
  let areAllKnown = true;
  for (const [partIndex, hash] of [...hashesIn(await context.files.readBlob(list))].entries()) {
    const name = context.cipher.nameOf(hash);
    const part = context.index.find(name);
    if (part?.size === 0 || (part?.size ?? 0) > bytesLeft) throw new DamagedObject('its parts have another size');
    bytesLeft -= part?.size ?? 0;
    areAllKnown &&= part !== undefined;
    yield name;
    if (partIndex % PARTS_PER_TURN === 0) await nextTurn();
  }
  if (areAllKnown && bytesLeft > 0) throw new DamagedObject('its parts have another size');
}

async function* readPieces(context: Context, name: string, depth = 0): AsyncGenerator<Buffer> {
  const blob = context.index.find(name);
  if (blob?.isList)
    for await (const part of listParts(context, blob, depth)) yield* readPieces(context, part, depth + 1);
  else if (!blob && context.looseObjects.sizes.has(name)) yield* context.looseObjects.read(name);
  else yield await context.files.readBlob(blob);
}

/** Yields the bytes of an object. Throws `not_found`, and DamagedObject at the latest after the last bytes. */
async function* read(context: Context, hash: string): AsyncGenerator<Buffer> {
  await load(context);
  yield* verifyHash(readPieces(context, context.cipher.nameOf(hash)), hash);
}

/**
 * Returns whether the backup has an object with all its parts. `reachability` collects the result for every name.
 * With `isStrict`, throws for a damaged list, because its parts are unknown.
 */
const isComplete = (
  context: Context,
  hash: string,
  reachability: Map<string, boolean>,
  isStrict = false,
): Promise<boolean> => isNameComplete(context, context.cipher.nameOf(hash), reachability, isStrict);

async function isNameComplete(
  context: Context,
  name: string,
  reachability: Map<string, boolean>,
  isStrict = false,
  depth = 0,
): Promise<boolean> {
  const knownResult = reachability.get(name);
  if (knownResult !== undefined) return knownResult;
  const blob = context.index.find(name);
  let isPresent = blob !== undefined || context.looseObjects.sizes.has(name);
  if (blob?.isList) {
    reachability.set(name, false); // stored first, so that a list that names itself ends here
    try {
      for await (const part of listParts(context, blob, depth))
        if (!(await isNameComplete(context, part, reachability, isStrict, depth + 1))) isPresent = false;
    } catch (error) {
      if (isStrict || !isDamage(error)) throw error;
      isPresent = false;
    }
  }
  reachability.set(name, isPresent);
  return isPresent;
}

/** Removes lists with missing parts from the index, so that they are stored again. Returns these lists. */
async function forgetIncompleteLists(context: Context): Promise<Blob[]> {
  const reachability = new Map<string, boolean>();
  const incompleteLists: Blob[] = [];
  for (const blob of context.index.lists())
    if (!(await isNameComplete(context, blob.name, reachability))) incompleteLists.push(blob);
  context.index.removeBlobs(new Set(incompleteLists));
  return incompleteLists;
}

/**
 * Copies the needed blobs of some packs into new packs: first the new packs are written, then the index, then the old
 * packs are deleted. A pack whose needed blobs are damaged is kept. Returns the number of deleted packs.
 */
async function rewrite(
  context: Context,
  ids: readonly string[],
  { isNeeded, assertHeld }: { isNeeded: (blob: Blob) => boolean; assertHeld: () => Promise<void> },
): Promise<number> {
  let deletedCount = 0;
  for (let start = 0; start < ids.length; start += PACKS_PER_REWRITE) {
    const copiedPacks: string[] = [];
    for (const id of ids.slice(start, start + PACKS_PER_REWRITE))
      if (await copyNeeded(context, id, isNeeded)) copiedPacks.push(id);
    await context.packWriter.finish();
    context.index.removePacks(copiedPacks);
    await assertHeld();
    await context.catalog.rewriteIndex();
    for (const id of copiedPacks) if (await context.target.delete(packKey(id))) deletedCount++;
  }
  return deletedCount;
}

async function copyNeeded(context: Context, id: string, isNeeded: (blob: Blob) => boolean): Promise<boolean> {
  const pack = context.index.packs.get(id);
  const neededBlobs = pack?.blobs.filter((blob) => context.index.find(blob.name) === blob && isNeeded(blob)) ?? [];
  if (neededBlobs.length === 0) return true;
  const bytes = await context.files.readPack(id);
  const parts = neededBlobs.map((blob) => ({ blob, stored: bytes.subarray(blob.offset, blob.offset + blob.length) }));
  if (parts.some(({ blob, stored }) => sumOf(stored) !== blob.sum)) return false;
  const kind = neededBlobs.some(({ isList }) => isList) ? 'meta' : 'data';
  for (const { blob, stored } of parts) await context.packWriter.addStored(kind, blob, stored);
  return true;
}

const findBlob = ({ index, cipher }: Context, hash: string): Blob | undefined => index.find(cipher.nameOf(hash));

function* hashesIn(list: Buffer): Generator<string> {
  for (let offset = 0; offset < list.length; offset += HASH_BYTES)
    yield list.subarray(offset, offset + HASH_BYTES).toString('hex');
}
