// The system's keychain: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux. Its packages
// are loaded only when it is used, and every call has a time limit, since the keychain may be locked or not respond.
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { AppError, messageOf } from '../errors.ts';

export interface Keychain {
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
  delete(account: string): Promise<void>;
}

/**
 * A package that accesses the keychain. Packages may not find each other's secrets, so a library remembers the one that
 * it used.
 */
export interface KeychainPackage {
  name: string;
  open(): Promise<Keychain>;
}

export interface OpenedKeychain extends Keychain {
  packageName: string;
}

const SERVICE = 'Tonearm';
const BUS_TIMEOUT_MS = 2_000;

/** Packages, in the order in which they are tried. */
export const KEYCHAIN_PACKAGES: readonly KeychainPackage[] = [
  { name: 'keytar', open: openKeytar },
  { name: 'keyring', open: openKeyring },
];

interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

/** Opens the keychain with keytar, an optional package that is absent where it could not be built. */
async function openKeytar(): Promise<Keychain> {
  const name: string = 'keytar';
  const { default: keytar } = (await import(name)) as { default: Keytar };
  await assertBusAnswers();
  return {
    get: async (account) => (await keytar.getPassword(SERVICE, account)) ?? undefined,
    set: (account, value) => keytar.setPassword(SERVICE, account, value),
    delete: async (account) => void (await keytar.deletePassword(SERVICE, account)),
  };
}

/**
 * Opens the keychain with @napi-rs/keyring. It names the store, because the default falls back to the kernel's keyring,
 * which is lost at a reboot.
 */
async function openKeyring(): Promise<Keychain> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  await assertBusAnswers();
  const entry = (account: string) => new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } });
  return {
    get: async (account) => (await entry(account).getPassword()) ?? undefined,
    set: (account, value) => entry(account).setPassword(value),
    delete: async (account) => void (await entry(account).deletePassword()),
  };
}

/**
 * Opens the keychain with the first package that can write, read and delete. Throws `unavailable` with the error of
 * each package.
 */
export async function openKeychain(packages: readonly KeychainPackage[], limitMs: number): Promise<OpenedKeychain> {
  const reasons: string[] = [];
  for (const { name, open } of packages) {
    try {
      const keychain = withTimeLimit(await waitWithin(limitMs, open()), limitMs);
      await probe(keychain);
      return { ...keychain, packageName: name };
    } catch (cause) {
      reasons.push(`${name}: ${messageOf(cause).split('\n')[0]}`);
    }
  }
  throw new AppError(
    'unavailable',
    reasons.length > 0 ? reasons.join('; ') : 'no keychain package supports this system',
  );
}

async function probe(keychain: Keychain): Promise<void> {
  const account = `probe-${process.pid}`;
  await keychain.set(account, account);
  const readValue = await keychain.get(account);
  await keychain.delete(account);
  if (readValue !== account || (await keychain.get(account)) !== undefined)
    throw new Error('it did not return what was stored');
}

const withTimeLimit = (keychain: Keychain, ms: number): Keychain => ({
  get: (account) => waitWithin(ms, keychain.get(account)),
  set: (account, value) => waitWithin(ms, keychain.set(account, value)),
  delete: (account) => waitWithin(ms, keychain.delete(account)),
});

async function waitWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws unless the session bus responds. On Linux, both packages block the process until it does. */
async function assertBusAnswers(): Promise<void> {
  if (process.platform !== 'linux') return;
  const socket = findBusSocket(process.env['DBUS_SESSION_BUS_ADDRESS'], process.env['XDG_RUNTIME_DIR']);
  if (socket === undefined) throw new Error('there is no D-Bus session');
  const bus = connect(socket);
  try {
    await waitWithin(
      BUS_TIMEOUT_MS,
      new Promise<void>((resolve, reject) => {
        bus.once('connect', () =>
          bus.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')}\r\n`),
        );
        bus.once('data', () => resolve());
        bus.once('error', reject);
        bus.once('close', () => reject(new Error('the D-Bus session closed the connection')));
      }),
    );
  } finally {
    bus.destroy();
  }
}

/** Returns the path of the session bus's socket. The path of an abstract socket starts with a NUL. */
export function findBusSocket(address: string | undefined, runtimeDir: string | undefined): string | undefined {
  const [, kind, path] = /(?:^|;)unix:(?:[^;]*,)?(path|abstract)=([^,;]+)/.exec(address ?? '') ?? [];
  if (path !== undefined) return `${kind === 'abstract' ? '\0' : ''}${decodeURIComponent(path)}`;
  const defaultPath = runtimeDir === undefined ? undefined : join(runtimeDir, 'bus');
  return address === undefined && defaultPath !== undefined && existsSync(defaultPath) ? defaultPath : undefined;
}
