// Objects in an S3 bucket. They appear whole or not at all: sent in one request, or in parts that are joined at the
// end. Every request has a checksum that the store verifies. Audio is hashed before it is sent, since its key is the
// hash.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { AppError, notFound } from '../errors.ts';
import { assertKey, audioKey, isKey, tempPath } from './local-paths.ts';
import type { Bucket } from './s3-client.ts';
import { asking, asStoreError, isAbsentObject, isTaken } from './s3-errors.ts';
import { readResuming, sizeInRange } from './s3-read.ts';
import { sweepUploads } from './s3-sweep.ts';
import { measured, whole } from './s3-upload.ts';
import type { KnownContent, ObjectStat, PutOptions, Storage, StoredObject, StorageTraits } from './storage.ts';
import { writeSynced } from './synced-files.ts';

/** Smaller objects take one request. Parts are sent from memory; the limit of 10,000 parts is 80 GB. */
const PART_BYTES = 8 << 20;
const PARTS_AT_ONCE = 2;

interface S3StorageDeps extends Bucket {
  backend: StorageTraits;
  /** For audio that has to be hashed before it is sent. */
  tmpDir: string;
}

export function createS3Storage({ backend, client, bucket, prefix, upMs, tmpDir }: S3StorageDeps): Storage {
  const at = (key: string) => {
    assertKey(key);
    return { Bucket: bucket, Key: prefix + key };
  };

  async function upload(
    key: string,
    source: Readable | Buffer,
    { contentType, signal, ifAbsent = false }: PutOptions,
    known?: KnownContent,
  ): Promise<number> {
    const { body, size, fault } = measured(source, known, signal);
    const params = {
      ...at(key),
      Body: body,
      ...(contentType !== undefined && { ContentType: contentType }),
      ...(ifAbsent && { IfNoneMatch: '*' }),
    };
    try {
      // what is in memory as a whole needs no parts, which would be a request each
      if (Buffer.isBuffer(body)) await client.send(new PutObjectCommand(params), signal && { abortSignal: signal });
      else await new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done();
    } catch (error) {
      signal?.throwIfAborted();
      if (ifAbsent && isTaken(error)) throw new AppError('conflict', 'It exists already.', { cause: error });
      throw fault() ?? asStoreError(error);
    }
    return size();
  }

  async function putKnown(source: () => Readable, ext: string, known: KnownContent, options: PutOptions) {
    const key = audioKey(known.sha256, ext);
    const isThere = async (): Promise<boolean> => (await find(key))?.size === known.size;
    const asksFirst = !options.isNew || known.size > PART_BYTES;
    if (asksFirst && (await isThere())) return { key, ...known }; // stored before
    try {
      const isSmall = known.size <= PART_BYTES;
      await upload(key, isSmall ? await whole(source(), known, options.signal) : source(), options, known);
    } catch (error) {
      // if only the response was lost
      const mayBeThere = error instanceof AppError && error.code === 'unavailable';
      if (!mayBeThere || !(await isThere().catch(() => false))) throw error;
    }
    return { key, ...known };
  }

  /** Without the difference between a missing object and a missing bucket. */
  async function find(key: string): Promise<ObjectStat | undefined> {
    try {
      const { ContentLength: size = 0, LastModified: modifiedAt = new Date(0) } = await client.send(
        new HeadObjectCommand(at(key)),
      );
      return { size, modifiedAt };
    } catch (error) {
      if (!isAbsentObject(error)) throw asStoreError(error);
      return undefined;
    }
  }

  async function stat(key: string): Promise<ObjectStat | undefined> {
    const found = await find(key);
    if (!found) await assertBucket();
    return found;
  }

  /** A missing bucket is `unavailable`; without this check its objects would count as deleted. */
  async function assertBucket(): Promise<void> {
    try {
      await client.send(new HeadBucketCommand({ Bucket: bucket }));
    } catch (error) {
      throw asStoreError(
        isAbsentObject(error) ? Object.assign(new Error('no such bucket'), { name: 'NoSuchBucket' }) : error,
      );
    }
  }

  return {
    backend,
    folder: null,

    async put(key, source, options = {}) {
      assertKey(key);
      return { size: await upload(key, source, options) };
    },

    async putAudio(source, ext, options = {}) {
      if (options.known) return putKnown(() => source, ext, options.known, options);
      const staged = tempPath(tmpDir, process.pid, randomBytes(8).toString('hex'));
      try {
        const hash = createHash('sha256');
        const size = await writeSynced(staged, source, hash, options.signal);
        return await putKnown(() => createReadStream(staged), ext, { sha256: hash.digest('hex'), size }, options);
      } finally {
        await unlink(staged).catch(() => undefined);
      }
    },

    async open(key, range) {
      const ended = new AbortController();
      const get = (bytes: string | undefined, signal: AbortSignal, etag?: string) =>
        client.send(
          new GetObjectCommand({
            ...at(key),
            ...(bytes !== undefined && { Range: bytes }),
            ...(etag !== undefined && { IfMatch: etag }),
          }),
          { abortSignal: signal },
        );
      const first = await get(range && `bytes=${range.start}-${range.end}`, ended.signal).catch((error: unknown) => {
        throw isAbsentObject(error) ? notFound('stored object') : asStoreError(error);
      });
      const size = range ? sizeInRange(first.ContentRange) : (first.ContentLength ?? 0);
      const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? size, size - 1)];
      // the key of audio is its hash, so no other version can follow: stores that change its ETag are no hindrance
      // (ranges have no checksum)
      const etag = key.startsWith('audio/') ? undefined : first.ETag;
      const reopen = async (from: number, signal: AbortSignal): Promise<Readable> =>
        (await asking(get(range || from > 0 ? `bytes=${from}-${end}` : undefined, signal, etag))).Body as Readable;
      return { size, stream: readResuming(first.Body as Readable, { start, end, reopen, ended }) };
    },

    stat,

    async delete(key) {
      if (!(await stat(key))) return false;
      await asking(client.send(new DeleteObjectCommand(at(key))));
      return true;
    },

    async *list(wanted): AsyncGenerator<StoredObject> {
      try {
        for await (const { Contents = [] } of paginateListObjectsV2(
          { client },
          { Bucket: bucket, Prefix: prefix + wanted },
        )) {
          for (const { Key: full = '', Size: size = 0, LastModified: modifiedAt = new Date(0) } of Contents) {
            const key = full.slice(prefix.length);
            if (isKey(key)) yield { key, size, modifiedAt }; // the bucket may hold other files
          }
        }
      } catch (error) {
        throw asStoreError(error);
      }
    },

    sweep: (before) => asking(sweepUploads({ client, bucket, prefix }, before)),
    diskUsage: () => Promise.resolve(null),
    isUp: () =>
      client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: AbortSignal.timeout(upMs) }).then(
        () => true,
        () => false,
      ),
    localPath: () => undefined,
    close: () => client.destroy(),
  };
}
