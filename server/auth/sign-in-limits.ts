// Limits password guessing. Failures are counted per address, per name, and per name at an address; too many get 429
// for the rest of a minute. An attempt is counted before the password is checked, so that a burst of parallel attempts
// cannot slip through, and uncounted when it succeeds. The limits per address do not apply to the machine itself.
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';
import { addressKey } from '../http/addresses.ts';
import type { Caller } from './queries.ts';

/**
 * Failures per minute. The limit per name is the loosest, so that an attacker cannot easily lock out the owner of the
 * name.
 */
export const LIMITS = { pair: 10, address: 30, name: 60 };
const WINDOW_SECONDS = 60;
/** Limit of self-registered accounts per address and period. */
const REGISTRATIONS = { accounts: 10, seconds: 3_600 };

type Origin = Pick<Caller, 'from' | 'isFromOwnMachine'>;

interface Attempt {
  /**
   * To be called when the credentials were right: uncounts the attempt, and forgets the failures of the name at this
   * address.
   */
  succeeded(): Promise<void>;
}

export type Limits = ReturnType<typeof createLimits>;

export function createLimits() {
  let loading: Promise<Record<keyof typeof LIMITS, RateLimiterMemory>> | undefined;
  const limiters = () => (loading ??= loadLimiters());

  return {
    /**
     * Counts an attempt. Throws `too_many_requests` with the seconds to wait. `nameKey` is left out where only the
     * address is known (the setup token). `isFamiliar` returns whether the account has a session at the address; then
     * failures for its name from other addresses do not block the attempt.
     */
    async attempt(
      { from: ipAddress, isFromOwnMachine }: Origin,
      nameKey?: string,
      isFamiliar: () => boolean = () => false,
    ): Promise<Attempt> {
      const { pair, address: perAddress, name } = await limiters();
      const addressPart = addressKey(ipAddress);
      const namePart = nameKey?.slice(0, 64);
      // The address is counted first: once blocked, it adds no entries for invented names.
      if (!isFromOwnMachine) await consume(perAddress, addressPart);
      if (namePart !== undefined) {
        await consume(pair, `${namePart} ${addressPart}`);
        await consume(name, namePart).catch((refusal: unknown) => {
          if (!isFamiliar()) throw refusal;
        });
      }
      return {
        async succeeded() {
          if (!isFromOwnMachine) await perAddress.reward(addressPart);
          if (namePart === undefined) return;
          await pair.delete(`${namePart} ${addressPart}`);
          await name.reward(namePart);
        },
      };
    },
  };
}

/** Returns a limit that counts created accounts, not refused attempts. */
export function createRegistrationLimit() {
  let loading: Promise<RateLimiterMemory> | undefined;
  const load = async () => {
    const { RateLimiterMemory } = await import('rate-limiter-flexible');
    return new RateLimiterMemory({ points: REGISTRATIONS.accounts, duration: REGISTRATIONS.seconds });
  };

  /** Creates an account within the limit. Throws `too_many_requests`, and what `createAccount` throws. */
  return async <T>({ from: address, isFromOwnMachine }: Origin, createAccount: () => Promise<T>): Promise<T> => {
    if (isFromOwnMachine) return createAccount();
    const limiter = await (loading ??= load());
    const addressPart = addressKey(address);
    await consume(limiter, addressPart, TOO_MANY_ACCOUNTS);
    try {
      return await createAccount();
    } catch (error) {
      await limiter.reward(addressPart);
      throw error;
    }
  };
}

async function loadLimiters() {
  // loaded at the first sign-in, to keep the start fast
  const { RateLimiterMemory } = await import('rate-limiter-flexible');
  const limiter = (points: number) => new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
  return { pair: limiter(LIMITS.pair), address: limiter(LIMITS.address), name: limiter(LIMITS.name) };
}

const TOO_MANY = 'Too many failed attempts. Wait a moment, then try again.';
const TOO_MANY_ACCOUNTS =
  'Too many accounts were created from this address. Try again in an hour, or ask an administrator for one.';

async function consume(limiter: RateLimiterMemory, key: string, message = TOO_MANY): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (refusal instanceof Error) throw refusal;
    const { msBeforeNext } = refusal as { msBeforeNext: number };
    throw new AppError('too_many_requests', message, {
      retryAfter: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
    });
  }
}
