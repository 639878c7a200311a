// Lowers the priority of background work below requests of this server and other programs.
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/** Lowers the priority of a child process. */
export function lowerPriority(pid: number | undefined, priority = PRIORITY_LOW): void {
  try {
    if (pid !== undefined) setPriority(pid, priority);
  } catch (error) {
    // the process has ended already, or the system does not allow the change
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/**
 * Lowers the priority of the calling thread for good, on Linux only, where threads have a priority of their own. It
 * does not set the lowest priority: on a machine that is always busy, the thread's work would not end in time.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux')
    lowerPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), PRIORITY_BELOW_NORMAL);
}
