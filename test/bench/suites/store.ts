// Measures a library in an object store (versitygw on this machine, whose processor time is part of both figures):
// scanning into it compared with a loop of the SDK with eight puts at once, one stream of 200 MB compared with a bare
// get, and /health while 50 streams start.
import { readdirSync, writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { forEachConcurrently } from '../../../server/runtime/concurrency.ts';
import { makeLibrary } from '../../support/library.ts';
import { S3_MAKES, startS3Server, type S3Server } from '../../support/s3-servers.ts';
import { watchHealth } from '../health.ts';
import { inTurn, measure, type Measure } from '../measure.ts';
import { startProduct, type Product } from '../product.ts';
import { wav } from './streaming.ts';

const [TRACK_COUNT, PUTS_AT_ONCE, STREAM_COUNT, ROUND_COUNT] = [400, 8, 50, 3];
const LONG_BYTES = 200_000_000;
const HEALTH_EVERY_MS = 10;

export async function storeSuite(dir: string): Promise<Measure[]> {
  const s3Make = S3_MAKES.find(({ name }) => name === 'versitygw');
  const server = s3Make ? await startS3Server(s3Make) : 'it is not known';
  if (typeof server === 'string') throw new Error(`NOT MEASURED: the object store: ${server}`);
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: server.keys,
  });
  try {
    return [...(await measureScans(dir, server, client)), ...(await measureStreams(dir, server, client))];
  } finally {
    client.destroy();
    server.stop();
  }
}

async function measureScans(dir: string, server: S3Server, client: S3Client): Promise<Measure[]> {
  const music = makeLibrary({ tracks: TRACK_COUNT, messy: 0, art: 'none', seconds: '20' }, join(dir, 'music')).dir;
  const files = readdirSync(music, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const perSecond = (ms: number): number => TRACK_COUNT / (ms / 1_000);
  const speeds = await inTurn(
    ROUND_COUNT,
    async (round) => {
      const startedAt = performance.now();
      await forEachConcurrently(files.entries(), PUTS_AT_ONCE, async ([n, path]) => {
        const Body = await readFile(path);
        await client.send(new PutObjectCommand({ Bucket: server.bucket, Key: `bare-${round}/${n}`, Body }));
      });
      return perSecond(performance.now() - startedAt);
    },
    async (round) => {
      const product = await startInStore(join(dir, `scan-${round}`), server, `scan-${round}`, music);
      const { ms } = await product.scan();
      await product.stop();
      return perSecond(ms);
    },
  );
  return [
    measure({
      suite: 'store',
      name: `first scan of ${TRACK_COUNT} tracks into a store`,
      unit: 'files/s',
      product: speeds.product,
      bound: { name: `the SDK, ${PUTS_AT_ONCE} puts at once`, value: speeds.bound },
      goal: { op: '>=', value: 0.8 },
    }),
  ];
}

async function measureStreams(dir: string, server: S3Server, client: S3Client): Promise<Measure[]> {
  const music = join(dir, 'long');
  await mkdir(music);
  for (let n = 0; n < 2; n++) writeFileSync(join(music, `long-${n}.wav`), wav(LONG_BYTES));
  const product = await startInStore(join(dir, 'playing'), server, 'playing', music);
  try {
    await product.scan();
    const { items } = await product.api<{ items: { id: number; storage_uri: string }[] }>('/tracks');
    const [track] = items;
    const url = `${product.url}/stream/${track?.id}?token=${product.token}`;
    const Key = `playing/${track?.storage_uri.replace(/^s3:/, '')}`;
    const speeds = await inTurn(
      ROUND_COUNT,
      async () => {
        const startedAt = performance.now();
        const { Body } = await client.send(new GetObjectCommand({ Bucket: server.bucket, Key }));
        return speedOf(await countBytes(Body as Readable), startedAt);
      },
      async () => {
        const startedAt = performance.now();
        return speedOf(await countBytes(await openStream(url)), startedAt);
      },
    );
    const health = await watchHealth(product.url, HEALTH_EVERY_MS);
    const streams = await Promise.all(
      Array.from({ length: STREAM_COUNT }, (_, n) =>
        openStream(url.replace(`/${track?.id}?`, `/${items[n % items.length]?.id}?`)),
      ),
    );
    await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('data', resolve))));
    const { max } = await health.stop();
    for (const stream of streams) stream.destroy();
    return [
      measure({
        suite: 'store',
        name: 'one stream of 200 MB, not cached',
        unit: 'MB/s',
        product: speeds.product,
        bound: { name: 'a bare get', value: speeds.bound },
        goal: { op: '>=', value: 0.9 },
      }),
      measure({
        suite: 'store',
        name: `/health while ${STREAM_COUNT} streams start, slowest`,
        unit: 'ms',
        product: max,
        bound: { name: 'limit', value: 100 },
        goal: { op: '<=', value: 1 },
      }),
    ];
  } finally {
    await product.stop();
  }
}

const startInStore = (data: string, server: S3Server, prefix: string, music: string): Promise<Product> =>
  startProduct(data, {
    ANALYSIS_ENABLED: 'false',
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'copy',
    STORAGE_BACKEND: 's3',
    STORE_CACHE_BYTES: '0',
    S3_ENDPOINT: server.endpoint,
    S3_FORCE_PATH_STYLE: 'true',
    S3_REGION: 'us-east-1',
    S3_BUCKET: server.bucket,
    S3_ACCESS_KEY_ID: server.keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: server.keys.secretAccessKey,
    S3_PREFIX: prefix,
  });

const openStream = (url: string): Promise<Readable> =>
  new Promise((resolve, reject) => {
    get(url, (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`the stream was answered with ${response.statusCode}`));
    }).once('error', reject);
  });

async function countBytes(stream: Readable): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
}

function speedOf(bytes: number, startedAt: number): number {
  if (bytes !== LONG_BYTES) throw new Error(`${bytes} bytes came instead of ${LONG_BYTES}`);
  return bytes / 1e6 / ((performance.now() - startedAt) / 1_000);
}
