// A server with auth, accounts and settings over HTTP and a real database in its own folder, with a clock that tests
// can move.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { authRoutes } from '../../server/auth/routes.ts';
import { createAuthService } from '../../server/auth/service.ts';
import { loadConfig } from '../../server/config/config.ts';
import { readJsonFile } from '../../server/config/json-file.ts';
import { openSecretStore } from '../../server/config/secret-store.ts';
import { addStoredSettings } from '../../server/config/secrets.ts';
import { documentationRoutes } from '../../server/http/docs-page.ts';
import { errorHandler, notFoundHandler } from '../../server/http/problem.ts';
import { requestLog } from '../../server/http/request-log.ts';
import { mountRoutes } from '../../server/http/mount.ts';
import { route, type Route } from '../../server/http/route.ts';
import { createLog } from '../../server/log/log.ts';
import { settingsRoutes } from '../../server/settings/routes.ts';
import { createSettingsService } from '../../server/settings/service.ts';
import { openMigrated } from '../support/temp-database.ts';

export const SECRETS = {
  jwtSecret: 'test-secret-of-tokens-0123456789',
  compatSecretKey: 'test-secret-of-app-passwords-0123',
};
export const OWNER = { username: 'Owner', password: 'owner-password' };

interface AuthResponse {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
  text: string;
}
interface RequestOptions {
  method?: string;
  token?: string;
  json?: unknown;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

interface AuthServerOptions {
  /** Environment variables of the server. */
  env?: Record<string, string>;
  /** The data folder of an earlier server, which is started again. */
  dir?: string;
  secrets?: typeof SECRETS;
}

export type AuthServer = Awaited<ReturnType<typeof startAuthServer>>;

export async function startAuthServer({
  env = {},
  dir = mkdtempSync(join(tmpdir(), 'tonearm-auth-')),
  secrets = SECRETS,
}: AuthServerOptions = {}) {
  const clock = { now: new Date('2026-03-01T12:00:00.000Z') };
  const now = () => clock.now;
  const log = createLog('silent');
  const data = join(dir, 'data');
  mkdirSync(data, { recursive: true });
  const configFromFile = loadConfig({
    file: readJsonFile(join(data, 'settings.json')),
    env: { DATA_DIR: data, ...env },
  });
  const secretStore = await openSecretStore({ file: configFromFile.paths.secretsFile, requestedPlace: 'file', log });
  const config = await addStoredSettings(configFromFile, secretStore);
  const db = openMigrated(config.paths.database);
  const settings = createSettingsService({ config, secretStore, log });
  const auth = createAuthService({ db, log, now, nowForAges: now, settings, secrets, resources: 'resources' });

  const whoAmI = route(
    { method: 'get', path: '/who/stream', access: 'stream', summary: 'who asks', produces: ['text/plain'] },
    ({ user, res }) => void res.type('text').end(user.username),
  );
  const routes: Route[] = [
    ...authRoutes(auth, { version: '1.2.3' }),
    ...settingsRoutes(settings, { version: '1.2.3', secretStore }),
    whoAmI,
    ...documentationRoutes(() => ({ routes, rootRoutes: [] }), '1.2.3'),
  ];
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', false)
    .use(requestLog(log, now))
    .use('/api/v1', mountRoutes(routes, { authenticate: auth.authenticate, checkReplies: true }))
    .use(notFoundHandler, errorHandler(log));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;

  const call = async (
    path: string,
    { method, token, json, form, headers = {}, body }: RequestOptions = {},
  ): Promise<AuthResponse> => {
    const requestBody = json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : body;
    const response = await fetch(url + path, {
      method: method ?? (requestBody === undefined ? 'GET' : 'POST'),
      headers: {
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...(form && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(requestBody !== undefined && { body: requestBody }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    };
  };

  return {
    url,
    dir,
    data,
    db,
    auth,
    settings,
    clock,
    call,
    config,
    wait: (ms: number): void => void (clock.now = new Date(clock.now.getTime() + ms)),
    /** Creates the first administrator; returns their token. */
    async setUp(): Promise<string> {
      const response = await call('/auth/setup', { json: { setup_token: auth.setupToken, ...OWNER } });
      return response.body['access_token'] as string;
    },
    async signUp(username: string, password = 'long-enough'): Promise<{ token: string; id: number }> {
      const { body } = await call('/auth/register', { json: { username, password } });
      return { token: body['access_token'] as string, id: (body['user'] as { id: number }).id };
    },
    /** Stops the server; keeps the folder if it will be started again. */
    async close({ keep = false } = {}): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      db.$client.close();
      if (!keep) rmSync(dir, { recursive: true, force: true });
    },
  };
}
