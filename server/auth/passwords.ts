// Login passwords: argon2id, one way. The costs are those of the OWASP cheat sheet for password storage (19 MiB, 2
// passes, 1 lane). The native module is loaded at the first use, so that it does not slow the start.

const COSTS = {
  algorithm: 2 /* argon2id; the package's enum is a type only */,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Hash of nobody's password, with the same costs: checking it takes as long as checking a real one. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$ew8MW9KhFEDoyhqaei3N0A$1k9ZuUmGAhojBLMzMsGK4lZ6NqD3IPubYVNslc5bxS4';

const argon2 = () => import('@node-rs/argon2');

/** One keyboard composes letters that another decomposes; both are the same password. */
const normal = (password: string): string => password.normalize('NFKC');

/** PHC string. */
export async function hashPassword(password: string): Promise<string> {
  return (await argon2()).hash(normal(password), COSTS);
}

/** Without a hash (no such user) the answer is false after the same time. */
export async function verifyPassword(hash: string | undefined, password: string): Promise<boolean> {
  const matches = await (await argon2()).verify(hash ?? NOBODY, normal(password));
  return matches && hash !== undefined;
}
