// The id of the library that a storage belongs to, as an object in it: two libraries in one storage would delete each
// other's audio. Objects can be read in any case; nothing is written or deleted in the storage of another library.
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { AppError, conflict } from '../errors.ts';
import type { Storage } from './storage.ts';

const KEY = 'library.json';
const Mark = z.object({ library_id: z.uuid() });

/** Undefined when there is none. Throws `unavailable`. */
export async function readMark(storage: Pick<Storage, 'open'>): Promise<string | undefined> {
  try {
    const { stream } = await storage.open(KEY);
    return Mark.safeParse(await json(stream)).data?.library_id;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    if (error instanceof SyntaxError) return undefined; // cut off
    throw error;
  }
}

export async function holdsAudio(storage: Pick<Storage, 'list'>): Promise<boolean> {
  for await (const _ of storage.list('audio/')) return true;
  return false;
}

export interface OwnerOptions {
  libraryId: string;
  /** Stored audio without a mark is this library's own. */
  isOurs: () => boolean;
  /** A person said that the storage is this library's from now on. */
  takesOver?: boolean;
}

/** Marks the storage. Throws `conflict` when it is another library's. */
export async function claim(storage: Storage, { libraryId, isOurs, takesOver = false }: OwnerOptions): Promise<void> {
  const found = await readMark(storage);
  if (found === libraryId) return;
  if (!takesOver && (found !== undefined || (!isOurs() && (await holdsAudio(storage)))))
    throw conflict(
      `The audio in ${storage.backend.title} is of another library${found === undefined ? '' : ` (${found})`}. ` +
        'Check the settings of the storage, or start once with --new-library to use it for this one.',
    );
  const mark = Buffer.from(`${JSON.stringify({ library_id: libraryId } satisfies z.input<typeof Mark>)}\n`);
  await storage.put(KEY, mark, { contentType: 'application/json' });
}

/** The storage, marked before it is first changed. `claim` does so at once. */
export function ownedBy(storage: Storage, options: OwnerOptions): Storage & { claim: () => Promise<void> } {
  let claimed: Promise<void> | undefined;
  const claimOnce = (): Promise<void> =>
    (claimed ??= claim(storage, options).catch((error: unknown) => {
      claimed = undefined; // it may be reachable later
      throw error;
    }));
  return {
    ...storage,
    claim: claimOnce,
    async put(...given) {
      await claimOnce();
      return storage.put(...given);
    },
    async putAudio(...given) {
      await claimOnce();
      return storage.putAudio(...given);
    },
    async delete(...given) {
      await claimOnce();
      return storage.delete(...given);
    },
  };
}
