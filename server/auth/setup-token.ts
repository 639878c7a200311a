// A token that proves that whoever creates the first superuser can read the server's output. It is new at each start
// and never stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

interface SetupToken {
  /** The token that is printed to the server's output and passed to the desktop app's own window. */
  value: string;
  matches(token: string): boolean;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export function createSetupToken(): SetupToken {
  const value = randomBytes(24).toString('base64url');
  return { value, matches: (token) => timingSafeEqual(digest(token), digest(value)) };
}
