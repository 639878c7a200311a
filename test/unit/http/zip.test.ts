import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { zipBytes, zipSize, type ZipEntry } from '../../../server/http/zip.ts';
import { unzip } from '../../support/unzip.ts';

const MODIFIED_AT = new Date('2024-05-06T07:08:10Z');
const entry = (name: string, bytes: Buffer): ZipEntry => ({
  name,
  size: bytes.length,
  modifiedAt: MODIFIED_AT,
  crc32: () => Promise.resolve(crc32(bytes)),
  read: ({ start, end }) => Readable.from([bytes.subarray(start, end + 1)]),
});
const zipAll = (entries: ZipEntry[]): Promise<Buffer> => buffer(Readable.from(zipBytes(entries)));

const ZIP_FILES = [
  entry('Björk/1997 Homogenic/01 Jóga.flac', Buffer.from('a'.repeat(1_000))),
  entry('empty.txt', Buffer.alloc(0)),
  entry('日本語.mp3', Buffer.from('b'.repeat(70_000))),
];

it('a zip is read by another program, with names, times and contents', async () => {
  const zip = await zipAll(ZIP_FILES);
  expect(zip.length).toBe(zipSize(ZIP_FILES));
  const unpackedFiles = await unzip(zip);
  expect(unpackedFiles.map(({ name, bytes, modifiedAt }) => [name, bytes.length, modifiedAt])).toEqual(
    ZIP_FILES.map(({ name, size }) => [name, size, MODIFIED_AT]),
  );
});

it('every range of a zip has the bytes of the complete zip, and reads only the files in the range', async () => {
  const zip = await zipAll(ZIP_FILES);
  for (const [start, end] of [
    [0, 0],
    [10, 40],
    [500, 1_100],
    [1_090, 1_200],
    [71_000, zip.length - 1],
    [zip.length - 22, zip.length - 1],
  ] as const) {
    const zipRange = await buffer(Readable.from(zipBytes(ZIP_FILES, { start, end })));
    expect(zipRange.equals(zip.subarray(start, end + 1)), `${start}-${end}`).toBe(true);
  }
  const unreadableFile = { ...ZIP_FILES[0]!, read: () => Promise.reject(new Error('not needed')) };
  const zipEnd = await buffer(
    Readable.from(zipBytes([unreadableFile, ...ZIP_FILES.slice(1)], { start: 2_000, end: zip.length - 1 })),
  );
  expect(zipEnd.equals(zip.subarray(2_000))).toBe(true);
});

it('files and zips of more than 4 GB have zip64 fields', async () => {
  const size = 5 * 2 ** 30;
  const hugeFile: ZipEntry = { ...ZIP_FILES[0]!, size, crc32: () => Promise.resolve(1), read: () => Readable.from([]) };
  const entries = [hugeFile, ZIP_FILES[2]!];
  const zipBytesTotal = zipSize(entries);
  const tail = await buffer(Readable.from(zipBytes(entries, { start: size + 1_000, end: zipBytesTotal - 1 })));
  expect(tail.length).toBe(zipBytesTotal - size - 1_000);
  const directoryOffset = tail.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  // this value means that the size is in the extra field after the file name
  expect(tail.readUInt32LE(directoryOffset + 20)).toBe(0xffff_ffff);
  const field = directoryOffset + 46 + tail.readUInt16LE(directoryOffset + 28);
  expect([tail.readUInt16LE(field), Number(tail.readBigUInt64LE(field + 4))]).toEqual([1, size]);
  expect(tail.indexOf(Buffer.from([0x50, 0x4b, 6, 6]))).toBeGreaterThan(directoryOffset);
});

it('more than 65,535 files are counted in zip64 fields', async () => {
  const manyFiles = Array.from({ length: 65_536 }, (_, i) => entry(`${i}`, Buffer.alloc(0)));
  const zip = await zipAll(manyFiles);
  expect(zip.length).toBe(zipSize(manyFiles));
  const recordOffset = zip.indexOf(Buffer.from([0x50, 0x4b, 6, 6]));
  expect(Number(zip.readBigUInt64LE(recordOffset + 32))).toBe(65_536);
});

it('a file that became shorter ends the zip with an error', async () => {
  const shortFile = { ...ZIP_FILES[0]!, read: () => Readable.from([Buffer.from('aa')]) };
  await expect(zipAll([shortFile])).rejects.toThrow('shorter');
});
