// The bytes of an object on their way into a backup or out of it, compared with their hash.
import { createHash } from 'node:crypto';
import { DamagedObject, inPieces } from './encryption.ts';
import { PIECE_BYTES } from './packs.ts';

/** The source could not be read, as opposed to the backup not being writable. */
export class SourceProblem extends Error {
  override name = 'SourceProblem';
}

/** Yields the same bytes, and throws DamagedObject after the last when their SHA-256 does not start with `hash`. */
export async function* checking(source: AsyncIterable<Buffer>, hash: string): AsyncGenerator<Buffer> {
  const sum = createHash('sha256');
  for await (const chunk of source) {
    sum.update(chunk);
    yield chunk;
  }
  if (!sum.digest('hex').startsWith(hash)) throw new DamagedObject('its bytes do not match its hash');
}

/**
 * Yields the same bytes. Throws DamagedObject before the first beyond `size`, and `storage_full` before the first that
 * has no room.
 */
export async function* arriving(
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

/** Pieces of 4 MB; the last comes when the hash of the whole is known to be right. Throws SourceProblem. */
export async function* checkedPieces(source: AsyncIterable<Buffer>, hash: string): ReturnType<typeof inPieces> {
  try {
    yield* inPieces(checking(source, hash), PIECE_BYTES);
  } catch (cause) {
    throw new SourceProblem(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
