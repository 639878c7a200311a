// The one place that makes a client of the object store. Loaded only where an object store is used: the SDK takes 33
// MB.
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { Settings } from '../config/settings.ts';
import { AppError } from '../errors.ts';

export interface S3Limits {
  /** To find the store at all. */
  connectMs: number;
  /** For the question whether it is up, with all tries. */
  upMs: number;
  /** Without a byte in either direction. */
  silenceMs: number;
  /** How often one request is made, the first included; waits between them double from 100 ms. */
  attempts: number;
}

export const S3_LIMITS: S3Limits = { connectMs: 5_000, upMs: 3_000, silenceMs: 30_000, attempts: 4 };

/** A connection for each listener, with room for uploads beside them. */
const CONNECTIONS = 512;

export interface Bucket {
  client: S3Client;
  bucket: string;
  /** Stands before every key; empty, or with a slash at its end. */
  prefix: string;
  upMs: number;
}

export type S3Settings = Pick<
  Settings,
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'S3_BUCKET'
  | 'S3_PREFIX'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_SECRET_ACCESS_KEY'
  | 'S3_FORCE_PATH_STYLE'
>;

const NEEDED = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/**
 * Throws an `invalid` AppError that names what is not set. Asks nobody: the store may be down. `destroy` the client
 * when done.
 */
export function openBucket(settings: S3Settings, limits: Partial<S3Limits> = {}): Bucket {
  const missing = NEEDED.filter((name) => settings[name] === undefined);
  if (missing.length > 0)
    throw new AppError('invalid', `The object store needs ${missing.join(', ')}.`, {
      fields: missing.map((name) => ({ field: name.toLowerCase(), message: 'is needed for the object store' })),
    });
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

/** Checksums in both directions; bodies are sent signed, in pieces, with the checksum at their end. */
const toClientConfig = ({ connectMs, silenceMs, attempts }: S3Limits): S3ClientConfig => ({
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
