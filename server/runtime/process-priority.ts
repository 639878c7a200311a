// Lets others go before: the requests of this server and other programs, for work that nobody waits for.
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/** A program that this one has started. */
export function giveWay(pid: number | undefined, priority = PRIORITY_LOW): void {
  try {
    if (pid !== undefined) setPriority(pid, priority);
  } catch (error) {
    // it has ended already, or the system does not allow it
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/**
 * The calling thread alone, for good; only Linux gives threads a priority of their own, and names them. Not the lowest:
 * on a machine that is always busy it would not come to an end in time.
 */
export function giveWayAsThread(): void {
  if (process.platform === 'linux')
    giveWay(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), PRIORITY_BELOW_NORMAL);
}
