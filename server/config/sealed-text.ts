// Encrypts users' secrets that must be readable again, with a key derived from COMPAT_SECRET_KEY, a label for the kind
// of secret, and a salt per secret. Pure.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import type { UserId } from '../db/ids.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** Apps send a password with every request. */
const MOST_KEYS = 500;

export interface SealedText {
  /** IV ‖ ciphertext ‖ tag. */
  sealed: Buffer;
  salt: Buffer;
}

export type Sealer = ReturnType<typeof createSealer>;

/** The user's id is authenticated data, so that a secret cannot be used for another user or under another label. */
export function createSealer(secretKey: string, label: string) {
  const keys = new Map<string, KeyObject>();
  function derive(salt: Uint8Array): KeyObject {
    const name = Buffer.from(salt).toString('latin1');
    const key = keys.get(name) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, salt, label, 32)));
    if (keys.size >= MOST_KEYS) keys.clear();
    keys.set(name, key);
    return key;
  }

  return {
    seal(userId: UserId, text: string): SealedText {
      const salt = randomBytes(SALT_BYTES);
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', derive(salt), iv, { authTagLength: TAG_BYTES }).setAAD(
        ownerOf(userId),
      );
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return { sealed: Buffer.concat([iv, ciphertext, cipher.getAuthTag()]), salt };
    },

    /** Undefined if it was encrypted with another key or for another user, or was modified. */
    open(userId: UserId, { sealed, salt }: { sealed: Uint8Array; salt: Uint8Array }): string | undefined {
      if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', derive(salt), sealed.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(ownerOf(userId))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
      try {
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

const ownerOf = (userId: UserId): Buffer => Buffer.from(`user:${userId}`);
