// The id of the library that a storage belongs to, as an object in it: two libraries in one storage would delete each
// other's audio. Objects can be read in any case; nothing is written or deleted in the storage of another library. The
// mark also tells that there may be objects of an earlier library, which are kept until a person lets them go.
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { AppError, conflict } from '../errors.ts';
import type { Storage } from './storage.ts';

const KEY = 'library.json';
const Mark = z.object({
  library_id: z.uuid(),
  /** `is_other`: this library may use the same objects, and does not delete those from before that time. */
  earlier: z.object({ until: z.iso.datetime(), is_other: z.boolean() }).optional(),
});
type Mark = z.output<typeof Mark>;

/** Undefined when there is none. Throws `unavailable`. */
async function readWholeMark(storage: Pick<Storage, 'open'>): Promise<Mark | undefined> {
  try {
    const { stream } = await storage.open(KEY);
    return Mark.safeParse(await json(stream)).data;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    if (error instanceof SyntaxError) return undefined; // cut off
    throw error;
  }
}

/** The id in the mark; undefined when there is none. Throws `unavailable`. */
export const readMark = async (storage: Pick<Storage, 'open'>): Promise<string | undefined> =>
  (await readWholeMark(storage))?.library_id;

async function writeMark(storage: Pick<Storage, 'put'>, mark: Mark): Promise<Mark> {
  await storage.put(KEY, Buffer.from(`${JSON.stringify(mark)}\n`), { contentType: 'application/json' });
  return mark;
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
  /** The database is made anew from the storage: what it does not know may be of the one before. */
  isRebuilt?: boolean;
  /** Before the mark says that objects of an earlier library are there. */
  onEarlier?: (storage: Pick<Storage, 'list'>) => Promise<void>;
  /** The storage of that backend is marked. */
  onClaimed?: (backend: string) => void;
  now: () => Date;
}

/** Marks the storage. Throws `conflict` when it is another library's. */
export async function claim(storage: Storage, options: OwnerOptions): Promise<Mark> {
  const { libraryId, isOurs, takesOver = false, isRebuilt = false, onEarlier, onClaimed, now } = options;
  const found = await readWholeMark(storage);
  const isOther = found ? found.library_id !== libraryId : !isOurs() && (await holdsAudio(storage));
  if (isOther && !takesOver)
    throw conflict(
      `The audio in ${storage.backend.title} is of another library${found ? ` (${found.library_id})` : ''}. ` +
        'Check the settings of the storage, or start once with --new-library to use it for this one.',
    );
  let mark = found;
  if (isOther || isRebuilt) {
    await onEarlier?.(storage);
    const earlier = { until: now().toISOString(), is_other: isOther || found?.earlier?.is_other === true };
    mark = await writeMark(storage, { library_id: libraryId, earlier });
  } else mark ??= await writeMark(storage, { library_id: libraryId });
  onClaimed?.(storage.backend.name);
  return mark;
}

export type OwnedStorage = ReturnType<typeof ownedBy>;

/** The storage, marked before it is first changed. `claim` does so at once. */
export function ownedBy(storage: Storage, options: OwnerOptions) {
  let claimed: Promise<Mark> | undefined;
  let isMarked = false;
  const claimOnce = (): Promise<Mark> =>
    (claimed ??= claim(storage, options).then(
      (mark) => {
        isMarked = true;
        return mark;
      },
      (error: unknown) => {
        claimed = undefined; // it may be reachable later
        throw error;
      },
    ));

  async function isOfOther(key: string): Promise<boolean> {
    const { earlier } = await claimOnce();
    if (earlier?.is_other !== true) return false;
    const stat = await storage.stat(key);
    return stat !== undefined && stat.modifiedAt <= new Date(earlier.until);
  }

  return {
    ...storage,
    claim: claimOnce,
    /** What this library does not know may be of an earlier one. */
    holdsEarlier: async (): Promise<boolean> => (await claimOnce()).earlier !== undefined,
    /** A person said that what is left of earlier libraries may be deleted. */
    async releaseEarlier(): Promise<void> {
      const { earlier, ...mark } = await claimOnce();
      if (earlier) claimed = Promise.resolve(await writeMark(storage, mark));
    },
    async put(...given: Parameters<Storage['put']>) {
      await claimOnce();
      return storage.put(...given);
    },
    async putAudio(...given: Parameters<Storage['putAudio']>) {
      await claimOnce();
      return storage.putAudio(...given);
    },
    /** A folder that lost its mark was removed, or is the empty mount point of a disk that is not connected. */
    isUp: async (): Promise<boolean> =>
      (await storage.isUp()) && (storage.folder === null || !isMarked || (await storage.stat(KEY)) !== undefined),
    /** Keeps what may be another library's; false then. */
    async delete(key: string) {
      return !(await isOfOther(key)) && (await storage.delete(key));
    },
  } satisfies Storage & Record<string, unknown>;
}
