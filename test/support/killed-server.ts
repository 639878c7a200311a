// A server process with an administrator, for tests that end it with SIGKILL and start it again on the same data.
import type { TokenResponse } from '../../server/auth/wire.ts';
import { spawnServer, type ServerProcess } from './process.ts';
import { ADMIN } from './server.ts';
import { until } from './until.ts';

export interface KilledServerOptions {
  dataDir: string;
  env?: Record<string, string>;
}

export type KilledServer = Awaited<ReturnType<typeof openKilledServer>>;

export async function openKilledServer({ dataDir, env = {} }: KilledServerOptions) {
  const start = (): Promise<ServerProcess> => spawnServer(['--data-dir', dataDir, '--port', '0'], env);
  let server = await start();

  /** Calls /api/v1. Throws when the server is gone before it answers, or refuses. */
  async function api<T>(path: string, method = 'GET', body?: unknown, token?: string): Promise<T> {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  const setUp = { ...ADMIN, setup_token: await until(() => server.setupToken) };
  const { access_token: token } = await api<TokenResponse>('/auth/setup', 'POST', setUp);
  const call = <T>(path: string, method?: string, body?: unknown): Promise<T> => api<T>(path, method, body, token);
  const startScan = (): Promise<unknown> => call('/sources/local_folder/scan', 'POST');
  const openJobs = async (): Promise<number> => {
    const [running, queued] = await Promise.all(
      ['running', 'queued'].map((status) => call<{ total: number }>(`/jobs?status=${status}&limit=1`)),
    );
    return (running?.total ?? 0) + (queued?.total ?? 0);
  };
  const idle = (): Promise<unknown> => until(async () => (await openJobs()) === 0);

  return {
    call,
    startScan,
    /** Waits until no job is left. */
    idle,
    async scan(): Promise<void> {
      await startScan();
      await idle();
    },
    /** How many bytes of audio a track plays. */
    async stream(id: number): Promise<number> {
      const answer = await fetch(`${server.url}/stream/${id}?token=${token}`);
      return (await answer.arrayBuffer()).byteLength;
    },
    kill: (): Promise<unknown> => server.kill(),
    async restart(): Promise<void> {
      await server.kill();
      server = await start();
    },
    close: (): Promise<unknown> => server.kill(),
  };
}
