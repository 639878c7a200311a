// S3 servers of different makers, installed from package registries; each runs as a child process.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const cache = join(import.meta.dirname, '../../node_modules/.cache/stores');
const KEYS = { accessKeyId: 'tonearm-test', secretAccessKey: 'tonearm-test-secret' };
const BUCKET = 'tonearm-test';
const START_MS = 60_000;
const VIRTUAL_HOST = 'store.test';

interface Make {
  name: string;
  /** Commands that check whether the programs exist that install or run the server. */
  tools: string[][];
  /** A path that exists if the server is installed. */
  file: string;
  install: string[][];
  env?: Record<string, string>;
  command: (port: number, dir: string) => [program: string, ...args: string[]];
  /** A host name of which a bucket may be a subdomain. */
  virtualHost?: string;
  /** True for a server without conditional writes: the lease of a backup is then verified by reading it again. */
  lacksConditions?: true;
}

export interface S3Server {
  endpoint: string;
  bucket: string;
  keys: typeof KEYS;
  virtualHost: string | undefined;
  lacksConditions: boolean;
  stop: () => void;
}

const python = join(cache, 'moto', 'bin', 'python');
const versitygw = join(cache, 'bin', 'versitygw');
const s3proxy = join(cache, 's3proxy-2.7.0-jar-with-dependencies.jar');
export const S3_MAKES: Make[] = [
  {
    name: 'moto',
    tools: [['python3', '--version']],
    file: python,
    install: [
      ['python3', '-m', 'venv', join(cache, 'moto')],
      [python, '-m', 'pip', 'install', '--quiet', 'moto[server]==5.2.5'],
    ],
    virtualHost: VIRTUAL_HOST,
    command: (port) => [python, '-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
  },
  {
    name: 'versitygw',
    tools: [['go', 'version']],
    file: versitygw,
    install: [['go', 'install', 'github.com/versity/versitygw/cmd/versitygw@v1.8.0']],
    env: { GOBIN: join(cache, 'bin') },
    virtualHost: VIRTUAL_HOST,
    command: (port, dir) => [
      versitygw,
      '--access',
      KEYS.accessKeyId,
      '--secret',
      KEYS.secretAccessKey,
      '--port',
      `127.0.0.1:${port}`,
      '--virtual-domain',
      VIRTUAL_HOST,
      'posix',
      dir,
    ],
  },
  {
    name: 's3proxy', // with a virtual host the server rejects addresses with the bucket in the path
    tools: [
      ['mvn', '--version'],
      ['java', '-version'],
    ],
    file: s3proxy,
    lacksConditions: true,
    install: [
      [
        'mvn',
        '--quiet',
        '--batch-mode',
        'dependency:copy',
        '-Dartifact=org.gaul:s3proxy:2.7.0:jar:jar-with-dependencies',
        `-DoutputDirectory=${cache}`,
      ],
    ],
    command(port, dir) {
      const settings = {
        's3proxy.endpoint': `http://127.0.0.1:${port}`,
        's3proxy.authorization': 'aws-v2-or-v4',
        's3proxy.identity': KEYS.accessKeyId,
        's3proxy.credential': KEYS.secretAccessKey,
        'jclouds.provider': 'filesystem-nio2',
        'jclouds.identity': 'local',
        'jclouds.credential': 'local',
        'jclouds.filesystem.basedir': join(dir, 'buckets'),
      };
      mkdirSync(settings['jclouds.filesystem.basedir']);
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
      writeFileSync(join(dir, 's3proxy.conf'), lines.join(''));
      return ['java', '-jar', s3proxy, '--properties', join(dir, 's3proxy.conf')];
    },
  },
];

const runTool = ([command = '', ...args]: string[], env: Record<string, string> = {}, stdio?: 'inherit'): boolean =>
  spawnSync(command, args, { env: { ...process.env, ...env }, ...(stdio && { stdio }) }).status === 0;

/** Installs a server; returns the reason if it cannot be installed. */
export function installS3Server({ name, tools, file, install: commands, env }: Make): string | undefined {
  const missingTool = tools.find((tool) => !runTool(tool));
  if (missingTool) return `${missingTool[0]} is not installed`;
  mkdirSync(cache, { recursive: true });
  const stamp = join(cache, `${name}.installed`);
  const commandsText = JSON.stringify(commands);
  if (existsSync(file) && existsSync(stamp) && readFileSync(stamp, 'utf8') === commandsText) return undefined;
  if (!commands.every((command) => runTool(command, env, 'inherit'))) return 'it could not be installed';
  writeFileSync(stamp, commandsText);
  return undefined;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Creates the bucket, and waits until the store has done so. */
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

/** Starts a server with an empty bucket; returns the reason if it cannot be started. */
export async function startS3Server(serverMake: Make): Promise<S3Server | string> {
  const fault = installS3Server(serverMake);
  if (fault !== undefined) return fault;
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-store-'));
  const port = await freePort();
  const [program, ...args] = serverMake.command(port, dir);
  const child = spawn(program, args, { stdio: 'ignore' });
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
  return {
    endpoint,
    bucket: BUCKET,
    keys: KEYS,
    virtualHost: serverMake.virtualHost,
    lacksConditions: serverMake.lacksConditions === true,
    stop,
  };
}
