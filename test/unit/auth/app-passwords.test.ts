import { describe, expect, it } from 'vitest';
import { createAppPasswordCipher, makeAppPassword } from '../../../server/auth/app-passwords.ts';
import type { UserId } from '../../../server/db/ids.ts';

const SECRET_KEY = 'a-compat-secret-key-of-some-length';
const ANN_ID = 1 as UserId;
const BOB_ID = 2 as UserId;

describe('app passwords', () => {
  it('are long, random and easy to type', () => {
    const passwords = new Set(Array.from({ length: 200 }, makeAppPassword));
    expect(passwords.size).toBe(200);
    for (const password of passwords) expect(password).toMatch(/^([a-hjkmnp-z2-9]{7}-){3}[a-hjkmnp-z2-9]{7}$/);
  });

  it.each(['abcdefg-hjkmnpq', 'pässwörd ✓', ''])('decrypt to what was encrypted: %j', (password) => {
    const cipher = createAppPasswordCipher(SECRET_KEY);
    expect(cipher.open(ANN_ID, cipher.seal(ANN_ID, password))).toBe(password);
    expect(createAppPasswordCipher(SECRET_KEY).open(ANN_ID, cipher.seal(ANN_ID, password)), 'after a restart').toBe(
      password,
    );
  });

  it('are stored as 12 bytes IV, ciphertext, 16 bytes tag', () => {
    const { sealed, salt } = createAppPasswordCipher(SECRET_KEY).seal(ANN_ID, 'twelve bytes');
    expect([sealed.length, salt.length]).toEqual([12 + 12 + 16, 16]);
  });

  it('are encrypted differently each time, but have the same look-up hash', () => {
    const cipher = createAppPasswordCipher(SECRET_KEY);
    const [firstSecret, secondSecret] = [cipher.seal(ANN_ID, 'same'), cipher.seal(ANN_ID, 'same')];
    expect(firstSecret.sealed.equals(secondSecret.sealed)).toBe(false);
    expect(firstSecret.salt.equals(secondSecret.salt)).toBe(false);
    expect(firstSecret.lookup).toBe(secondSecret.lookup);
    expect(firstSecret.lookup).toBe(cipher.lookup('same'));
    expect(cipher.lookup('Same')).not.toBe(cipher.lookup('same'));
    expect(createAppPasswordCipher(`${SECRET_KEY}!`).lookup('same')).not.toBe(cipher.lookup('same'));
  });

  it('cannot be decrypted with another key, for another user, or after a byte was changed', () => {
    const cipher = createAppPasswordCipher(SECRET_KEY);
    const { sealed, salt } = cipher.seal(ANN_ID, 'secret');
    expect(createAppPasswordCipher(`${SECRET_KEY}!`).open(ANN_ID, { sealed, salt })).toBeUndefined();
    expect(cipher.open(BOB_ID, { sealed, salt })).toBeUndefined();
    expect(cipher.open(ANN_ID, { sealed, salt: Buffer.alloc(16) })).toBeUndefined();
    expect(cipher.open(ANN_ID, { sealed: sealed.subarray(0, 20), salt })).toBeUndefined();
    for (let offset = 0; offset < sealed.length; offset += 1) {
      const changedBytes = Buffer.from(sealed);
      changedBytes[offset] = (changedBytes[offset] ?? 0) ^ 1;
      expect(cipher.open(ANN_ID, { sealed: changedBytes, salt }), `byte ${offset}`).toBeUndefined();
    }
  });
});
