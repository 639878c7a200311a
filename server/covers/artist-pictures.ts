// Pictures of artists: one that a person chose, else `artist.jpg` in the music folders, else one of Wikimedia Commons.
// The one before is kept, so that a change can be undone.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId } from '../db/ids.ts';
import { artistPictures, artists, type PictureCredit } from '../db/schema.ts';
import { AppError, conflict, messageOf, notFound } from '../errors.ts';
import type { Locks } from '../runtime/locks.ts';
import { createListeners } from '../runtime/listeners.ts';
import { artistPictureKey } from '../storage/local-paths.ts';
import type { Storage } from '../storage/storage.ts';
import type { Orphans } from './orphans.ts';
import { checkPicture, resizePicture, type Cover } from './picture.ts';

/** Whose lock and orphans those of all artists are: no album has this id. */
export const OF_ARTISTS = 0 as AlbumId;
/** Longest side of what is stored, in pixels. Originals on Commons have tens of megabytes. */
const STORED_SIZE = 1_200;

type Row = typeof artistPictures.$inferSelect;
type ArtistPictureRow = Pick<Row, 'key' | 'etag' | 'origin' | 'source' | 'credit'>;
/** Where a picture is from. */
type Provenance = { origin: Exclude<Row['origin'], null>; source: string | null; credit: PictureCredit | null };
const NONE: ArtistPictureRow = { key: null, etag: null, origin: null, source: null, credit: null };

interface ArtistPicturesDeps {
  db: MainDb;
  now: () => Date;
  storage: Pick<Storage, 'put'>;
  locked: Locks<AlbumId>;
  orphans: Pick<Orphans, 'releaseOf'>;
  onChange: () => void;
}

export type ArtistPictures = ReturnType<typeof createArtistPictures>;

export function createArtistPictures({ db, now, storage, locked, orphans, onChange }: ArtistPicturesDeps) {
  const lost = createListeners<[artistKey: string]>();
  const rowsOf = (artistKey: string): Row[] =>
    db.select().from(artistPictures).where(eq(artistPictures.artistKey, artistKey)).all();
  const find = (artistKey: string): ArtistPictureRow | undefined =>
    rowsOf(artistKey).find(({ isCurrent }) => isCurrent);

  function keyOf(id: ArtistId): string {
    const row = db.select({ key: artists.nameKey }).from(artists).where(eq(artists.id, id)).get();
    if (!row) throw notFound('artist', id);
    return row.key;
  }

  /** The caller holds the lock. */
  async function replace(artistKey: string, next: ArtistPictureRow, keepsFormer: boolean): Promise<void> {
    db.transaction(
      (tx) => {
        const former = find(artistKey) ?? NONE;
        tx.delete(artistPictures).where(eq(artistPictures.artistKey, artistKey)).run();
        const rows = keepsFormer
          ? [
              { ...former, isCurrent: false },
              { ...next, isCurrent: true },
            ]
          : [{ ...next, isCurrent: true }];
        for (const { key, etag, origin, source, credit, isCurrent } of rows)
          tx.insert(artistPictures)
            .values({ artistKey, key, etag, origin, source, credit, isCurrent, setAt: now() })
            .run();
      },
      { behavior: 'immediate' },
    );
    await orphans.releaseOf(OF_ARTISTS);
    onChange();
  }

  async function store(artistKey: string, { bytes, ext, mime, etag }: Cover): Promise<{ key: string; etag: string }> {
    const key = artistPictureKey(etag, ext);
    await storage.put(key, bytes, { contentType: mime });
    return { key, etag };
  }

  /** Whether what was found somewhere may become the picture. */
  function isWanted(artistKey: string, { source }: Pick<Provenance, 'source'>): boolean {
    const current = find(artistKey);
    if (!current || current.origin === null) return true;
    return current.origin === 'commons' && current.source !== source;
  }

  return {
    find,
    isWanted,

    /** Takes a picture that a person chose. Throws `not_found`, `unsupported_type`. */
    async set(id: ArtistId, bytes: Buffer, from: Omit<Provenance, 'origin'>): Promise<void> {
      const artistKey = keyOf(id);
      const picture = await small(bytes).catch((cause: unknown) => {
        throw new AppError('unsupported_type', `This picture cannot be used: ${messageOf(cause)}.`, { cause });
      });
      await locked(OF_ARTISTS, async () =>
        replace(artistKey, { ...(await store(artistKey, picture)), ...from, origin: 'manual' }, true),
      );
    },

    /** Shows none, and takes none that is found. Throws `not_found`. */
    async remove(id: ArtistId): Promise<void> {
      const artistKey = keyOf(id);
      await locked(OF_ARTISTS, () => replace(artistKey, { ...NONE, origin: 'manual' }, true));
    },

    /** Takes back the last change by a person. Throws `not_found`, `conflict`. */
    async undo(id: ArtistId): Promise<void> {
      const artistKey = keyOf(id);
      await locked(OF_ARTISTS, () => {
        if (rowsOf(artistKey).length < 2) throw conflict('There is no earlier picture.');
        db.$client
          .prepare('UPDATE artist_pictures SET is_current = 1 - is_current WHERE artist_key = ?')
          .run(artistKey);
        return Promise.resolve();
      });
      onChange();
    },

    /** Forgets what a person chose; what is found may become the picture again. Throws `not_found`. */
    async reset(id: ArtistId): Promise<void> {
      const artistKey = keyOf(id);
      await locked(OF_ARTISTS, () => replace(artistKey, NONE, true));
    },

    /** A picture that was found was lost or damaged: it is to be found again. */
    onLost: lost.add,
    /** The caller holds the lock. */
    async forget({ id, artistKey, isCurrent }: Pick<Row, 'id' | 'artistKey' | 'isCurrent'>): Promise<void> {
      db.delete(artistPictures).where(eq(artistPictures.id, id)).run();
      await orphans.releaseOf(OF_ARTISTS);
      onChange();
      if (isCurrent) lost.notify(artistKey);
    },
    /** A picture that was lost or damaged is as it was. */
    returned: onChange,

    /** Those that were found for artists that are gone: they would be found again. */
    dropUnused(): void {
      db.$client
        .prepare(
          `DELETE FROM artist_pictures WHERE artist_key NOT IN (SELECT name_key FROM artists) AND artist_key NOT IN
            (SELECT artist_key FROM artist_pictures WHERE is_current = 1 AND origin = 'manual')`,
        )
        .run();
    },

    /** Takes what was found, unless something better is there. Throws UnusablePicture and errors of the storage. */
    async offer(artistKey: string, bytes: Buffer, from: Provenance): Promise<boolean> {
      const picture = await small(bytes);
      return locked(OF_ARTISTS, async () => {
        if (!isWanted(artistKey, from)) return false;
        await replace(artistKey, { ...(await store(artistKey, picture)), ...from }, false);
        return true;
      });
    },
  };
}

/** Throws UnusablePicture. */
async function small(bytes: Buffer): Promise<Cover> {
  await checkPicture(bytes);
  return checkPicture(await resizePicture(bytes, STORED_SIZE, 'webp'));
}
