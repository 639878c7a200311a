// Limits password guessing: failures are counted per address, per name, and per name at an address; too many get 429
// for the rest of a minute. An attempt is counted before the password is checked, so that a burst of parallel attempts
// cannot slip through, and uncounted when it succeeds. The limits per address do not count the machine itself.
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';
import { addressKey } from '../http/addresses.ts';
import type { Caller } from './queries.ts';

/** Failures per minute. The limit per name is the loosest, so that an attacker cannot easily lock out its owner. */
export const LIMITS = { pair: 10, address: 30, name: 60 };
const WINDOW_SECONDS = 60;
/** New accounts that people make for themselves, per address. */
const REGISTRATIONS = { accounts: 10, seconds: 3_600 };

type Place = Pick<Caller, 'from' | 'isHere'>;

interface Attempt {
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
     * setup token). Where `isFamiliar`, strangers who guess at the name elsewhere lock nobody out.
     */
    async attempt(
      { from: address, isHere }: Place,
      nameKey?: string,
      isFamiliar: () => boolean = () => false,
    ): Promise<Attempt> {
      const { pair, address: perAddress, name } = await limiters();
      const from = addressKey(address);
      const name64 = nameKey?.slice(0, 64);
      // The address first: once blocked, it adds no entries for invented names.
      if (!isHere) await take(perAddress, from);
      if (name64 !== undefined) {
        await take(pair, `${name64} ${from}`);
        await take(name, name64).catch((refused: unknown) => {
          if (!isFamiliar()) throw refused;
        });
      }
      return {
        async succeeded() {
          if (!isHere) await perAddress.reward(from);
          if (name64 === undefined) return;
          await pair.delete(`${name64} ${from}`);
          await name.reward(name64);
        },
      };
    },
  };
}

/** Counts accounts that are made, not those that are refused. */
export function createRegistrationLimit() {
  let loaded: Promise<RateLimiterMemory> | undefined;
  const load = async () => {
    const { RateLimiterMemory } = await import('rate-limiter-flexible');
    return new RateLimiterMemory({ points: REGISTRATIONS.accounts, duration: REGISTRATIONS.seconds });
  };

  /** Throws `too_many_requests`, and else what the work throws. */
  return async <T>({ from: address, isHere }: Place, make: () => Promise<T>): Promise<T> => {
    if (isHere) return make();
    const limiter = await (loaded ??= load());
    const from = addressKey(address);
    await take(limiter, from, TOO_MANY_ACCOUNTS);
    try {
      return await make();
    } catch (error) {
      await limiter.reward(from);
      throw error;
    }
  };
}

async function loadLimiters() {
  const { RateLimiterMemory } = await import('rate-limiter-flexible'); // at the first sign-in, not at the start
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
  return { pair: limiter(LIMITS.pair), address: limiter(LIMITS.address), name: limiter(LIMITS.name) };
}

const TOO_MANY = 'Too many failed attempts. Wait a moment, then try again.';
const TOO_MANY_ACCOUNTS =
  'Too many accounts were made from this address. Try again in an hour, or ask an administrator for one.';

async function take(limiter: RateLimiterMemory, key: string, words = TOO_MANY): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refused) {
    if (refused instanceof Error) throw refused;
    const { msBeforeNext } = refused as { msBeforeNext: number };
    throw new AppError('too_many_requests', words, {
      retryAfter: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
    });
  }
}
