// Limits the concurrent requests of each account, and of each address without an account. The addresses of one account
// take turns, as accounts do.
import type { ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { yieldIfDue, setCaller } from '../runtime/time-slices.ts';
import { addressKey } from './addresses.ts';

const MAX_CONCURRENT_REQUESTS = { account: 250, address: 60 };

export type InFlight = ReturnType<typeof createInFlight>;

export function createInFlight() {
  const counts = new Map<string, number>();

  /**
   * Counts a request until its response is closed, and waits for its turn. Must be awaited before the work begins.
   * Throws `too_many_requests`.
   */
  return (
    res: ServerResponse,
    caller: { user?: { id: number } | undefined; address: string | undefined },
  ): Promise<void> | undefined => {
    const key = caller.user ? `user ${caller.user.id}` : addressKey(caller.address);
    const count = counts.get(key) ?? 0;
    const max = caller.user ? MAX_CONCURRENT_REQUESTS.account : MAX_CONCURRENT_REQUESTS.address;
    if (count >= max)
      throw new AppError(
        'too_many_requests',
        `There are ${count} requests running for this ${caller.user ? 'account' : 'address'}, and ${max} at most.`,
        { retryAfter: 1 },
      );
    counts.set(key, count + 1);
    res.once('close', () => {
      const remaining = (counts.get(key) ?? 1) - 1;
      if (remaining > 0) counts.set(key, remaining);
      else counts.delete(key);
    });
    setCaller(caller.user ? `${key} ${addressKey(caller.address)}` : key);
    return caller.user && yieldIfDue();
  };
}
