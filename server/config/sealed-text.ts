// Secrets of people that must be readable again, encrypted with a key that is derived from COMPAT_SECRET_KEY, a label
// for what they are, and a salt per secret. Pure: knows bytes, not rows.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { UserId } from '../db/ids.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;

export interface SealedText {
  /** IV ‖ ciphertext ‖ tag. */
  sealed: Buffer;
  salt: Buffer;
}

export type Sealer = ReturnType<typeof createSealer>;

/**
 * The user's id is authenticated with the ciphertext, so a row's secret is worth nothing in another row; nor is it
 * under another label.
 */
export function createSealer(secretKey: string, label: string) {
  const derive = (salt: Uint8Array): Buffer => Buffer.from(hkdfSync('sha256', secretKey, salt, label, 32));

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

    /** Undefined when it was sealed with another key, for another user, or was changed. */
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
