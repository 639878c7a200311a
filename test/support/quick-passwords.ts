// Imported before the server, so that passwords are hashed at little cost: nearly every test creates an account, and
// none is about guessing passwords. test/unit/auth/passwords.test.ts checks the product's costs.
import { createRequire } from 'node:module';
import type * as Argon2 from '@node-rs/argon2';

const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as typeof Argon2;
const { hash } = argon2;
const LITTLE = { memoryCost: 8 /* minimum in KiB */, timeCost: 1, parallelism: 1 };
argon2.hash = (password, costs) => hash(password, { ...costs, ...LITTLE });
