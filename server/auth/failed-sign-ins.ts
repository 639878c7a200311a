// Failed sign-ins in the log, for programs such as fail2ban. Attempts over the limit are refused and not logged, so a
// guesser cannot fill the disk.
import type { UserId } from '../db/ids.ts';
import type { Log } from '../log/log.ts';
import type { Caller } from './queries.ts';

/** Logs the address. The name is left out, because people type passwords into its field; the id stands for it. */
export const logFailedSignIn = (log: Log, { from, client }: Caller, userId: UserId | undefined): void =>
  log.info({ from, client, user_id: userId }, 'sign-in failed');
