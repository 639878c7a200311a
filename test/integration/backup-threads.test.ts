// Files that a thread reads for a backup arrive in pieces like all others; if the thread fails, the backup itself reads
// them.
import { createSecretKey, createHash, hash as hashOf, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBlobThreads, type BlobThreads, type ReadBlob } from '../../server/backup/blob-threads.ts';
import { cipherOf } from '../../server/backup/encryption.ts';
import { fromStored, PIECE_BYTES } from '../../server/backup/packs.ts';
import { paths } from '../support/product.ts';

const workerUrl = paths.workers.blobs;
let dir: string;
let threads: BlobThreads | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-threads-'));
});
afterEach(async () => {
  await threads?.close();
  rmSync(dir, { recursive: true, force: true });
});

function writeTestFile(bytes: Buffer, name = 'a.mp3'): { path: string; hash: string } {
  writeFileSync(join(dir, name), bytes);
  return { path: join(dir, name), hash: hashOf('sha256', bytes) };
}

describe.each([
  ['plain', undefined],
  ['encrypted', createSecretKey(randomBytes(32))],
])('%s', (_title, key) => {
  const cipher = cipherOf(key);

  async function readFile(file: {
    path: string;
    hash: string;
  }): Promise<{ size: number | undefined; blobs: ReadBlob[] }> {
    threads ??= createBlobThreads({ workerUrl, key, signal: new AbortController().signal });
    const blobs: ReadBlob[] = [];
    const size = await threads.read(file)(async (blob) => void blobs.push(blob));
    return { size, blobs };
  }
  beforeEach(() => {
    threads = undefined;
  });

  it.each([0, 1, 70_000, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES + 17])(
    'returns the pieces of %i bytes',
    async (size) => {
      const bytes = randomBytes(size);
      const file = writeTestFile(bytes);
      const content = await readFile(file);
      expect(content.size).toBe(size);
      const plainPieces = await Promise.all(content.blobs.map((blob) => fromStored(cipher, blob, blob.storedBytes)));
      expect(createHash('sha256').update(Buffer.concat(plainPieces)).digest('hex')).toBe(file.hash);
      expect(content.blobs.map((blob) => blob.hash)).toEqual(plainPieces.map((piece) => hashOf('sha256', piece)));
    },
  );

  it('compresses pieces that get smaller', async () => {
    const bytes = Buffer.alloc(200_000, 'quiet ');
    const { blobs } = await readFile(writeTestFile(bytes, 'a.wav'));
    expect(blobs[0]?.storedBytes.length).toBeLessThan(2_000);
    expect(
      (await fromStored(cipher, { sum: blobs[0]?.sum ?? '' }, blobs[0]?.storedBytes as Buffer)).equals(bytes),
    ).toBe(true);
  });

  it('returns nothing for files that are gone or have other bytes, and reads the others', async () => {
    const goodFile = writeTestFile(randomBytes(1_000));
    const results = await Promise.all([
      readFile({ ...goodFile, path: join(dir, 'gone.mp3') }),
      readFile({ ...goodFile, hash: hashOf('sha256', 'other') }),
      readFile({ ...goodFile, path: dir }),
      readFile(goodFile),
    ]);
    expect(results.map(({ size, blobs }) => [size, blobs.length])).toEqual([
      [undefined, 0],
      [undefined, 0],
      [undefined, 0],
      [1_000, 1],
    ]);
  });

  it('reads more files than a thread takes at once', async () => {
    const files = Array.from({ length: 100 }, (_, n) => writeTestFile(randomBytes(100_000 + n), `${n}.mp3`));
    const results = await Promise.all(files.map(readFile));
    expect(results.map(({ size }) => size)).toEqual(files.map((_, n) => 100_000 + n));
    expect(results.map(({ blobs }) => blobs[0]?.hash)).toEqual(files.map(({ hash }) => hash));
  });
});

it('returns nothing for all files when the thread dies', async () => {
  threads = createBlobThreads({
    workerUrl: new URL('data:text/javascript,throw new Error("no memory")'),
    key: undefined,
    signal: new AbortController().signal,
  });
  const readFile = (): Promise<number | undefined> | undefined =>
    threads?.read(writeTestFile(randomBytes(10)))(() => Promise.reject(new Error('nothing was read')));
  expect(await Promise.all([readFile(), readFile()])).toEqual([undefined, undefined]);
  expect(await readFile()).toBeUndefined();
});

it('fails all files when the pieces cannot be stored, or the backup is cancelled', async () => {
  const abortController = new AbortController();
  threads = createBlobThreads({ workerUrl, key: undefined, signal: abortController.signal });
  const file = writeTestFile(randomBytes(10));
  const failWithDiskFull = (): Promise<void> => Promise.reject(new Error('disk full'));
  const reads = [threads.read(file)(failWithDiskFull), threads.read(file)(failWithDiskFull)];
  for (const result of await Promise.allSettled(reads))
    expect(result).toMatchObject({ reason: new Error('disk full') });
  await expect(threads.read(file)(failWithDiskFull)).rejects.toThrow('disk full');

  const otherThreads = createBlobThreads({ workerUrl, key: undefined, signal: abortController.signal });
  abortController.abort(new Error('cancelled'));
  await expect(otherThreads.read(file)(async () => undefined)).rejects.toThrow('cancelled');
  await otherThreads.close();
});
