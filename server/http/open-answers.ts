// Long-lived responses: audio, downloads, radio, events, and requests whose bodies are still arriving. They end when
// their caller loses access.
import type { ServerResponse } from 'node:http';
import type { UserId } from '../db/ids.ts';
import type { Right } from '../db/rights.ts';
import type { Principal } from './route.ts';

/** Whether the caller's sign-in still works, in the same role and with this right. */
export type IsStillAllowed = (user: Principal, right?: Right) => boolean;
export type OpenAnswers = ReturnType<typeof createOpenAnswers>;

export function createOpenAnswers() {
  const responsesByAccount = new Map<UserId, Map<ServerResponse, () => boolean>>();

  return {
    /**
     * Tracks a response of the account whose sessions, rights or shares allow it. Returns the function that stops it.
     */
    track(res: ServerResponse, accountId: UserId, isStillAllowed: () => boolean): () => void {
      const accountResponses = responsesByAccount.get(accountId) ?? new Map<ServerResponse, () => boolean>();
      responsesByAccount.set(accountId, accountResponses.set(res, isStillAllowed));
      const untrack = (): void => {
        accountResponses.delete(res);
        if (accountResponses.size === 0 && responsesByAccount.get(accountId) === accountResponses)
          responsesByAccount.delete(accountId);
      };
      res.once('close', untrack);
      return untrack;
    },

    /** Destroys the responses of the account whose callers lost access. */
    recheck(accountId: UserId): void {
      for (const [res, isStillAllowed] of responsesByAccount.get(accountId) ?? []) if (!isStillAllowed()) res.destroy();
    },
  };
}
