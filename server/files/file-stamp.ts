// Size, time and identity of a file, all from one stat, without reading the file. Pure.
import type { Stats } from 'node:fs';

/** Size and time of a file, which change whenever the file changes. */
export interface FileStamp {
  sizeBytes: number;
  mtimeUs: number;
}

export const mtimeUsOf = (stat: Stats): number => Math.round(stat.mtimeMs * 1000);
export const ctimeUsOf = (stat: Stats): number => Math.round(stat.ctimeMs * 1000);
export const stampOf = (stat: Stats): FileStamp => ({ sizeBytes: stat.size, mtimeUs: mtimeUsOf(stat) });

/**
 * Returns whether two stamps are equal. A different time is not compared further: a file restored from a backup is
 * older.
 */
export const isSameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.sizeBytes === b.sizeBytes && a.mtimeUs === b.mtimeUs;

/** Identifies a file; it stays the same when the file is renamed. */
export interface FileIdentity extends FileStamp {
  dev: number;
  ino: number;
}

/**
 * Numbers of the file system. They change with the disk, the mount and the rights, while the content stays the same.
 */
export interface InodeStamp {
  dev: number;
  ino: number;
  /** The time of the last change of content, rights or name; null if it is unknown. */
  ctimeUs: number | null;
}

/**
 * Returns whether the file was changed although size and time are the same, as some tag editors do. A different device
 * says nothing: it is different after a copy that keeps all times.
 */
export const wasTouched = (previousStamp: InodeStamp, currentStamp: InodeStamp): boolean =>
  previousStamp.dev === currentStamp.dev &&
  previousStamp.ctimeUs !== null &&
  previousStamp.ctimeUs !== currentStamp.ctimeUs;

/** Returns a key for a file's identity, which is the same for one file at two paths. */
export const fileKey = ({ dev, ino, sizeBytes, mtimeUs }: FileIdentity): string =>
  `${dev}:${ino}:${sizeBytes}:${mtimeUs}`;
