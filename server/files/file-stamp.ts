// Size, time and identity of a file, all from one stat, without reading the file. Pure.
import type { Stats } from 'node:fs';

/** Changes whenever the file changes. */
export interface FileStamp {
  sizeBytes: number;
  mtimeUs: number;
}

export const mtimeUsOf = (stat: Stats): number => Math.round(stat.mtimeMs * 1000);
export const ctimeUsOf = (stat: Stats): number => Math.round(stat.ctimeMs * 1000);
export const stampOf = (stat: Stats): FileStamp => ({ sizeBytes: stat.size, mtimeUs: mtimeUsOf(stat) });

/** Equal, not older or newer: a file restored from a backup is older. */
export const isSameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.sizeBytes === b.sizeBytes && a.mtimeUs === b.mtimeUs;

/** Stays the same when the file is renamed. */
export interface FileIdentity extends FileStamp {
  dev: number;
  ino: number;
}

/** Numbers of the file system. They change with the disk, the mount and the rights, while the file stays the same. */
export interface InodeStamp {
  dev: number;
  ino: number;
  /** The time of the last change of content, rights or name; null where it is unknown. */
  ctimeUs: number | null;
}

/**
 * Whether something of the file changed although size and time are the same: tag editors can keep both. A change of the
 * device, as after a copy with all times, says nothing.
 */
export const wasTouched = (previous: InodeStamp, current: InodeStamp): boolean =>
  previous.dev === current.dev && previous.ctimeUs !== null && previous.ctimeUs !== current.ctimeUs;

/** Key of a file's identity: the same for one file at two paths. */
export const fileKey = ({ dev, ino, sizeBytes, mtimeUs }: FileIdentity): string =>
  `${dev}:${ino}:${sizeBytes}:${mtimeUs}`;
