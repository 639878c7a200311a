// Answers and uploads that last: audio, downloads, radio, events. They end with what their caller signed in with.
import type { ServerResponse } from 'node:http';
import type { UserId } from '../db/ids.ts';
import type { Principal } from './route.ts';

export type OpenAnswers = ReturnType<typeof createOpenAnswers>;

export function createOpenAnswers() {
  const byAccount = new Map<UserId, Map<ServerResponse, Principal>>();

  return {
    note(res: ServerResponse, user: Principal): void {
      const ofAccount = byAccount.get(user.id) ?? new Map<ServerResponse, Principal>();
      byAccount.set(user.id, ofAccount.set(res, user));
      res.once('close', () => {
        ofAccount.delete(res);
        if (ofAccount.size === 0 && byAccount.get(user.id) === ofAccount) byAccount.delete(user.id);
      });
    },

    /** Breaks off those of the account whose caller could not ask again. */
    recheck(id: UserId, mayGoOn: (user: Principal) => boolean): void {
      for (const [res, user] of byAccount.get(id) ?? []) if (!mayGoOn(user)) res.destroy();
    },
  };
}
