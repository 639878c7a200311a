// Creates the S3 client from the settings.
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { StoreLimits } from './backend.ts';
import { createChecksumPolicy } from './s3-checksums.ts';
import { addressOf } from './s3-providers.ts';
import type { S3Settings } from './s3-settings.ts';
import { trimBoth } from '../runtime/trim-text.ts';

const DEFAULT_LIMITS: StoreLimits = { connectMs: 5_000, healthCheckMs: 3_000, silenceMs: 30_000, attempts: 4 };

/** Maximum number of connections: enough for hundreds of listeners with a connection each, and for uploads. */
const MAX_CONNECTIONS = 512;

/**
 * Smaller changes are ignored: the SDK adjusts its clock offset with every answer, but stores refuse requests only at a
 * difference of minutes.
 */
const MIN_CLOCK_CHANGE_MS = 60_000;

export interface Bucket {
  client: S3Client;
  bucket: string;
  /** Prefix of every key; empty, or ends with a slash. */
  prefix: string;
  healthCheckMs: number;
}

/**
 * Opens a bucket. Does not connect, so the store may be down. The caller has to call `destroy` on the client at the
 * end.
 */
export function openBucket(settings: S3Settings, limits: Partial<StoreLimits> = {}): Bucket {
  const { S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = settings;
  const { endpoint, region, pathStyle } = addressFrom(settings);
  const allLimits = { ...DEFAULT_LIMITS, ...limits };
  const checksums = createChecksumPolicy(settings.S3_CHECKSUMS);
  const client = new S3Client({
    ...toClientConfig(allLimits),
    ...checksums.config,
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: pathStyle,
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
  });
  checksums.watch(client);
  retryAfterClockChange(client);
  return {
    client,
    bucket: settings.S3_BUCKET ?? '',
    prefix: toPrefix(settings.S3_PREFIX),
    healthCheckMs: allLimits.healthCheckMs,
  };
}

/**
 * Repeats requests that were signed with a wrong time: the SDK learns the store's time from a refusal and repeats that
 * request, but not others that were sent meanwhile.
 */
function retryAfterClockChange(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const offset = client.config.systemClockOffset;
      try {
        return await next({ ...args, input: { ...args.input } });
      } catch (error) {
        if (Math.abs(client.config.systemClockOffset - offset) < MIN_CLOCK_CHANGE_MS) throw error;
        return next(args);
      }
    },
    { step: 'initialize', name: 'tonearmClock', priority: 'high' },
  );
}

const addressFrom = (settings: S3Settings) =>
  addressOf({
    provider: settings.S3_PROVIDER,
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    pathStyle: settings.S3_FORCE_PATH_STYLE,
  });

const toClientConfig = ({ connectMs, silenceMs, attempts }: StoreLimits): S3ClientConfig => ({
  maxAttempts: attempts,
  retryMode: 'standard',
  requestHandler: {
    connectionTimeout: connectMs,
    socketTimeout: silenceMs,
    httpAgent: { maxSockets: MAX_CONNECTIONS },
    httpsAgent: { maxSockets: MAX_CONNECTIONS },
  },
});

/** Normalizes a prefix: `/music/` and `music` are the same. */
function toPrefix(text = ''): string {
  const name = trimBoth(text, /\//);
  return name === '' ? '' : `${name}/`;
}
