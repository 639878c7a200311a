// Slows guessing down: failures are counted per address, per name, and per name at an address; too many answer 429 for
// the rest of a minute. Every attempt is counted before the password is checked, so that a burst of parallel ones
// cannot slip through, and taken back when it succeeds.
import { isIPv6 } from 'node:net';
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';

/**
 * Failures per minute. A name from anywhere is looser than a name at an address: an attacker must not lock its owner
 * out easily.
 */
export const LIMITS = { pair: 10, address: 30, name: 60 };
const WINDOW_SECONDS = 60;

export interface Attempt {
  /** The credentials were right: this attempt does not count, and what the name failed at this address is forgiven. */
  succeeded(): Promise<void>;
}

export type Limits = ReturnType<typeof createLimits>;

export function createLimits() {
  let loaded: Promise<Record<keyof typeof LIMITS, RateLimiterMemory>> | undefined;
  const limiters = () => (loaded ??= loadLimiters());

  return {
    /**
     * Throws `too_many_requests` with the seconds to wait. `nameKey` is left out where only an address can be told (the
     * setup token).
     */
    async attempt(address: string | undefined, nameKey?: string): Promise<Attempt> {
      const { pair, address: perAddress, name } = await limiters();
      const from = addressKey(address);
      const name64 = nameKey?.slice(0, 64);
      // The address goes first: once it is blocked, it makes no entries under invented names.
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

/**
 * One household has a whole IPv6 /64, so its addresses count as one; an IPv4 address in IPv6 clothes is that IPv4
 * address.
 */
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
