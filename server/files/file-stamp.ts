// Size, time and identity of a file, known without reading it. Pure.
import type { Stats } from 'node:fs';

/** Changes when the file does. */
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

/** Survives a rename. */
export interface FileIdentity extends FileStamp {
  dev: number;
  ino: number;
}

/** What the system has in addition. It changes with the disk, the mount and the rights, and the file stays the same. */
export interface FileNumbers {
  dev: number;
  ino: number;
  /** When anything of the file changed, its content, its rights or its name; null where that is not known. */
  ctimeUs: number | null;
}

/**
 * Something of the file changed, although size and time are the same: tag editors can keep them. On another device, as
 * after a copy with all times, nothing follows.
 */
export const wasTouched = (before: FileNumbers, now: FileNumbers): boolean =>
  before.dev === now.dev && before.ctimeUs !== null && before.ctimeUs !== now.ctimeUs;

/** The same for one file at two paths. */
export const fileKey = ({ dev, ino, sizeBytes, mtimeUs }: FileIdentity): string =>
  `${dev}:${ino}:${sizeBytes}:${mtimeUs}`;
