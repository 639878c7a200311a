import { describe, expect, it } from 'vitest';
import { createAppPasswordCipher, makeAppPassword } from '../../../server/auth/app-passwords.ts';
import type { UserId } from '../../../server/db/ids.ts';

const KEY = 'a-compat-secret-key-of-some-length';
const ANN = 1 as UserId;
const BOB = 2 as UserId;

describe('app passwords', () => {
  it('are long, random and easy to type', () => {
    const made = new Set(Array.from({ length: 200 }, makeAppPassword));
    expect(made.size).toBe(200);
    for (const password of made) expect(password).toMatch(/^([a-hjkmnp-z2-9]{7}-){3}[a-hjkmnp-z2-9]{7}$/);
  });

  it.each(['abcdefg-hjkmnpq', 'pässwörd ✓', ''])('decrypt to what was encrypted: %j', (password) => {
    const cipher = createAppPasswordCipher(KEY);
    expect(cipher.open(ANN, cipher.seal(ANN, password))).toBe(password);
    expect(createAppPasswordCipher(KEY).open(ANN, cipher.seal(ANN, password)), 'after a restart').toBe(password);
  });

  it('are stored as 12 bytes IV, ciphertext, 16 bytes tag', () => {
    const { sealed, salt } = createAppPasswordCipher(KEY).seal(ANN, 'twelve bytes');
    expect([sealed.length, salt.length]).toEqual([12 + 12 + 16, 16]);
  });

  it('are encrypted differently each time, with the same look-up hash', () => {
    const cipher = createAppPasswordCipher(KEY);
    const [one, two] = [cipher.seal(ANN, 'same'), cipher.seal(ANN, 'same')];
    expect(one.sealed.equals(two.sealed)).toBe(false);
    expect(one.salt.equals(two.salt)).toBe(false);
    expect(one.lookup).toBe(two.lookup);
    expect(one.lookup).toBe(cipher.lookup('same'));
    expect(cipher.lookup('Same')).not.toBe(cipher.lookup('same'));
    expect(createAppPasswordCipher(`${KEY}!`).lookup('same')).not.toBe(cipher.lookup('same'));
  });

  it('open neither with another key, nor for another user, nor when a byte was changed', () => {
    const cipher = createAppPasswordCipher(KEY);
    const { sealed, salt } = cipher.seal(ANN, 'secret');
    expect(createAppPasswordCipher(`${KEY}!`).open(ANN, { sealed, salt })).toBeUndefined();
    expect(cipher.open(BOB, { sealed, salt })).toBeUndefined();
    expect(cipher.open(ANN, { sealed, salt: Buffer.alloc(16) })).toBeUndefined();
    expect(cipher.open(ANN, { sealed: sealed.subarray(0, 20), salt })).toBeUndefined();
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(cipher.open(ANN, { sealed: changed, salt }), `byte ${at}`).toBeUndefined();
    }
  });
});
