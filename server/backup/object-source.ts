// Checks the bytes of an object on their way into or out of a backup.
import { createHash } from 'node:crypto';
import { DamagedObject, splitPieces } from './encryption.ts';
import { PIECE_BYTES } from './packs.ts';

/** Thrown when the source of an object cannot be read; the backup is not at fault. */
export class SourceError extends Error {
  override name = 'SourceError';
}

/** Yields the bytes of the source. Throws DamagedObject at the end if their SHA-256 does not start with `hash`. */
export async function* verifyHash(source: AsyncIterable<Buffer>, hash: string): AsyncGenerator<Buffer> {
  const hasher = createHash('sha256');
  for await (const chunk of source) {
    hasher.update(chunk);
    yield chunk;
  }
  if (!hasher.digest('hex').startsWith(hash)) throw new DamagedObject('its bytes do not match its hash');
}

/**
 * Yields the bytes of the source. Throws DamagedObject before the first byte beyond `size`, and `storage_full` before
 * the first byte for which there is no space.
 */
export async function* limitBytes(
  source: AsyncIterable<Buffer>,
  { size, space }: { size: number; space: { countWritten: (bytes: number) => Promise<void> } },
): AsyncGenerator<Buffer> {
  let bytesLeft = size;
  for await (const chunk of source) {
    if ((bytesLeft -= chunk.length) < 0) throw new DamagedObject('it is larger than it should be');
    await space.countWritten(chunk.length);
    yield chunk;
  }
}

/**
 * Yields pieces of 4 MB. The last piece is yielded after the hash of the whole source was verified. Throws SourceError.
 */
export async function* readVerifiedPieces(source: AsyncIterable<Buffer>, hash: string): ReturnType<typeof splitPieces> {
  try {
    yield* splitPieces(verifyHash(source, hash), PIECE_BYTES);
  } catch (cause) {
    throw new SourceError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
