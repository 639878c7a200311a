// The interface of storage backends (backends.ts). All backends use the keys of local-paths.ts.
import type { Readable } from 'node:stream';

/** A range of bytes; both ends are included, as in HTTP. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface ObjectStat {
  size: number;
  modifiedAt: Date;
}

export interface StoredObject extends ObjectStat {
  key: string;
}

export interface OpenObject {
  /** Size of the whole object, also for a range. */
  size: number;
  /** The content; must be destroyed when it is not read to the end. */
  stream: Readable;
}

export interface PutOptions {
  /** Stored by object stores; files have no content type. */
  contentType?: string;
  /** Aborts writing; nothing is left behind. */
  signal?: AbortSignal;
  /**
   * Throws `conflict` when an object with that key exists; only for small buffers. Stores without conditional writes
   * replace it, or throw `unavailable`.
   */
  ifAbsent?: boolean;
  /**
   * Hash and size of the audio, if they are known before it is read. The source may stay unread if that content is
   * already stored; other content is rejected with `conflict`.
   */
  expected?: ExpectedContent;
  /** With `expected`: the content is probably not stored yet, so small audio is sent without asking the store first. */
  isNew?: boolean;
}

export interface ExpectedContent {
  sha256: string;
  size: number;
}

interface StoredAudio {
  key: string;
  sha256: string;
  size: number;
}

export interface DiskUsage {
  path: string;
  totalBytes: number;
  freeBytes: number;
  usedBytes: number;
}

/** What other modules need to know about a backend. */
export interface StorageTraits {
  /** The value of STORAGE_BACKEND, and the scheme of the backend's URIs: `s3:audio/…`. */
  readonly name: string;
  /** The name of the backend in messages: `the object store`. */
  readonly title: string;
  /** Default of VERIFY_DAYS; 0 if reading is charged for. */
  readonly verifyDays: number;
  /** True if the backend may be temporarily unreachable. */
  readonly mayBeDown: boolean;
}

/**
 * A storage, in which objects are complete or absent, also after an error. Throws `storage_full`, `unavailable` (the
 * backend cannot be reached or written) and `invalid` (not a key). Errors of the source being stored are thrown
 * unchanged.
 */
export interface Storage {
  readonly backend: StorageTraits;
  /** The folder where the scan's reader thread may copy audio to `keyToPath` itself; null if it cannot. */
  readonly folder: string | null;
  /** Stores an object; an object with the same key is replaced. */
  put(key: string, source: Readable | Buffer, options?: PutOptions): Promise<{ size: number }>;
  /** Stores audio under its content hash. Content that is already stored is not stored again. */
  putAudio(source: Readable, ext: string, options?: PutOptions): Promise<StoredAudio>;
  /**
   * Opens an object. Throws `not_found`. A range has to start inside the object; its end is limited to that of the
   * object.
   */
  open(key: string, range?: ByteRange): Promise<OpenObject>;
  stat(key: string): Promise<ObjectStat | undefined>;
  /** Deletes an object; returns false when there was no such object. */
  delete(key: string): Promise<boolean>;
  /** Yields objects whose key starts with the prefix, in no particular order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Removes incomplete objects that killed processes left before the given time; returns their number. */
  sweep(startedBefore: Date): Promise<number>;
  /** Returns the usage of the disk; null when the storage is not on a disk. */
  diskUsage(): Promise<DiskUsage | null>;
  /** Returns whether the storage can be read and written, for /health. */
  isUp(): Promise<boolean>;
  /** Returns the path for readers that need a real file, which may not exist; undefined when objects are not files. */
  localPath(key: string): string | undefined;
  /** Closes connections. */
  close?(): void;
}
