// How objects are stored: as blobs in packs of some 16 MB, so that many small files cost few requests. A blob is up to
// 4 MB of a file, or the list of the blobs of a larger one. A pack ends with its directory, from which a lost index is
// made again.
import { createHash, hash as hashOf } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, type ZstdOptions } from 'node:zlib';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { parseLimitedJson, TEXT_LIMITS } from '../runtime/text-limits.ts';
import { DamagedObject, joined, type Cipher } from './encryption.ts';

export const PIECE_BYTES = 4 << 20;
export const PACK_BYTES = 16 << 20;
const LENGTH_BYTES = 4;
const SUM_LENGTH = 16;
/** Most directories are in this many bytes at the end of a pack. */
export const TAIL_BYTES = 64 << 10;
/** Closed before it has more, so that its directory can be read at once. */
export const PACK_BLOBS = 20_000;
/** A pack that is full, one more blob, and its directory. */
export const MAX_PACK_BYTES = 64 << 20;
/** What we write packs to less than a third, because names and checksums are random. */
const MAX_RATIO = 16;
/** Of documents so small that their ratio says nothing. */
const SMALL_DOCUMENT_BYTES = 64 << 10;
const SAMPLE_BYTES = 16 << 10;
/** Up to so many bytes are compressed at once, in less than a millisecond: handing them to a thread takes longer. */
const AT_ONCE_BYTES = 128 << 10;
const COMPRESSIBLE = 0.9;
const ZSTD_MAGIC = Buffer.from('28b52ffd', 'hex');
const [RAW, ZSTD] = [Buffer.from([0]), Buffer.from([1])];

export interface Blob {
  /** Of the object, by Cipher.nameOf. */
  name: string;
  pack: string;
  offset: number;
  /** Stored bytes. */
  length: number;
  /** Plain bytes of the object; of a list, of the whole file. */
  size: number;
  /** Of the stored bytes. */
  sum: string;
  isList: boolean;
}

export interface Pack {
  id: string;
  size: number;
  blobs: Blob[];
}

const bytes = z.int().min(0);
/** `[name, offset, length, size, sum, is a list]` */
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

/** It is not what was written, or not there. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DamagedObject ||
  error instanceof z.ZodError ||
  (error instanceof AppError && error.code === 'not_found');

/** Undefined when it is. */
export async function unlessDamaged<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Detects damage; against changes on purpose there is encryption. */
export const sumOf = (stored: Buffer): string => hashOf('sha256', stored).slice(0, SUM_LENGTH);

export function sumOfParts(parts: readonly Buffer[]): string {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return sum.digest('hex').slice(0, SUM_LENGTH);
}

/** The whole pack. */
export async function closePack(cipher: Cipher, stored: Buffer[], blobs: readonly Blob[]): Promise<Buffer> {
  const directory = await seal(cipher, toDirectory(blobs));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(directory.length);
  return Buffer.concat([...stored, directory, length]);
}

/** The bytes that the directory and its length take at the end of a pack; undefined when that cannot be. */
export function tailLength(end: Buffer, size: number): number | undefined {
  if (end.length < LENGTH_BYTES) return undefined;
  const length = end.readUInt32BE(end.length - LENGTH_BYTES) + LENGTH_BYTES;
  return length <= Math.min(size, TEXT_LIMITS.backup.index.bytes) ? length : undefined;
}

/** Reads the directory from the end of a pack. Throws DamagedObject. */
export async function openDirectory(cipher: Cipher, pack: string, tail: Buffer): Promise<Blob[]> {
  return fromDirectory(pack, Directory.parse(await unseal(cipher, tail.subarray(0, -LENGTH_BYTES), 'index')));
}

/** Compressed where that helps, and encrypted. */
export async function toStored(cipher: Cipher, plain: Buffer): Promise<Buffer> {
  const compress = plain.length <= AT_ONCE_BYTES ? zstdCompressSync : promisify(zstdCompress);
  const packed = await packedBy<Buffer | Promise<Buffer>>(compress, plain);
  return Buffer.concat(cipher.encrypt(Buffer.concat(packed ? [ZSTD, packed] : [RAW, plain])));
}

/** The same in parts, in a thread. `framed` has a byte before the bytes of the object, so that they are not copied. */
export function toStoredParts(cipher: Cipher, framed: Buffer): Buffer[] {
  const packed = packedBy(zstdCompressSync, framed.subarray(1));
  if (packed) return cipher.encrypt(Buffer.concat([ZSTD, packed]));
  RAW.copy(framed);
  return cipher.encrypt(framed);
}

/** Throws DamagedObject. */
export async function fromStored(cipher: Cipher, { sum }: Pick<Blob, 'sum'>, stored: Buffer): Promise<Buffer> {
  if (sumOf(stored) !== sum) throw new DamagedObject('its checksum is wrong');
  const bytes = await decrypted(cipher, stored);
  return bytes[0] === ZSTD[0] ? decompressed(bytes.subarray(1), PIECE_BYTES) : bytes.subarray(1);
}

/** Undefined where compressing does not help: a sample of the middle, which may be the whole, tells. */
function packedBy<Packed>(
  compress: (plain: Buffer, options: ZstdOptions) => Packed,
  plain: Buffer,
): Packed | Buffer | undefined {
  const start = Math.max(0, (plain.length - SAMPLE_BYTES) >> 1);
  const sample = plain.subarray(start, start + SAMPLE_BYTES);
  const packed = zstdCompressSync(sample, sized(sample));
  if (packed.length >= sample.length * COMPRESSIBLE) return undefined;
  return plain.length <= SAMPLE_BYTES ? packed : compress(plain, sized(plain));
}

/** Memory for as much as there is to compress, instead of some megabytes. */
const sized = ({ length }: Buffer): ZstdOptions => ({ pledgedSrcSize: length, chunkSize: Math.max(1_024, length) });

async function decompressed(packed: Buffer, most: number): Promise<Buffer> {
  try {
    return await promisify(zstdDecompress)(packed, { maxOutputLength: most });
  } catch (cause) {
    throw new DamagedObject('it cannot be decompressed', { cause });
  }
}

/** A JSON document with its checksum, compressed and encrypted. */
export async function seal(cipher: Cipher, value: unknown): Promise<Buffer> {
  const body = JSON.stringify(value);
  const text = Buffer.from(`${hashOf('sha256', body)}\n${body}`);
  const params = { [constants.ZSTD_c_compressionLevel]: 9 };
  return Buffer.concat(cipher.encrypt(await promisify(zstdCompress)(text, { params })));
}

/**
 * Throws DamagedObject, also for a document that is larger than ours are. Reads those of the first format too, which
 * are not compressed.
 */
export async function unseal(cipher: Cipher, sealed: Buffer, kind: 'manifest' | 'index'): Promise<unknown> {
  const limits = TEXT_LIMITS.backup[kind];
  const bytes = await decrypted(cipher, sealed);
  const isPacked = bytes.subarray(0, ZSTD_MAGIC.length).equals(ZSTD_MAGIC);
  const most = Math.min(limits.bytes, Math.max(SMALL_DOCUMENT_BYTES, bytes.length * MAX_RATIO));
  const plain = isPacked ? await decompressed(bytes, most) : bytes;
  if (hashOf('sha256', plain.subarray(65)) !== plain.toString('latin1', 0, 64))
    throw new DamagedObject('its checksum is wrong');
  try {
    return parseLimitedJson(plain.toString('utf8', 65), limits);
  } catch (cause) {
    throw new DamagedObject('it cannot be read', { cause });
  }
}

const decrypted = (cipher: Cipher, bytes: Buffer): Promise<Buffer> => gathered(cipher.decrypt(chunks(bytes)));

export async function* chunks(...all: Buffer[]): AsyncGenerator<Buffer> {
  yield* all;
}

/** Throws DamagedObject for more than `most` bytes. */
export async function gathered(source: AsyncIterable<Buffer>, most = Infinity): Promise<Buffer> {
  const held: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    if ((size += chunk.length) > most) throw new DamagedObject('it is too large');
    held.push(chunk);
  }
  return joined(held);
}
