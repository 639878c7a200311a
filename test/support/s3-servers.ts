// S3 servers of different make, from their registries, each as a process of its own.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const cache = join(import.meta.dirname, '../../node_modules/.cache/stores');
const KEYS = { accessKeyId: 'tonearm-test', secretAccessKey: 'tonearm-test-secret' };
const BUCKET = 'tonearm-test';
const START_MS = 60_000;

interface Make {
  name: string;
  /** What installs it. */
  tool: string;
  program: string;
  install: string[][];
  env?: Record<string, string>;
  args: (port: number, dir: string) => string[];
}

export interface S3Server {
  endpoint: string;
  bucket: string;
  keys: typeof KEYS;
  stop: () => void;
}

const python = join(cache, 'moto', 'bin', 'python');
export const S3_MAKES: Make[] = [
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

function install({ program, install: commands, env }: Make): boolean {
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

/** With an empty bucket. Returns why not, if it cannot be had. */
export async function startS3Server(make: Make): Promise<S3Server | string> {
  if (spawnSync(make.tool, [make.tool === 'go' ? 'version' : '--version']).status !== 0)
    return `${make.tool} is not installed`;
  if (!install(make)) return 'it could not be installed';
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-store-'));
  const port = await freePort();
  const child = spawn(make.program, make.args(port, dir), { stdio: 'ignore' });
  const stop = (): void => {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await makeBucket(endpoint);
  } catch (error) {
    stop();
    throw error;
  }
  return { endpoint, bucket: BUCKET, keys: KEYS, stop };
}
