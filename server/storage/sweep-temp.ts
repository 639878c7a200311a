// Removes temp files of killed processes.
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from './file-errors.ts';
import { TEMP_DIR, tempOwner } from './local-paths.ts';

/** No write takes this long: the process id has been reused by another program. */
const ABANDONED_MS = 24 * 3_600_000;

interface SweepOptions {
  root: string;
  now: () => Date;
  /** In Unix ms. Older files with this process's id are from an earlier process with the same id (containers). */
  startedAt?: number;
}

/** Returns how many files were removed. Those of running processes (the command line, the server) are kept. */
export async function sweepTemp({ root, now, startedAt = performance.timeOrigin }: SweepOptions): Promise<number> {
  const folder = join(root, TEMP_DIR);
  let removed = 0;
  for (const name of await namesIn(folder)) {
    const pid = tempOwner(name);
    if (pid === undefined) continue;
    const path = join(folder, name);
    try {
      const { mtimeMs } = await stat(path);
      if (isInUse(pid, mtimeMs, startedAt) && now().getTime() - mtimeMs < ABANDONED_MS) continue;
      await unlink(path);
      removed++;
    } catch (error) {
      if (!isAbsent(error)) throw error; // renamed meanwhile
    }
  }
  return removed;
}

function isInUse(pid: number, mtimeMs: number, startedAt: number): boolean {
  return pid === process.pid ? mtimeMs >= startedAt : isRunning(pid);
}

/** Whether a process with that id runs on this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // signal 0 only checks
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
