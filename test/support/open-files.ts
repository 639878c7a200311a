// The open files of a process, on Linux; nothing elsewhere.
import { readdirSync, readlinkSync } from 'node:fs';

/** Those below a folder. Sockets are left out: their number depends on clients. */
export function openFilesBelow(folder: string, pid: number | 'self' = 'self'): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // closed since
      return [];
    }
  });
}
