// Limits password guessing: failures are counted per address, per name, and per name at an address; too many get 429
// for the rest of a minute. An attempt is counted before the password is checked, so that a burst of parallel attempts
// cannot slip through, and uncounted when it succeeds.
import { isIPv6 } from 'node:net';
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';

/** Failures per minute. The limit per name is the loosest, so that an attacker cannot easily lock out its owner. */
export const LIMITS = { pair: 10, address: 30, name: 60 };
const WINDOW_SECONDS = 60;

export interface Attempt {
  /** The credentials were right: uncounts the attempt, and forgets the failures of the name at this address. */
  succeeded(): Promise<void>;
}

export type Limits = ReturnType<typeof createLimits>;

export function createLimits() {
  let loaded: Promise<Record<keyof typeof LIMITS, RateLimiterMemory>> | undefined;
  const limiters = () => (loaded ??= loadLimiters());

  return {
    /**
     * Throws `too_many_requests` with the seconds to wait. `nameKey` is left out where only the address is known (the
     * setup token).
     */
    async attempt(address: string | undefined, nameKey?: string): Promise<Attempt> {
      const { pair, address: perAddress, name } = await limiters();
      const from = addressKey(address);
      const name64 = nameKey?.slice(0, 64);
      // The address first: once blocked, it adds no entries for invented names.
      await take(perAddress, from);
      if (name64 !== undefined) {
        await take(pair, `${name64} ${from}`);
        await take(name, name64);
      }
      return {
        async succeeded() {
          await perAddress.reward(from);
          if (name64 === undefined) return;
          await pair.delete(`${name64} ${from}`);
          await name.reward(name64);
        },
      };
    },
  };
}

async function loadLimiters() {
  const { RateLimiterMemory } = await import('rate-limiter-flexible'); // at the first sign-in, not at the start
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
  return { pair: limiter(LIMITS.pair), address: limiter(LIMITS.address), name: limiter(LIMITS.name) };
}

async function take(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (refused instanceof Error) throw refused;
    const { msBeforeNext } = refused as { msBeforeNext: number };
    throw new AppError('too_many_requests', 'Too many failed attempts. Wait a moment, then try again.', {
      retryAfter: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
    });
  }
}

/** An IPv6 address counts as its /64, which is what one household has; an IPv4-mapped one as its IPv4 address. */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (v4 !== undefined) return v4;
  const bare = address.split('%')[0] ?? address; // fe80::1%eth0
  return isIPv6(bare) ? network64(bare) : address;
}

function network64(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const filled =
    tail === undefined
      ? left
      : [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  return `${filled
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':')}::/64`;
}
