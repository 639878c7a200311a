// Starts a whole server for a test: real SQLite file, real storage folder, port 0.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type App, type AppOptions, type Tuning } from '../../server/app.ts';
import { loadConfig } from '../../server/config/config.ts';
import { createLog } from '../../server/log/log.ts';
import type { TokenResponse } from '../../server/auth/wire.ts';
import { paths } from './product.ts';
import { migratedDatabase } from './temp-database.ts';

export const quiet = createLog((process.env['TEST_LOG'] as 'debug' | undefined) ?? 'silent');

export interface ServerOptions extends Tuning {
  /** Settings, as environment variables. */
  env?: Record<string, string>;
  /** Data folder that is kept; by default a new folder that is removed with the server. */
  dir?: string;
  now?: () => Date;
  /** Whether to create an administrator and sign in; true by default. */
  setUp?: boolean;
  log?: AppOptions['log'];
}

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

export interface TestServer {
  url: string;
  app: App;
  dir: string;
  /** Token of the administrator. */
  token: string;
  /** Calls /api/v1 as the administrator, or with the token; a plain object becomes a JSON body. */
  api<T = unknown>(path: string, init?: ApiInit): Promise<Answer<T>>;
  close(): Promise<void>;
}

export interface ApiInit {
  method?: string;
  body?: unknown;
  token?: string | null;
  headers?: Record<string, string>;
}

/** Returns the settings that switch internet services off, except those for which the test gives a URL. */
export const offline = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    ['FPID', 'MUSICBRAINZ', 'COVERART'].map((service) => [`${service}_ENABLED`, String(`${service}_BASE_URL` in env)]),
  );

export async function startServer({
  env = {},
  dir,
  now,
  setUp = true,
  log = quiet,
  ...tuning
}: ServerOptions = {}): Promise<TestServer> {
  const dataDir = dir ?? mkdtempSync(join(tmpdir(), 'tonearm-'));
  migratedDatabase(join(dataDir, 'tonearm.db'));
  const config = loadConfig({
    file: {},
    env: { DATA_DIR: dataDir, PORT: '0', LOCAL_MEDIA_WATCH: 'false', LOG_LEVEL: 'silent', ...offline(env), ...env },
  });
  const app = await createApp({
    config,
    paths,
    version: '0.0.0-test',
    log,
    checkReplies: true,
    ...(now && { now }),
    tuning: { scrobblesPerSecond: 1_000, analysisAfterMs: null, likenessAfterMs: null, ...tuning },
  });
  const url = await app.listen();
  const server: TestServer = {
    url,
    app,
    dir: dataDir,
    token: '',
    api: (path, init) => call(`${url}/api/v1${path}`, server.token, init),
    async close() {
      await app.close();
      if (dir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
  if (setUp) server.token = await signInAdmin(server);
  return server;
}

export const ADMIN = { username: 'admin', password: 'correct horse battery' };

async function signInAdmin(server: TestServer): Promise<string> {
  const response = server.app.auth.isSetupRequired()
    ? await server.api<TokenResponse>('/auth/setup', {
        method: 'POST',
        token: null,
        body: { ...ADMIN, setup_token: server.app.auth.setupToken },
      })
    : await server.api<TokenResponse>('/auth/login', { method: 'POST', token: null, body: ADMIN });
  return response.body.access_token;
}

/** Creates an ordinary account; returns its token. */
export async function registerUser(server: TestServer, username = 'listener'): Promise<string> {
  const response = await server.api<TokenResponse>('/auth/register', {
    method: 'POST',
    token: null,
    body: { username, password: 'long enough password' },
  });
  return response.body.access_token;
}

async function call<T>(
  url: string,
  adminToken: string,
  { method = 'GET', body, token, headers = {} }: ApiInit = {},
): Promise<Answer<T>> {
  const bearer = token === undefined ? adminToken : token;
  const isPlain =
    body !== undefined && typeof body !== 'string' && !(body instanceof FormData) && !(body instanceof Uint8Array);
  const response = await fetch(url, {
    method,
    headers: {
      Connection: 'close', // the server would have closed a kept-alive connection of a test that computes for a minute
      ...(bearer && { Authorization: `Bearer ${bearer}` }),
      ...(isPlain && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isPlain ? JSON.stringify(body) : (body as string | FormData) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson ? JSON.parse(text) : undefined) as T,
  };
}
