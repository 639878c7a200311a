import { expect, test } from 'vitest';
import { createSealer } from '../../../server/config/sealed-text.ts';
import type { UserId } from '../../../server/db/ids.ts';

test('a sealed text opens for its user, label and purpose only', () => {
  const [sealer, otherSealer] = [createSealer('a secret key', 'label'), createSealer('a secret key', 'another label')];
  const [ann, bob] = [1 as UserId, 2 as UserId];
  const ciphertext = sealer.seal(ann, 'text', 'https://one.example');
  expect(sealer.open(ann, ciphertext, 'https://one.example')).toBe('text');
  expect(sealer.open(ann, ciphertext, 'https://two.example')).toBeUndefined();
  expect(sealer.open(ann, ciphertext)).toBeUndefined();
  expect(sealer.open(bob, ciphertext, 'https://one.example')).toBeUndefined();
  expect(otherSealer.open(ann, ciphertext, 'https://one.example')).toBeUndefined();
});
