// Removes temp files of killed processes.
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from './file-errors.ts';
import { TEMP_DIR, tempOwnerPid } from './local-paths.ts';

/** No write takes longer than this: in an older file's name, the process id is now that of another program. */
const MAX_TEMP_AGE_MS = 24 * 3_600_000;

interface SweepOptions {
  root: string;
  now: () => Date;
  /**
   * When this process started, in Unix ms. Older files with this process's id are from an earlier process with the same
   * id (in containers).
   */
  processStartedAt?: number;
}

/**
 * Removes files of killed processes and returns their number. Files of running processes (the command line, the server)
 * are kept.
 */
export async function sweepTemp({
  root,
  now,
  processStartedAt = performance.timeOrigin,
}: SweepOptions): Promise<number> {
  const folder = join(root, TEMP_DIR);
  let removedCount = 0;
  for (const name of await namesIn(folder)) {
    const pid = tempOwnerPid(name);
    if (pid === undefined) continue;
    const path = join(folder, name);
    try {
      const { mtimeMs } = await stat(path);
      if (isInUse(pid, mtimeMs, processStartedAt) && now().getTime() - mtimeMs < MAX_TEMP_AGE_MS) continue;
      await unlink(path);
      removedCount++;
    } catch (error) {
      if (!isAbsent(error)) throw error; // a running process may have just renamed the file
    }
  }
  return removedCount;
}

function isInUse(pid: number, mtimeMs: number, processStartedAt: number): boolean {
  return pid === process.pid ? mtimeMs >= processStartedAt : isRunning(pid);
}

/** Returns whether a process with that id runs on this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // signal 0 only checks whether the process exists
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
