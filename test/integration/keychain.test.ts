// The server's secrets, in the keychain of a real desktop session and without one.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TokenResponse } from '../../server/auth/wire.ts';
import type { SettingsOut } from '../../server/settings/wire.ts';
import { hasKeychain, NO_SESSION, openKeychainSession } from '../support/keychain-session.ts';
import { runServer, spawnServer, type ServerProcess } from '../support/process.ts';

let base: string;
let dir: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-keychain-'));
});
beforeEach(() => {
  dir = mkdtempSync(join(base, 'data-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const ARGS = (): string[] => ['--data-dir', dir, '--port', '0', '--log-level', 'trace'];
const secretsFile = (): Record<string, unknown> =>
  JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')) as Record<string, unknown>;
const TYPED_SECRETS = { s3_secret_access_key: 'typed-s3-secret-4711', backup_passphrase: 'typed passphrase 4711' };

async function call<T>(
  { url }: ServerProcess,
  path: string,
  { token, method, body }: { token?: string; method?: string; body?: unknown } = {},
): Promise<T> {
  const response = await fetch(`${url}/api/v1${path}`, {
    ...(method !== undefined && { method }),
    headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

const OWNER = { ADMIN_USERNAME: 'owner', ADMIN_PASSWORD: 'owner password 4711' };
const signIn = async (server: ServerProcess): Promise<string> =>
  (
    await call<TokenResponse>(server, '/auth/login', {
      method: 'POST',
      body: { username: OWNER.ADMIN_USERNAME, password: OWNER.ADMIN_PASSWORD },
    })
  ).access_token;
const settings = (server: ServerProcess, token: string): Promise<SettingsOut> => call(server, '/settings', { token });
const isSet = (out: SettingsOut, key: string): boolean | undefined =>
  out.items.find((item) => item.key === key)?.is_set;

describe('without a keychain', () => {
  it('secrets are in a file that only this account can read, and not in the log', async () => {
    const server = await spawnServer(ARGS(), { ...NO_SESSION, ...OWNER, SECRET_STORE: 'auto' });
    const token = await signIn(server);
    await call(server, '/settings', { method: 'PATCH', token, body: TYPED_SECRETS });
    expect((await settings(server, token)).secret_store).toEqual({
      place: 'file',
      why_not: expect.stringMatching(/keyring: there is no D-Bus session|keyring: /),
    });
    expect(await server.kill('SIGTERM')).toBe(0);
    const secrets = Object.values(secretsFile()).map(String);
    expect(secrets).toHaveLength(4);
    if (process.platform !== 'win32') expect(statSync(join(dir, 'secrets.json')).mode & 0o777).toBe(0o600);
    for (const secret of [...secrets, OWNER.ADMIN_PASSWORD]) expect(server.output()).not.toContain(secret);
    expect(server.output()).toContain('secrets are stored in secrets.json');
    expect(readdirSync(dir)).not.toContain('settings.json');
  });

  it('the server does not start if the setting requires a keychain', async () => {
    const { code, stderr } = await runServer(ARGS(), { ...NO_SESSION, SECRET_STORE: 'keychain' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/tonearm: SECRET_STORE = keychain: the system’s keychain is not available/),
    ]);
  });
});

describe.runIf(process.platform === 'linux')('a session that accepts calls and never answers', () => {
  let serverWithoutKeychain: Server;
  beforeAll(
    () =>
      new Promise<void>((resolve) => {
        serverWithoutKeychain = createServer((socket) => void socket.resume().on('error', () => undefined)).listen(
          join(base, 'bus'),
          resolve,
        );
      }),
  );
  afterAll(
    () =>
      new Promise((resolve) => {
        serverWithoutKeychain.close(resolve);
      }),
  );

  it('does not prevent the server from starting', async () => {
    const server = await spawnServer(ARGS(), {
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(base, 'bus')}`,
      SECRET_STORE: 'auto',
    });
    expect(Object.keys(secretsFile())).toEqual(['JWT_SECRET', 'COMPAT_SECRET_KEY']);
    expect(await server.kill('SIGTERM')).toBe(0);
  });
});

describe.runIf(hasKeychain)('with the keychain of a desktop', () => {
  let session: Awaited<ReturnType<typeof openKeychainSession>>;
  beforeAll(async () => {
    session = await openKeychainSession();
  });
  afterAll(() => session.close());

  it('takes over the secrets of the file, stores new ones, survives restarts, and moves them back', async () => {
    const headless = await spawnServer(ARGS(), { ...NO_SESSION, ...OWNER });
    const token = await signIn(headless);
    await call(headless, '/settings', {
      method: 'PATCH',
      token,
      body: { s3_secret_access_key: TYPED_SECRETS.s3_secret_access_key },
    });
    await headless.kill();
    const storedValues = Object.values(secretsFile()).map(String);
    expect(storedValues).toHaveLength(3);

    const desktop = await spawnServer(ARGS(), { ...session.env, SECRET_STORE: 'auto' });
    expect(secretsFile()).toEqual({
      keychain: {
        package: expect.stringMatching(/^key(tar|ring)$/),
        library: expect.any(String),
        names: expect.any(Array),
      },
    });
    // the session is still valid
    await call(desktop, '/settings', {
      method: 'PATCH',
      token,
      body: { backup_passphrase: TYPED_SECRETS.backup_passphrase },
    });
    expect((await settings(desktop, token)).secret_store).toEqual({ place: 'keychain', why_not: null });
    await desktop.kill();
    expect(readdirSync(dir)).not.toContain('settings.json');
    for (const secret of [...storedValues, TYPED_SECRETS.backup_passphrase])
      expect(readFileSync(join(dir, 'secrets.json'), 'utf8') + desktop.output()).not.toContain(secret);

    const terminal = await spawnServer(ARGS(), session.env); // without SECRET_STORE the secrets stay in the keychain
    const settingsAgain = await settings(terminal, token);
    expect([
      settingsAgain.secret_store.place,
      isSet(settingsAgain, 's3_secret_access_key'),
      isSet(settingsAgain, 'backup_passphrase'),
    ]).toEqual(['keychain', true, true]);
    await terminal.kill();

    const { code, stderr } = await runServer(ARGS(), NO_SESSION);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /tonearm: The keys of this library are in the system’s keychain, which is not available .*Unlock it and start again/,
      ),
    ]);

    const fileServer = await spawnServer(ARGS(), { ...session.env, SECRET_STORE: 'file' });
    expect((await settings(fileServer, token)).secret_store.place).toBe('file');
    await fileServer.kill('SIGTERM');
    expect(Object.values(secretsFile()).map(String).sort()).toEqual(
      [...storedValues, TYPED_SECRETS.backup_passphrase].sort(),
    );
    const serverWithoutSession = await spawnServer(ARGS(), NO_SESSION);
    expect(isSet(await settings(serverWithoutSession, token), 'backup_passphrase')).toBe(true);
    await serverWithoutSession.kill();
  });
});
