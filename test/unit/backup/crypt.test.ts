// Checks that encrypted data is decrypted completely or not at all, and reveals nothing.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DamagedObject, makeLock, openLock, plainCipher, type Cipher } from '../../../server/backup/encryption.ts';

const PIECE_BYTES = 64 << 10;
const { lock, cipher } = await makeLock('correct horse');

async function* splitIntoChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}
async function readAll(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const encrypt = (bytes: Buffer, usedCipher: Cipher = cipher): Buffer => Buffer.concat(usedCipher.encrypt(bytes));
const decrypt = (bytes: Buffer, chunk = 33_333): Promise<Buffer> =>
  readAll(cipher.decrypt(splitIntoChunks(bytes, chunk)));

describe('encryption', () => {
  it.each([0, 1, 15, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES, 3 * PIECE_BYTES + 17])(
    'decrypts %i bytes, with a known size',
    async (size) => {
      const bytes = randomBytes(size);
      const ciphertext = encrypt(bytes);
      expect(ciphertext).toHaveLength(cipher.sizeOf(size));
      for (const chunk of [1, 7_919, 1 << 20])
        if (chunk > 1 || size < 100) expect((await decrypt(ciphertext, chunk)).equals(bytes)).toBe(true);
    },
  );

  it('encrypts the same bytes differently each time', () => {
    const bytes = Buffer.alloc(100, 'a');
    expect(encrypt(bytes).equals(encrypt(bytes))).toBe(false);
  });

  const bytes = randomBytes(2 * PIECE_BYTES + 100);
  it.each<[string, (locked: Buffer) => Buffer]>([
    [
      'a flipped bit in the middle',
      (ciphertext) => {
        ciphertext.writeUInt8(ciphertext.readUInt8(PIECE_BYTES) ^ 1, PIECE_BYTES);
        return ciphertext;
      },
    ],
    [
      'a flipped bit in its beginning',
      (ciphertext) => {
        ciphertext.writeUInt8(ciphertext.readUInt8(10) ^ 1, 10);
        return ciphertext;
      },
    ],
    [
      'another beginning',
      (ciphertext) => {
        ciphertext.write('XXXX');
        return ciphertext;
      },
    ],
    ['an end that is cut off', (ciphertext) => ciphertext.subarray(0, -1)],
    ['a last piece that is cut off', (ciphertext) => ciphertext.subarray(0, 20 + 2 * (PIECE_BYTES + 16))],
    [
      'two pieces that changed places',
      (ciphertext) =>
        Buffer.concat([
          ciphertext.subarray(0, 20),
          ciphertext.subarray(20 + PIECE_BYTES + 16, 20 + 2 * (PIECE_BYTES + 16)),
          ciphertext.subarray(20, 20 + PIECE_BYTES + 16),
          ciphertext.subarray(20 + 2 * (PIECE_BYTES + 16)),
        ]),
    ],
    ['something behind its end', (ciphertext) => Buffer.concat([ciphertext, Buffer.alloc(1)])],
    ['nothing left', () => Buffer.alloc(0)],
    ['its head alone', (ciphertext) => ciphertext.subarray(0, 20)],
  ])('detects %s', async (_title, damage) => {
    await expect(decrypt(damage(encrypt(bytes)))).rejects.toThrow(DamagedObject);
  });
});

describe('the passphrase', () => {
  it('unlocks the backup in any Unicode form', async () => {
    const createdLock = await makeLock('Pässwort ﬁ');
    const unlocked = await openLock(createdLock.lock, 'Pa\u0308sswort fi');
    expect(unlocked.nameOf('abc')).toBe(createdLock.cipher.nameOf('abc'));
    expect(
      (await readAll(unlocked.decrypt(splitIntoChunks(encrypt(Buffer.from('x'), createdLock.cipher), 9)))).toString(),
    ).toBe('x');
  });

  it.each(['correct horsf', 'Correct horse', ''])('is rejected as %j', async (wrongPassphrase) => {
    await expect(openLock(lock, wrongPassphrase)).rejects.toMatchObject({
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
