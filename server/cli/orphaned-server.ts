// A server whose desktop app is gone ends by itself within two seconds, unless it is stopped (SIGSTOP) or its event
// loop hangs. It would hold the data folder for ever, so the next server ends it.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findHolder } from '../db/data-lock.ts';
import { isShellThere, removeSocket } from './shell-link.ts';

const BY_ITSELF_MS = 3_000;
const AFTER_KILL_MS = 5_000;
const LOOK_EVERY_MS = 100;

/** Resolves when no such server holds the folder. */
export async function endLeftBehind(data: string): Promise<void> {
  const find = () => findHolder(join(data, 'tonearm.lock'), data);
  const untilGone = async (pid: number, ms: number): Promise<boolean> => {
    for (const end = performance.now() + ms; performance.now() < end; await sleep(LOOK_EVERY_MS))
      if (find()?.pid !== pid) return true;
    return false;
  };
  const holder = find();
  if (!holder || (await isShellThere(holder.shell))) return;
  if (await untilGone(holder.pid, BY_ITSELF_MS)) return;
  if (find()?.pid !== holder.pid) return;
  try {
    process.kill(holder.pid, 'SIGKILL');
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return; // it has just ended, or is another user's; who cannot lock the folder says so
  }
  await untilGone(holder.pid, AFTER_KILL_MS);
  removeSocket(holder.shell);
}
