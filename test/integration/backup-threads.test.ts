// Files that a thread reads for a backup: in pieces as others, and left to the backup when something is wrong.
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

function fileWith(bytes: Buffer, name = 'a.mp3'): { path: string; hash: string } {
  writeFileSync(join(dir, name), bytes);
  return { path: join(dir, name), hash: hashOf('sha256', bytes) };
}

describe.each([
  ['plain', undefined],
  ['encrypted', createSecretKey(randomBytes(32))],
])('%s', (_how, key) => {
  const cipher = cipherOf(key);

  async function read(file: { path: string; hash: string }): Promise<{ size: number | undefined; blobs: ReadBlob[] }> {
    threads ??= createBlobThreads({ workerUrl, key, signal: new AbortController().signal });
    const blobs: ReadBlob[] = [];
    const size = await threads.read(file)(async (blob) => void blobs.push(blob));
    return { size, blobs };
  }
  beforeEach(() => {
    threads = undefined;
  });

  it.each([0, 1, 70_000, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES + 17])(
    'gives the pieces of %i bytes',
    async (size) => {
      const bytes = randomBytes(size);
      const file = fileWith(bytes);
      const found = await read(file);
      expect(found.size).toBe(size);
      const plain = await Promise.all(found.blobs.map((blob) => fromStored(cipher, blob, blob.stored)));
      expect(createHash('sha256').update(Buffer.concat(plain)).digest('hex')).toBe(file.hash);
      expect(found.blobs.map((blob) => blob.hash)).toEqual(plain.map((piece) => hashOf('sha256', piece)));
    },
  );

  it('compresses what gets smaller', async () => {
    const bytes = Buffer.alloc(200_000, 'quiet ');
    const { blobs } = await read(fileWith(bytes, 'a.wav'));
    expect(blobs[0]?.stored.length).toBeLessThan(2_000);
    expect((await fromStored(cipher, { sum: blobs[0]?.sum ?? '' }, blobs[0]?.stored as Buffer)).equals(bytes)).toBe(
      true,
    );
  });

  it('leaves files that are gone or have other bytes to the backup, and reads the others', async () => {
    const good = fileWith(randomBytes(1_000));
    const all = await Promise.all([
      read({ ...good, path: join(dir, 'gone.mp3') }),
      read({ ...good, hash: hashOf('sha256', 'other') }),
      read({ ...good, path: dir }),
      read(good),
    ]);
    expect(all.map(({ size, blobs }) => [size, blobs.length])).toEqual([
      [undefined, 0],
      [undefined, 0],
      [undefined, 0],
      [1_000, 1],
    ]);
  });

  it('reads more files than go to a thread at once', async () => {
    const files = Array.from({ length: 100 }, (_, n) => fileWith(randomBytes(100_000 + n), `${n}.mp3`));
    const all = await Promise.all(files.map(read));
    expect(all.map(({ size }) => size)).toEqual(files.map((_, n) => 100_000 + n));
    expect(all.map(({ blobs }) => blobs[0]?.hash)).toEqual(files.map(({ hash }) => hash));
  });
});

it('leaves all files to the backup when the thread dies', async () => {
  threads = createBlobThreads({
    workerUrl: new URL('data:text/javascript,throw new Error("no memory")'),
    key: undefined,
    signal: new AbortController().signal,
  });
  const read = (): Promise<number | undefined> | undefined =>
    threads?.read(fileWith(randomBytes(10)))(() => Promise.reject(new Error('nothing was read')));
  expect(await Promise.all([read(), read()])).toEqual([undefined, undefined]);
  expect(await read()).toBeUndefined();
});

it('fails all files when what was read cannot be stored, or the backup is cancelled', async () => {
  const stopped = new AbortController();
  threads = createBlobThreads({ workerUrl, key: undefined, signal: stopped.signal });
  const file = fileWith(randomBytes(10));
  const full = (): Promise<void> => Promise.reject(new Error('disk full'));
  const reads = [threads.read(file)(full), threads.read(file)(full)];
  for (const one of await Promise.allSettled(reads)) expect(one).toMatchObject({ reason: new Error('disk full') });
  await expect(threads.read(file)(full)).rejects.toThrow('disk full');

  const others = createBlobThreads({ workerUrl, key: undefined, signal: stopped.signal });
  stopped.abort(new Error('cancelled'));
  await expect(others.read(file)(async () => undefined)).rejects.toThrow('cancelled');
  await others.close();
});
