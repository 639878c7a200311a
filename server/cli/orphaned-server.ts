// Ends a server whose desktop app is gone. Such a server exits by itself within two seconds, unless it is stopped
// (SIGSTOP) or its event loop hangs. Then it would hold the data folder for ever, so the next server ends it.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findHolder } from '../db/data-lock.ts';
import { isShellThere, removeSocket } from './shell-link.ts';

const MAX_EXIT_MS = 3_000;
const MAX_KILL_MS = 5_000;
const CHECK_INTERVAL_MS = 100;

/** Resolves when no server of a closed desktop app holds the folder. */
export async function endOrphanedServer(data: string): Promise<void> {
  const findServer = () => findHolder(join(data, 'tonearm.lock'), data);
  const waitUntilGone = async (pid: number, ms: number): Promise<boolean> => {
    for (const end = performance.now() + ms; performance.now() < end; await sleep(CHECK_INTERVAL_MS))
      if (findServer()?.pid !== pid) return true;
    return false;
  };
  const holder = findServer();
  if (!holder || (await isShellThere(holder.shell))) return;
  if (await waitUntilGone(holder.pid, MAX_EXIT_MS)) return;
  if (findServer()?.pid !== holder.pid) return;
  try {
    process.kill(holder.pid, 'SIGKILL');
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return; // the server has just ended, or it belongs to another user and locking the folder will fail with an error
  }
  await waitUntilGone(holder.pid, MAX_KILL_MS);
  removeSocket(holder.shell);
}
