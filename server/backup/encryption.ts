// Encryption of a backup. Each backup has a random key, encrypted with the passphrase (scrypt, then AES-256-GCM); all
// other keys are derived from it. Objects are encrypted in pieces, so that no object is in memory as a whole; the last
// piece is marked, so that truncation is detected. Names are keyed hashes, which do not reveal the contents.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  scrypt,
  type KeyObject,
} from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { createSlots } from '../runtime/concurrency.ts';

const ENCRYPTED_PIECE_BYTES = 64 << 10;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
const MAGIC = Buffer.from('TAB1');
const HEAD_BYTES = MAGIC.length + SALT_BYTES;
/** Costs 64 MB of memory for each guess of a passphrase. */
const SCRYPT_COST = { n: 1 << 16, r: 8, p: 1 } as const;
const withUnlockSlot = createSlots(1);

/**
 * The encrypted key of a backup, as stored in its header. Anybody may have edited the header, so other scrypt costs are
 * refused.
 */
export const Lock = z.object({
  kdf: z.literal('scrypt'),
  n: z.literal(SCRYPT_COST.n),
  r: z.literal(SCRYPT_COST.r),
  p: z.literal(SCRYPT_COST.p),
  salt: z.base64(),
  key: z.base64(),
});
export type Lock = z.output<typeof Lock>;

/** An object differs from what was written: it was changed, truncated, or swapped with another. */
export class DamagedObject extends Error {
  override name = 'DamagedObject';
}

/** How objects are named and written. Without a passphrase, objects are named by their hash and are not encrypted. */
export interface Cipher {
  nameOf(hash: string): string;
  /** Returns the stored size in bytes of an object with this many plain bytes. */
  sizeOf(plainSize: number): number;
  /** The key with which `cipherOf` makes the same cipher in a thread. */
  key: KeyObject | undefined;
  /** Returns the parts of the encrypted bytes, in order. */
  encrypt(plainBytes: Buffer): Buffer[];
  /** Yields the plain bytes. Throws DamagedObject. */
  decrypt(source: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

export const plainCipher: Cipher = {
  nameOf: (hash) => hash,
  sizeOf: (plainSize) => plainSize,
  key: undefined,
  encrypt: (plainBytes) => [plainBytes],
  decrypt: (source) => source,
};

/** The cipher that was unlocked last. It is cached, because a server opens its backup for every page and every job. */
let lastUnlocked: { lock: Lock; passphrase: string; cipher: Cipher } | undefined;

/** Makes a new key and encrypts it with the passphrase. */
export async function makeLock(passphrase: string): Promise<{ lock: Lock; cipher: Cipher }> {
  const [salt, iv, key] = [randomBytes(SALT_BYTES), randomBytes(12), randomBytes(32)];
  const sealer = createCipheriv('aes-256-gcm', await deriveFromPassphrase(passphrase, salt), iv);
  const sealed = Buffer.concat([iv, sealer.update(key), sealer.final(), sealer.getAuthTag()]);
  const lock: Lock = { kdf: 'scrypt', ...SCRYPT_COST, salt: salt.toString('base64'), key: sealed.toString('base64') };
  lastUnlocked = { lock, passphrase, cipher: createCipher(createSecretKey(key)) };
  return { lock, cipher: lastUnlocked.cipher };
}

/**
 * Decrypts the key. Only one key at a time is decrypted, because each takes 64 MB of memory. Throws `forbidden` when
 * the passphrase is wrong.
 */
export const openLock = (lock: Lock, passphrase: string): Promise<Cipher> =>
  withUnlockSlot(async () => {
    if (lastUnlocked?.passphrase === passphrase && isDeepStrictEqual(lastUnlocked.lock, lock))
      return lastUnlocked.cipher;
    const sealed = Buffer.from(lock.key, 'base64');
    try {
      const opener = createDecipheriv(
        'aes-256-gcm',
        await deriveFromPassphrase(passphrase, Buffer.from(lock.salt, 'base64')),
        sealed.subarray(0, 12),
        { authTagLength: TAG_BYTES },
      ).setAuthTag(sealed.subarray(-TAG_BYTES));
      const key = Buffer.concat([opener.update(sealed.subarray(12, -TAG_BYTES)), opener.final()]);
      const cipher = createCipher(createSecretKey(key));
      lastUnlocked = { lock, passphrase, cipher };
      return cipher;
    } catch (cause) {
      throw new AppError('forbidden', 'Wrong passphrase for this backup.', { cause });
    }
  });

function deriveFromPassphrase(passphrase: string, salt: Buffer): Promise<Buffer> {
  const { n, r, p } = SCRYPT_COST;
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 32, { N: n, r, p, maxmem: 256 * n * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

export const cipherOf = (key: Cipher['key']): Cipher => (key ? createCipher(key) : plainCipher);

function createCipher(key: KeyObject): Cipher {
  const nameKey = createSecretKey(derive(key, Buffer.alloc(0), 'tonearm backup names v1'));
  const pieceKey = (salt: Buffer): Buffer => derive(key, salt, 'tonearm backup object v1');
  return {
    nameOf: (hash) => createHmac('sha256', nameKey).update(hash).digest('hex'),
    sizeOf: (plainSize) =>
      HEAD_BYTES + plainSize + TAG_BYTES * Math.max(1, Math.ceil(plainSize / ENCRYPTED_PIECE_BYTES)),
    key,

    encrypt(plainBytes) {
      const salt = randomBytes(SALT_BYTES);
      const objectKey = pieceKey(salt);
      const parts = [MAGIC, salt];
      for (let index = 0; index === 0 || index * ENCRYPTED_PIECE_BYTES < plainBytes.length; index++) {
        const sealer = createCipheriv(
          'aes-256-gcm',
          objectKey,
          nonce(index, (index + 1) * ENCRYPTED_PIECE_BYTES >= plainBytes.length),
        );
        parts.push(
          sealer.update(plainBytes.subarray(index * ENCRYPTED_PIECE_BYTES, (index + 1) * ENCRYPTED_PIECE_BYTES)),
        );
        sealer.final();
        parts.push(sealer.getAuthTag());
      }
      return parts;
    },

    async *decrypt(source) {
      const { head, rest } = await splitHead(source);
      if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw new DamagedObject('it has no valid header');
      const objectKey = pieceKey(head.subarray(MAGIC.length));
      for await (const { piece, index, isLast } of splitPieces(rest, ENCRYPTED_PIECE_BYTES + TAG_BYTES)) {
        if (piece.length < TAG_BYTES) throw new DamagedObject('it is truncated');
        const opener = createDecipheriv('aes-256-gcm', objectKey, nonce(index, isLast), {
          authTagLength: TAG_BYTES,
        }).setAuthTag(piece.subarray(-TAG_BYTES));
        const plainBytes = opener.update(piece.subarray(0, -TAG_BYTES));
        try {
          opener.final();
        } catch (cause) {
          throw new DamagedObject('it was changed or truncated', { cause });
        }
        yield plainBytes;
      }
    },
  };
}

const derive = (key: KeyObject, salt: Buffer, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, label, 32));

/** Returns the nonce of a piece. A counter is enough, because each key encrypts only one object. */
function nonce(index: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(index, 7);
  bytes[11] = isLast ? 1 : 0;
  return bytes;
}

/**
 * Splits the source into pieces of `size` bytes. The last piece may be shorter; an empty source gives one empty piece.
 */
export async function* splitPieces(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ piece: Buffer; index: number; isLast: boolean }> {
  let chunks: Buffer[] = [];
  let length = 0;
  let index = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= size) continue; // a full piece is not yielded yet, because it may be the last one
    const bytes = joinChunks(chunks);
    let offset = 0;
    for (; bytes.length - offset > size; offset += size)
      yield { piece: bytes.subarray(offset, offset + size), index: index++, isLast: false };
    chunks = [bytes.subarray(offset)];
    length = bytes.length - offset;
  }
  yield { piece: joinChunks(chunks), index, isLast: true };
}

/**
 * Returns the bytes of all chunks. A single chunk is not copied, because copies of all bytes of a backup would make V8
 * collect garbage all the time.
 */
export const joinChunks = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);

async function splitHead(source: AsyncIterable<Buffer>): Promise<{ head: Buffer; rest: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < HEAD_BYTES) {
    const nextChunk = await chunks.next();
    if (nextChunk.done === true) throw new DamagedObject('it is truncated');
    head = Buffer.concat([head, nextChunk.value]);
  }
  async function* readRest(): AsyncGenerator<Buffer> {
    yield head.subarray(HEAD_BYTES);
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  return { head: head.subarray(0, HEAD_BYTES), rest: readRest() };
}
