// App-passwords of phone clients (interface, Authentication 5). They must be readable again, since clients prove them by md5(password + salt),
// so they are encrypted with a key that is derived from COMPAT_SECRET_KEY and a salt per user. Pure: knows bytes, not rows.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import type { UserId } from '../db/ids.ts';

const KEY_LABEL = 'tonearm app-password v1';
const LOOKUP_LABEL = 'tonearm app-password lookup v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** Lower case and digits that nobody takes for one another when typing on a phone. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

export interface SealedPassword {
  /** IV ‖ ciphertext ‖ tag. */
  sealed: Buffer;
  salt: Buffer;
  /** Keyed hash, hex: the same password always gives the same one. */
  lookup: string;
}

export type AppPasswordCipher = ReturnType<typeof createAppPasswordCipher>;

/** `secretKey` is COMPAT_SECRET_KEY. The user's id is authenticated with the ciphertext, so a row's secret is worth nothing in another row. */
export function createAppPasswordCipher(secretKey: string) {
  const lookupKey = derive(secretKey, Buffer.alloc(0), LOOKUP_LABEL);
  const lookup = (password: string): string => createHmac('sha256', lookupKey).update(password).digest('hex');

  return {
    lookup,

    seal(userId: UserId, password: string): SealedPassword {
      const salt = randomBytes(SALT_BYTES);
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', derive(secretKey, salt, KEY_LABEL), iv, { authTagLength: TAG_BYTES }).setAAD(ownerOf(userId));
      const ciphertext = Buffer.concat([cipher.update(password, 'utf8'), cipher.final()]);
      return { sealed: Buffer.concat([iv, ciphertext, cipher.getAuthTag()]), salt, lookup: lookup(password) };
    },

    /** Undefined when it was sealed with another key, for another user, or was changed. */
    open(userId: UserId, { sealed, salt }: Pick<SealedPassword, 'sealed' | 'salt'>): string | undefined {
      if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', derive(secretKey, salt, KEY_LABEL), sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(ownerOf(userId)).setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
      try {
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** 28 random characters (138 bits) in groups of seven. */
export function makeAppPassword(): string {
  const group = () => Array.from({ length: 7 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: 4 }, group).join('-');
}

const derive = (secret: string, salt: Buffer, label: string): Buffer => Buffer.from(hkdfSync('sha256', secret, salt, label, 32));
const ownerOf = (userId: UserId): Buffer => Buffer.from(`user:${userId}`);
