// Deletes stored objects that nothing refers to: left by a crash between writing an object and its row, or by a
// deletion while the storage was down. Objects that an earlier library may need are kept until a person releases them.
// Recent objects are kept, since their rows may follow, and so are leased objects.
import { ARTISTS_LOCK_ID } from '../covers/artist-pictures.ts';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { orphanedCovers } from '../db/schema.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { Leases } from '../storage/leases.ts';
import { hashInKey, isArtistPicture } from '../storage/local-paths.ts';
import type { OwnedStorage } from '../storage/library-mark.ts';
import type { StoredObject } from '../storage/storage.ts';
import { prepareIsCover, prepareIsUsed } from './queries.ts';
import type { GarbageResult } from './wire.ts';
import type { COLLECT_GARBAGE } from './tasks.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

const MIN_AGE_MS = 7 * 86_400_000;
const MAX_LISTED_KEYS = 200;
const COVER_KEY = /^covers\/([1-9]\d*)\.[a-z0-9]+$/;
const AUDIO_KEY = /^audio\/[0-9a-f]{2}\/[0-9a-f]{64}\.[a-z0-9]+$/;
const AUDIO_FOLDERS = Array.from({ length: 256 }, (_, i) => `audio/${i.toString(16).padStart(2, '0')}/`);

interface GarbageDeps {
  db: MainDb;
  nowForAges: () => Date;
  storage: Pick<OwnedStorage, 'list' | 'delete' | 'sweep' | 'holdsEarlierObjects' | 'releaseEarlierObjects'>;
  leases: Pick<Leases, 'deleteWhenFree'>;
  /** Called when covers were added to orphaned_covers, for the covers module to delete. */
  onOrphanedCovers: () => void;
}

export function garbageTask({
  db,
  nowForAges,
  storage,
  leases,
  onOrphanedCovers,
}: GarbageDeps): Handler<typeof COLLECT_GARBAGE> {
  const isUsed = prepareIsUsed(db);
  const isCover = prepareIsCover(db);

  return async ({ dryRun, earlierLibrary }, { signal, progress }): Promise<GarbageResult> => {
    const cutoff = new Date(nowForAges().getTime() - MIN_AGE_MS);
    const result: GarbageResult = {
      dry_run: dryRun,
      objects: 0,
      unused: 0,
      unused_bytes: 0,
      young: 0,
      earlier: 0,
      earlier_bytes: 0,
      deleted: 0,
      deleted_bytes: 0,
      uploads: 0,
      keys: [],
    };

    if (earlierLibrary && !dryRun) await storage.releaseEarlierObjects();
    const keepsEarlier = !earlierLibrary && (await storage.holdsEarlierObjects());

    /** Counts an unused object; returns whether the object can be deleted. */
    function countUnused({ key, size, modifiedAt }: StoredObject): boolean {
      if (modifiedAt > cutoff) {
        result.young++;
        return false;
      }
      if (keepsEarlier) {
        result.earlier++;
        result.earlier_bytes += size;
        return false;
      }
      result.unused++;
      result.unused_bytes += size;
      if (result.keys.length < MAX_LISTED_KEYS) result.keys.push(key);
      return !dryRun;
    }

    async function collectAudio(object: StoredObject): Promise<void> {
      const { key, size } = object;
      result.objects++;
      if (!AUDIO_KEY.test(key) || isUsed(hashInKey(key), key) || !countUnused(object)) return;
      await leases.deleteWhenFree(key, async () => {
        if (isUsed(hashInKey(key), key) || !(await storage.delete(key))) return;
        result.deleted++;
        result.deleted_bytes += size;
      });
    }

    /** Hands an unused cover to the covers module, which deletes it while it holds the album's lock. */
    function collectCover(object: StoredObject): void {
      const albumId = (
        isArtistPicture(object.key) ? ARTISTS_LOCK_ID : Number(COVER_KEY.exec(object.key)?.[1] ?? Number.NaN)
      ) as AlbumId;
      result.objects++;
      if (Number.isNaN(albumId) || isCover(albumId, object.key) || !countUnused(object)) return;
      db.insert(orphanedCovers).values({ key: object.key, albumId }).onConflictDoNothing().run();
      result.deleted++;
      result.deleted_bytes += object.size;
    }

    for (const [i, folder] of AUDIO_FOLDERS.entries()) {
      progress(i, AUDIO_FOLDERS.length, `${result.objects} objects, ${result.unused} unused`);
      for await (const object of storage.list(folder)) {
        signal.throwIfAborted();
        await collectAudio(object);
        await yieldIfDue();
      }
    }
    const deletedAudio = result.deleted;
    for await (const object of storage.list('covers/')) {
      collectCover(object);
      await yieldIfDue();
    }
    if (result.deleted > deletedAudio) onOrphanedCovers();
    if (!dryRun) result.uploads = await storage.sweep(cutoff);
    return result;
  };
}
