// Stores objects in an S3 bucket. They appear complete or not at all: sent in one request, or in parts that are joined
// at the end. Every request has a checksum that the store verifies. Audio is hashed before it is sent, since its key is
// the hash.
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
import { withStoreErrors, asStoreError, isAbsentObject, isKeyTaken } from './s3-errors.ts';
import { createResumingStream, sizeInRange } from './s3-read.ts';
import { sweepUploads } from './s3-sweep.ts';
import { measureSource, readWhole } from './s3-upload.ts';
import type { ExpectedContent, ObjectStat, PutOptions, Storage, StoredObject, StorageTraits } from './storage.ts';
import { writeSynced } from './synced-files.ts';
import { bindContext } from '../runtime/bind-context.ts';

/** Smaller objects are sent in one request. Parts are sent from memory; the limit of 10,000 parts is 80 GB. */
const PART_BYTES = 8 << 20;
const MAX_CONCURRENT_PARTS = 2;

interface S3StorageDeps extends Bucket {
  backend: StorageTraits;
  /** The folder for audio that has to be hashed before it is sent. */
  tmpDir: string;
}

export function createS3Storage(deps: S3StorageDeps): Storage {
  const context = createContext(deps);

  return {
    ...bindContext(context, { isUp, close, stat }),
    backend: context.backend,
    folder: null,
    async put(key, source, options = {}) {
      assertKey(key);
      return { size: await upload(context, key, source, options) };
    },
    async putAudio(source, ext, options = {}) {
      if (options.expected) return putHashed(context, () => source, ext, options.expected, options);
      const tempFile = tempPath(context.tmpDir, process.pid, randomBytes(8).toString('hex'));
      try {
        const hash = createHash('sha256');
        const size = await writeSynced(tempFile, source, hash, options.signal);
        return await putHashed(
          context,
          () => createReadStream(tempFile),
          ext,
          { sha256: hash.digest('hex'), size },
          options,
        );
      } finally {
        await unlink(tempFile).catch(() => undefined);
      }
    },
    async open(key, range) {
      const controller = new AbortController();
      const get = (bytes: string | undefined, signal: AbortSignal, etag?: string) =>
        context.client.send(
          new GetObjectCommand({
            ...objectParams(context, key),
            ...(bytes !== undefined && { Range: bytes }),
            ...(etag !== undefined && { IfMatch: etag }),
          }),
          { abortSignal: signal },
        );
      const firstResponse = await get(range && `bytes=${range.start}-${range.end}`, controller.signal).catch(
        (error: unknown) => {
          throw isAbsentObject(error) ? notFound('stored object') : asStoreError(error);
        },
      );
      const size = range ? sizeInRange(firstResponse.ContentRange) : (firstResponse.ContentLength ?? 0);
      const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? size, size - 1)];
      // the key of audio is its hash, so a reopened object has the same content, although some stores change the ETag
      // (ranges have no checksum)
      const etag = key.startsWith('audio/') ? undefined : firstResponse.ETag;
      const reopen = async (position: number, signal: AbortSignal): Promise<Readable> =>
        (await withStoreErrors(get(range || position > 0 ? `bytes=${position}-${end}` : undefined, signal, etag)))
          .Body as Readable;
      return { size, stream: createResumingStream(firstResponse.Body as Readable, { start, end, reopen, controller }) };
    },
    async delete(key) {
      if (!(await stat(context, key))) return false;
      await withStoreErrors(context.client.send(new DeleteObjectCommand(objectParams(context, key))));
      return true;
    },
    async *list(keyPrefix): AsyncGenerator<StoredObject> {
      try {
        for await (const { Contents = [] } of paginateListObjectsV2(
          { client: context.client },
          { Bucket: context.bucket, Prefix: context.prefix + keyPrefix },
        )) {
          for (const { Key: fullKey = '', Size: size = 0, LastModified: modifiedAt = new Date(0) } of Contents) {
            const key = fullKey.slice(context.prefix.length);
            if (isKey(key)) yield { key, size, modifiedAt }; // the bucket may contain other files
          }
        }
      } catch (error) {
        throw asStoreError(error);
      }
    },
    sweep: (startedBefore) =>
      withStoreErrors(
        sweepUploads({ client: context.client, bucket: context.bucket, prefix: context.prefix }, startedBefore),
      ),
    diskUsage: () => Promise.resolve(null),
    localPath: () => undefined,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ backend, client, bucket, prefix, healthCheckMs, tmpDir }: S3StorageDeps) {
  return { backend, client, bucket, prefix, healthCheckMs, tmpDir };
}

function objectParams({ bucket, prefix }: Context, key: string) {
  assertKey(key);
  return { Bucket: bucket, Key: prefix + key };
}

async function upload(
  context: Context,
  key: string,
  source: Readable | Buffer,
  { contentType, signal, ifAbsent = false }: PutOptions,
  expected?: ExpectedContent,
): Promise<number> {
  const { body, size, fault } = measureSource(source, expected, signal);
  const params = {
    ...objectParams(context, key),
    Body: body,
    ...(contentType !== undefined && { ContentType: contentType }),
    ...(ifAbsent && { IfNoneMatch: '*' }),
  };
  try {
    // a body in memory is sent in one request; each part would be another request
    if (Buffer.isBuffer(body))
      await context.client.send(new PutObjectCommand(params), signal && { abortSignal: signal });
    else
      await new Upload({
        client: context.client,
        params,
        partSize: PART_BYTES,
        queueSize: MAX_CONCURRENT_PARTS,
      }).done();
  } catch (error) {
    signal?.throwIfAborted();
    if (ifAbsent && isKeyTaken(error)) throw new AppError('conflict', 'The object already exists.', { cause: error });
    throw fault() ?? asStoreError(error);
  }
  return size();
}

async function putHashed(
  context: Context,
  source: () => Readable,
  ext: string,
  content: ExpectedContent,
  options: PutOptions,
) {
  const key = audioKey(content.sha256, ext);
  const isStored = async (): Promise<boolean> => (await headObject(context, key))?.size === content.size;
  const checksFirst = !options.isNew || content.size > PART_BYTES;
  if (checksFirst && (await isStored())) return { key, ...content };
  try {
    const isSmall = content.size <= PART_BYTES;
    await upload(
      context,
      key,
      isSmall ? await readWhole(source(), content, options.signal) : source(),
      options,
      content,
    );
  } catch (error) {
    // the object may be stored although the response was lost
    const mayBeStored = error instanceof AppError && error.code === 'unavailable';
    if (!mayBeStored || !(await isStored().catch(() => false))) throw error;
  }
  return { key, ...content };
}

/** Returns undefined both for a missing object and for a missing bucket. */
async function headObject(context: Context, key: string): Promise<ObjectStat | undefined> {
  try {
    const { ContentLength: size = 0, LastModified: modifiedAt = new Date(0) } = await context.client.send(
      new HeadObjectCommand(objectParams(context, key)),
    );
    return { size, modifiedAt };
  } catch (error) {
    if (!isAbsentObject(error)) throw asStoreError(error);
    return undefined;
  }
}

async function stat(context: Context, key: string): Promise<ObjectStat | undefined> {
  const objectStat = await headObject(context, key);
  if (!objectStat) await assertBucket(context);
  return objectStat;
}

/** Throws `unavailable` for a missing bucket; without this check its objects would count as deleted. */
async function assertBucket(context: Context): Promise<void> {
  try {
    await context.client.send(new HeadBucketCommand({ Bucket: context.bucket }));
  } catch (error) {
    throw asStoreError(
      isAbsentObject(error) ? Object.assign(new Error('no such bucket'), { name: 'NoSuchBucket' }) : error,
    );
  }
}

const isUp = ({ client, bucket, healthCheckMs }: Context) =>
  client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: AbortSignal.timeout(healthCheckMs) }).then(
    () => true,
    () => false,
  );

const close = ({ client }: Context) => client.destroy();
