// npm run test:stores: the tests of the storage against real S3 servers of different make, from their registries. With
// names, only those; with --quick, without the faults in front of them. A server whose tool is not installed is left
// out, which is said at the end.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules', '.cache', 'stores');
const KEYS = { accessKeyId: 'tonearm-test', secretAccessKey: 'tonearm-test-secret' };
const BUCKET = 'tonearm-test';
const START_MS = 60_000;
const QUICK = '--quick';
const TESTS = ['storage-s3.test.ts', ...(process.argv.includes(QUICK) ? [] : ['store-faults.test.ts'])].map(
  (name) => `test/integration/${name}`,
);

interface Store {
  name: string;
  /** What installs it. */
  tool: string;
  program: string;
  install: string[][];
  env?: Record<string, string>;
  args: (port: number, dir: string) => string[];
}

const python = join(cache, 'moto', 'bin', 'python');
const STORES: Store[] = [
  {
    name: 'moto',
    tool: 'python3',
    program: python,
    install: [
      ['python3', '-m', 'venv', join(cache, 'moto')],
      [python, '-m', 'pip', 'install', '--quiet', 'moto[server]==5.2.5'],
    ],
    args: (port) => ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
  },
  {
    name: 'versitygw',
    tool: 'go',
    program: join(cache, 'bin', 'versitygw'),
    install: [['go', 'install', 'github.com/versity/versitygw/cmd/versitygw@v1.8.0']],
    env: { GOBIN: join(cache, 'bin') },
    args: (port, dir) => [
      '--access',
      KEYS.accessKeyId,
      '--secret',
      KEYS.secretAccessKey,
      '--port',
      `127.0.0.1:${port}`,
      'posix',
      dir,
    ],
  },
];

function install({ program, install: commands, env }: Store): boolean {
  mkdirSync(cache, { recursive: true });
  return commands.every(([command = '', ...args]) => {
    if (existsSync(program) && commands.length === 1) return true;
    return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
  });
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Resolves when the store has made the bucket. */
async function makeBucket(endpoint: string): Promise<void> {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: KEYS });
  for (const until = Date.now() + START_MS; ;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
      return client.destroy();
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(100);
    }
  }
}

async function test(store: Store): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-store-'));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server: ChildProcess = spawn(store.program, store.args(port, dir), { stdio: 'ignore' });
  try {
    await makeBucket(endpoint);
    const { status } = spawnSync('npx', ['vitest', 'run', ...TESTS, '-t', endpoint], {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        S3_TEST_ENDPOINT: endpoint,
        S3_TEST_BUCKET: BUCKET,
        S3_TEST_ACCESS_KEY_ID: KEYS.accessKeyId,
        S3_TEST_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      },
    });
    return status === 0;
  } finally {
    server.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  }
}

const names = process.argv.slice(2).filter((one) => one !== QUICK);
const wanted = STORES.filter(({ name }) => names.length === 0 || names.includes(name));
const outcomes: string[] = [];
for (const store of wanted) {
  const hasTool = spawnSync(store.tool, [store.tool === 'go' ? 'version' : '--version']).status === 0;
  const outcome = !hasTool
    ? `NOT TESTED: ${store.tool} is not installed`
    : !install(store)
      ? 'NOT TESTED: it could not be installed'
      : (await test(store))
        ? 'passed'
        : 'FAILED';
  outcomes.push(`${store.name}: ${outcome}`);
}
console.log(`\nS3 servers\n${outcomes.map((line) => `  ${line}`).join('\n')}`);
const passed = outcomes.filter((line) => line.endsWith('passed')).length;
const isFailed = outcomes.some((line) => line.endsWith('FAILED'));
// what was asked for by name has to be there
process.exitCode = isFailed || passed < (names.length === 0 ? 1 : names.length) ? 1 : 0;
