// Size and modification time of a file: what shows that it changed without reading it.
import type { Stats } from 'node:fs';

export interface FileStamp {
  sizeBytes: number;
  mtimeUs: number;
}

export const mtimeUsOf = (stat: Stats): number => Math.round(stat.mtimeMs * 1000);
export const stampOf = (stat: Stats): FileStamp => ({ sizeBytes: stat.size, mtimeUs: mtimeUsOf(stat) });

/** Equal, not older or newer: a file restored from a backup is older. */
export const isSameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.sizeBytes === b.sizeBytes && a.mtimeUs === b.mtimeUs;
