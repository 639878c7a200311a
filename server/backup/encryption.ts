// Encryption of a backup. Each backup has a random key, encrypted with the passphrase (scrypt, then AES-256-GCM); all
// other keys are derived from it. Objects are encrypted in pieces, so that none is in memory as a whole; the last piece
// is marked, so that truncation is detected. Their names are keyed hashes, which do not reveal what is in the backup.
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

const PIECE = 64 << 10;
const TAG = 16;
const SALT = 16;
const MAGIC = Buffer.from('TAB1');
const HEAD = MAGIC.length + SALT;
/** 64 MB of memory for each guess of a passphrase. */
const COST = { n: 1 << 16, r: 8, p: 1 } as const;
const oneAtATime = createSlots(1);

/** The encrypted key, as the header of the backup has it, which anybody may have edited: no other cost is paid. */
export const Lock = z.object({
  kdf: z.literal('scrypt'),
  n: z.literal(COST.n),
  r: z.literal(COST.r),
  p: z.literal(COST.p),
  salt: z.base64(),
  key: z.base64(),
});
export type Lock = z.output<typeof Lock>;

/** An object is not what was written: changed, truncated, or swapped with another. */
export class DamagedObject extends Error {
  override name = 'DamagedObject';
}

/** How objects are named and written; without a passphrase, by their hash and unencrypted. */
export interface Cipher {
  nameOf(hash: string): string;
  /** Size in bytes of an object with so many plain bytes. */
  sizeOf(plain: number): number;
  /** What makes the same one in a thread, by cipherOf. */
  key: KeyObject | undefined;
  /** The parts of the result, in order. */
  encrypt(plain: Buffer): Buffer[];
  /** Throws DamagedObject. */
  decrypt(source: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

export const plainCipher: Cipher = {
  nameOf: (hash) => hash,
  sizeOf: (plain) => plain,
  key: undefined,
  encrypt: (plain) => [plain],
  decrypt: (source) => source,
};

/** The last one: a server opens its backup for every page and every job. */
let opened: { lock: Lock; passphrase: string; cipher: Cipher } | undefined;

/** Makes a new key and encrypts it with the passphrase. */
export async function makeLock(passphrase: string): Promise<{ lock: Lock; cipher: Cipher }> {
  const [salt, iv, key] = [randomBytes(SALT), randomBytes(12), randomBytes(32)];
  const sealer = createCipheriv('aes-256-gcm', await stretch(passphrase, salt), iv);
  const sealed = Buffer.concat([iv, sealer.update(key), sealer.final(), sealer.getAuthTag()]);
  const lock: Lock = { kdf: 'scrypt', ...COST, salt: salt.toString('base64'), key: sealed.toString('base64') };
  opened = { lock, passphrase, cipher: createCipher(createSecretKey(key)) };
  return { lock, cipher: opened.cipher };
}

/** One at a time, because of the memory. Throws `forbidden` when the passphrase is wrong. */
export const openLock = (lock: Lock, passphrase: string): Promise<Cipher> =>
  oneAtATime(async () => {
    if (opened?.passphrase === passphrase && isDeepStrictEqual(opened.lock, lock)) return opened.cipher;
    const sealed = Buffer.from(lock.key, 'base64');
    try {
      const opener = createDecipheriv(
        'aes-256-gcm',
        await stretch(passphrase, Buffer.from(lock.salt, 'base64')),
        sealed.subarray(0, 12),
        { authTagLength: TAG },
      ).setAuthTag(sealed.subarray(-TAG));
      const key = Buffer.concat([opener.update(sealed.subarray(12, -TAG)), opener.final()]);
      const cipher = createCipher(createSecretKey(key));
      opened = { lock, passphrase, cipher };
      return cipher;
    } catch (cause) {
      throw new AppError('forbidden', 'Wrong passphrase for this backup.', { cause });
    }
  });

function stretch(passphrase: string, salt: Buffer): Promise<Buffer> {
  const { n, r, p } = COST;
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
    sizeOf: (plain) => HEAD + plain + TAG * Math.max(1, Math.ceil(plain / PIECE)),
    key,

    encrypt(plain) {
      const salt = randomBytes(SALT);
      const own = pieceKey(salt);
      const parts = [MAGIC, salt];
      for (let n = 0; n === 0 || n * PIECE < plain.length; n++) {
        const sealer = createCipheriv('aes-256-gcm', own, nonce(n, (n + 1) * PIECE >= plain.length));
        parts.push(sealer.update(plain.subarray(n * PIECE, (n + 1) * PIECE)));
        sealer.final();
        parts.push(sealer.getAuthTag());
      }
      return parts;
    },

    async *decrypt(source) {
      const { head, rest } = await splitHead(source);
      if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw new DamagedObject('it has no valid header');
      const own = pieceKey(head.subarray(MAGIC.length));
      for await (const { piece, n, isLast } of inPieces(rest, PIECE + TAG)) {
        if (piece.length < TAG) throw new DamagedObject('it is truncated');
        const opener = createDecipheriv('aes-256-gcm', own, nonce(n, isLast), { authTagLength: TAG }).setAuthTag(
          piece.subarray(-TAG),
        );
        const plain = opener.update(piece.subarray(0, -TAG));
        try {
          opener.final();
        } catch (cause) {
          throw new DamagedObject('it was changed or truncated', { cause });
        }
        yield plain;
      }
    },
  };
}

const derive = (key: KeyObject, salt: Buffer, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, label, 32));

/** A counter is enough, because each key encrypts one object only. */
function nonce(n: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(n, 7);
  bytes[11] = isLast ? 1 : 0;
  return bytes;
}

/** Pieces of `size` bytes. The last may be shorter; an empty source gives one empty piece. */
export async function* inPieces(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ piece: Buffer; n: number; isLast: boolean }> {
  let held: Buffer[] = [];
  let length = 0;
  let n = 0;
  for await (const chunk of source) {
    held.push(chunk);
    length += chunk.length;
    if (length <= size) continue; // a full piece may be the last one
    const all = joined(held);
    let at = 0;
    for (; all.length - at > size; at += size) yield { piece: all.subarray(at, at + size), n: n++, isLast: false };
    held = [all.subarray(at)];
    length = all.length - at;
  }
  yield { piece: joined(held), n, isLast: true };
}

/** Not copied where there is one: copies of what a backup reads make V8 collect again and again. */
export const joined = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);

async function splitHead(source: AsyncIterable<Buffer>): Promise<{ head: Buffer; rest: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  while (held.length < HEAD) {
    const next = await chunks.next();
    if (next.done === true) throw new DamagedObject('it is truncated');
    held = Buffer.concat([held, next.value]);
  }
  async function* rest(): AsyncGenerator<Buffer> {
    yield held.subarray(HEAD);
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  return { head: held.subarray(0, HEAD), rest: rest() };
}
