// Encrypted data is decrypted completely or not at all, and reveals nothing.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DamagedObject, makeLock, openLock, plainCipher, type Cipher } from '../../../server/backup/encryption.ts';

const PIECE = 64 << 10;
const { lock, cipher } = await makeLock('correct horse');

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function all(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const encrypt = (bytes: Buffer, by: Cipher = cipher): Buffer => Buffer.concat(by.encrypt(bytes));
const decrypt = (bytes: Buffer, chunk = 33_333): Promise<Buffer> => all(cipher.decrypt(inChunks(bytes, chunk)));

describe('encryption', () => {
  it.each([0, 1, 15, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 17])(
    'decrypts %i bytes, with a known size',
    async (size) => {
      const bytes = randomBytes(size);
      const locked = encrypt(bytes);
      expect(locked).toHaveLength(cipher.sizeOf(size));
      for (const chunk of [1, 7_919, 1 << 20])
        if (chunk > 1 || size < 100) expect((await decrypt(locked, chunk)).equals(bytes)).toBe(true);
    },
  );

  it('encrypts the same bytes differently each time', () => {
    const bytes = Buffer.alloc(100, 'a');
    expect(encrypt(bytes).equals(encrypt(bytes))).toBe(false);
  });

  const bytes = randomBytes(2 * PIECE + 100);
  it.each<[string, (locked: Buffer) => Buffer]>([
    [
      'a flipped bit in the middle',
      (locked) => {
        locked.writeUInt8(locked.readUInt8(PIECE) ^ 1, PIECE);
        return locked;
      },
    ],
    [
      'a flipped bit in its beginning',
      (locked) => {
        locked.writeUInt8(locked.readUInt8(10) ^ 1, 10);
        return locked;
      },
    ],
    [
      'another beginning',
      (locked) => {
        locked.write('XXXX');
        return locked;
      },
    ],
    ['an end that is cut off', (locked) => locked.subarray(0, -1)],
    ['a last piece that is cut off', (locked) => locked.subarray(0, 20 + 2 * (PIECE + 16))],
    [
      'two pieces that changed places',
      (locked) =>
        Buffer.concat([
          locked.subarray(0, 20),
          locked.subarray(20 + PIECE + 16, 20 + 2 * (PIECE + 16)),
          locked.subarray(20, 20 + PIECE + 16),
          locked.subarray(20 + 2 * (PIECE + 16)),
        ]),
    ],
    ['something behind its end', (locked) => Buffer.concat([locked, Buffer.alloc(1)])],
    ['nothing left', () => Buffer.alloc(0)],
    ['its head alone', (locked) => locked.subarray(0, 20)],
  ])('detects %s', async (_what, damage) => {
    await expect(decrypt(damage(encrypt(bytes)))).rejects.toThrow(DamagedObject);
  });
});

describe('the passphrase', () => {
  it('unlocks again, in any Unicode form', async () => {
    const made = await makeLock('Pässwort ﬁ');
    const opened = await openLock(made.lock, 'Pa\u0308sswort fi');
    expect(opened.nameOf('abc')).toBe(made.cipher.nameOf('abc'));
    expect((await all(opened.decrypt(inChunks(encrypt(Buffer.from('x'), made.cipher), 9)))).toString()).toBe('x');
  });

  it.each(['correct horsf', 'Correct horse', ''])('is rejected as %j', async (wrong) => {
    await expect(openLock(lock, wrong)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('Wrong passphrase') as string,
    });
  });
});

it('names are keyed: without the passphrase nobody can identify an object', () => {
  const hash = 'a'.repeat(64);
  expect(plainCipher.nameOf(hash)).toBe(hash);
  expect(cipher.nameOf(hash)).toMatch(/^[0-9a-f]{64}$/);
  expect(cipher.nameOf(hash)).not.toBe(hash);
});
