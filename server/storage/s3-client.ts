// The S3 client and its configuration.
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { StoreLimits } from './backend.ts';
import { followChecksums } from './s3-checksums.ts';
import { addressOf } from './s3-providers.ts';
import type { S3Settings } from './s3-settings.ts';
import { trimBoth } from '../runtime/trim-text.ts';

const S3_LIMITS: StoreLimits = { connectMs: 5_000, upMs: 3_000, silenceMs: 30_000, attempts: 4 };

/** One for each of hundreds of listeners, and for uploads. */
const CONNECTIONS = 512;

/** The SDK follows the store's clock with every answer; refused is what differs by minutes. */
const CLOCK_CHANGE_MS = 60_000;

export interface Bucket {
  client: S3Client;
  bucket: string;
  /** Of every key; empty, or ends with a slash. */
  prefix: string;
  upMs: number;
}

/** Does not connect, so the store may be down. `destroy` the client when done. */
export function openBucket(settings: S3Settings, limits: Partial<StoreLimits> = {}): Bucket {
  const { S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = settings;
  const { endpoint, region, pathStyle } = addressIn(settings);
  const all = { ...S3_LIMITS, ...limits };
  const checksums = followChecksums(settings.S3_CHECKSUMS);
  const client = new S3Client({
    ...toClientConfig(all),
    ...checksums.config,
    region,
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: pathStyle,
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
  });
  checksums.watch(client);
  repeatAfterClockChange(client);
  return { client, bucket: settings.S3_BUCKET ?? '', prefix: toPrefix(settings.S3_PREFIX), upMs: all.upMs };
}

/**
 * The SDK learns the store's time from a refusal, and repeats that request; others that were signed with the wrong time
 * are repeated here.
 */
function repeatAfterClockChange(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const offset = client.config.systemClockOffset;
      try {
        return await next({ ...args, input: { ...args.input } });
      } catch (error) {
        if (Math.abs(client.config.systemClockOffset - offset) < CLOCK_CHANGE_MS) throw error;
        return next(args);
      }
    },
    { step: 'initialize', name: 'tonearmClock', priority: 'high' },
  );
}

const addressIn = (settings: S3Settings) =>
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
    httpAgent: { maxSockets: CONNECTIONS },
    httpsAgent: { maxSockets: CONNECTIONS },
  },
});

/** `/music/` and `music` are the same prefix. */
function toPrefix(text = ''): string {
  const plain = trimBoth(text, /\//);
  return plain === '' ? '' : `${plain}/`;
}
