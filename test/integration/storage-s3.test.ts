// S3 storage, tested with the fake that checks everything, and with a real store if one is configured.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../server/config/config.ts';
import { openBucket } from '../../server/storage/s3-client.ts';
import { openStorage } from '../../server/storage/backends.ts';
import { s3, toS3 } from '../../server/storage/s3-backend.ts';
import { createS3Storage } from '../../server/storage/s3.ts';
import type { Storage } from '../../server/storage/storage.ts';
import { HELD_LIMITS, startFakeS3, type FakeS3, type S3Fault } from '../fakes/s3.ts';
import { holdLimit, type HeldLimit } from '../support/held-limit.ts';
import { codeOf, describeStorage } from './storage-conformance.ts';
import { sayLeftOut } from '../support/left-out.ts';

const settingsOf = (env: Record<string, string>) => toS3(loadConfig({ file: {}, env }).settings);
const tmpDir = mkdtempSync(join(tmpdir(), 'tonearm-s3-'));

describeStorage('S3', async () => {
  const fake = await startFakeS3();
  fake.pageSize = 2;
  return {
    storage: createS3Storage({
      backend: s3,
      ...openBucket(settingsOf({ ...fake.settings, S3_PREFIX: 'my/music' })),
      tmpDir,
    }),
    dispose: () => fake.close(),
  };
});

const endpoint = process.env['S3_TEST_ENDPOINT'];
if (endpoint !== undefined) {
  const hasConditions = process.env['S3_TEST_LACKS_CONDITIONS'] === undefined;
  if (!hasConditions) sayLeftOut('conditional writes are NOT tested: this store does not know them.');
  const open = () => {
    const bucket = openBucket(
      settingsOf({
        S3_ENDPOINT: endpoint,
        S3_FORCE_PATH_STYLE: 'true',
        S3_REGION: process.env['S3_TEST_REGION'] ?? 'us-east-1',
        S3_BUCKET: process.env['S3_TEST_BUCKET'] ?? 'tonearm-test',
        S3_ACCESS_KEY_ID: process.env['S3_TEST_ACCESS_KEY_ID'] ?? '',
        S3_SECRET_ACCESS_KEY: process.env['S3_TEST_SECRET_ACCESS_KEY'] ?? '',
        S3_PREFIX: `test-${randomUUID()}`,
      }),
    );
    const storage = createS3Storage({ backend: s3, ...bucket, tmpDir });
    const dispose = async (): Promise<void> => {
      for await (const { key } of storage.list('')) await storage.delete(key);
    };
    return Promise.resolve({ storage, dispose });
  };
  describeStorage(`S3 at ${endpoint}`, open, hasConditions);
} else console.warn('S3_TEST_ENDPOINT is not set: the storage suite runs on local disk and on the fake store only.');

describe('S3 storage and its store', () => {
  let fake: FakeS3;
  let storage: Storage;
  let silence: HeldLimit;
  let connectLimit: HeldLimit;
  beforeEach(async () => {
    silence = holdLimit(HELD_LIMITS.silenceMs);
    connectLimit = holdLimit(HELD_LIMITS.connectMs);
    fake = await startFakeS3();
    fake.onSilence = () => void silence.runOut();
    storage = createS3Storage({ backend: s3, ...openBucket(settingsOf(fake.settings), HELD_LIMITS), tmpDir });
  });
  afterEach(async () => {
    await fake.close();
    connectLimit.release();
    silence.release();
  });

  const bytes = randomBytes(20 << 20);
  const expectedDigest = { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
  const AUDIO_KEY = `audio/${expectedDigest.sha256.slice(0, 2)}/${expectedDigest.sha256}.flac`;
  const operations = (): string[] => fake.requests.map(({ operation }) => operation);
  const failOnce = (operation: string, fault: S3Fault) => {
    let remainingFaults = 1;
    fake.fault = (ask) => (ask.operation === operation && remainingFaults-- > 0 ? fault : undefined);
  };
  const readObject = async (key: string, range?: { start: number; end: number }) =>
    buffer((await storage.open(key, range)).stream);

  it('sends large audio in parts, and checks first whether it is stored', async () => {
    expect(await storage.putAudio(Readable.from([bytes]), 'flac')).toEqual({ key: AUDIO_KEY, ...expectedDigest });
    expect(operations()).toEqual([
      'HeadObject',
      'CreateMultipartUpload',
      'UploadPart',
      'UploadPart',
      'UploadPart',
      'CompleteMultipartUpload',
    ]);
    expect((await readObject(AUDIO_KEY)).equals(bytes)).toBe(true);
    fake.requests.length = 0;
    await storage.putAudio(Readable.from([bytes]), 'flac', { expected: expectedDigest });
    expect(operations()).toEqual(['HeadObject']);
    expect(readdirSync(join(tmpDir, 'tmp'))).toEqual([]);
  });

  it('says that the store is away when it goes in the middle of large audio, not that the audio cannot be read', async () => {
    let isDown = false;
    fake.fault = ({ operation }) => {
      isDown ||= operation === 'UploadPart';
      return isDown ? 'cut' : undefined;
    };
    expect(await codeOf(storage.putAudio(Readable.from([bytes]), 'flac', { expected: expectedDigest }))).toBe(
      'unavailable',
    );
    expect(fake.objects.size).toBe(0);
  });

  it('stores nothing under the hash of other content', async () => {
    const otherBytes = randomBytes(20 << 20);
    expect(await codeOf(storage.putAudio(Readable.from([otherBytes]), 'flac', { expected: expectedDigest }))).toBe(
      'conflict',
    );
    expect(
      await codeOf(storage.putAudio(Readable.from([bytes.subarray(0, 1_000)]), 'flac', { expected: expectedDigest })),
    ).toBe('conflict');
    expect([fake.objects.size, fake.uploads.size]).toEqual([0, 0]);
  });

  it('does not list other files in the bucket', async () => {
    fake.putObject('audio/../x', Buffer.from('x'));
    fake.putObject('audio/a&b "<c>".mp3', Buffer.from('x'));
    fake.putObject('audio/aa/one.mp3', Buffer.from('x'));
    const keys: string[] = [];
    for await (const { key } of storage.list('audio/')) keys.push(key);
    expect(keys).toEqual(['audio/aa/one.mp3']);
  });

  it.each<[string, string, S3Fault]>([
    ['an error of the store', 'PutObject', { status: 500, code: 'InternalError' }],
    ['a store that asks to slow down', 'PutObject', { status: 503, code: 'SlowDown' }],
    ['no answer', 'PutObject', 'silent'],
    ['a connection that breaks', 'PutObject', 'cut'],
    ['bytes damaged on the way', 'PutObject', { status: 400, code: 'BadDigest' }],
    ['an answer that gets lost', 'PutObject', 'lost answer'],
  ])('stores a cover despite %s', async (_, operation, fault) => {
    failOnce(operation, fault);
    const tries = async (): Promise<unknown> => storage.put('covers/1.jpg', Buffer.from('cover'));
    // the SDK does not retry this error
    if (typeof fault === 'object' && fault.code === 'BadDigest') expect(await codeOf(tries())).toBe('unavailable');
    await tries();
    expect((await readObject('covers/1.jpg')).toString()).toBe('cover');
  });

  it.each<[string, S3Fault]>([
    ['errors', { status: 500, code: 'InternalError' }],
    ['silence', 'silent'],
    ['cut connections', 'cut'],
    ['refusals', { status: 403, code: 'AccessDenied' }],
    ['a full store', { status: 507, code: 'XMinioStorageFull' }],
  ])('reports what is wrong with only %s, stores no partial object, and recovers', async (_, fault) => {
    fake.fault = ({ operation }) => (operation === 'UploadPart' ? fault : undefined);
    const expectedCode = typeof fault === 'object' && fault.status === 507 ? 'storage_full' : 'unavailable';
    expect(await codeOf(storage.putAudio(Readable.from([bytes]), 'flac', { expected: expectedDigest }))).toBe(
      expectedCode,
    );
    expect([fake.objects.size, fake.uploads.size]).toEqual([0, 0]);
    fake.fault = () => undefined;
    await storage.putAudio(Readable.from([bytes]), 'flac', { expected: expectedDigest });
    expect(fake.objects.get(AUDIO_KEY)?.bytes.equals(bytes)).toBe(true);
  });

  it('finishes an upload whose last response was lost', async () => {
    failOnce('CompleteMultipartUpload', 'lost answer');
    await storage.putAudio(Readable.from([bytes]), 'flac', { expected: expectedDigest });
    expect((await readObject(AUDIO_KEY)).equals(bytes)).toBe(true);
    expect(fake.uploads.size).toBe(0);
  });

  it('continues reading where a connection broke, also in a range', async () => {
    fake.putObject(AUDIO_KEY, bytes);
    failOnce('GetObject', 'cut');
    expect((await readObject(AUDIO_KEY)).equals(bytes)).toBe(true);
    let cuts = 3;
    fake.fault = ({ operation }) => (operation === 'GetObject' && cuts-- > 0 ? 'cut' : undefined);
    expect(
      (await readObject(AUDIO_KEY, { start: 1_000, end: 9_000_000 })).equals(bytes.subarray(1_000, 9_000_001)),
    ).toBe(true);
    expect(cuts).toBeLessThanOrEqual(0);
  });

  it('does not mix two versions of an object', async () => {
    fake.putObject('covers/1.jpg', bytes);
    fake.fault = ({ operation, range }) => {
      if (operation !== 'GetObject' || range !== undefined) return undefined;
      setImmediate(() => fake.putObject('covers/1.jpg', Buffer.alloc(bytes.length)));
      return 'cut';
    };
    expect(await codeOf(readObject('covers/1.jpg'))).toBe('unavailable');
  });

  it('does not return damaged audio as complete', async () => {
    fake.putObject(AUDIO_KEY, bytes);
    fake.fault = () => 'damaged';
    const { stream } = await storage.open(AUDIO_KEY);
    let receivedBytes = 0;
    const failure = await (async () => {
      for await (const piece of stream as AsyncIterable<Buffer>) receivedBytes += piece.length;
    })().then(
      () => false,
      () => true,
    );
    expect(failure).toBe(true);
    expect(receivedBytes).toBeLessThan(bytes.length);
  });

  it.each([5, 40_000, 70_000, 200_000])(
    'does not return %i damaged bytes as complete either, but does if a retry succeeds',
    async (size) => {
      const smallBytes = randomBytes(size);
      fake.putObject('covers/1.jpg', smallBytes);
      fake.fault = () => 'damaged';
      expect(await codeOf(readObject('covers/1.jpg'))).toBe('unavailable');
      if (size > 64 << 10) return; // a part was sent before the damage was detected
      failOnce('GetObject', 'damaged');
      expect((await readObject('covers/1.jpg')).equals(smallBytes)).toBe(true);
    },
  );

  it('closes the connection to the store with its reader', async () => {
    fake.putObject(AUDIO_KEY, bytes);
    const { stream } = await storage.open(AUDIO_KEY);
    stream.destroy();
    const secondObject = await storage.open(AUDIO_KEY);
    for await (const _ of secondObject.stream) break;
    expect(fake.requests).toHaveLength(2);
    expect((await readObject(AUDIO_KEY)).equals(bytes)).toBe(true);
  });

  it('does not treat objects as missing while the bucket is missing', async () => {
    await storage.put('covers/1.jpg', Buffer.from('x'));
    const { bucket } = fake;
    fake.bucket = 'another';
    const tries = [
      storage.stat('covers/1.jpg'),
      storage.open('covers/1.jpg'),
      storage.delete('covers/1.jpg'),
      storage.put('covers/1.jpg', Buffer.from('y')),
    ];
    expect(await Promise.all(tries.map(codeOf))).toEqual(tries.map(() => 'unavailable'));
    expect(await storage.isUp()).toBe(false);
    fake.bucket = bucket;
    expect((await readObject('covers/1.jpg')).toString()).toBe('x');
  });

  it('adjusts its clock to the store’s', async () => {
    fake.now = () => new Date(Date.now() + 3_600_000);
    // all are written at once, before the store's time is known
    const keys = Array.from({ length: 8 }, (_, n) => `covers/${n + 1}.jpg`);
    await Promise.all(keys.map((key) => storage.put(key, Buffer.from(key))));
    for (const key of keys) expect((await readObject(key)).toString()).toBe(key);
    expect(fake.requests.length).toBeGreaterThan(2 * keys.length); // the first requests were rejected
  });

  it('fails with a wrong key', async () => {
    const stranger = createS3Storage({
      backend: s3,
      ...openBucket(settingsOf({ ...fake.settings, S3_SECRET_ACCESS_KEY: 'wrong' }), HELD_LIMITS),
      tmpDir,
    });
    await expect(stranger.put('covers/1.jpg', Buffer.from('x'))).rejects.toThrow('S3_SECRET_ACCESS_KEY');
    expect(await codeOf(stranger.stat('covers/1.jpg'))).toBe('unavailable');
  });

  it.each([
    [{ status: 501, code: 'NotImplemented' }],
    [{ status: 400, code: 'InvalidArgument' }],
    [{ status: 411, code: 'MissingContentLength' }],
  ])('goes on without checksums at a store that answers them with %o, found out once', async (fault) => {
    fake.fault = ({ hasChecksum }) => (hasChecksum ? fault : undefined);
    expect(await codeOf(storage.open(AUDIO_KEY))).toBe('not_found');
    await storage.putAudio(Readable.from([bytes]), 'flac', { expected: expectedDigest });
    expect((await readObject(AUDIO_KEY)).equals(bytes)).toBe(true);
    expect(fake.requests.filter(({ hasChecksum }) => hasChecksum).length).toBeLessThanOrEqual(1);
  });

  it('sends checksums, or none, as it is set', async () => {
    const open = (S3_CHECKSUMS: string) =>
      createS3Storage({
        backend: s3,
        ...openBucket(settingsOf({ ...fake.settings, S3_CHECKSUMS }), HELD_LIMITS),
        tmpDir,
      });
    await open('never').put('covers/1.jpg', Buffer.from('x'));
    expect(fake.requests.some(({ hasChecksum }) => hasChecksum)).toBe(false);
    fake.fault = ({ hasChecksum }) => (hasChecksum ? { status: 501, code: 'NotImplemented' } : undefined);
    await expect(open('always').put('covers/1.jpg', Buffer.from('x'))).rejects.toThrow(/501 NotImplemented/);
  });

  it.each([
    [{ status: 403, code: 'AccessDenied' }, /does not allow.*403 AccessDenied: AccessDenied of the fake/],
    [{ status: 400, code: 'InvalidBucketName' }, /refuses.*400 InvalidBucketName/],
    [{ status: 503, code: 'SlowDown' }, /too busy.*503 SlowDown/],
    [{ status: 403, code: 'RequestTimeTooSkewed' }, /clocks.*403 RequestTimeTooSkewed/],
  ])('says in the store’s own words why %o', async (fault, words) => {
    fake.fault = () => fault;
    await expect(storage.put('covers/1.jpg', Buffer.from('x'))).rejects.toThrow(words);
  });

  it('tells a wrong clock where a refusal has no words', async () => {
    fake.now = () => new Date(Date.now() + 3_600_000);
    fake.fault = ({ method }) => (method === 'HEAD' ? { status: 403, code: 'RequestTimeTooSkewed' } : undefined);
    await expect(storage.stat('covers/1.jpg')).rejects.toThrow('clocks');
  });

  it('reads on where the ETag of audio changed, as some stores do after a repair', async () => {
    fake.putObject(AUDIO_KEY, bytes);
    fake.fault = ({ operation, range }) => {
      if (operation !== 'GetObject' || range !== undefined) return undefined;
      const object = fake.objects.get(AUDIO_KEY);
      if (object) setImmediate(() => (object.etag = '"another"'));
      return 'cut';
    };
    expect((await readObject(AUDIO_KEY)).equals(bytes)).toBe(true);
  });

  it('aborts uploads of killed processes, and only those', async () => {
    const startedUpload = {
      startedAt: new Date('2024-01-01'),
      contentType: undefined,
      parts: new Map<number, Buffer>(),
    };
    fake.uploads.set('old', { key: AUDIO_KEY, ...startedUpload });
    fake.uploads.set('new', { key: AUDIO_KEY, ...startedUpload, startedAt: new Date() });
    fake.uploads.set('not ours', { key: 'other program/file', ...startedUpload });
    expect(await storage.sweep(new Date('2024-02-01'))).toBe(1);
    expect([...fake.uploads.keys()]).toEqual(['new', 'not ours']);
  });

  it('reports missing settings', async () => {
    const config = loadConfig({ file: {}, env: { STORAGE_BACKEND: 's3', S3_BUCKET: 'x' } });
    await expect(openStorage(config)).rejects.toThrow('The object store needs S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY.');
  });
});

describe('the fake store', () => {
  it('accepts a stream in chunks with a trailing checksum, and rejects other bytes', async () => {
    const fake = await startFakeS3();
    const { client, bucket } = openBucket(settingsOf(fake.settings), HELD_LIMITS);
    try {
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: 'a',
          Body: Readable.from([Buffer.from('one'), Buffer.from('two')]),
          ContentLength: 6,
        }),
      );
      expect(fake.objects.get('a')?.bytes.toString()).toBe('onetwo');
      const wrongRequest = client.send(
        new PutObjectCommand({ Bucket: bucket, Key: 'b', Body: Buffer.from('one'), ChecksumCRC32: 'AAAAAA==' }),
      );
      await expect(wrongRequest).rejects.toThrow('BadDigest');
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'c', Body: 'x', IfNoneMatch: '*' }));
      await expect(
        client.send(new PutObjectCommand({ Bucket: bucket, Key: 'c', Body: 'y', IfNoneMatch: '*' })),
      ).rejects.toThrow('PreconditionFailed');
      expect(
        await (await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'c' }))).Body?.transformToString(),
      ).toBe('x');
    } finally {
      await fake.close();
    }
  });
});

process.on('exit', () => rmSync(tmpDir, { recursive: true, force: true }));
