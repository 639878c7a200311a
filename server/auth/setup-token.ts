// Proves that whoever creates the first superuser can read the server's output. New at each start, never stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

interface SetupToken {
  /** The token for the server's output, and for the desktop app's own window. */
  value: string;
  matches(given: string): boolean;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export function createSetupToken(): SetupToken {
  const value = randomBytes(24).toString('base64url');
  return { value, matches: (given) => timingSafeEqual(digest(given), digest(value)) };
}
