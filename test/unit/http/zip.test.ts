import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { zipBytes, zipSize, type ZipEntry } from '../../../server/http/zip.ts';
import { unzip } from '../../support/unzip.ts';

const AT = new Date('2024-05-06T07:08:10Z');
const entry = (name: string, bytes: Buffer): ZipEntry => ({
  name,
  size: bytes.length,
  modifiedAt: AT,
  crc32: () => Promise.resolve(crc32(bytes)),
  read: ({ start, end }) => Readable.from([bytes.subarray(start, end + 1)]),
});
const whole = (entries: ZipEntry[]): Promise<Buffer> => buffer(Readable.from(zipBytes(entries)));

const FILES = [
  entry('Björk/1997 Homogenic/01 Jóga.flac', Buffer.from('a'.repeat(1_000))),
  entry('empty.txt', Buffer.alloc(0)),
  entry('日本語.mp3', Buffer.from('b'.repeat(70_000))),
];

it('a zip is read by another program, with names, times and contents', async () => {
  const zip = await whole(FILES);
  expect(zip.length).toBe(zipSize(FILES));
  const found = await unzip(zip);
  expect(found.map(({ name, bytes, modifiedAt }) => [name, bytes.length, modifiedAt])).toEqual(
    FILES.map(({ name, size }) => [name, size, AT]),
  );
});

it('every range of a zip is that part of the whole, and reads only the files in it', async () => {
  const zip = await whole(FILES);
  for (const [start, end] of [
    [0, 0],
    [10, 40],
    [500, 1_100],
    [1_090, 1_200],
    [71_000, zip.length - 1],
    [zip.length - 22, zip.length - 1],
  ] as const) {
    const part = await buffer(Readable.from(zipBytes(FILES, { start, end })));
    expect(part.equals(zip.subarray(start, end + 1)), `${start}-${end}`).toBe(true);
  }
  const unread = { ...FILES[0]!, read: () => Promise.reject(new Error('not needed')) };
  const rest = await buffer(
    Readable.from(zipBytes([unread, ...FILES.slice(1)], { start: 2_000, end: zip.length - 1 })),
  );
  expect(rest.equals(zip.subarray(2_000))).toBe(true);
});

it('files and zips of more than 4 GB have zip64 fields', async () => {
  const size = 5 * 2 ** 30;
  const huge: ZipEntry = { ...FILES[0]!, size, crc32: () => Promise.resolve(1), read: () => Readable.from([]) };
  const entries = [huge, FILES[2]!];
  const all = zipSize(entries);
  const tail = await buffer(Readable.from(zipBytes(entries, { start: size + 1_000, end: all - 1 })));
  expect(tail.length).toBe(all - size - 1_000);
  const list = tail.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  expect(tail.readUInt32LE(list + 20)).toBe(0xffff_ffff); // its size is in the field that follows the name
  const field = list + 46 + tail.readUInt16LE(list + 28);
  expect([tail.readUInt16LE(field), Number(tail.readBigUInt64LE(field + 4))]).toEqual([1, size]);
  expect(tail.indexOf(Buffer.from([0x50, 0x4b, 6, 6]))).toBeGreaterThan(list);
});

it('more than 65,535 files are counted in zip64 fields', async () => {
  const many = Array.from({ length: 65_536 }, (_, i) => entry(`${i}`, Buffer.alloc(0)));
  const zip = await whole(many);
  expect(zip.length).toBe(zipSize(many));
  const at = zip.indexOf(Buffer.from([0x50, 0x4b, 6, 6]));
  expect(Number(zip.readBigUInt64LE(at + 32))).toBe(65_536);
});

it('a file that became shorter ends the zip with an error', async () => {
  const short = { ...FILES[0]!, read: () => Readable.from([Buffer.from('aa')]) };
  await expect(whole([short])).rejects.toThrow('shorter');
});
