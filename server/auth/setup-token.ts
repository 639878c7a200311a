// Proves that whoever makes the first superuser can see the server's terminal: new at every start, never stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface SetupToken {
  /** To be printed, and handed to the desktop app's own window. */
  value: string;
  matches(given: string): boolean;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

export function createSetupToken(): SetupToken {
  const value = randomBytes(24).toString('base64url');
  return { value, matches: (given) => timingSafeEqual(digest(given), digest(value)) };
}
