// What a storage backend can do. Keys are those of local-paths.ts on every backend. Backends: backends.ts.
import type { Readable } from 'node:stream';

/** Both ends are included, as in HTTP. */
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
  /** Size of the whole object, also when a range was asked for. */
  size: number;
  /** Destroy it when it is not read to its end. */
  stream: Readable;
}

export interface PutOptions {
  /** Kept by backends that store it (an object store); a local file has none. */
  contentType?: string;
  /** Ends the writing; nothing is left behind. */
  signal?: AbortSignal;
  /**
   * What the audio is, when that is known before it is read. A backend may then leave the source unread; content that
   * turns out other is refused with `conflict`.
   */
  known?: KnownContent;
}

export interface KnownContent {
  sha256: string;
  size: number;
}

export interface StoredAudio {
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

/** What a backend is like, in words of what others need to know. */
export interface StorageTraits {
  /** The word in STORAGE_BACKEND, and the scheme of its URIs: `s3:audio/…`. */
  readonly name: string;
  /** For sentences: the object store. */
  readonly title: string;
  /** VERIFY_DAYS where it is not set; 0 where reading everything is not free. */
  readonly verifyDays: number;
  /** It may be down for a while: what cannot be read now can be later. */
  readonly mayBeDown: boolean;
}

/**
 * Errors: `storage_full` (nothing half-written stays), `unavailable` (the backend cannot be reached or written),
 * `invalid` (not a key). An error of the source being stored comes out as it is. An object is whole or absent, never
 * half there.
 */
export interface Storage {
  readonly backend: StorageTraits;
  /** Where the thread that reads tags may copy audio by itself, to its `keyToPath`; null where it cannot. */
  readonly folder: string | null;
  /** Stores under a name, replacing what was there. */
  put(key: string, source: Readable | Buffer, options?: PutOptions): Promise<{ size: number }>;
  /** Stores audio under its content's hash. The same content again costs nothing more. */
  putAudio(source: Readable, ext: string, options?: PutOptions): Promise<StoredAudio>;
  /** Throws `not_found` when there is no such object. A range must begin inside the object; its end is cut to it. */
  open(key: string, range?: ByteRange): Promise<OpenObject>;
  stat(key: string): Promise<ObjectStat | undefined>;
  /** True when there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** Objects whose key begins with the prefix, in no certain order. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Removes what killed processes left half-written before that time; how many. */
  sweep(before: Date): Promise<number>;
  /** Null where there is no disk of a fixed size. */
  diskUsage(): Promise<DiskUsage | null>;
  /** Whether it can be read and written now, for /health. */
  isUp(): Promise<boolean>;
  /**
   * Path of the object for readers that want a real file; undefined where objects are not files. Does not say that it
   * is there.
   */
  localPath(key: string): string | undefined;
  /** Gives back connections, where there are any. */
  close?(): void;
}
