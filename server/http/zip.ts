// Writes a zip of stored (not compressed) files as a stream, from any byte on. Audio would not get smaller, and the
// layout depends on names and sizes only, so that a broken download can be resumed. Uses Zip64 where needed.
import type { ByteRange } from './ranges.ts';

export interface ZipEntry {
  /** Path of the file in the zip, with `/`; unique. */
  name: string;
  size: number;
  modifiedAt: Date;
  /**
   * Returns the checksum of the whole content, which is computed when needed; the end of the zip needs the checksums of
   * all files.
   */
  crc32(): Promise<number>;
  read(range: ByteRange): AsyncIterable<Buffer> | Promise<AsyncIterable<Buffer>>;
}

const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;
/** The version of the zip format that has Zip64. */
const ZIP_VERSION = 45;
const UNIX_SYSTEM = 3;
const FILE_MODE = 0o100644;
const UTF8_NAMES = 0x0800;

const nameOf = ({ name }: ZipEntry): Buffer => Buffer.from(name.normalize('NFC'));

/**
 * Returns a time for MS-DOS, in steps of two seconds from 1980 on. It is in UTC, so that the bytes do not depend on the
 * time zone.
 */
function dosTime(modifiedAt: Date): number {
  const date = new Date(Math.min(Math.max(modifiedAt.getTime(), Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)));
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}

/** Returns the extra field with the exact time, which most programs prefer. */
function timeExtraField(time: Date): Buffer {
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x5455, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeUInt32LE(Math.min(Math.max(Math.floor(time.getTime() / 1_000), 0), MAX_32), 5);
  return field;
}

function zip64ExtraField(values: number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(8 * values.length, 2);
  for (const [i, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  return field;
}

const needsZip64 = (value: number): boolean => value >= MAX_32;

function localHeader(entry: ZipEntry, crc32: number): Buffer {
  const { size, modifiedAt } = entry;
  const [name, extraField] = [
    nameOf(entry),
    Buffer.concat([zip64ExtraField(needsZip64(size) ? [size, size] : []), timeExtraField(modifiedAt)]),
  ];
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x0403_4b50, 0);
  head.writeUInt16LE(ZIP_VERSION, 4);
  head.writeUInt16LE(UTF8_NAMES, 6);
  head.writeUInt32LE(dosTime(modifiedAt), 10);
  head.writeUInt32LE(crc32, 14);
  head.writeUInt32LE(Math.min(size, MAX_32), 18);
  head.writeUInt32LE(Math.min(size, MAX_32), 22);
  head.writeUInt16LE(name.length, 26);
  head.writeUInt16LE(extraField.length, 28);
  return Buffer.concat([head, name, extraField]);
}

function centralHeader(entry: ZipEntry, crc32: number, offset: number): Buffer {
  const { size, modifiedAt } = entry;
  const longValues = [...(needsZip64(size) ? [size, size] : []), ...(needsZip64(offset) ? [offset] : [])];
  const [name, extraField] = [nameOf(entry), Buffer.concat([zip64ExtraField(longValues), timeExtraField(modifiedAt)])];
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x0201_4b50, 0);
  head.writeUInt16LE((UNIX_SYSTEM << 8) | ZIP_VERSION, 4);
  head.writeUInt16LE(ZIP_VERSION, 6);
  head.writeUInt16LE(UTF8_NAMES, 8);
  head.writeUInt32LE(dosTime(modifiedAt), 12);
  head.writeUInt32LE(crc32, 16);
  head.writeUInt32LE(Math.min(size, MAX_32), 20);
  head.writeUInt32LE(Math.min(size, MAX_32), 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt16LE(extraField.length, 30);
  head.writeUInt32LE((FILE_MODE << 16) >>> 0, 38);
  head.writeUInt32LE(Math.min(offset, MAX_32), 42);
  return Buffer.concat([head, name, extraField]);
}

/** Returns the end record, which locates the list of files. */
function endOfCentralDirectory(count: number, listSize: number, listOffset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(listSize, MAX_32), 12);
  end.writeUInt32LE(Math.min(listOffset, MAX_32), 16);
  if (count < MAX_16 && !needsZip64(listSize) && !needsZip64(listOffset)) return end;
  const zip64Record = Buffer.alloc(76);
  zip64Record.writeUInt32LE(0x0606_4b50, 0);
  zip64Record.writeBigUInt64LE(44n, 4);
  zip64Record.writeUInt16LE((UNIX_SYSTEM << 8) | ZIP_VERSION, 12);
  zip64Record.writeUInt16LE(ZIP_VERSION, 14);
  zip64Record.writeBigUInt64LE(BigInt(count), 24);
  zip64Record.writeBigUInt64LE(BigInt(count), 32);
  zip64Record.writeBigUInt64LE(BigInt(listSize), 40);
  zip64Record.writeBigUInt64LE(BigInt(listOffset), 48);
  zip64Record.writeUInt32LE(0x0706_4b50, 56);
  zip64Record.writeBigUInt64LE(BigInt(listOffset + listSize), 64);
  zip64Record.writeUInt32LE(1, 72);
  return Buffer.concat([zip64Record, end]);
}

/** Returns the size of the whole zip in bytes. */
export function zipSize(entries: Iterable<ZipEntry>): number {
  let [offset, listSize, count] = [0, 0, 0];
  for (const entry of entries) {
    listSize += centralHeader(entry, 0, offset).length;
    offset += localHeader(entry, 0).length + entry.size;
    count++;
  }
  return offset + listSize + endOfCentralDirectory(count, listSize, offset).length;
}

/** Yields the bytes of a zip or of a range of it. Throws when a file has fewer bytes than its size. */
export async function* zipBytes(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  { start, end }: ByteRange = { start: 0, end: Infinity },
): AsyncGenerator<Buffer> {
  let position = 0;
  const writtenEntries: { entry: ZipEntry; offset: number }[] = [];
  /** Returns the part of these bytes that is in the range. */
  const clipToRange = (bytes: Buffer): Buffer =>
    bytes.subarray(Math.max(0, start - position), Math.max(0, end + 1 - position));

  for await (const entry of entries) {
    writtenEntries.push({ entry, offset: position });
    const headSize = localHeader(entry, 0).length;
    if (position + headSize > start) yield clipToRange(localHeader(entry, await entry.crc32()));
    position += headSize;
    const entryRange = { start: Math.max(0, start - position), end: Math.min(entry.size - 1, end - position) };
    if (entryRange.start <= entryRange.end)
      yield* exactBytes(await entry.read(entryRange), entryRange.end - entryRange.start + 1);
    position += entry.size;
    if (position > end) return;
  }
  let listSize = 0;
  const listOffset = position;
  for (const { entry, offset } of writtenEntries) {
    const head = centralHeader(entry, await entry.crc32(), offset);
    listSize += head.length;
    if (position + head.length > start) yield clipToRange(head);
    position += head.length;
    if (position > end) return;
  }
  yield clipToRange(endOfCentralDirectory(writtenEntries.length, listSize, listOffset));
}

async function* exactBytes(pieces: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let remaining = bytes;
  for await (const piece of pieces) {
    yield piece.length > remaining ? piece.subarray(0, remaining) : piece;
    remaining -= Math.min(remaining, piece.length);
  }
  if (remaining > 0) throw new Error('a file became shorter while it was sent');
}
