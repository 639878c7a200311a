// Size, time and identity of a file, known without reading it. Pure.
import type { Stats } from 'node:fs';

/** Changes when the file does. */
export interface FileStamp {
  sizeBytes: number;
  mtimeUs: number;
}

export const mtimeUsOf = (stat: Stats): number => Math.round(stat.mtimeMs * 1000);
export const stampOf = (stat: Stats): FileStamp => ({ sizeBytes: stat.size, mtimeUs: mtimeUsOf(stat) });

/** Equal, not older or newer: a file restored from a backup is older. */
export const isSameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.sizeBytes === b.sizeBytes && a.mtimeUs === b.mtimeUs;

/** Survives a rename. */
export interface FileIdentity extends FileStamp {
  dev: number;
  ino: number;
}

/** The same for one file at two paths. */
export const fileKey = ({ dev, ino, sizeBytes, mtimeUs }: FileIdentity): string =>
  `${dev}:${ino}:${sizeBytes}:${mtimeUs}`;
