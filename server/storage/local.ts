// Stores objects as files below one folder. They are written to a temp file, synced and renamed, so that readers never
// see part of an object, not even after a kill or a power cut.
import { createHash, randomBytes, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, mkdir, opendir, stat, statfs, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError, messageOf, notFound } from '../errors.ts';
import { assertNoFile } from '../runtime/folders.ts';
import { openPlainFile } from '../runtime/plain-files.ts';
import type { Backend } from './backend.ts';
import { asStorageError, fileChangedError, isAbsent, withStorageErrors } from './file-errors.ts';
import { assertKey, audioKey, isKey, keyToPath, TEMP_DIR, tempPath } from './local-paths.ts';
import type { DiskUsage, PutOptions, Storage, StoredObject } from './storage.ts';
import { sweepTemp } from './sweep-temp.ts';
import { moveSynced, writeSynced } from './synced-files.ts';
import { LOCAL_SCHEME } from './uri.ts';

const READ_BUFFER_BYTES = 256 << 10;

export const local: Backend = {
  name: LOCAL_SCHEME,
  title: 'the local disk',
  settings: ['STORAGE_ROOT'],
  requiredSettings: [],
  verifyDays: 30,
  mayBeDown: false, // an error of a disk does not go away by waiting
  canBeTested: false,

  /**
   * Opens the storage and removes the leftovers of killed processes. Throws `unavailable`, naming the folder, when it
   * cannot be read.
   */
  async open({ paths: { storageRoot: root } }, { now = () => new Date() }) {
    assertNoFile(root, { name: 'The library folder', remedy: 'Move it away, or set STORAGE_ROOT to another folder.' });
    try {
      await sweepTemp({ root, now });
    } catch (cause) {
      throw new AppError(
        'unavailable',
        `The library folder ${root} cannot be used (${messageOf(cause)}). Check its permissions, or set STORAGE_ROOT.`,
        { cause },
      );
    }
    return createLocalStorage({ root });
  },
};

export function createLocalStorage({ root }: { root: string }): Storage {
  async function store(source: Readable | Buffer, options: PutOptions, hash: Hash | undefined, makeKey: () => string) {
    const temp = tempPath(root, process.pid, randomBytes(8).toString('hex'));
    try {
      const size = await writeSynced(temp, source, hash, options.signal);
      const key = makeKey();
      const isStored = hash && (await statFile(keyToPath(root, key)))?.size === size;
      await withStorageErrors(isStored ? unlink(temp) : moveSynced(temp, keyToPath(root, key)));
      return { key, size };
    } catch (error) {
      await unlink(temp).catch(() => undefined);
      throw error;
    }
  }

  return {
    backend: local,
    folder: root,

    async put(key, source, options = {}) {
      assertKey(key);
      if (options.ifAbsent === true && Buffer.isBuffer(source)) return createFile(keyToPath(root, key), source);
      const { size } = await store(source, options, undefined, () => key);
      return { size };
    },

    async putAudio(source, ext, options = {}) {
      const hash = createHash('sha256');
      let sha256 = '';
      const { key, size } = await store(source, options, hash, () => {
        sha256 = hash.digest('hex');
        if (options.expected && options.expected.sha256 !== sha256) throw fileChangedError();
        return audioKey(sha256, ext);
      });
      return { key, sha256, size };
    },

    async open(key, range) {
      const { handle, size } = await openObject(keyToPath(root, key));
      const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? size, size - 1)];
      // Node allocates a buffer of this size for every file
      const highWaterMark = Math.max(1, Math.min(READ_BUFFER_BYTES, end - start + 1));
      const stream = createReadStream('', { fd: handle, highWaterMark, ...(size > 0 && { start, end }) });
      return { size, stream };
    },

    async stat(key) {
      const fileStat = await statFile(keyToPath(root, key));
      return fileStat && { size: fileStat.size, modifiedAt: fileStat.mtime };
    },

    async delete(key) {
      try {
        await unlink(keyToPath(root, key));
        return true;
      } catch (error) {
        if (isAbsent(error)) return false;
        throw asStorageError(error);
      }
    },

    list: (prefix) => listBelow(root, prefix),
    sweep: () => withStorageErrors(sweepTemp({ root, now: () => new Date() })), // sweeps by process instead of age
    diskUsage: () => diskUsage(root),
    isUp: async () =>
      access((await diskUsage(root)).path, constants.R_OK | constants.W_OK).then(
        () => true,
        () => false,
      ),
    localPath: (key) => keyToPath(root, key),
  };
}

/** Writes a file in place, because a rename would replace an existing file. A kill may leave an incomplete file. */
async function createFile(path: string, bytes: Buffer): Promise<{ size: number }> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes, { flag: 'wx', flush: true });
  } catch (error) {
    throw isFileExistsError(error)
      ? new AppError('conflict', 'The object already exists.', { cause: error })
      : asStorageError(error);
  }
  return { size: bytes.length };
}

const isFileExistsError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST';

async function openObject(path: string): Promise<{ handle: FileHandle; size: number }> {
  try {
    return await openPlainFile(path);
  } catch (error) {
    throw isAbsent(error) ? notFound('stored object') : asStorageError(error);
  }
}

/** Returns the file's stat; undefined when there is no file at the path. */
async function statFile(path: string) {
  try {
    const fileStat = await stat(path);
    return fileStat.isFile() ? fileStat : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw asStorageError(error);
  }
}

async function* listBelow(root: string, prefix: string): AsyncGenerator<StoredObject> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1); // the folder is '' or ends with a slash
  if (folder !== '') assertKey(folder.slice(0, -1));
  for await (const key of keysIn(root, folder)) {
    // a sync tool may put files of its own there, such as copies after a conflict; they are not objects
    const fileStat = key.startsWith(prefix) && isKey(key) ? await statFile(keyToPath(root, key)) : undefined;
    if (fileStat) yield { key, size: fileStat.size, modifiedAt: fileStat.mtime };
  }
}

async function* keysIn(root: string, folder: string): AsyncGenerator<string> {
  const entries = await opendir(join(root, folder)).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw asStorageError(error);
  });
  for await (const entry of entries) {
    if (entry.name.startsWith('.') || (folder === '' && entry.name === TEMP_DIR)) continue;
    if (entry.isDirectory()) yield* keysIn(root, `${folder}${entry.name}/`);
    else if (entry.isFile()) yield folder + entry.name;
  }
}

/** Returns the name of the disk that holds a folder: the last part of its mount point, `/` for the system disk. */
export async function volumeName(folder: string): Promise<string> {
  const path = resolve(folder);
  const { dev } = await stat(path);
  let mount = path;
  for (let parent = dirname(mount); parent !== mount && (await stat(parent)).dev === dev; parent = dirname(parent))
    mount = parent;
  return basename(mount) || mount;
}

/** Returns the usage of the disk that holds the folder, or its nearest existing ancestor. */
export async function diskUsage(folder: string): Promise<DiskUsage> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    try {
      const { bsize, blocks, bfree, bavail } = await statfs(path);
      return { path, totalBytes: blocks * bsize, freeBytes: bavail * bsize, usedBytes: (blocks - bfree) * bsize };
    } catch (error) {
      if (!isAbsent(error) || path === dirname(path)) throw error;
    }
  }
}
