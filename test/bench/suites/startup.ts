// From spawn to the first answer of /health, with a library of a few tracks. Bound: an empty node:http server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { inTurn, measure, type Measure } from '../measure.ts';
import { root, startProduct } from '../product.ts';

const ROUNDS = 15;
const EMPTY = `import { createServer } from 'node:http';
createServer((req, res) => res.end('ok')).listen(Number(process.argv[2]), '127.0.0.1');`;

export async function startupSuite(dir: string): Promise<Measure[]> {
  const empty = join(dir, 'empty.mjs');
  writeFileSync(empty, EMPTY);
  const main = join(root, 'dist', 'server', 'main.js');
  const dataDir = join(dir, 'startup');
  await (await startProduct(dataDir)).stop(); // migrated, account created, code compiled
  const times = await inTurn(
    ROUNDS,
    () => millisecondsToHealth((port) => [empty, port]),
    () => millisecondsToHealth((port) => [main, '--data-dir', dataDir, '--log-level', 'error', '--port', port]),
  );
  return [
    measure({
      suite: 'startup',
      name: 'spawn to first /health',
      unit: 'ms',
      product: times.product,
      bound: { name: 'empty node:http', value: times.bound },
      goal: { op: '<=', value: 4 },
    }),
  ];
}

async function millisecondsToHealth(argsFor: (port: string) => string[]): Promise<number> {
  const port = await freePort();
  const args = argsFor(String(port));
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, LOCAL_MEDIA_WATCH: 'false' },
  });
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`the server on port ${port} ended with ${child.exitCode}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  const ms = performance.now() - started;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return ms;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/health', agent: false }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode === 200));
    }).on('error', () => resolve(false));
  });
