// Measures the time from spawn to the first response of /health, with a library of a few tracks: of the server itself,
// of the installed command, and of `npm start`. Bound: an empty node:http server, for `npm start` one that npm starts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { inTurn, measure, type Measure } from '../measure.ts';
import { root, startProduct } from '../product.ts';

const ROUND_COUNT = 15;
const EMPTY_SERVER_CODE = `import { createServer } from 'node:http';
createServer((req, res) => res.end('ok')).listen(Number(process.argv[2]), '127.0.0.1');`;

interface Command {
  program: string;
  args: string[];
  cwd?: string;
}

export async function startupSuite(dir: string): Promise<Measure[]> {
  const emptyPackage = join(dir, 'empty');
  mkdirSync(emptyPackage);
  const emptyServerPath = join(emptyPackage, 'server.mjs');
  writeFileSync(emptyServerPath, EMPTY_SERVER_CODE);
  writeFileSync(join(emptyPackage, 'package.json'), JSON.stringify({ scripts: { start: 'exec node server.mjs' } }));
  const mainPath = join(root, 'dist', 'server', 'main.js');
  const dataDir = join(dir, 'startup');
  await (await startProduct(dataDir)).stop(); // migrates the database, creates the account, compiles the code
  const ownArguments = (port: string): string[] => ['--data-dir', dataDir, '--log-level', 'error', '--port', port];
  const byNode = (port: string): Command => ({ program: process.execPath, args: [emptyServerPath, port] });
  const npmStart = (cwd: string, args: string[]): Command => ({ program: 'npm', args: ['start', '--', ...args], cwd });
  const rows = [
    {
      name: 'spawn to first /health',
      bound: { name: 'empty node:http', command: byNode },
      command: (port: string): Command => ({ program: process.execPath, args: [mainPath, ...ownArguments(port)] }),
      maxRatio: 4,
    },
    {
      name: 'installed command to first /health',
      bound: { name: 'empty node:http', command: byNode },
      command: (port: string): Command => ({ program: join(root, 'scripts', 'tonearm.js'), args: ownArguments(port) }),
      maxRatio: 2.5,
    },
    {
      name: 'npm start to first /health',
      bound: { name: 'npm start of an empty node:http', command: (port: string) => npmStart(emptyPackage, [port]) },
      command: (port: string) => npmStart(root, ownArguments(port)),
      maxRatio: 1.5,
    },
  ];
  const measures: Measure[] = [];
  for (const { name, bound, command, maxRatio } of rows) {
    const times = await inTurn(
      ROUND_COUNT,
      () => millisecondsToHealth(bound.command),
      () => millisecondsToHealth(command),
    );
    measures.push(
      measure({
        suite: 'startup',
        name,
        unit: 'ms',
        product: times.product,
        bound: { name: bound.name, value: times.bound },
        goal: { op: '<=', value: maxRatio },
      }),
    );
  }
  return measures;
}

async function millisecondsToHealth(commandFor: (port: string) => Command): Promise<number> {
  const port = String(await freePort());
  const { program, args, cwd } = commandFor(port);
  const startedAt = performance.now();
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, LOCAL_MEDIA_WATCH: 'false' },
    ...(cwd !== undefined && { cwd }),
  });
  while (!(await answers(Number(port)))) {
    if (child.exitCode !== null) throw new Error(`the server on port ${port} ended with ${child.exitCode}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  const ms = performance.now() - startedAt;
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
