// How many requests may be answered at the same time: for each account, and for each address where nobody signed in.
// Those of an account from different addresses take turns, as those of different accounts do.
import type { ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { yieldIfDue, workFor } from '../runtime/time-slices.ts';
import { addressKey } from './addresses.ts';

const IN_FLIGHT = { account: 250, address: 60 };

export type InFlight = ReturnType<typeof createInFlight>;

export function createInFlight() {
  const counts = new Map<string, number>();

  /** Throws `too_many_requests`; what is let in counts until its answer is out. Await it before the work begins. */
  return (
    res: ServerResponse,
    by: { user?: { id: number } | undefined; address: string | undefined },
  ): Promise<void> | undefined => {
    const key = by.user ? `user ${by.user.id}` : addressKey(by.address);
    const count = counts.get(key) ?? 0;
    const most = by.user ? IN_FLIGHT.account : IN_FLIGHT.address;
    if (count >= most)
      throw new AppError(
        'too_many_requests',
        `There are ${count} requests under way for this ${by.user ? 'account' : 'address'}, and ${most} at most.`,
        { retryAfter: 1 },
      );
    counts.set(key, count + 1);
    res.once('close', () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    });
    workFor(by.user ? `${key} ${addressKey(by.address)}` : key);
    return by.user && yieldIfDue();
  };
}
