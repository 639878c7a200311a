// Opens the audio at a track's storage URI.
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { AppError } from '../errors.ts';
import { openPlainFile } from '../runtime/plain-files.ts';
import { isSystemOrCrowded } from '../runtime/system-folders.ts';
import { isAbsent } from './file-errors.ts';
import { isPathInside, pathBelow } from './file-names.ts';
import { NO_PATH, locateInRoots, type MusicRoots } from './music-roots.ts';
import type { ByteRange, ObjectStat, OpenObject, Storage } from './storage.ts';
import { FILE_SCHEME, splitUri } from './uri.ts';

export interface StoredFile {
  /**
   * The path for readers that need a real file; absent if objects are not files. A Buffer when the name is not valid
   * UTF-8.
   */
  path?: string | Buffer;
  /** True when the content at this URI never changes, because its hash is in the URI. */
  immutable: boolean;
  /**
   * Returns size and time. Like `open`, throws `gone` when the audio no longer exists, and `unavailable` when it cannot
   * be read now.
   */
  stat(): Promise<ObjectStat>;
  open(range?: ByteRange): Promise<OpenObject>;
}

interface AudioStoreDeps {
  storage: Storage;
  /** Returns the configured music folders. */
  musicRoots: () => MusicRoots;
}

export type AudioStore = ReturnType<typeof createAudioStore>;

export function createAudioStore({ storage, musicRoots }: AudioStoreDeps) {
  return {
    /**
     * Finds the audio at a URI. Throws `gone` or `unavailable`; for an object of the storage, only its `stat` and
     * `open` throw these.
     */
    async resolve(uri: string): Promise<StoredFile> {
      const { scheme, path } = splitUri(uri);
      if (scheme === FILE_SCHEME) return importedFile(await realPathBelow(musicRoots(), path));
      if (scheme !== storage.backend.name)
        throw unavailableError('This audio is in a storage backend that is not in use.');
      return storedObject(storage, path);
    },
  };
}

function storedObject(storage: Storage, key: string): StoredFile {
  const path = storage.localPath(key);
  return {
    ...(path !== undefined && { path }),
    immutable: true,
    async stat() {
      const objectStat = await storage.stat(key);
      if (!objectStat) throw goneError();
      return objectStat;
    },
    async open(range) {
      try {
        return await storage.open(key, range);
      } catch (cause) {
        throw cause instanceof AppError && cause.code === 'not_found' ? goneError(cause) : cause;
      }
    },
  };
}

function importedFile(path: Buffer): StoredFile {
  return {
    path,
    immutable: false,
    async stat() {
      const fileStat = await withOpenErrors(stat(path));
      if (!fileStat.isFile()) throw goneError();
      return { size: fileStat.size, modifiedAt: fileStat.mtime };
    },
    async open(range) {
      await this.stat();
      const { handle, size } = await withOpenErrors(openPlainFile(path));
      return { size, stream: createReadStream('', { fd: handle, ...range }) };
    },
  };
}

/**
 * Resolves symbolic links. Throws `gone` for a path outside the folder, unless a person allowed to follow its links:
 * then any file outside the system's folders may be one of the music folder.
 */
async function realPathBelow(roots: MusicRoots, uriPath: string): Promise<Buffer> {
  const { root: folder, relativePath, followsLinks } = locateInRoots(roots, uriPath);
  if (folder === NO_PATH) throw unavailableError('This audio is in a music folder that is not set.');
  if (!isPathInside(relativePath)) throw goneError();
  const root = await realPathBytes(folder).catch((cause: unknown) => {
    // the code is not `gone`, since the file may still exist
    throw unavailableError('The music folder cannot be read. Is its disk connected?', cause);
  });
  const path = await realPathBytes(pathBelow(folder, relativePath)).catch(async (cause: unknown) => {
    // if a disk is not connected, its mount point is an empty folder
    if (isAbsent(cause) && (await readdir(folder).catch(() => [])).length === 0)
      throw unavailableError('The music folder is empty. Is its disk connected?', cause);
    throw asOpenError(cause);
  });
  const rootPrefix = Buffer.concat([root, Buffer.from(root.toString('latin1').endsWith(sep) ? '' : sep)]);
  const isLinkAllowed = followsLinks && !isSystemOrCrowded(dirname(path.toString()));
  if (!path.subarray(0, rootPrefix.length).equals(rootPrefix) && !isLinkAllowed) throw goneError();
  return path;
}

const realPathBytes = (path: Buffer | string): Promise<Buffer> => realpath(path, { encoding: 'buffer' });

async function withOpenErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw asOpenError(cause);
  }
}

/** Converts a system error to `gone` or `unavailable`. */
export const asOpenError = (cause: unknown): AppError =>
  isAbsent(cause) ? goneError(cause) : unavailableError('The audio cannot be opened.', cause);

const goneError = (cause?: unknown): AppError => new AppError('gone', 'The audio of this track is missing.', { cause });
const unavailableError = (detail: string, cause?: unknown): AppError => new AppError('unavailable', detail, { cause });
