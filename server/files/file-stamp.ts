// What is known of a file without reading it. Pure.
import type { Stats } from 'node:fs';

/** Shows whether a file changed. */
export interface FileStamp {
  sizeBytes: number;
  mtimeUs: number;
}

export const mtimeUsOf = (stat: Stats): number => Math.round(stat.mtimeMs * 1000);
export const stampOf = (stat: Stats): FileStamp => ({ sizeBytes: stat.size, mtimeUs: mtimeUsOf(stat) });

/** Equal, not older or newer: a file restored from a backup is older. */
export const isSameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.sizeBytes === b.sizeBytes && a.mtimeUs === b.mtimeUs;

/** Where a file is on its disk; kept by a rename. */
export interface FileIdentity extends FileStamp {
  dev: number;
  ino: number;
}

/** Equal for the same file in two places. */
export const fileKey = ({ dev, ino, sizeBytes, mtimeUs }: FileIdentity): string =>
  `${dev}:${ino}:${sizeBytes}:${mtimeUs}`;
