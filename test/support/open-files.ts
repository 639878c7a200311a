// Lists the open files of a process on Linux; nothing on other systems.
import { readdirSync, readlinkSync } from 'node:fs';

/** Lists open files below a folder, without sockets, whose number depends on clients. */
export function openFilesBelow(folder: string, pid: number | 'self' = 'self'): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // the file was closed in the meantime
      return [];
    }
  });
}
