// The real object store that `npm run test:stores` has started, and helpers that its tests share.
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TestServer } from './server.ts';

const { env } = process;
/** Endpoint of the store; undefined if there is none. */
export const testedEndpoint = env['S3_TEST_ENDPOINT'];
export const TESTED = {
  bucket: env['S3_TEST_BUCKET'] ?? 'tonearm-test',
  keys: { accessKeyId: env['S3_TEST_ACCESS_KEY_ID'] ?? '', secretAccessKey: env['S3_TEST_SECRET_ACCESS_KEY'] ?? '' },
  region: env['S3_TEST_REGION'] ?? 'us-east-1',
  /** A host name of which a bucket may be a subdomain. */
  virtualHost: env['S3_TEST_VIRTUAL_HOST'],
};

/** Returns the settings of the library or of its backup. */
const storeEnv = (name: 'S3' | 'BACKUP_S3', endpoint: string, prefix: string): Record<string, string> => ({
  [`${name}_ENDPOINT`]: endpoint,
  [`${name}_FORCE_PATH_STYLE`]: 'true',
  [`${name}_REGION`]: TESTED.region,
  [`${name}_BUCKET`]: TESTED.bucket,
  [`${name}_ACCESS_KEY_ID`]: TESTED.keys.accessKeyId,
  [`${name}_SECRET_ACCESS_KEY`]: TESTED.keys.secretAccessKey,
  [`${name}_PREFIX`]: prefix,
});

/** Returns the settings of a library in the store that has its backup below the same prefix. */
export const storeLibraryEnv = (endpoint: string, prefix: string, music: string): Record<string, string> => ({
  STORAGE_BACKEND: 's3',
  ...storeEnv('S3', endpoint, `${prefix}/library`),
  ...storeEnv('BACKUP_S3', endpoint, `${prefix}/backup`),
  BACKUP_TARGET: 's3',
  LOCAL_MEDIA_IMPORT_PATH: music,
});

/** Short time limits, so that faults are noticed soon. */
export const STORE_LIMITS = { connectMs: 2_000, healthCheckMs: 2_000, silenceMs: 5_000, attempts: 2 };

/** Returns a client that accesses the store as another program would. */
export function rawStore(endpoint: string) {
  const client = new S3Client({
    endpoint,
    region: TESTED.region,
    forcePathStyle: true,
    credentials: TESTED.keys,
    requestChecksumCalculation: 'WHEN_REQUIRED', // some stores refuse these requests
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const Bucket = TESTED.bucket;
  return {
    client,
    async keys(prefix: string): Promise<string[]> {
      const keys: string[] = [];
      for (let token: string | undefined; ;) {
        const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken: token }));
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key);
        token = page.NextContinuationToken;
        if (token === undefined) return keys;
      }
    },
    async read(key: string): Promise<Buffer> {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
    async delete(key: string): Promise<void> {
      await client.send(new DeleteObjectCommand({ Bucket, Key: key }));
    },
    async write(key: string, bytes: Buffer): Promise<void> {
      await client.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes }));
    },
  };
}

/** Starts a job and waits for its end; a job that waits for its next attempt is cancelled. */
export async function runJob<R>(server: TestServer, path: string, body: object = {}): Promise<JobOut & { result: R }> {
  const { body: startedJob } = await server.api<JobOut>(path, { method: 'POST', body });
  await server.app.drain();
  const { body: job } = await server.api<JobOut & { result: R }>(`/jobs/${startedJob.id}`);
  if (job.status === 'waiting') await server.api(`/jobs/${job.id}`, { method: 'DELETE' });
  return job;
}
