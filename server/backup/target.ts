// Where a backup lies: a folder, or the store of a backend that takes backups too. Any storage backend will do; here
// its errors are put into words that name the backup and not the library.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError } from '../errors.ts';
import type { Backend, BackendConfig } from '../storage/backend.ts';
import { backupBackend } from '../storage/backends.ts';
import { createLocalStorage } from '../storage/local.ts';
import { probe, PROBE } from '../storage/probe.ts';
import type { Storage } from '../storage/storage.ts';
import { sweepTemp } from '../storage/sweep-temp.ts';

/** Stands in every backup from the beginning. */
export const HEADER = 'backup.json';

export interface BackupTarget extends Pick<Storage, 'put' | 'open' | 'stat' | 'list' | 'delete'> {
  /** For sentences: the folder's path, or the bucket. */
  readonly name: string;
  /** Writes something small, finds and reads it, and takes it away again; throws in words. */
  probe(): Promise<void>;
  /** Null where there is no disk of a fixed size. */
  freeBytes(): Promise<number | null>;
}

export interface TargetDeps {
  /** The storage of a backend, with the place for backups in its settings. */
  openStore: (backend: Backend, config: BackendConfig) => Promise<Storage>;
  config: BackendConfig;
  now: () => Date;
}

/**
 * Throws `unavailable` when the folder is not there: one that is made by itself would hide that a disk is not
 * connected.
 */
export async function openTarget(where: string, { openStore, config, now }: TargetDeps): Promise<BackupTarget> {
  const backend = backupBackend(where);
  if (backend?.forBackups) {
    const { config: ofBackups, place } = backend.forBackups(config);
    return inWords(await openStore(backend, ofBackups), place);
  }
  const root = resolve(where);
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory())
    throw new AppError('unavailable', `The backup folder ${root} is not there. Make it, or connect its disk.`);
  await sweepTemp({ root, now }).catch(() => 0); // one that may only be read is good enough to restore from
  return inWords(staying(createLocalStorage({ root }), root), root);
}

/** A disk that is taken away while it is written leaves an empty folder, which would be filled. */
function staying(storage: Storage, root: string): Storage {
  return {
    ...storage,
    async put(key, source, options) {
      if (key !== HEADER && !key.startsWith(PROBE) && !(await storage.stat(HEADER)))
        throw new AppError('unavailable', `The backup in ${root} is not there any more. Is its disk connected?`);
      return storage.put(key, source, options);
    },
  };
}

function inWords(storage: Storage, name: string): BackupTarget {
  const told = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw words(error, name);
    });
  return {
    name,
    probe: () => told(probe(storage)),
    freeBytes: async () => (await told(storage.diskUsage()))?.freeBytes ?? null,
    put: (key, source, options) => told(storage.put(key, source, options)),
    open: (key, range) => told(storage.open(key, range)),
    stat: (key) => told(storage.stat(key)),
    delete: (key) => told(storage.delete(key)),
    async *list(prefix) {
      try {
        yield* storage.list(prefix);
      } catch (error) {
        throw words(error, name);
      }
    },
  };
}

function words(error: unknown, name: string): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'storage_full')
    return new AppError(
      'storage_full',
      `There is no room left for the backup in ${name}. Free some space there; earlier snapshots are whole, ` +
        'and the next try goes on from here.',
      { cause: error },
    );
  if (error.code === 'unavailable' && !error.message.includes(name))
    return new AppError(
      'unavailable',
      `The backup in ${name} cannot be reached or written. Earlier snapshots are whole. (${error.message})`,
      { cause: error },
    );
  return error;
}
