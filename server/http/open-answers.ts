// Tracks long-lived responses: audio, downloads, radio, events, and requests whose bodies are still arriving. They end
// when their caller loses access.
import type { ServerResponse } from 'node:http';
import type { UserId } from '../db/ids.ts';
import type { Right } from '../db/rights.ts';
import type { Principal } from './route.ts';

/** Returns whether the caller's sign-in is still valid, in the same role and with this right. */
export type IsStillAllowed = (user: Principal, right?: Right) => boolean;
export type OpenAnswers = ReturnType<typeof createOpenAnswers>;

export function createOpenAnswers() {
  const responsesByAccount = new Map<UserId, Map<ServerResponse, () => boolean>>();

  return {
    /**
     * Tracks a response that the account's sessions, rights or shares allow. Returns the function that stops tracking
     * it.
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
