// Encrypts users' secrets that must be readable again, with a key derived from COMPAT_SECRET_KEY, a label for the kind
// of secret, and a salt per secret. Pure.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import type { UserId } from '../db/ids.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** The size of the cache of derived keys. They are cached, because apps send a password with every request. */
const MAX_CACHED_KEYS = 500;

export interface SealedText {
  /** IV, ciphertext and authentication tag, one after another. */
  sealed: Buffer;
  salt: Buffer;
}

export type Sealer = ReturnType<typeof createSealer>;

/**
 * Returns functions that encrypt and decrypt. The user's id and `purpose` (what else the secret is for, such as an
 * address) are authenticated data, so that a secret cannot be used for another user, under another label or for another
 * purpose.
 */
export function createSealer(secretKey: string, label: string) {
  const keys = new Map<string, KeyObject>();
  function deriveKey(salt: Uint8Array): KeyObject {
    const cacheKey = Buffer.from(salt).toString('latin1');
    const key = keys.get(cacheKey) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, salt, label, 32)));
    if (keys.size >= MAX_CACHED_KEYS) keys.clear();
    keys.set(cacheKey, key);
    return key;
  }

  return {
    seal(userId: UserId, text: string, purpose?: string): SealedText {
      const salt = randomBytes(SALT_BYTES);
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', deriveKey(salt), iv, { authTagLength: TAG_BYTES }).setAAD(
        authenticatedData(userId, purpose),
      );
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return { sealed: Buffer.concat([iv, ciphertext, cipher.getAuthTag()]), salt };
    },

    /**
     * Decrypts a text. Returns undefined if it was encrypted with another key, for another user or purpose, or was
     * modified.
     */
    open(
      userId: UserId,
      { sealed, salt }: { sealed: Uint8Array; salt: Uint8Array },
      purpose?: string,
    ): string | undefined {
      if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', deriveKey(salt), sealed.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(authenticatedData(userId, purpose))
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

const authenticatedData = (userId: UserId, purpose: string | undefined): Buffer =>
  Buffer.from(purpose === undefined ? `user:${userId}` : `user:${userId} ${purpose}`);
