// Requests that last: audio, downloads, radio, events, and bodies that are still on their way. They end with what let
// their caller in.
import type { ServerResponse } from 'node:http';
import type { UserId } from '../db/ids.ts';
import type { Right } from '../db/rights.ts';
import type { Principal } from './route.ts';

/** Whether somebody who was let in, by this right, would be again. */
export type MayGoOn = (user: Principal, right?: Right) => boolean;
export type OpenAnswers = ReturnType<typeof createOpenAnswers>;

export function createOpenAnswers() {
  const byAccount = new Map<UserId, Map<ServerResponse, () => boolean>>();

  return {
    /** `account`: whose sessions, rights or shares decide whether it may go on. Returns what forgets it. */
    note(res: ServerResponse, account: UserId, mayGoOn: () => boolean): () => void {
      const ofAccount = byAccount.get(account) ?? new Map<ServerResponse, () => boolean>();
      byAccount.set(account, ofAccount.set(res, mayGoOn));
      const forget = (): void => {
        ofAccount.delete(res);
        if (ofAccount.size === 0 && byAccount.get(account) === ofAccount) byAccount.delete(account);
      };
      res.once('close', forget);
      return forget;
    },

    /** Breaks off those of the account whose caller could not ask again. */
    recheck(account: UserId): void {
      for (const [res, mayGoOn] of byAccount.get(account) ?? []) if (!mayGoOn()) res.destroy();
    },
  };
}
