// Where a backup is: a folder, or the object store of a backend that supports backups. Errors of the storage get
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
import { gathered } from './packs.ts';
import { createReadBack } from './read-back.ts';

/** The first files of every backup. */
export const HEADER = 'backup.json';
export const HEADER_COPY = 'copies/backup.json';

/** The files of a backup. What else is there, as a sync tool makes, is left alone. */
const OWN = [
  /^(?:backup\.json|copies\/backup\.json|checks|lease|lease\.now|unused\/later|unused\/now)$/,
  /^(?:probe-|index\/)[0-9a-f]{16,32}$/,
  /^(?:packs|objects)\/[0-9a-f]{2}\/[0-9a-f]{32,64}$/,
  /^(?:snapshots|copies)\/\d{8}T\d{9}Z$/,
];
/** Another server may write or delete these meanwhile. */
const isPassing = (key: string): boolean => /^(?:lease|probe-|unused\/|checks$|(?:copies\/)?backup\.json$)/.test(key);
const isOwn = (key: string): boolean => OWN.some((one) => one.test(key));

export interface BackupTarget extends Pick<Storage, 'put' | 'open' | 'stat' | 'list' | 'delete'> {
  /** For messages: the path of the folder, or the bucket. */
  readonly name: string;
  /** A whole object. Throws DamagedObject for more than `most` bytes. */
  read(key: string, most?: number): Promise<Buffer>;
  /** Names of files that are none of the backup's. */
  foreign(): Promise<string[]>;
  /** Writes, lists, reads and deletes a small object. */
  probe(): Promise<void>;
  /** Null for an object store. */
  freeBytes(): Promise<number | null>;
}

export interface TargetDeps {
  /** Opens the storage of a backend with the settings for backups. */
  openStore: (backend: Backend, config: BackendConfig) => Promise<Storage>;
  config: BackendConfig;
  now: () => Date;
}

/** One leaked key, or one lost bucket, would take the library and its backups. */
export function warnOfSharedPlace(config: BackendConfig, log: Log): void {
  const target = config.settings['BACKUP_TARGET'];
  const backend = typeof target === 'string' ? findBackupBackend(target) : undefined;
  try {
    const { onlyIfExists, sharesWithLibrary, description } = backend?.forBackups?.(config) ?? {};
    if (onlyIfExists)
      log.warn(
        { place: description },
        'backups use the S3 settings of the library; set BACKUP_S3_BUCKET and the others for them',
      );
    else if (sharesWithLibrary) log.warn({ place: description }, 'library and backups are in the same bucket');
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'backups cannot be made');
  }
}

/** Throws `unavailable` when the folder does not exist. It is not created, since its disk may not be connected. */
export async function openTarget(where: string, { openStore, config, now }: TargetDeps): Promise<BackupTarget> {
  const backend = findBackupBackend(where);
  if (backend?.forBackups) {
    const { config: ofBackups, description, onlyIfExists, withBackupNames } = backend.forBackups(config);
    const target = named(await openStore(backend, ofBackups), description, { toOwnNames: withBackupNames });
    if (onlyIfExists && !(await isBegun(target)))
      throw new AppError(
        'invalid',
        `There is no backup in ${description} yet. ` +
          'New backups need settings of their own: BACKUP_S3_BUCKET and the others.',
      );
    return target;
  }
  const root = resolve(where);
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory())
    throw new AppError('unavailable', `The backup folder ${root} does not exist. Create it, or connect its disk.`);
  await sweepTemp({ root, now }).catch(() => 0); // a read-only folder is enough to restore from
  const namesIn = async (): Promise<string[]> =>
    (await readdir(root, { recursive: true, withFileTypes: true }))
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
      .filter((name) => !name.startsWith(`${TEMP_DIR}/`));
  return named(staying(createLocalStorage({ root }), root), root, { names: namesIn });
}

/** One header is enough: the other is written again. */
export const isBegun = async (target: Pick<Storage, 'stat'>): Promise<boolean> =>
  ((await target.stat(HEADER)) ?? (await target.stat(HEADER_COPY))) !== undefined;

/** Refuses writes without a header: a disk removed meanwhile leaves an empty mount point on the system disk. */
function staying(storage: Storage, root: string): Storage {
  return {
    ...storage,
    async put(key, source, options) {
      if (![HEADER, HEADER_COPY].includes(key) && !key.startsWith(PROBE_PREFIX) && !(await isBegun(storage)))
        throw new AppError('unavailable', `The backup in ${root} is gone. Is its disk connected?`);
      return storage.put(key, source, options);
    },
  };
}

/** The storage with errors that name the backup. */
interface NamedOptions {
  toOwnNames?: ((message: string) => string) | undefined;
  /** Of all files; by default what the storage lists. */
  names?: () => Promise<string[]>;
}

function named(
  storage: Storage,
  name: string,
  { toOwnNames = (text) => text, names = () => keysOf(storage) }: NamedOptions,
): BackupTarget {
  const asNamed = (error: unknown): unknown => namedError(error, name, toOwnNames);
  const withName = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw asNamed(error);
    });
  const open: Storage['open'] = (key, range) => withName(storage.open(key, range));
  const read: BackupTarget['read'] = async (key, most) =>
    gathered((await open(key)).stream as AsyncIterable<Buffer>, most);
  const readBack = createReadBack({ name, read });
  return {
    name,
    open,
    read,
    probe: () => withName(probeStorage(storage)),
    foreign: async () => (await withName(names())).filter((one) => !isOwn(one)),
    freeBytes: async () => (await withName(storage.diskUsage()))?.freeBytes ?? null,
    async put(key, source, options) {
      const put = await withName(storage.put(key, source, options));
      if (source instanceof Uint8Array && !isPassing(key)) await readBack(key, source);
      return put;
    },
    stat: (key) => withName(storage.stat(key)),
    delete: (key) => withName(storage.delete(key)),
    async *list(prefix) {
      try {
        for await (const object of storage.list(prefix)) if (isOwn(object.key)) yield object;
      } catch (error) {
        throw asNamed(error);
      }
    },
  };
}

async function keysOf(storage: Pick<Storage, 'list'>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list('')) keys.push(key);
  return keys;
}

function namedError(error: unknown, name: string, toOwnNames: (message: string) => string): unknown {
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
        `(${toOwnNames(error.message)})`,
      { cause: error },
    );
  return error;
}
