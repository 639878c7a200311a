// Imported before the server: passwords are hashed at little cost, since nearly every test creates an account and none
// is about guessing one. The costs of the product are checked in test/unit/auth/passwords.test.ts.
import { createRequire } from 'node:module';
import type * as Argon2 from '@node-rs/argon2';

const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as typeof Argon2;
const { hash } = argon2;
const LITTLE = { memoryCost: 8 /* KiB, the least */, timeCost: 1, parallelism: 1 };
argon2.hash = (password, costs) => hash(password, { ...costs, ...LITTLE });
