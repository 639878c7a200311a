// Pictures of artists. Shown is the picture that a person chose, else `artist.jpg` in the music folders, else a picture
// of Wikimedia Commons. The previous picture is stored, so that a change can be undone.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId } from '../db/ids.ts';
import { artistPictures, artists, type PictureCredit } from '../db/schema.ts';
import { AppError, conflict, messageOf, notFound } from '../errors.ts';
import type { Locks } from '../runtime/locks.ts';
import { createListeners } from '../runtime/listeners.ts';
import { artistPictureKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import type { Orphans } from './orphaned-covers.ts';
import { checkPicture, resizePicture, type Cover } from './picture.ts';

/**
 * The id under which pictures of artists are locked and listed as orphans, where covers have their album's id. No album
 * has this id.
 */
export const ARTISTS_LOCK_ID = 0 as AlbumId;
/** Longest side of a stored picture. Originals on Commons have tens of megabytes. */
const STORED_SIZE_PX = 1_200;

type Row = typeof artistPictures.$inferSelect;
type ArtistPictureRow = Pick<Row, 'key' | 'etag' | 'origin' | 'source' | 'credit'>;
/** Where a picture comes from. */
type Provenance = { origin: Exclude<Row['origin'], null>; source: string | null; credit: PictureCredit | null };
const NO_PICTURE: ArtistPictureRow = { key: null, etag: null, origin: null, source: null, credit: null };

interface ArtistPicturesDeps {
  db: MainDb;
  now: () => Date;
  storage: Pick<Storage, 'put'>;
  withLock: Locks<AlbumId>;
  orphans: Pick<Orphans, 'deleteOf'>;
  onChange: () => void;
}

export type ArtistPictures = ReturnType<typeof createArtistPictures>;

export function createArtistPictures({ db, now, storage, withLock, orphans, onChange }: ArtistPicturesDeps) {
  const lossListeners = createListeners<[artistKey: string]>();
  const rowsOf = (artistKey: string): Row[] =>
    db.select().from(artistPictures).where(eq(artistPictures.artistKey, artistKey)).all();
  const find = (artistKey: string): ArtistPictureRow | undefined =>
    rowsOf(artistKey).find(({ isCurrent }) => isCurrent);

  function keyOf(id: ArtistId): string {
    const row = db.select({ key: artists.nameKey }).from(artists).where(eq(artists.id, id)).get();
    if (!row) throw notFound('artist', id);
    return row.key;
  }

  /** Replaces the picture of an artist. The caller must hold the lock. */
  async function replace(artistKey: string, newRow: ArtistPictureRow, keepsPrevious: boolean): Promise<void> {
    db.transaction(
      (tx) => {
        const previousRow = find(artistKey) ?? NO_PICTURE;
        tx.delete(artistPictures).where(eq(artistPictures.artistKey, artistKey)).run();
        const rows = keepsPrevious
          ? [
              { ...previousRow, isCurrent: false },
              { ...newRow, isCurrent: true },
            ]
          : [{ ...newRow, isCurrent: true }];
        for (const { key, etag, origin, source, credit, isCurrent } of rows)
          tx.insert(artistPictures)
            .values({ artistKey, key, etag, origin, source, credit, isCurrent, setAt: now() })
            .run();
      },
      { behavior: 'immediate' },
    );
    await orphans.deleteOf(ARTISTS_LOCK_ID);
    onChange();
  }

  async function store(artistKey: string, { bytes, ext, mime, etag }: Cover): Promise<{ key: string; etag: string }> {
    const key = artistPictureKey(etag, ext);
    await storage.put(key, bytes, { contentType: mime });
    return { key, etag };
  }

  /** Returns whether a picture that was found may become the artist's picture. */
  function isWanted(artistKey: string, { source }: Pick<Provenance, 'source'>): boolean {
    const currentPicture = find(artistKey);
    if (!currentPicture || currentPicture.origin === null) return true;
    return currentPicture.origin === 'commons' && currentPicture.source !== source;
  }

  return {
    find,
    isWanted,

    /** Sets a picture that a person chose. Throws `not_found`, `unsupported_type`. */
    async set(id: ArtistId, bytes: Buffer, provenance: Omit<Provenance, 'origin'>): Promise<void> {
      const artistKey = keyOf(id);
      const picture = await toStoredPicture(bytes).catch((cause: unknown) => {
        throw new AppError('unsupported_type', `This picture cannot be used: ${messageOf(cause)}.`, { cause });
      });
      await withLock(ARTISTS_LOCK_ID, async () =>
        replace(artistKey, { ...(await store(artistKey, picture)), ...provenance, origin: 'manual' }, true),
      );
    },

    /** Removes the picture; found pictures are no longer accepted. Throws `not_found`. */
    async remove(id: ArtistId): Promise<void> {
      const artistKey = keyOf(id);
      await withLock(ARTISTS_LOCK_ID, () => replace(artistKey, { ...NO_PICTURE, origin: 'manual' }, true));
    },

    /** Undoes the last change that a person made. Throws `not_found`, `conflict`. */
    async undo(id: ArtistId): Promise<void> {
      const artistKey = keyOf(id);
      await withLock(ARTISTS_LOCK_ID, () => {
        if (rowsOf(artistKey).length < 2) throw conflict('There is no earlier picture.');
        db.$client
          .prepare('UPDATE artist_pictures SET is_current = 1 - is_current WHERE artist_key = ?')
          .run(artistKey);
        return Promise.resolve();
      });
      onChange();
    },

    /**
     * Deletes what a person chose, so that a found picture may become the artist's picture again. Throws `not_found`.
     */
    async reset(id: ArtistId): Promise<void> {
      const artistKey = keyOf(id);
      await withLock(ARTISTS_LOCK_ID, () => replace(artistKey, NO_PICTURE, true));
    },

    /** Adds a listener that is called when a found picture was lost or damaged, and has to be found again. */
    onLost: lossListeners.add,
    /** Deletes the row of a lost picture. The caller must hold the lock. */
    async forget({ id, artistKey, isCurrent }: Pick<Row, 'id' | 'artistKey' | 'isCurrent'>): Promise<void> {
      db.delete(artistPictures).where(eq(artistPictures.id, id)).run();
      await orphans.deleteOf(ARTISTS_LOCK_ID);
      onChange();
      if (isCurrent) lossListeners.notify(artistKey);
    },
    /** To be called after a lost or damaged picture was restored. */
    announceRestored: onChange,

    /**
     * Deletes found pictures of artists that no longer exist. If an artist comes back, the picture will be found again.
     */
    deleteUnused(): void {
      db.$client
        .prepare(
          `DELETE FROM artist_pictures WHERE artist_key NOT IN (SELECT name_key FROM artists) AND artist_key NOT IN
            (SELECT artist_key FROM artist_pictures WHERE is_current = 1 AND origin = 'manual')`,
        )
        .run();
    },

    /** Stores a found picture, unless the artist has a better one. Throws UnusablePicture and errors of the storage. */
    async offer(artistKey: string, bytes: Buffer, provenance: Provenance): Promise<boolean> {
      const picture = await toStoredPicture(bytes);
      return withLock(ARTISTS_LOCK_ID, async () => {
        if (!isWanted(artistKey, provenance)) return false;
        await replace(artistKey, { ...(await store(artistKey, picture)), ...provenance }, false);
        return true;
      });
    },
  };
}

/** Resizes a picture to the size in which it is stored. Throws UnusablePicture. */
async function toStoredPicture(bytes: Buffer): Promise<Cover> {
  await checkPicture(bytes);
  return checkPicture(await resizePicture(bytes, STORED_SIZE_PX, 'webp'));
}
