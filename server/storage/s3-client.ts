// The S3 client and its configuration.
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { StoreLimits } from './backend.ts';
import type { S3Settings } from './s3-settings.ts';

export const S3_LIMITS: StoreLimits = { connectMs: 5_000, upMs: 3_000, silenceMs: 30_000, attempts: 4 };

/** One for each of hundreds of listeners, and for uploads. */
const CONNECTIONS = 512;

export interface Bucket {
  client: S3Client;
  bucket: string;
  /** Of every key; empty, or ends with a slash. */
  prefix: string;
  upMs: number;
}

/** Does not connect, so the store may be down. `destroy` the client when done. */
export function openBucket(settings: S3Settings, limits: Partial<StoreLimits> = {}): Bucket {
  const {
    S3_ENDPOINT: endpoint,
    S3_REGION: region = 'us-east-1',
    S3_ACCESS_KEY_ID = '',
    S3_SECRET_ACCESS_KEY = '',
  } = settings;
  const all = { ...S3_LIMITS, ...limits };
  const client = new S3Client({
    ...toClientConfig(all),
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: settings.S3_FORCE_PATH_STYLE,
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
  });
  return { client, bucket: settings.S3_BUCKET ?? '', prefix: toPrefix(settings.S3_PREFIX), upMs: all.upMs };
}

/** With checksums in both directions; the SDK sends signed chunks and the checksum at the end. */
const toClientConfig = ({ connectMs, silenceMs, attempts }: StoreLimits): S3ClientConfig => ({
  maxAttempts: attempts,
  retryMode: 'standard',
  requestChecksumCalculation: 'WHEN_SUPPORTED',
  responseChecksumValidation: 'WHEN_SUPPORTED',
  requestHandler: {
    connectionTimeout: connectMs,
    socketTimeout: silenceMs,
    httpAgent: { maxSockets: CONNECTIONS },
    httpsAgent: { maxSockets: CONNECTIONS },
  },
});

/** `/music/` and `music` are the same prefix. */
export function toPrefix(text = ''): string {
  const plain = text.replaceAll(/^\/+|\/+$/g, '');
  return plain === '' ? '' : `${plain}/`;
}
