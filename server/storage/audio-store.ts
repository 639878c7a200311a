// From a track's storage_uri to its bytes.
import { constants, createReadStream } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { AppError } from '../errors.ts';
import { isAbsent } from './file-errors.ts';
import { pathBelow } from './file-names.ts';
import type { ByteRange, ObjectStat, OpenObject, Storage } from './storage.ts';
import { FILE_SCHEME, splitUri } from './uri.ts';

export interface StoredFile {
  /** For readers that want a real file; absent where objects are not files. Bytes when the name is not valid UTF-8. */
  path?: string | Buffer;
  /** True when the bytes under this URI never change, because it is made of their hash. */
  immutable: boolean;
  /** Both throw `gone` when the bytes are not there any more, and `unavailable` when they cannot be reached now. */
  stat(): Promise<ObjectStat>;
  open(range?: ByteRange): Promise<OpenObject>;
}

export interface AudioStoreDeps {
  storage: Storage;
  /** The music folder as it is set now. */
  importPath: () => string | undefined;
}

export type AudioStore = ReturnType<typeof createAudioStore>;

/** A named pipe below the import path must not hold us up. Absent on Windows. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export function createAudioStore({ storage, importPath }: AudioStoreDeps) {
  return {
    /** Throws `gone` or `unavailable`; for an object of the storage that shows only when it is opened. */
    async resolve(uri: string): Promise<StoredFile> {
      const { scheme, rest } = splitUri(uri);
      if (scheme === FILE_SCHEME) return importedFile(await realPathBelow(importPath(), rest));
      if (scheme !== storage.backend.name) throw unavailable('This audio is kept in a storage that is not in use now.');
      return storedObject(storage, rest);
    },
  };
}

function storedObject(storage: Storage, key: string): StoredFile {
  const path = storage.localPath(key);
  return {
    ...(path !== undefined && { path }),
    immutable: true,
    async stat() {
      const found = await storage.stat(key);
      if (!found) throw gone();
      return found;
    },
    async open(range) {
      try {
        return await storage.open(key, range);
      } catch (cause) {
        throw cause instanceof AppError && cause.code === 'not_found' ? gone(cause) : cause;
      }
    },
  };
}

function importedFile(path: Buffer): StoredFile {
  return {
    path,
    immutable: false,
    async stat() {
      const found = await reaching(stat(path));
      if (!found.isFile()) throw gone();
      return { size: found.size, modifiedAt: found.mtime };
    },
    async open(range) {
      const { size } = await this.stat();
      const handle = await reaching(open(path, OPEN_FLAGS));
      return { size, stream: createReadStream('', { fd: handle, ...range }) };
    },
  };
}

/**
 * The file's real path, after links, which has to be inside the folder: a link that was swapped in cannot lead out of
 * it.
 */
async function realPathBelow(folder: string | undefined, relative: string): Promise<Buffer> {
  if (folder === undefined) throw unavailable('This audio lies in the music folder, and none is set.');
  if (relative === '' || relative.includes('\0') || relative.split('/').includes('..')) throw gone();
  const root = await realBytes(folder).catch((cause: unknown) => {
    throw unavailable('The music folder cannot be reached. Is its disk connected?', cause); // nothing in it is gone
  });
  const path = await reaching(realBytes(pathBelow(folder, relative)));
  const inside = Buffer.concat([root, Buffer.from(root.toString('latin1').endsWith(sep) ? '' : sep)]);
  if (!path.subarray(0, inside.length).equals(inside)) throw gone();
  return path;
}

const realBytes = (path: Buffer | string): Promise<Buffer> => realpath(path, { encoding: 'buffer' });

async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw openError(cause);
  }
}

/** What a failed opening of audio means: gone, or only out of reach. */
export const openError = (cause: unknown): AppError =>
  isAbsent(cause) ? gone(cause) : unavailable('The audio cannot be opened.', cause);

const gone = (cause?: unknown): AppError =>
  new AppError('gone', 'The audio of this track is not there any more.', { cause });
const unavailable = (detail: string, cause?: unknown): AppError => new AppError('unavailable', detail, { cause });
