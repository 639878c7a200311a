// Login passwords are hashed with argon2id, with the costs of the OWASP Password Storage Cheat Sheet (19 MiB, 2 passes,
// 1 lane). The native module is loaded on first use, to keep the start fast.
import { AppError } from '../errors.ts';
import { createSlots } from '../runtime/concurrency.ts';

const COSTS = {
  algorithm: 2 /* argon2id; the package's enum is a type only */,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Verified when there is no user, so that this takes as long as with one. Same costs as above. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$ew8MW9KhFEDoyhqaei3N0A$1k9ZuUmGAhojBLMzMsGK4lZ6NqD3IPubYVNslc5bxS4';

const argon2 = () => import('@node-rs/argon2');

/** A hash takes a thread of Node's pool and 19 MiB: files are read and other requests answered by the other threads. */
const HASHES_AT_ONCE = 2;
/** As many as are done within some seconds. */
const MAX_WAITING = 200;
const inTurn = createSlots(HASHES_AT_ONCE);
let waiting = 0;

async function inLine<T>(hash: () => Promise<T>): Promise<T> {
  if (waiting >= MAX_WAITING)
    throw new AppError('too_many_requests', 'Very many people sign in right now. Try again in a moment.');
  waiting++;
  try {
    return await inTurn(hash);
  } finally {
    waiting--;
  }
}

/** Keyboards differ in how they compose letters (é as one character or two); the password is the same. */
const normal = (password: string): string => password.normalize('NFKC');

/** Returns a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await argon2();
  return inLine(() => hash(normal(password), COSTS));
}

/** Without a hash (no such user, or an account that has no password yet) false, after the same time. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const { verify } = await argon2();
  const matches = await inLine(() => verify(hash || NOBODY, normal(password)));
  return matches && Boolean(hash);
}
