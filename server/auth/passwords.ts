// Hashes login passwords with argon2id, with the costs of the OWASP Password Storage Cheat Sheet (19 MiB, 2 passes, 1
// lane). The native module is loaded on first use, to keep the start fast.
import { AppError } from '../errors.ts';
import { createSlots } from '../runtime/concurrency.ts';

const COSTS = {
  algorithm: 2 /* 2 is argon2id; the package exports its enum only as a type */,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/**
 * Verified when no user has the name, so that a wrong name takes as long as a wrong password. It has the same costs as
 * above.
 */
const DECOY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$ew8MW9KhFEDoyhqaei3N0A$1k9ZuUmGAhojBLMzMsGK4lZ6NqD3IPubYVNslc5bxS4';

const argon2 = () => import('@node-rs/argon2');

/** Each hash takes 19 MiB and a thread of Node's pool; the other threads stay free for files and other requests. */
const MAX_CONCURRENT_HASHES = 2;
/** The server hashes about this many passwords in a few seconds. */
const MAX_WAITING_HASHES = 200;
const runInSlot = createSlots(MAX_CONCURRENT_HASHES);
let waitingCount = 0;

async function queueHash<T>(hash: () => Promise<T>): Promise<T> {
  if (waitingCount >= MAX_WAITING_HASHES)
    throw new AppError('too_many_requests', 'Too many people are signing in right now. Try again in a moment.');
  waitingCount++;
  try {
    return await runInSlot(hash);
  } finally {
    waitingCount--;
  }
}

/** Normalizes a password, because keyboards send é as one character or as two. */
const normalize = (password: string): string => password.normalize('NFKC');

/** Returns the hash as a PHC string (`$argon2id$…`). */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await argon2();
  return queueHash(() => hash(normalize(password), COSTS));
}

/**
 * Returns whether the password has this hash. Without a hash (no such user, or no password yet) returns false after the
 * same time.
 */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const { verify } = await argon2();
  const matches = await queueHash(() => verify(hash || DECOY_HASH, normalize(password)));
  return matches && Boolean(hash);
}
