// Measures throughput and processor time of a whole 50 MB file over loopback: one listener, and fifty at once. Bounds:
// the package `send`, which Express itself uses, and nginx with sendfile, if it is installed.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import send from 'send';
import { inTurn, measure, median, type Measure } from '../measure.ts';
import { endPeers } from '../peers/peer.ts';
import { meterOf, type Meter } from '../peers/process-tree.ts';
import { startNginx } from '../peers/nginx.ts';
import { startProduct } from '../product.ts';

const FILE_BYTES = 50_000_000;
const ROUND_COUNT = 9;
const AT_ONCE = 50;
const ROUNDS_AT_ONCE = 5;

export async function streamingSuite(dir: string): Promise<Measure[]> {
  const music = join(dir, 'one-file');
  mkdirSync(music);
  writeFileSync(join(music, 'long.wav'), wav(FILE_BYTES));
  const product = await startProduct(join(dir, 'streaming'), {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'copy',
  });
  await product.scan();
  const { items } = await product.api<{ items: { id: number }[] }>('/tracks');
  const server = createServer((req, res) => {
    send(req, join(music, 'long.wav')).pipe(res);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  const { port } = server.address() as AddressInfo;

  const speeds = await inTurn(
    ROUND_COUNT,
    () => megabytesPerSecond(`http://127.0.0.1:${port}/`),
    () => megabytesPerSecond(`${product.url}/stream/${items[0]?.id}?token=${product.token}`),
  );
  server.close();
  const stream = `${product.url}/stream/${items[0]?.id}?token=${product.token}`;
  const meter = meterOf(product.pid);
  try {
    return [...besideSend(speeds), ...(await besideNginx(dir, music, stream, meter))];
  } finally {
    meter.close();
    await endPeers();
    await product.stop();
  }
}

function besideSend(speeds: { product: number; bound: number }): Measure[] {
  return [
    measure({
      suite: 'streaming',
      name: '50 MB, whole',
      unit: 'MB/s',
      product: speeds.product,
      bound: { name: 'send', value: speeds.bound },
      goal: { op: '>=', value: 2 },
    }),
  ];
}

async function besideNginx(dir: string, music: string, stream: string, meter: Meter): Promise<Measure[]> {
  const nginx = await startNginx(dir, music);
  if (!nginx) {
    process.stderr.write('streaming: nginx is not installed\n');
    return [];
  }
  const file = `${nginx.url}/long.wav`;
  const oneListener = await inTurn(
    ROUND_COUNT,
    () => megabytesPerSecond(file),
    () => megabytesPerSecond(stream),
  );
  const cpu: { nginx: number[]; tonearm: number[] } = { nginx: [], tonearm: [] };
  const manyStreams = await inTurn(
    ROUNDS_AT_ONCE,
    () => measureTogether(file, nginx.meter, cpu.nginx),
    () => measureTogether(stream, meter, cpu.tonearm),
  );
  await nginx.stop();
  const suite = 'streaming';
  const atOnce = `${AT_ONCE} at once`;
  const speedMeasure = { suite, unit: 'MB/s', goal: { op: '>=', value: 0.8 } } as const;
  return [
    measure({
      ...speedMeasure,
      name: '50 MB, one listener',
      product: oneListener.product,
      bound: { name: 'nginx', value: oneListener.bound },
    }),
    measure({
      ...speedMeasure,
      name: `50 MB, ${atOnce}`,
      product: manyStreams.product,
      bound: { name: 'nginx', value: manyStreams.bound },
    }),
    measure({
      suite,
      name: `processor time, ${atOnce}`,
      unit: 'ms/GB',
      product: median(cpu.tonearm),
      bound: { name: 'nginx', value: median(cpu.nginx) },
      goal: { op: '<=', value: 1.7 },
    }),
  ];
}

/** Returns the MB/s of all listeners together; adds the processor time per GB to `cpu`. */
async function measureTogether(address: string, meter: Meter, cpu: number[]): Promise<number> {
  const [previousCpuMs, startedAt] = [meter.cpuMs(), performance.now()];
  await Promise.all(Array.from({ length: AT_ONCE }, () => megabytesPerSecond(address)));
  const [seconds, bytes] = [(performance.now() - startedAt) / 1_000, FILE_BYTES * AT_ONCE];
  cpu.push((meter.cpuMs() - previousCpuMs) / (bytes / 1e9));
  return bytes / 1e6 / seconds;
}

/** Returns the MB/s of a download over a bare socket into one reused buffer, so that the client costs little. */
function megabytesPerSecond(address: string): Promise<number> {
  const { hostname, port, pathname, search, host } = new URL(address);
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const socket = connect(
      {
        host: hostname,
        port: Number(port),
        onread: {
          buffer: Buffer.allocUnsafe(1 << 20),
          callback: (count) => {
            bytes += count;
            return true;
          },
        },
      },
      () => socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    );
    socket
      .on('error', reject)
      .on('close', () =>
        bytes >= FILE_BYTES
          ? resolve(bytes / 1e6 / ((performance.now() - startedAt) / 1000))
          : reject(new Error(`only ${bytes} bytes came`)),
      );
  });
}

export function wav(bytes: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(bytes - 8, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(2, 22);
  head.writeUInt32LE(44_100, 24);
  head.writeUInt32LE(176_400, 28);
  head.writeUInt16LE(4, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes - 44, 40);
  return Buffer.concat([head, randomBytes(bytes - 44)]);
}
