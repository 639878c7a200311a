// Opens the audio at a track's storage URI.
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { AppError } from '../errors.ts';
import { openPlainFile } from '../runtime/plain-files.ts';
import { isAbsent } from './file-errors.ts';
import { isPathInside, pathBelow } from './file-names.ts';
import { NOWHERE, placeOf, type MusicRoots } from './music-roots.ts';
import type { ByteRange, ObjectStat, OpenObject, Storage } from './storage.ts';
import { FILE_SCHEME, splitUri } from './uri.ts';

export interface StoredFile {
  /** For readers that need a real file; absent where objects are not files. Bytes when the name is not valid UTF-8. */
  path?: string | Buffer;
  /** True when the content at this URI never changes, because its hash is in the URI. */
  immutable: boolean;
  /** Both throw `gone` when the audio no longer exists, and `unavailable` when it cannot be read now. */
  stat(): Promise<ObjectStat>;
  open(range?: ByteRange): Promise<OpenObject>;
}

interface AudioStoreDeps {
  storage: Storage;
  /** The music folders as they are set. */
  musicRoots: () => MusicRoots;
}

export type AudioStore = ReturnType<typeof createAudioStore>;

export function createAudioStore({ storage, musicRoots }: AudioStoreDeps) {
  return {
    /** Throws `gone` or `unavailable`; for objects of the storage only `stat` and `open` do. */
    async resolve(uri: string): Promise<StoredFile> {
      const { scheme, rest } = splitUri(uri);
      if (scheme === FILE_SCHEME) return importedFile(await realPathBelow(musicRoots(), rest));
      if (scheme !== storage.backend.name) throw unavailable('This audio is in a storage backend that is not in use.');
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
      await this.stat();
      const { handle, size } = await reaching(openPlainFile(path));
      return { size, stream: createReadStream('', { fd: handle, ...range }) };
    },
  };
}

/** With symbolic links resolved, and inside the folder: a link must not lead out of it. */
async function realPathBelow(roots: MusicRoots, uriPath: string): Promise<Buffer> {
  const { root: folder, rest } = placeOf(roots, uriPath);
  if (folder === NOWHERE) throw unavailable('This audio is in a music folder that is not set.');
  if (!isPathInside(rest)) throw gone();
  const root = await realBytes(folder).catch((cause: unknown) => {
    throw unavailable('The music folder cannot be read. Is its disk connected?', cause); // not `gone`
  });
  const path = await realBytes(pathBelow(folder, rest)).catch(async (cause: unknown) => {
    // where a disk is not connected, its mount point is an empty folder
    if (isAbsent(cause) && (await readdir(folder).catch(() => [])).length === 0)
      throw unavailable('The music folder is empty. Is its disk connected?', cause);
    throw openError(cause);
  });
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

/** `gone` or `unavailable`, for a system error. */
export const openError = (cause: unknown): AppError =>
  isAbsent(cause) ? gone(cause) : unavailable('The audio cannot be opened.', cause);

const gone = (cause?: unknown): AppError => new AppError('gone', 'The audio of this track is missing.', { cause });
const unavailable = (detail: string, cause?: unknown): AppError => new AppError('unavailable', detail, { cause });
