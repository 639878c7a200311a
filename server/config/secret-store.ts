// Stores secrets, the server's own keys and secret settings, in secrets.json (0600) or in the system's keychain. The
// file has precedence, and lists what is in the keychain: without that keychain the server refuses to start, instead of
// generating new keys that would invalidate all sign-ins and app passwords.
import { randomBytes } from 'node:crypto';
import { chmodSync, statSync } from 'node:fs';
import { z } from 'zod';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import { KEYCHAIN_PACKAGES, openKeychain, type KeychainPackage, type OpenedKeychain } from './keychain.ts';
import type { Settings } from './settings.ts';

/** The server's keys, and settings by their lower-case names. */
export type SecretName = 'JWT_SECRET' | 'COMPAT_SECRET_KEY' | `setting.${string}`;

export interface SecretStore {
  /** Where new secrets are stored. */
  readonly place: 'file' | 'keychain';
  /** Why it is not the keychain, if that was requested. */
  readonly whyNot: string | undefined;
  /** Throws `unavailable` if a stored secret cannot be read. */
  get(name: SecretName): Promise<string | undefined>;
  set(name: SecretName, value: string): Promise<void>;
  delete(name: SecretName): Promise<void>;
  names(): SecretName[];
}

export interface SecretStoreOptions {
  /** secrets.json. */
  file: string;
  wish: Settings['SECRET_STORE'];
  log: Log;
  packages?: readonly KeychainPackage[];
  /** Time limit of a keychain that is not used yet. */
  probeMs?: number;
}

/** Time limit of a keychain in use, which a person may have to unlock. */
const UNLOCK_MS = 60_000;
const SHORTEST = 16;

const InKeychain = z.object({
  package: z.string(),
  /** Distinguishes libraries that share a keychain. */
  library: z.string(),
  /** Names of the secrets in the keychain. */
  names: z.array(z.string()),
});
type InKeychain = z.output<typeof InKeychain>;

/** Opens the store, and moves the secrets if another place is requested. Throws `unavailable` or `invalid`. */
export async function openSecretStore({
  file,
  wish,
  log,
  packages = KEYCHAIN_PACKAGES,
  probeMs = 3_000,
}: SecretStoreOptions): Promise<SecretStore> {
  const { values, kept } = read(file);
  const isInUse = kept?.names.some((name) => !values.has(name)) === true;
  const wantsKeychain = wish === 'auto' || wish === 'keychain' || (wish === 'keep' && isInUse);
  if (!wantsKeychain && !kept) return createStore({ file, keychain: undefined, place: 'file' });
  try {
    const keychain = await openKeychain(
      packages.filter(({ name }) => !kept?.names.length || name === kept.package),
      isInUse ? UNLOCK_MS : probeMs,
    );
    if (!wantsKeychain) {
      await moveToFile(file, keychain, log);
      return createStore({ file, keychain: undefined, place: 'file' });
    }
    await moveToKeychain(file, keychain);
    return createStore({ file, keychain, place: 'keychain' });
  } catch (cause) {
    const whyNot = messageOf(cause);
    if (isInUse)
      throw new AppError(
        'unavailable',
        `The keys of this library are in the system’s keychain, which is not available (${whyNot}). Unlock ` +
          'it and start again; new keys would invalidate all sign-ins and app passwords.',
        { cause },
      );
    if (wish === 'keychain')
      throw new AppError(
        'unavailable',
        `SECRET_STORE = keychain: the system’s keychain is not available (${whyNot}). With auto, secrets ` +
          'are then stored in a file that only this account can read.',
        { cause },
      );
    log.info({ why_not: whyNot }, 'secrets are stored in secrets.json');
    return createStore({ file, keychain: undefined, place: 'file', whyNot });
  }
}

interface StoreParts {
  file: string;
  keychain: OpenedKeychain | undefined;
  place: SecretStore['place'];
  whyNot?: string;
}

function createStore({ file, keychain, place, whyNot }: StoreParts): SecretStore {
  return {
    place,
    whyNot,

    async get(name) {
      const { values, kept } = read(file);
      if (values.has(name)) return values.get(name);
      if (!kept?.names.includes(name)) return undefined;
      const value = await keychain?.get(account(kept, name));
      if (value !== undefined) return value;
      const without = name.startsWith('setting.')
        ? 'the setting is then unset'
        : 'a new one is then generated, and what the old one protected is lost';
      throw new AppError(
        'unavailable',
        `${name} is missing from the system’s keychain. Restore the keychain, or remove ${name} from ` +
          `"keychain" in ${file}: ${without}.`,
      );
    },

    async set(name, value) {
      if (!keychain) return change(file, ({ values }) => void values.set(name, value));
      const kept = keptBy(keychain, read(file).kept);
      await putAndCheck(keychain, account(kept, name), value);
      change(file, (content) => {
        content.values.delete(name);
        content.kept = withName(content.kept ?? kept, name);
      });
    },

    /** The file first: a secret that it does not list does not exist, even if a crash leaves it in the keychain. */
    async delete(name) {
      const { kept } = read(file);
      change(file, (content) => {
        content.values.delete(name);
        content.kept = content.kept && { ...content.kept, names: content.kept.names.filter((one) => one !== name) };
      });
      if (kept?.names.includes(name)) await keychain?.delete(account(kept, name));
    },

    names() {
      const { values, kept } = read(file);
      return [...new Set([...values.keys(), ...(kept?.names ?? [])])].filter(isSecretName);
    },
  };
}

const isSecretName = (name: string): name is SecretName =>
  name === 'JWT_SECRET' || name === 'COMPAT_SECRET_KEY' || name.startsWith('setting.');
const account = ({ library }: InKeychain, name: string): string => `${library}:${name}`;
const keptBy = ({ packageName }: OpenedKeychain, before: InKeychain | undefined): InKeychain => ({
  library: before?.library ?? randomBytes(8).toString('hex'),
  names: before?.names ?? [],
  package: packageName,
});
const withName = (kept: InKeychain, name: string): InKeychain => ({
  ...kept,
  names: [...new Set([...kept.names, name])],
});

/**
 * Writes all secrets, reads them back, and then removes all from the file at once. A crash before leaves both equal.
 */
async function moveToKeychain(file: string, keychain: OpenedKeychain): Promise<void> {
  const { values, kept: before } = read(file);
  if (values.size === 0) return;
  const kept = keptBy(keychain, before);
  change(file, (content) => {
    content.kept = kept;
  }); // so that the next attempt uses the same entries
  for (const [name, value] of values) await putAndCheck(keychain, account(kept, name), value);
  change(file, (content) => {
    for (const [name, value] of values) if (content.values.get(name) === value) content.values.delete(name);
    content.kept = [...values.keys()].reduce(withName, kept);
  });
}

/** The reverse, in the same order: first into the file, then out of the keychain. */
async function moveToFile(file: string, keychain: OpenedKeychain, log: Log): Promise<void> {
  const { kept } = read(file);
  if (!kept) return;
  const store = createStore({ file, keychain, place: 'keychain' });
  const found: [string, string][] = [];
  for (const name of kept.names.filter(isSecretName)) found.push([name, (await store.get(name)) ?? '']);
  change(file, ({ values }) => {
    for (const [name, value] of found) values.set(name, value);
  });
  for (const [name] of found) {
    await keychain
      .delete(account(kept, name))
      .catch((err: unknown) =>
        log.warn({ err, secret: name }, 'a secret moved to secrets.json could not be removed from the keychain'),
      );
  }
  change(file, (content) => {
    content.kept = undefined;
  });
}

async function putAndCheck(keychain: OpenedKeychain, where: string, value: string): Promise<void> {
  await keychain.set(where, value);
  if ((await keychain.get(where)) !== value)
    throw new AppError('unavailable', 'the keychain did not return what was stored');
}

interface Content {
  values: Map<string, string>;
  kept: InKeychain | undefined;
  /** Other entries, added by hand. */
  rest: Record<string, unknown>;
}

/** Throws for a damaged file, which is never overwritten. */
function read(file: string): Content {
  const { keychain, ...entries } = readJsonFile(file);
  closeToOthers(file);
  const values = new Map<string, string>();
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entries)) {
    if (!isSecretName(name)) rest[name] = value;
    else if (typeof value === 'string' && value.length >= (name.startsWith('setting.') ? 1 : SHORTEST))
      values.set(name, value);
    else
      throw new AppError(
        'unavailable',
        `${file} is damaged: ${name} is not text of at least ${SHORTEST} characters. Restore it from a ` +
          `backup, or remove ${name} to have a new one generated.`,
      );
  }
  const kept = keychain === undefined ? undefined : InKeychain.safeParse(keychain);
  if (kept?.success === false)
    throw new AppError(
      'unavailable',
      `${file} is damaged: "keychain" does not list the secrets in the system’s keychain. Restore it ` +
        'from a backup.',
    );
  return { values, kept: kept?.data, rest };
}

function change(file: string, edit: (content: Content) => void): void {
  const content = read(file);
  edit(content);
  const { values, kept, rest } = content;
  writeJsonFile(file, { ...rest, ...Object.fromEntries(values), ...(kept && { keychain: kept }) });
}

/**
 * Restores the mode, which a copy or a restore may have changed. Windows has none, and some disks and files of others
 * allow no change: keepPrivate has logged that.
 */
function closeToOthers(file: string): void {
  if (process.platform === 'win32') return;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o077) === 0) return;
  try {
    chmodSync(file, 0o600);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOTSUP') throw error;
  }
}
