// Stores the server's own keys and secret settings in secrets.json (0600) or in the system's keychain. The file has
// precedence, and lists the secrets in the keychain: without that keychain the server refuses to start, instead of
// generating new keys that would invalidate all sign-ins and app passwords.
import { randomBytes } from 'node:crypto';
import { chmodSync, statSync } from 'node:fs';
import { z } from 'zod';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import { KEYCHAIN_PACKAGES, openKeychain, type KeychainPackage, type OpenedKeychain } from './keychain.ts';
import type { Settings } from './settings.ts';

/** The server's keys, and secret settings with their lower-case names. */
export type SecretName = 'JWT_SECRET' | 'COMPAT_SECRET_KEY' | `setting.${string}`;

export interface SecretStore {
  /** Where new secrets are stored. */
  readonly place: 'file' | 'keychain';
  /** The reason why the keychain is not used, if it was requested. */
  readonly keychainFault: string | undefined;
  /** Returns a secret. Throws `unavailable` if a stored secret cannot be read. */
  get(name: SecretName): Promise<string | undefined>;
  set(name: SecretName, value: string): Promise<void>;
  delete(name: SecretName): Promise<void>;
  names(): SecretName[];
}

export interface SecretStoreOptions {
  /** Path of secrets.json. */
  file: string;
  requestedPlace: Settings['SECRET_STORE'];
  log: Log;
  packages?: readonly KeychainPackage[];
  /** Time limit for a keychain that has not been used before. */
  probeMs?: number;
}

/** Time limit for a keychain that is in use, which a person may have to unlock. */
const UNLOCK_MS = 60_000;
/**
 * Shorter keys can be guessed. From the environment, a shorter key is accepted and made expensive to guess; a stored
 * one is refused.
 */
export const MIN_SECRET_CHARS = 16;

const KeychainList = z.object({
  package: z.string(),
  /** Id of the library, because several libraries may share a keychain. */
  library: z.string(),
  /** Names of the secrets in the keychain. */
  names: z.array(z.string()),
});
type KeychainList = z.output<typeof KeychainList>;

/** Opens the store, and moves the secrets if another place is requested. Throws `unavailable` or `invalid`. */
export async function openSecretStore({
  file,
  requestedPlace,
  log,
  packages = KEYCHAIN_PACKAGES,
  probeMs = 3_000,
}: SecretStoreOptions): Promise<SecretStore> {
  const { values, keychainList } = readContent(file);
  const isInUse = keychainList?.names.some((name) => !values.has(name)) === true;
  const wantsKeychain =
    requestedPlace === 'auto' || requestedPlace === 'keychain' || (requestedPlace === 'keep' && isInUse);
  if (!wantsKeychain && !keychainList) return createStore({ file, keychain: undefined, place: 'file' });
  try {
    const keychain = await openKeychain(
      packages.filter(({ name }) => !keychainList?.names.length || name === keychainList.package),
      isInUse ? UNLOCK_MS : probeMs,
    );
    if (!wantsKeychain) {
      await moveToFile(file, keychain, log);
      return createStore({ file, keychain: undefined, place: 'file' });
    }
    await moveToKeychain(file, keychain);
    return createStore({ file, keychain, place: 'keychain' });
  } catch (cause) {
    const keychainFault = messageOf(cause);
    if (isInUse)
      throw new AppError(
        'unavailable',
        `The keys of this library are in the system’s keychain, which is not available (${keychainFault}). Unlock ` +
          'it and start again; new keys would invalidate all sign-ins and app passwords.',
        { cause },
      );
    if (requestedPlace === 'keychain')
      throw new AppError(
        'unavailable',
        `SECRET_STORE = keychain: the system’s keychain is not available (${keychainFault}). With auto, secrets ` +
          'are then stored in a file that only this account can read.',
        { cause },
      );
    log.info({ why_not: keychainFault }, 'secrets are stored in secrets.json');
    return createStore({ file, keychain: undefined, place: 'file', keychainFault });
  }
}

interface StoreParts {
  file: string;
  keychain: OpenedKeychain | undefined;
  place: SecretStore['place'];
  keychainFault?: string;
}

function createStore({ file, keychain, place, keychainFault }: StoreParts): SecretStore {
  return {
    place,
    keychainFault,

    async get(name) {
      const { values, keychainList } = readContent(file);
      if (values.has(name)) return values.get(name);
      if (!keychainList?.names.includes(name)) return undefined;
      const value = await keychain?.get(accountOf(keychainList, name));
      if (value !== undefined) return value;
      const consequence = name.startsWith('setting.')
        ? 'the setting is then unset'
        : 'a new one is then generated, and what the old one protected is lost';
      throw new AppError(
        'unavailable',
        `${name} is missing from the system’s keychain. Restore the keychain, or remove ${name} from ` +
          `"keychain" in ${file}: ${consequence}.`,
      );
    },

    async set(name, value) {
      if (!keychain) return editContent(file, ({ values }) => void values.set(name, value));
      const keychainList = keychainListFor(keychain, readContent(file).keychainList);
      await storeAndCheck(keychain, accountOf(keychainList, name), value);
      editContent(file, (content) => {
        content.values.delete(name);
        content.keychainList = withName(content.keychainList ?? keychainList, name);
      });
    },

    /**
     * Removes the secret from the file first: a secret that the file does not list does not exist, even if a crash
     * leaves it in the keychain.
     */
    async delete(name) {
      const { keychainList } = readContent(file);
      editContent(file, (content) => {
        content.values.delete(name);
        content.keychainList = content.keychainList && {
          ...content.keychainList,
          names: content.keychainList.names.filter((listedName) => listedName !== name),
        };
      });
      if (keychainList?.names.includes(name)) await keychain?.delete(accountOf(keychainList, name));
    },

    names() {
      const { values, keychainList } = readContent(file);
      return [...new Set([...values.keys(), ...(keychainList?.names ?? [])])].filter(isSecretName);
    },
  };
}

const isSecretName = (name: string): name is SecretName =>
  name === 'JWT_SECRET' || name === 'COMPAT_SECRET_KEY' || name.startsWith('setting.');
const accountOf = ({ library }: KeychainList, name: string): string => `${library}:${name}`;
const keychainListFor = ({ packageName }: OpenedKeychain, previousList: KeychainList | undefined): KeychainList => ({
  library: previousList?.library ?? randomBytes(8).toString('hex'),
  names: previousList?.names ?? [],
  package: packageName,
});
const withName = (keychainList: KeychainList, name: string): KeychainList => ({
  ...keychainList,
  names: [...new Set([...keychainList.names, name])],
});

/**
 * Writes all secrets to the keychain, reads them back, and then removes all from the file at once. If the server
 * crashes before that, both have the same secrets.
 */
async function moveToKeychain(file: string, keychain: OpenedKeychain): Promise<void> {
  const { values, keychainList: previousList } = readContent(file);
  if (values.size === 0) return;
  const keychainList = keychainListFor(keychain, previousList);
  editContent(file, (content) => {
    content.keychainList = keychainList;
  }); // the list is saved first, so that another attempt after a crash uses the same entries
  for (const [name, value] of values) await storeAndCheck(keychain, accountOf(keychainList, name), value);
  editContent(file, (content) => {
    for (const [name, value] of values) if (content.values.get(name) === value) content.values.delete(name);
    content.keychainList = [...values.keys()].reduce(withName, keychainList);
  });
}

/** Writes all secrets to the file, and then removes them from the keychain. */
async function moveToFile(file: string, keychain: OpenedKeychain, log: Log): Promise<void> {
  const { keychainList } = readContent(file);
  if (!keychainList) return;
  const store = createStore({ file, keychain, place: 'keychain' });
  const secrets: [string, string][] = [];
  for (const name of keychainList.names.filter(isSecretName)) secrets.push([name, (await store.get(name)) ?? '']);
  editContent(file, ({ values }) => {
    for (const [name, value] of secrets) values.set(name, value);
  });
  for (const [name] of secrets) {
    await keychain
      .delete(accountOf(keychainList, name))
      .catch((err: unknown) =>
        log.warn({ err, secret: name }, 'a secret moved to secrets.json could not be removed from the keychain'),
      );
  }
  editContent(file, (content) => {
    content.keychainList = undefined;
  });
}

async function storeAndCheck(keychain: OpenedKeychain, account: string, value: string): Promise<void> {
  await keychain.set(account, value);
  if ((await keychain.get(account)) !== value)
    throw new AppError('unavailable', 'the keychain did not return what was stored');
}

interface Content {
  values: Map<string, string>;
  keychainList: KeychainList | undefined;
  /** Other entries of the file, which a person has added. */
  otherEntries: Record<string, unknown>;
}

/** Reads the file. Throws when the file is damaged; a damaged file is never overwritten. */
function readContent(file: string): Content {
  const { keychain, ...entries } = readJsonFile(file);
  restrictMode(file);
  const values = new Map<string, string>();
  const otherEntries: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entries)) {
    if (!isSecretName(name)) otherEntries[name] = value;
    else if (typeof value === 'string' && value.length >= (name.startsWith('setting.') ? 1 : MIN_SECRET_CHARS))
      values.set(name, value);
    else
      throw new AppError(
        'unavailable',
        `${file} is damaged: ${name} is not text of at least ${MIN_SECRET_CHARS} characters. Restore it from a ` +
          `backup, or remove ${name} to have a new one generated.`,
      );
  }
  const parsedList = keychain === undefined ? undefined : KeychainList.safeParse(keychain);
  if (parsedList?.success === false)
    throw new AppError(
      'unavailable',
      `${file} is damaged: "keychain" does not list the secrets in the system’s keychain. Restore it ` +
        'from a backup.',
    );
  return { values, keychainList: parsedList?.data, otherEntries };
}

function editContent(file: string, edit: (content: Content) => void): void {
  const content = readContent(file);
  edit(content);
  const { values, keychainList, otherEntries } = content;
  writeJsonFile(file, {
    ...otherEntries,
    ...Object.fromEntries(values),
    ...(keychainList && { keychain: keychainList }),
  });
}

/**
 * Restores the mode 0600, which a copy or a restore may have changed. Failures are ignored, because makePrivate has
 * logged them: Windows has no modes, and some disks, or files of other accounts, allow no change.
 */
function restrictMode(file: string): void {
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
