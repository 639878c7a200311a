// Tests for every storage backend. Each backend's test file calls this with a function that opens an empty storage.
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../server/errors.ts';
import type { ByteRange, Storage } from '../../server/storage/storage.ts';

interface Backend {
  storage: Storage;
  dispose(): Promise<void>;
}

export const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

/** Yields the bytes in chunks of odd lengths, and then throws the error if there is one. */
export const inPieces = (bytes: Buffer, error?: Error): Readable =>
  Readable.from(
    (function* pieces() {
      for (let offset = 0; offset < bytes.length; offset += 7_001) yield bytes.subarray(offset, offset + 7_001);
      if (error) throw error;
    })(),
  );

export function describeStorage(name: string, open: () => Promise<Backend>, hasConditions = true): void {
  describe(`${name} storage`, () => {
    let backend: Backend;
    let storage: Storage;
    beforeEach(async () => {
      backend = await open();
      storage = backend.storage;
    });
    afterEach(() => backend.dispose());

    const readObject = async (key: string, range?: ByteRange): Promise<Buffer> =>
      buffer((await storage.open(key, range)).stream);
    const keys = async (prefix: string): Promise<string[]> => {
      const foundKeys: string[] = [];
      for await (const { key } of storage.list(prefix)) foundKeys.push(key);
      return foundKeys.sort();
    };

    it('returns what was stored, from a stream and from bytes', async () => {
      const bytes = randomBytes(300_000);
      expect(await storage.put('covers/1.jpg', inPieces(bytes))).toEqual({ size: 300_000 });
      expect(await storage.put('covers/2.jpg', bytes)).toEqual({ size: 300_000 });
      expect((await readObject('covers/1.jpg')).equals(bytes)).toBe(true);
      expect((await readObject('covers/2.jpg')).equals(bytes)).toBe(true);
    });

    it('keeps an empty object', async () => {
      await storage.put('covers/1.jpg', Buffer.alloc(0));
      expect((await storage.stat('covers/1.jpg'))?.size).toBe(0);
      expect(await readObject('covers/1.jpg')).toHaveLength(0);
    });

    it('replaces an object under the same key', async () => {
      await storage.put('covers/1.jpg', Buffer.from('old and longer'));
      await storage.put('covers/1.jpg', Buffer.from('new'));
      expect((await readObject('covers/1.jpg')).toString()).toBe('new');
      expect((await storage.stat('covers/1.jpg'))?.size).toBe(3);
    });

    it.runIf(hasConditions)('stores an object only if there is none, when asked to', async () => {
      expect(await storage.put('lease', Buffer.from('first'), { ifAbsent: true })).toEqual({ size: 5 });
      expect(await codeOf(storage.put('lease', Buffer.from('second'), { ifAbsent: true }))).toBe('conflict');
      expect((await readObject('lease')).toString()).toBe('first');
      await storage.delete('lease');
      expect(await storage.put('lease', Buffer.from('third'), { ifAbsent: true })).toEqual({ size: 5 });
    });

    it('names audio by its content, and stores the same content once', async () => {
      const bytes = randomBytes(100_000);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const expectedObject = { key: `audio/${sha256.slice(0, 2)}/${sha256}.flac`, sha256, size: 100_000 };
      expect(await storage.putAudio(inPieces(bytes), 'flac')).toEqual(expectedObject);
      expect(await storage.putAudio(inPieces(bytes), 'flac')).toEqual(expectedObject);
      expect((await readObject(expectedObject.key)).equals(bytes)).toBe(true);
      expect(await keys('')).toEqual([expectedObject.key]);
    });

    it('rejects audio with another hash than announced', async () => {
      const bytes = randomBytes(50_000);
      const expectedDigest = { sha256: createHash('sha256').update(randomBytes(10)).digest('hex'), size: bytes.length };
      expect(await codeOf(storage.putAudio(inPieces(bytes), 'mp3', { expected: expectedDigest }))).toBe('conflict');
      expect(await keys('')).toEqual([]);
    });

    it('has no incomplete objects to sweep after all this', async () => {
      await storage.put('covers/1.jpg', randomBytes(1_000));
      expect(await storage.sweep(new Date(Date.now() + 60_000))).toBe(0);
    });

    it('succeeds twice when the same audio is stored twice at once', async () => {
      const bytes = randomBytes(200_000);
      const [firstWrite, secondWrite] = await Promise.all([
        storage.putAudio(inPieces(bytes), 'mp3'),
        storage.putAudio(inPieces(bytes), 'mp3'),
      ]);
      expect(firstWrite).toEqual(secondWrite);
      expect((await readObject(firstWrite.key)).equals(bytes)).toBe(true);
    });

    it('opens ranges, both ends included, limited to the end', async () => {
      const bytes = randomBytes(100_000);
      await storage.put('covers/1.jpg', bytes);
      for (const [start, end] of [
        [0, 0],
        [0, 99_999],
        [99_999, 99_999],
        [5, 70_000],
        [99_000, 500_000],
      ] as const) {
        const openedObject = await storage.open('covers/1.jpg', { start, end });
        expect(openedObject.size).toBe(100_000);
        expect((await buffer(openedObject.stream)).equals(bytes.subarray(start, end + 1))).toBe(true);
      }
    });

    it('throws not_found for a missing object, and deletes it without error', async () => {
      expect(await codeOf(storage.open('covers/9.jpg'))).toBe('not_found');
      expect(await storage.stat('covers/9.jpg')).toBeUndefined();
      expect(await storage.delete('covers/9.jpg')).toBe(false);
      expect(await codeOf(storage.open('covers'))).toBe('not_found');
    });

    it('deletes', async () => {
      await storage.put('covers/1.jpg', Buffer.from('x'));
      expect(await storage.delete('covers/1.jpg')).toBe(true);
      expect(await storage.stat('covers/1.jpg')).toBeUndefined();
      expect(await keys('')).toEqual([]);
    });

    it('lists by prefix with sizes', async () => {
      for (const key of ['audio/aa/one.mp3', 'audio/ab/two.mp3', 'covers/1.jpg', 'covers/12.jpg', 'covers/2.jpg'])
        await storage.put(key, Buffer.from(key));
      expect(await keys('')).toHaveLength(5);
      expect(await keys('audio/')).toEqual(['audio/aa/one.mp3', 'audio/ab/two.mp3']);
      expect(await keys('audio/a')).toEqual(['audio/aa/one.mp3', 'audio/ab/two.mp3']);
      expect(await keys('covers/1')).toEqual(['covers/1.jpg', 'covers/12.jpg']);
      expect(await keys('nothing/')).toEqual([]);
      for await (const { key, size, modifiedAt } of storage.list('covers/2'))
        expect([key, size, modifiedAt instanceof Date]).toEqual(['covers/2.jpg', 12, true]);
    });

    it('leaves nothing behind when the source fails, and passes its error on', async () => {
      await storage.put('covers/1.jpg', Buffer.from('old'));
      const broken = new Error('the client went away');
      await expect(storage.put('covers/1.jpg', inPieces(randomBytes(50_000), broken))).rejects.toBe(broken);
      await expect(storage.putAudio(inPieces(randomBytes(50_000), broken), 'mp3')).rejects.toBe(broken);
      expect((await readObject('covers/1.jpg')).toString()).toBe('old');
      expect(await keys('')).toEqual(['covers/1.jpg']);
    });

    it('leaves nothing behind when it is aborted', async () => {
      const controller = new AbortController();
      const source = Readable.from(
        (function* endless() {
          for (let i = 0; ; i++) {
            if (i === 3) controller.abort();
            yield randomBytes(1_000);
          }
        })(),
      );
      await expect(storage.putAudio(source, 'mp3', { signal: controller.signal })).rejects.toThrow();
      expect(await keys('')).toEqual([]);
    });

    it.each([
      '',
      '/',
      '/etc/passwd',
      '../x',
      'a/../b',
      'a//b',
      'a/',
      './a',
      'a/./b',
      '.hidden',
      'a/.hidden',
      'a\\b',
      'a\0b',
      'C:x',
      'ä',
      'tmp/part-1-00',
      'tmp',
      'a'.repeat(1025),
    ])('rejects the key %j', async (key) => {
      expect(await codeOf(storage.put(key, Buffer.from('x')))).toBe('invalid');
      expect(await codeOf((async () => storage.open(key))())).toBe('invalid');
      expect(await codeOf((async () => storage.stat(key))())).toBe('invalid');
      expect(await codeOf((async () => storage.delete(key))())).toBe('invalid');
    });

    it('is up', async () => {
      expect(await storage.isUp()).toBe(true);
    });
  });
}
