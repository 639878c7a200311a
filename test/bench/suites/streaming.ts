// A 50 MB file over loopback, whole. Bound: the package `send`, which Express itself uses.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import send from 'send';
import { inTurn, measure, type Measure } from '../measure.ts';
import { startProduct } from '../product.ts';

const BYTES = 50_000_000;
const ROUNDS = 9;

export async function streamingSuite(dir: string): Promise<Measure[]> {
  const music = join(dir, 'one-file');
  mkdirSync(music);
  writeFileSync(join(music, 'long.wav'), wav(BYTES));
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
    ROUNDS,
    () => megabytesPerSecond(`http://127.0.0.1:${port}/`),
    () => megabytesPerSecond(`${product.url}/stream/${items[0]?.id}?token=${product.token}`),
  );
  server.close();
  await product.stop();
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

/** Over a bare socket into one reused buffer, so that the client costs little beside the servers. */
function megabytesPerSecond(address: string): Promise<number> {
  const { hostname, port, pathname, search, host } = new URL(address);
  const started = performance.now();
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
        bytes >= BYTES
          ? resolve(bytes / 1e6 / ((performance.now() - started) / 1000))
          : reject(new Error(`only ${bytes} bytes came`)),
      );
  });
}

function wav(bytes: number): Buffer {
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
