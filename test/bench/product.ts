// Starts the built server as a child process and controls it over HTTP.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
/** Milliseconds of one tick, the unit in which /proc counts processor time. */
const TICK_MS = 10;
export const SERVER_ENTRY = join(root, 'dist', 'server', 'main.js');
/** Flags with which `npm start` runs Node.js. */
export const NODE_FLAGS =
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }).scripts.start.match(
    /--[a-z-]+(=\d+)?/g,
  ) ?? [];

export interface Product {
  url: string;
  token: string;
  pid: number;
  api<T>(path: string, method?: string, body?: object): Promise<T>;
  /** Returns the resident memory in MB. */
  rss(): number;
  /** Scans and returns the duration of the job in milliseconds; cancels the jobs that follow a scan. */
  scan(): Promise<{ ms: number; result: Record<string, number> }>;
  stop(): Promise<void>;
}

interface Job {
  id: number;
  status: string;
  error: string | null;
  result: Record<string, number>;
  started_at: string;
  finished_at: string | null;
}

export const ADMIN_ACCOUNT = { username: 'bench', password: 'bench password' };

/** The environment that the installed command sets: `MALLOC_ARENA_MAX`. */
const COMMAND_ENV = Object.fromEntries(
  [
    ...readFileSync(join(root, 'scripts', 'tonearm.js'), 'utf8')
      .split('\n', 1)[0]!
      .matchAll(/(\w+)=(\d+) /g),
  ].map(([, name, value]) => [name, value]),
) as Record<string, string>;

const runningProcesses = new Set<ChildProcess>();

/** Ends the processes that a failed suite left running. */
export async function endProducts(): Promise<void> {
  for (const child of runningProcesses) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

export async function startProduct(dataDir: string, env: Record<string, string> = {}): Promise<Product> {
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, SERVER_ENTRY, '--data-dir', dataDir, '--port', '0', '--log-level', 'warn'],
    {
      env: {
        ...process.env,
        ...COMMAND_ENV,
        ADMIN_USERNAME: ADMIN_ACCOUNT.username,
        ADMIN_PASSWORD: ADMIN_ACCOUNT.password,
        LOCAL_MEDIA_WATCH: 'false',
        FPID_ENABLED: 'false',
        MUSICBRAINZ_ENABLED: 'false',
        COVERART_ENABLED: 'false',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  runningProcesses.add(child);
  child.once('exit', () => runningProcesses.delete(child));
  const url = await waitForUrl(child);
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(ADMIN_ACCOUNT),
  });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const api = async <T>(path: string, method = 'GET', body?: object): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const stopOtherWork = async (): Promise<void> => {
    for (const status of ['running', 'queued', 'waiting']) {
      const { items } = await api<{ items: Job[] }>(`/jobs?status=${status}&limit=200`);
      for (const { id } of items)
        // a job that has just ended cannot be cancelled
        await fetch(`${url}/api/v1/jobs/${id}`, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } });
    }
  };
  return {
    url,
    token,
    api,
    pid: child.pid as number,
    rss: () => rssOf(child.pid as number),
    async scan() {
      let job = await api<Job>('/sources/local_folder/scan', 'POST');
      for (let wait = 50; job.finished_at === null; wait = Math.min(1_500, wait * 2)) {
        // polls rarely, because a server with requests writes in smaller batches
        await new Promise((resolve) => {
          setTimeout(resolve, wait);
        });
        job = await api<Job>(`/jobs/${job.id}`);
      }
      if (job.status !== 'succeeded') throw new Error(`the scan ${job.status}: ${job.error}`);
      // cancels identification and covers, which follow a scan and would disturb the next measurement
      await stopOtherWork();
      return { ms: Date.parse(job.finished_at) - Date.parse(job.started_at), result: job.result };
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function waitForUrl(child: ChildProcess): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const match = /listening on (http:\S+)/.exec(text);
      if (match?.[1]) resolve(match[1]);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

export function rssOf(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? Number.NaN) / 1024;
}

/** Returns the user and system time of all threads so far. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
