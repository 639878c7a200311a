// Login passwords are hashed with argon2id, with the costs of the OWASP Password Storage Cheat Sheet (19 MiB, 2 passes,
// 1 lane). The native module is loaded on first use, to keep the start fast.

const COSTS = {
  algorithm: 2 /* argon2id; the package's enum is a type only */,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Verified when there is no user, so that this takes as long as with one. Same costs as above. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$ew8MW9KhFEDoyhqaei3N0A$1k9ZuUmGAhojBLMzMsGK4lZ6NqD3IPubYVNslc5bxS4';

const argon2 = () => import('@node-rs/argon2');

/** Keyboards differ in how they compose letters (é as one character or two); the password is the same. */
const normal = (password: string): string => password.normalize('NFKC');

/** Returns a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  return (await argon2()).hash(normal(password), COSTS);
}

/** Without a hash (no such user, or an account that has no password yet) false, after the same time. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const matches = await (await argon2()).verify(hash || NOBODY, normal(password));
  return matches && Boolean(hash);
}
