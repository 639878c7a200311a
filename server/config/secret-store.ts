// Where secrets are: keys that the server makes for itself, and secret settings that were set from the window. Each is
// in secrets.json (0600) or in the system's keychain. What stands in the file is the truth; the file also names what is
// in the keychain, so that a start without that keychain is refused instead of making new keys, which would end every
// sign-in and app-password.
import { randomBytes } from 'node:crypto';
import { chmodSync, statSync } from 'node:fs';
import { z } from 'zod';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import { KEYCHAIN_PACKAGES, openKeychain, type KeychainPackage, type OpenedKeychain } from './keychain.ts';
import type { Settings } from './settings.ts';

/** Keys of our own, and settings by their lower-case names. */
export type SecretName = 'JWT_SECRET' | 'COMPAT_SECRET_KEY' | `setting.${string}`;

export interface SecretStore {
  /** Where a secret that is set goes. */
  readonly place: 'file' | 'keychain';
  /** Why it is not the keychain, where that was wished for. */
  readonly whyNot: string | undefined;
  /** Throws `unavailable` when the secret is known to be there and cannot be had. */
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
  /** How long a keychain that is new to us may take to answer. */
  probeMs?: number;
}

/** One that holds the secrets may first have to be unlocked by a person. */
const UNLOCK_MS = 60_000;
const SHORTEST = 16;

const InKeychain = z.object({
  package: z.string(),
  /** Tells libraries apart that share a keychain. */
  library: z.string(),
  /** What is in it. */
  names: z.array(z.string()),
});
type InKeychain = z.output<typeof InKeychain>;

/** Opens the place of the secrets, and moves them when another is wished for. */
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
        `The keys of this library are in the system’s keychain, which cannot be used now (${whyNot}). Unlock ` +
          'it and start again; new keys would end every sign-in and app-password.',
        { cause },
      );
    if (wish === 'keychain')
      throw new AppError(
        'unavailable',
        `SECRET_STORE = keychain: the system’s keychain cannot be used (${whyNot}). With auto the secrets ` +
          'stay in a file that only this account can read.',
        { cause },
      );
    log.info({ why_not: whyNot }, 'secrets are kept in secrets.json');
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
        ? 'the setting is then not set'
        : 'a new one is made then, and what the old one protected is lost';
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

    /** The file first: what it does not name is not there, whatever a crash leaves behind. */
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
 * Written, read back, and only then taken out of the file, in one step for all of them. A crash before that leaves both
 * equal.
 */
async function moveToKeychain(file: string, keychain: OpenedKeychain): Promise<void> {
  const { values, kept: before } = read(file);
  if (values.size === 0) return;
  const kept = keptBy(keychain, before);
  change(file, (content) => {
    content.kept = kept;
  }); // so that the next try finds the same places
  for (const [name, value] of values) await putAndCheck(keychain, account(kept, name), value);
  change(file, (content) => {
    for (const [name, value] of values) if (content.values.get(name) === value) content.values.delete(name);
    content.kept = [...values.keys()].reduce(withName, kept);
  });
}

/** The way back, in the same order: into the file, and then out of the keychain. */
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
        log.warn({ err, secret: name }, 'a secret that is in secrets.json now is still in the keychain too'),
      );
  }
  change(file, (content) => {
    content.kept = undefined;
  });
}

async function putAndCheck(keychain: OpenedKeychain, where: string, value: string): Promise<void> {
  await keychain.set(where, value);
  if ((await keychain.get(where)) !== value)
    throw new AppError('unavailable', 'the keychain did not give back what it was given');
}

interface Content {
  values: Map<string, string>;
  kept: InKeychain | undefined;
  /** What else a person wrote there. */
  rest: Record<string, unknown>;
}

/** A damaged file is refused, never replaced. */
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
        `${file} is damaged: ${name} is not a text of at least ${SHORTEST} characters. Restore it from a ` +
          `backup, or take ${name} out to have a new one made.`,
      );
  }
  const kept = keychain === undefined ? undefined : InKeychain.safeParse(keychain);
  if (kept?.success === false)
    throw new AppError(
      'unavailable',
      `${file} is damaged: "keychain" does not say which secrets are in the system’s keychain. Restore it ` +
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

/** A copy or a restore may have opened the file to others. Windows has no such modes. */
function closeToOthers(file: string): void {
  if (process.platform === 'win32') return;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined && (mode & 0o077) !== 0) chmodSync(file, 0o600);
}
