// Marks a storage with the id of the library that it belongs to, as an object in it: two libraries in one storage would
// delete each other's audio. Objects can always be read; nothing is written or deleted in the storage of another
// library. The mark also says whether there may be objects of an earlier library, which are kept until a person
// releases them.
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { AppError, conflict } from '../errors.ts';
import type { Storage } from './storage.ts';

const MARK_KEY = 'library.json';
const Mark = z.object({
  library_id: z.uuid(),
  /** With `is_other`, another library may use the same objects, so objects from before `until` are not deleted. */
  earlier: z.object({ until: z.iso.datetime(), is_other: z.boolean() }).optional(),
});
type Mark = z.output<typeof Mark>;

/** Reads the mark; undefined if it is missing or damaged. Throws `unavailable`. */
async function readWholeMark(storage: Pick<Storage, 'open'>): Promise<Mark | undefined> {
  try {
    const { stream } = await storage.open(MARK_KEY);
    return Mark.safeParse(await json(stream)).data;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    if (error instanceof SyntaxError) return undefined; // the file is truncated
    throw error;
  }
}

/** Returns the library id in the mark, or undefined when there is no mark. Throws `unavailable`. */
export const readMark = async (storage: Pick<Storage, 'open'>): Promise<string | undefined> =>
  (await readWholeMark(storage))?.library_id;

async function writeMark(storage: Pick<Storage, 'put'>, mark: Mark): Promise<Mark> {
  await storage.put(MARK_KEY, Buffer.from(`${JSON.stringify(mark)}\n`), { contentType: 'application/json' });
  return mark;
}

export async function holdsAudio(storage: Pick<Storage, 'list'>): Promise<boolean> {
  for await (const _ of storage.list('audio/')) return true;
  return false;
}

export interface OwnerOptions {
  libraryId: string;
  /** Returns whether stored audio without a mark belongs to this library. */
  ownsUnmarkedAudio: () => boolean;
  /** True if a person decided that the storage belongs to this library from now on. */
  takesOver?: boolean;
  /**
   * True if the database is being rebuilt from the storage: objects that it does not know may belong to an earlier
   * library.
   */
  isRebuilt?: boolean;
  /** Called before the mark says that there are objects of an earlier library. */
  onEarlierObjects?: (storage: Pick<Storage, 'list'>) => Promise<void>;
  /** Called when the storage of this backend is marked. */
  onClaimed?: (backend: string) => void;
  now: () => Date;
}

/** Marks the storage as this library's. Throws `conflict` when it belongs to another library. */
export async function claimStorage(storage: Storage, options: OwnerOptions): Promise<Mark> {
  const {
    libraryId,
    ownsUnmarkedAudio,
    takesOver = false,
    isRebuilt = false,
    onEarlierObjects,
    onClaimed,
    now,
  } = options;
  const currentMark = await readWholeMark(storage);
  const isOfOtherLibrary = currentMark
    ? currentMark.library_id !== libraryId
    : !ownsUnmarkedAudio() && (await holdsAudio(storage));
  if (isOfOtherLibrary && !takesOver)
    throw conflict(
      `The audio in ${storage.backend.title} belongs to another library` +
        `${currentMark ? ` (${currentMark.library_id})` : ''}. ` +
        'Check the storage settings, or start once with --new-library to use it for this library.',
    );
  let mark = currentMark;
  if (isOfOtherLibrary || isRebuilt) {
    await onEarlierObjects?.(storage);
    const earlier = {
      until: now().toISOString(),
      is_other: isOfOtherLibrary || currentMark?.earlier?.is_other === true,
    };
    mark = await writeMark(storage, { library_id: libraryId, earlier });
  } else mark ??= await writeMark(storage, { library_id: libraryId });
  onClaimed?.(storage.backend.name);
  return mark;
}

export type OwnedStorage = ReturnType<typeof createOwnedStorage>;

/** Wraps the storage so that it is marked before its first change. Its `claim` marks it at once. */
export function createOwnedStorage(storage: Storage, options: OwnerOptions) {
  let markPromise: Promise<Mark> | undefined;
  let isMarked = false;
  const claimOnce = (): Promise<Mark> =>
    (markPromise ??= claimStorage(storage, options).then(
      (mark) => {
        isMarked = true;
        return mark;
      },
      (error: unknown) => {
        markPromise = undefined; // the next call tries again
        throw error;
      },
    ));

  async function isFromOtherLibrary(key: string): Promise<boolean> {
    const { earlier } = await claimOnce();
    if (earlier?.is_other !== true) return false;
    const stat = await storage.stat(key);
    return stat !== undefined && stat.modifiedAt <= new Date(earlier.until);
  }

  return {
    ...storage,
    claim: claimOnce,
    /** Whether objects that this library does not know may belong to an earlier library. */
    holdsEarlierObjects: async (): Promise<boolean> => (await claimOnce()).earlier !== undefined,
    /** Lets the remaining objects of earlier libraries be deleted, as a person decided. */
    async releaseEarlierObjects(): Promise<void> {
      const { earlier, ...mark } = await claimOnce();
      if (earlier) markPromise = Promise.resolve(await writeMark(storage, mark));
    },
    async put(...args: Parameters<Storage['put']>) {
      await claimOnce();
      return storage.put(...args);
    },
    async putAudio(...args: Parameters<Storage['putAudio']>) {
      await claimOnce();
      return storage.putAudio(...args);
    },
    /**
     * Returns whether the storage is available. A folder that lost its mark was removed, or is the empty mount point of
     * a disk that is not connected.
     */
    isUp: async (): Promise<boolean> =>
      (await storage.isUp()) && (storage.folder === null || !isMarked || (await storage.stat(MARK_KEY)) !== undefined),
    /** Deletes an object; keeps an object that may belong to another library, and returns false for it. */
    async delete(key: string) {
      return !(await isFromOtherLibrary(key)) && (await storage.delete(key));
    },
  } satisfies Storage & Record<string, unknown>;
}
