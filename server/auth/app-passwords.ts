// App passwords for Subsonic clients. Clients send md5(password + salt), so the server needs the plain password: it is
// encrypted, not hashed, with a key derived from COMPAT_SECRET_KEY and a salt per user.
import { createHmac, hkdfSync, randomInt } from 'node:crypto';
import { createSealer, type SealedText } from '../config/sealed-text.ts';
import type { UserId } from '../db/ids.ts';

const KEY_LABEL = 'tonearm app-password v1';
const LOOKUP_LABEL = 'tonearm app-password lookup v1';
/** Lower-case letters and digits without lookalikes (i l o 0 1), for typing on a phone. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

interface SealedPassword extends SealedText {
  /** Keyed hash of the password in hex, to find the user of an `apiKey`. Equal passwords have equal hashes. */
  lookup: string;
}

/** `secretKey` is COMPAT_SECRET_KEY. */
export function createAppPasswordCipher(secretKey: string) {
  const sealer = createSealer(secretKey, KEY_LABEL);
  const lookupKey = Buffer.from(hkdfSync('sha256', secretKey, Buffer.alloc(0), LOOKUP_LABEL, 32));
  const lookup = (password: string): string => createHmac('sha256', lookupKey).update(password).digest('hex');

  return {
    lookup,
    seal: (userId: UserId, password: string): SealedPassword => ({
      ...sealer.seal(userId, password),
      lookup: lookup(password),
    }),
    open: sealer.open,
  };
}

/** Returns 28 random characters (138 bits) in groups of seven. */
export function makeAppPassword(): string {
  const group = () => Array.from({ length: 7 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: 4 }, group).join('-');
}
