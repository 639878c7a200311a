// The target of a backup: a folder, or the object store of a backend that supports backups. Errors of the storage get
// messages that name the backup.
import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { Backend, BackendConfig } from '../storage/backend.ts';
import { findBackupBackend } from '../storage/backends.ts';
import { createLocalStorage } from '../storage/local.ts';
import { TEMP_DIR } from '../storage/local-paths.ts';
import { probeStorage, PROBE_PREFIX } from '../storage/probe.ts';
import type { Storage } from '../storage/storage.ts';
import { sweepTemp } from '../storage/sweep-temp.ts';
import { readBytes } from './packs.ts';
import { createReadBack } from './read-back.ts';

/** The files that are written first in every backup. */
export const HEADER = 'backup.json';
export const HEADER_COPY = 'copies/backup.json';

/** Names of the files of a backup. Other files, such as those of a sync tool, are left alone. */
const OWN_PATTERNS = [
  /^(?:backup\.json|copies\/backup\.json|checks|lease|lease\.now|unused\/later|unused\/now)$/,
  /^(?:probe-|index\/)[0-9a-f]{16,32}$/,
  /^(?:packs|objects)\/[0-9a-f]{2}\/[0-9a-f]{32,64}$/,
  /^(?:snapshots|copies)\/\d{8}T\d{9}Z$/,
];
/** Returns whether another server may write or delete the file at any time. */
const isShortLived = (key: string): boolean =>
  /^(?:lease|probe-|unused\/|checks$|(?:copies\/)?backup\.json$)/.test(key);
const isBackupFile = (key: string): boolean => OWN_PATTERNS.some((pattern) => pattern.test(key));

export interface BackupTarget extends Pick<Storage, 'put' | 'open' | 'stat' | 'list' | 'delete'> {
  /** The name of the backup in messages: the path of the folder, or the bucket. */
  readonly name: string;
  /** Reads a whole object. Throws DamagedObject for more than `maxBytes` bytes. */
  read(key: string, maxBytes?: number): Promise<Buffer>;
  /** Returns the names of files that do not belong to the backup. */
  listForeignFiles(): Promise<string[]>;
  /** Tests the target: writes, lists, reads and deletes a small object. */
  probe(): Promise<void>;
  /** Returns the free space of the disk; null for an object store. */
  freeBytes(): Promise<number | null>;
}

export interface TargetDeps {
  /** Opens the storage of a backend with the settings for backups. */
  openStore: (backend: Backend, config: BackendConfig) => Promise<Storage>;
  config: BackendConfig;
  now: () => Date;
}

/** Warns when backups use the bucket or the key of the library: one leaked key, or one lost bucket, would take both. */
export function warnOfSharedTarget(config: BackendConfig, log: Log): void {
  const target = config.settings['BACKUP_TARGET'];
  const backend = typeof target === 'string' ? findBackupBackend(target) : undefined;
  try {
    const { onlyIfExists, sharesWithLibrary, description } = backend?.forBackups?.(config) ?? {};
    if (onlyIfExists)
      log.warn(
        { place: description },
        'backups use the S3 settings of the library; set BACKUP_S3_BUCKET and the other settings for backups',
      );
    else if (sharesWithLibrary) log.warn({ place: description }, 'the library and its backups are in the same bucket');
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'cannot make backups');
  }
}

/**
 * Opens a target. Throws `unavailable` when its folder does not exist; the folder is not created, since its disk may
 * not be connected.
 */
export async function openTarget(targetName: string, { openStore, config, now }: TargetDeps): Promise<BackupTarget> {
  const backend = findBackupBackend(targetName);
  if (backend?.forBackups) {
    const { config: backupConfig, description, onlyIfExists, withBackupNames } = backend.forBackups(config);
    const target = nameErrors(await openStore(backend, backupConfig), description, { toBackupNames: withBackupNames });
    if (onlyIfExists && !(await hasBackup(target)))
      throw new AppError(
        'invalid',
        `There is no backup in ${description} yet. ` +
          'New backups need their own settings: BACKUP_S3_BUCKET and the others.',
      );
    return target;
  }
  const root = resolve(targetName);
  const folderStat = await stat(root).catch(() => undefined);
  if (!folderStat?.isDirectory())
    throw new AppError('unavailable', `The backup folder ${root} does not exist. Create it, or connect its disk.`);
  // the clean-up may fail, because a restore also works from a read-only folder
  await sweepTemp({ root, now }).catch(() => 0);
  const namesIn = async (): Promise<string[]> =>
    (await readdir(root, { recursive: true, withFileTypes: true }))
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
      .filter((name) => !name.startsWith(`${TEMP_DIR}/`));
  return nameErrors(requireHeader(createLocalStorage({ root }), root), root, { listNames: namesIn });
}

/** Returns whether the target contains a backup. One of the two headers is enough: the other one is written again. */
export const hasBackup = async (target: Pick<Storage, 'stat'>): Promise<boolean> =>
  ((await target.stat(HEADER)) ?? (await target.stat(HEADER_COPY))) !== undefined;

/** Refuses writes without a header: if the disk was removed, the folder is an empty mount point on the system disk. */
function requireHeader(storage: Storage, root: string): Storage {
  return {
    ...storage,
    async put(key, source, options) {
      if (![HEADER, HEADER_COPY].includes(key) && !key.startsWith(PROBE_PREFIX) && !(await hasBackup(storage)))
        throw new AppError('unavailable', `The backup in ${root} is missing. Is its disk connected?`);
      return storage.put(key, source, options);
    },
  };
}

/** Options of a storage whose errors name the backup. */
interface NameErrorsOptions {
  toBackupNames?: ((message: string) => string) | undefined;
  /** Returns the names of all files; by default those that the storage lists. */
  listNames?: () => Promise<string[]>;
}

function nameErrors(
  storage: Storage,
  name: string,
  { toBackupNames = (text) => text, listNames = () => listKeys(storage) }: NameErrorsOptions,
): BackupTarget {
  const toNamedError = (error: unknown): unknown => nameBackupInError(error, name, toBackupNames);
  const withName = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toNamedError(error);
    });
  const open: Storage['open'] = (key, range) => withName(storage.open(key, range));
  const readObject: BackupTarget['read'] = async (key, maxBytes) =>
    readBytes((await open(key)).stream as AsyncIterable<Buffer>, maxBytes);
  const readBack = createReadBack({ name, read: readObject });
  return {
    name,
    open,
    read: readObject,
    probe: () => withName(probeStorage(storage)),
    listForeignFiles: async () => (await withName(listNames())).filter((fileName) => !isBackupFile(fileName)),
    freeBytes: async () => (await withName(storage.diskUsage()))?.freeBytes ?? null,
    async put(key, source, options) {
      const result = await withName(storage.put(key, source, options));
      if (source instanceof Uint8Array && !isShortLived(key)) await readBack(key, source);
      return result;
    },
    stat: (key) => withName(storage.stat(key)),
    delete: (key) => withName(storage.delete(key)),
    async *list(prefix) {
      try {
        for await (const object of storage.list(prefix)) if (isBackupFile(object.key)) yield object;
      } catch (error) {
        throw toNamedError(error);
      }
    },
  };
}

async function listKeys(storage: Pick<Storage, 'list'>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list('')) keys.push(key);
  return keys;
}

function nameBackupInError(error: unknown, name: string, toBackupNames: (message: string) => string): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'storage_full')
    return new AppError(
      'storage_full',
      `No space left for the backup in ${name}. Free some space; earlier snapshots are intact, and the next backup ` +
        'resumes.',
      { cause: error },
    );
  if (error.code === 'unavailable' && !error.message.includes(name))
    return new AppError(
      'unavailable',
      `The backup in ${name} cannot be reached or written. Earlier snapshots are intact. ` +
        `(${toBackupNames(error.message)})`,
      { cause: error },
    );
  return error;
}
