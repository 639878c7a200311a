// The format of stored objects: blobs in packs of about 16 MB, so that many small files need few requests. A blob is up
// to 4 MB of a file, or the list of the blobs of a larger file. A pack ends with its directory, from which a lost index
// can be rebuilt.
import { createHash, hash as hashOf } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, type ZstdOptions } from 'node:zlib';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { parseLimitedJson, TEXT_LIMITS } from '../runtime/text-limits.ts';
import { DamagedObject, joinChunks, type Cipher } from './encryption.ts';

export const PIECE_BYTES = 4 << 20;
export const PACK_BYTES = 16 << 20;
const LENGTH_BYTES = 4;
const CHECKSUM_CHARS = 16;
/** Number of bytes that are read at the end of a pack; most directories fit into them. */
export const TAIL_BYTES = 64 << 10;
/** A pack with this many blobs is closed, so that its directory can be read in one request. */
export const MAX_PACK_BLOBS = 20_000;
/** Maximum size of a pack: enough for the blobs of a full pack, one more blob, and the directory. */
export const MAX_PACK_BYTES = 64 << 20;
/**
 * Documents with a higher ratio are refused. Our own shrink to no less than a third, because names and checksums are
 * random.
 */
const MAX_COMPRESSION_RATIO = 16;
/** Smaller documents may have any compression ratio. */
const SMALL_DOCUMENT_BYTES = 64 << 10;
const SAMPLE_BYTES = 16 << 10;
/** Up to this size, bytes are compressed synchronously in less than a millisecond; asking a thread takes longer. */
const MAX_SYNC_COMPRESSION_BYTES = 128 << 10;
const MAX_COMPRESSED_SHARE = 0.9;
const ZSTD_MAGIC = Buffer.from('28b52ffd', 'hex');
const [RAW_PREFIX, ZSTD_PREFIX] = [Buffer.from([0]), Buffer.from([1])];

export interface Blob {
  /** Name of the object, as computed by Cipher.nameOf. */
  name: string;
  pack: string;
  offset: number;
  /** Number of stored bytes. */
  length: number;
  /** Number of plain bytes of the object; for a list, of the file that it describes. */
  size: number;
  /** Checksum of the stored bytes. */
  sum: string;
  isList: boolean;
}

export interface Pack {
  id: string;
  size: number;
  blobs: Blob[];
}

const bytes = z.int().min(0);
/** `[name, offset, length, size, sum, is it a list]` */
const Entry = z.tuple([z.string(), bytes, bytes, bytes, z.string(), z.union([z.literal(0), z.literal(1)])]);
export const Directory = z.array(Entry);
export type Directory = z.output<typeof Directory>;

export const toDirectory = (blobs: readonly Blob[]): Directory =>
  blobs.map(({ name, offset, length, size, sum, isList }) => [name, offset, length, size, sum, isList ? 1 : 0]);

export const fromDirectory = (pack: string, entries: Directory): Blob[] =>
  entries.map(([name, offset, length, size, sum, isList]) => ({
    name,
    pack,
    offset,
    length,
    size,
    sum,
    isList: isList === 1,
  }));

/** Returns whether the error says that an object differs from what was written, or does not exist. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DamagedObject ||
  error instanceof z.ZodError ||
  (error instanceof AppError && error.code === 'not_found');

/** Waits for `work`. Returns undefined when the object is damaged. */
export async function unlessDamaged<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Returns a checksum that detects damage; only encryption protects against deliberate changes. */
export const sumOf = (storedBytes: Buffer): string => hashOf('sha256', storedBytes).slice(0, CHECKSUM_CHARS);

export function sumOfParts(parts: readonly Buffer[]): string {
  const hasher = createHash('sha256');
  for (const part of parts) hasher.update(part);
  return hasher.digest('hex').slice(0, CHECKSUM_CHARS);
}

/** Returns the bytes of a pack with its directory. */
export async function closePack(cipher: Cipher, storedBlobs: Buffer[], blobs: readonly Blob[]): Promise<Buffer> {
  const directory = await seal(cipher, toDirectory(blobs));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(directory.length);
  return Buffer.concat([...storedBlobs, directory, length]);
}

/**
 * Returns the number of bytes at the end of a pack that its directory and the length of the directory take; undefined
 * when that length is impossible.
 */
export function tailLength(end: Buffer, size: number): number | undefined {
  if (end.length < LENGTH_BYTES) return undefined;
  const length = end.readUInt32BE(end.length - LENGTH_BYTES) + LENGTH_BYTES;
  return length <= Math.min(size, TEXT_LIMITS.backup.index.bytes) ? length : undefined;
}

/** Reads the directory from the end of a pack. Throws DamagedObject. */
export async function openDirectory(cipher: Cipher, pack: string, tail: Buffer): Promise<Blob[]> {
  return fromDirectory(pack, Directory.parse(await unseal(cipher, tail.subarray(0, -LENGTH_BYTES), 'index')));
}

/** Compresses bytes where that helps, and encrypts them. */
export async function toStored(cipher: Cipher, plainBytes: Buffer): Promise<Buffer> {
  const compress = plainBytes.length <= MAX_SYNC_COMPRESSION_BYTES ? zstdCompressSync : promisify(zstdCompress);
  const compressed = await compressIfUseful<Buffer | Promise<Buffer>>(compress, plainBytes);
  return Buffer.concat(
    cipher.encrypt(Buffer.concat(compressed ? [ZSTD_PREFIX, compressed] : [RAW_PREFIX, plainBytes])),
  );
}

/**
 * Does the same as `toStored` in a thread, and returns parts. `framed` has one free byte before the bytes of the
 * object, which saves a copy.
 */
export function toStoredParts(cipher: Cipher, framed: Buffer): Buffer[] {
  const compressed = compressIfUseful(zstdCompressSync, framed.subarray(1));
  if (compressed) return cipher.encrypt(Buffer.concat([ZSTD_PREFIX, compressed]));
  RAW_PREFIX.copy(framed);
  return cipher.encrypt(framed);
}

/** Returns the plain bytes of a blob. Throws DamagedObject. */
export async function fromStored(cipher: Cipher, { sum }: Pick<Blob, 'sum'>, storedBytes: Buffer): Promise<Buffer> {
  if (sumOf(storedBytes) !== sum) throw new DamagedObject('its checksum is wrong');
  const bytes = await decryptBytes(cipher, storedBytes);
  return bytes[0] === ZSTD_PREFIX[0] ? decompress(bytes.subarray(1), PIECE_BYTES) : bytes.subarray(1);
}

/** Returns the compressed bytes; undefined where compressing does not help, judged by a sample from the middle. */
function compressIfUseful<Compressed>(
  compress: (plainBytes: Buffer, options: ZstdOptions) => Compressed,
  plainBytes: Buffer,
): Compressed | Buffer | undefined {
  const start = Math.max(0, (plainBytes.length - SAMPLE_BYTES) >> 1);
  const sample = plainBytes.subarray(start, start + SAMPLE_BYTES);
  const compressedSample = zstdCompressSync(sample, zstdOptionsFor(sample));
  if (compressedSample.length >= sample.length * MAX_COMPRESSED_SHARE) return undefined;
  return plainBytes.length <= SAMPLE_BYTES ? compressedSample : compress(plainBytes, zstdOptionsFor(plainBytes));
}

/** Returns options that limit the memory to the size of the input, instead of some megabytes. */
const zstdOptionsFor = ({ length }: Buffer): ZstdOptions => ({
  pledgedSrcSize: length,
  chunkSize: Math.max(1_024, length),
});

async function decompress(compressed: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await promisify(zstdDecompress)(compressed, { maxOutputLength: maxBytes });
  } catch (cause) {
    throw new DamagedObject('it cannot be decompressed', { cause });
  }
}

/** Encodes a JSON document with its checksum, compressed and encrypted. */
export async function seal(cipher: Cipher, value: unknown): Promise<Buffer> {
  const body = JSON.stringify(value);
  const text = Buffer.from(`${hashOf('sha256', body)}\n${body}`);
  const params = { [constants.ZSTD_c_compressionLevel]: 9 };
  return Buffer.concat(cipher.encrypt(await promisify(zstdCompress)(text, { params })));
}

/**
 * Decodes a document that was sealed. Throws DamagedObject, also if it is larger than any that this server writes.
 * Documents of the first format, which are not compressed, are read, too.
 */
export async function unseal(cipher: Cipher, sealed: Buffer, kind: 'manifest' | 'index'): Promise<unknown> {
  const limits = TEXT_LIMITS.backup[kind];
  const bytes = await decryptBytes(cipher, sealed);
  const isCompressed = bytes.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC);
  const maxBytes = Math.min(limits.bytes, Math.max(SMALL_DOCUMENT_BYTES, bytes.length * MAX_COMPRESSION_RATIO));
  const plainBytes = isCompressed ? await decompress(bytes, maxBytes) : bytes;
  if (hashOf('sha256', plainBytes.subarray(65)) !== plainBytes.toString('latin1', 0, 64))
    throw new DamagedObject('its checksum is wrong');
  try {
    return parseLimitedJson(plainBytes.toString('utf8', 65), limits);
  } catch (cause) {
    throw new DamagedObject('it cannot be read', { cause });
  }
}

const decryptBytes = (cipher: Cipher, bytes: Buffer): Promise<Buffer> => readBytes(cipher.decrypt(toChunks(bytes)));

export async function* toChunks(...buffers: Buffer[]): AsyncGenerator<Buffer> {
  yield* buffers;
}

/** Reads all bytes of a source. Throws DamagedObject if there are more than `maxBytes`. */
export async function readBytes(source: AsyncIterable<Buffer>, maxBytes = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    if ((size += chunk.length) > maxBytes) throw new DamagedObject('it is too large');
    chunks.push(chunk);
  }
  return joinChunks(chunks);
}
