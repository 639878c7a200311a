// A zip of stored (not compressed) files, as a stream from any byte on: audio does not get smaller, and the layout
// follows from names and sizes alone, so that a broken download can be resumed. Zip64 where it takes that.
import type { ByteRange } from './ranges.ts';

export interface ZipEntry {
  /** With `/`; unique in the zip. */
  name: string;
  size: number;
  modifiedAt: Date;
  /** Of the whole content; asked when it is needed, which for the end of the zip is that of every file. */
  crc32(): Promise<number>;
  read(range: ByteRange): AsyncIterable<Buffer> | Promise<AsyncIterable<Buffer>>;
}

const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
/** The version that zip64 needs. */
const VERSION = 45;
const UNIX = 3;
const MODE = 0o100644;
const UTF8_NAMES = 0x0800;

const nameOf = ({ name }: ZipEntry): Buffer => Buffer.from(name.normalize('NFC'));

/** MS-DOS time, in steps of two seconds from 1980 on; UTC, so that the bytes do not depend on the server's zone. */
function dosTime(at: Date): number {
  const date = new Date(Math.min(Math.max(at.getTime(), Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)));
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}

/** The exact time, which most programs prefer. */
function timeField(at: Date): Buffer {
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x5455, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeUInt32LE(Math.min(Math.max(Math.floor(at.getTime() / 1_000), 0), MAX_32), 5);
  return field;
}

function longField(values: number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(8 * values.length, 2);
  for (const [i, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  return field;
}

const isLong = (value: number): boolean => value >= MAX_32;

function localHeader(entry: ZipEntry, crc32: number): Buffer {
  const { size, modifiedAt } = entry;
  const [name, extra] = [
    nameOf(entry),
    Buffer.concat([longField(isLong(size) ? [size, size] : []), timeField(modifiedAt)]),
  ];
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x0403_4b50, 0);
  head.writeUInt16LE(VERSION, 4);
  head.writeUInt16LE(UTF8_NAMES, 6);
  head.writeUInt32LE(dosTime(modifiedAt), 10);
  head.writeUInt32LE(crc32, 14);
  head.writeUInt32LE(Math.min(size, MAX_32), 18);
  head.writeUInt32LE(Math.min(size, MAX_32), 22);
  head.writeUInt16LE(name.length, 26);
  head.writeUInt16LE(extra.length, 28);
  return Buffer.concat([head, name, extra]);
}

function centralHeader(entry: ZipEntry, crc32: number, offset: number): Buffer {
  const { size, modifiedAt } = entry;
  const long = [...(isLong(size) ? [size, size] : []), ...(isLong(offset) ? [offset] : [])];
  const [name, extra] = [nameOf(entry), Buffer.concat([longField(long), timeField(modifiedAt)])];
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x0201_4b50, 0);
  head.writeUInt16LE((UNIX << 8) | VERSION, 4);
  head.writeUInt16LE(VERSION, 6);
  head.writeUInt16LE(UTF8_NAMES, 8);
  head.writeUInt32LE(dosTime(modifiedAt), 12);
  head.writeUInt32LE(crc32, 16);
  head.writeUInt32LE(Math.min(size, MAX_32), 20);
  head.writeUInt32LE(Math.min(size, MAX_32), 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extra.length, 30);
  head.writeUInt32LE((MODE << 16) >>> 0, 38);
  head.writeUInt32LE(Math.min(offset, MAX_32), 42);
  return Buffer.concat([head, name, extra]);
}

/** The last bytes, which lead to the list of files. */
function ending(count: number, listSize: number, listAt: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(listSize, MAX_32), 12);
  end.writeUInt32LE(Math.min(listAt, MAX_32), 16);
  if (count < MAX_16 && !isLong(listSize) && !isLong(listAt)) return end;
  const long = Buffer.alloc(76);
  long.writeUInt32LE(0x0606_4b50, 0);
  long.writeBigUInt64LE(44n, 4);
  long.writeUInt16LE((UNIX << 8) | VERSION, 12);
  long.writeUInt16LE(VERSION, 14);
  long.writeBigUInt64LE(BigInt(count), 24);
  long.writeBigUInt64LE(BigInt(count), 32);
  long.writeBigUInt64LE(BigInt(listSize), 40);
  long.writeBigUInt64LE(BigInt(listAt), 48);
  long.writeUInt32LE(0x0706_4b50, 56);
  long.writeBigUInt64LE(BigInt(listAt + listSize), 64);
  long.writeUInt32LE(1, 72);
  return Buffer.concat([long, end]);
}

/** Of the whole zip, in bytes. */
export function zipSize(entries: Iterable<ZipEntry>): number {
  let [at, listSize, count] = [0, 0, 0];
  for (const entry of entries) {
    listSize += centralHeader(entry, 0, at).length;
    at += localHeader(entry, 0).length + entry.size;
    count++;
  }
  return at + listSize + ending(count, listSize, at).length;
}

/** The bytes of a zip, or a range of them. Throws when a file has fewer bytes than its size. */
export async function* zipBytes(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  { start, end }: ByteRange = { start: 0, end: Infinity },
): AsyncGenerator<Buffer> {
  let at = 0;
  const listed: { entry: ZipEntry; offset: number }[] = [];
  /** The part of these bytes that is in the range. */
  const wanted = (bytes: Buffer): Buffer => bytes.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));

  for await (const entry of entries) {
    listed.push({ entry, offset: at });
    const headSize = localHeader(entry, 0).length;
    if (at + headSize > start) yield wanted(localHeader(entry, await entry.crc32()));
    at += headSize;
    const part = { start: Math.max(0, start - at), end: Math.min(entry.size - 1, end - at) };
    if (part.start <= part.end) yield* exactly(await entry.read(part), part.end - part.start + 1);
    at += entry.size;
    if (at > end) return;
  }
  let listSize = 0;
  const listAt = at;
  for (const { entry, offset } of listed) {
    const head = centralHeader(entry, await entry.crc32(), offset);
    listSize += head.length;
    if (at + head.length > start) yield wanted(head);
    at += head.length;
    if (at > end) return;
  }
  yield wanted(ending(listed.length, listSize, listAt));
}

async function* exactly(pieces: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const piece of pieces) {
    yield piece.length > left ? piece.subarray(0, left) : piece;
    left -= Math.min(left, piece.length);
  }
  if (left > 0) throw new Error('a file became shorter while it was sent');
}
