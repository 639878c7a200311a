// A server process with an administrator, for tests that end it with SIGKILL and start it again on the same data.
import type { TokenResponse } from '../../server/auth/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { spawnServer, type ServerProcess } from './process.ts';
import { ADMIN } from './server.ts';
import { until } from './until.ts';

interface KilledServerOptions {
  dataDir: string;
  env?: Record<string, string>;
}

export type KilledServer = Awaited<ReturnType<typeof openKilledServer>>;

export async function openKilledServer({ dataDir, env = {} }: KilledServerOptions) {
  const start = (): Promise<ServerProcess> => spawnServer(['--data-dir', dataDir, '--port', '0'], env);
  let server = await start();

  /** Calls /api/v1. Throws if the server ends before it responds, or refuses the request. */
  async function api<T>(path: string, method = 'GET', body?: unknown, token?: string): Promise<T> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        connection: 'close', // a proof may block the event loop for longer than servers keep connections open
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  const setUp = { ...ADMIN, setup_token: await until(() => server.setupToken) };
  const { access_token: token } = await api<TokenResponse>('/auth/setup', 'POST', setUp);
  const call = <T>(path: string, method?: string, body?: unknown): Promise<T> => api<T>(path, method, body, token);
  const startScan = (): Promise<unknown> => call('/sources/local_folder/scan', 'POST');
  /** Reads all jobs in one response, because between two responses a job may begin or enqueue another. */
  const openJobs = async (): Promise<number> => {
    const { items } = await call<{ items: JobOut[] }>('/jobs?limit=200');
    return items.filter(({ status }) => status === 'running' || status === 'queued').length;
  };
  const idle = (): Promise<unknown> => until(openJobs, (open) => open === 0, { everyMs: 50 });

  return {
    call,
    startScan,
    /** Waits until no job is left. */
    idle,
    async scan(): Promise<void> {
      await startScan();
      await idle();
    },
    async stream(id: number): Promise<{ status: number; bytes: number }> {
      const response = await fetch(`${server.url}/stream/${id}?token=${token}`);
      return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
    },
    kill: (): Promise<unknown> => server.kill(),
    async restart(): Promise<void> {
      await server.kill();
      server = await start();
    },
    close: (): Promise<unknown> => server.kill(),
  };
}
