// Covers of albums that lost all their tracks, which a trigger keeps for 30 days in former_covers. A chosen cover is
// given to the album to which the tracks went, or to an album of the same name, artist and year. A found cover is given
// to an album of the same name, or copied to an album with its tracks, if nothing is found for that album: the folder
// where it was found may be gone.
import { eq, lt, sql } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { formerCovers, orphanedCovers } from '../db/schema.ts';
import { TRASH_RETENTION_MS } from '../library/trash/trash.ts';
import { albumIdOfCover } from '../storage/local-paths.ts';
import type { StoredPicture } from './queries.ts';

export type FormerCover = typeof formerCovers.$inferSelect;

export type FormerCovers = ReturnType<typeof createFormerCovers>;

export function createFormerCovers(db: MainDb) {
  const columns = `f.id, f.album_id AS albumId, f.title_sort AS titleSort, f.artist_key AS artistKey, f.year, f.key,
    f.etag, f.removed_at AS removedAt, f.successor_id AS successorId, f.found_in AS foundIn`;
  const findBySuccessor = db.$client.prepare<[number], FormerCover>(
    `SELECT ${columns} FROM former_covers f WHERE f.successor_id = ? ORDER BY f.id DESC LIMIT 1`,
  );
  const findByName = db.$client.prepare<[number], FormerCover>(`
    SELECT ${columns} FROM albums a LEFT JOIN artists x ON x.id = a.artist_id
    JOIN former_covers f ON f.title_sort = a.title_sort AND f.artist_key IS x.name_key
      AND (f.year IS NULL OR a.year IS NULL OR f.year = a.year) -- an album without tracks has no year
    WHERE a.id = ? AND f.successor_id IS NULL
    ORDER BY f.album_id = a.id DESC, f.found_in IS NULL DESC, f.year IS a.year DESC, f.id DESC LIMIT 1`);
  // the cover of the album, or former album, that most tracks of this album were in before
  const findOfOrigin = db.$client.prepare<[number], StoredPicture>(`
    SELECT coalesce(c.key, f.key) AS key, coalesce(c.etag, f.etag) AS etag
    FROM tracks t CROSS JOIN track_departures d ON d.track_id = t.id AND d.item_type = 'album' AND d.is_other_music = 0
    LEFT JOIN album_covers c ON c.album_id = d.from_id
    LEFT JOIN former_covers f ON f.album_id = d.from_id
    WHERE t.album_id = ? AND coalesce(c.key, f.key) IS NOT NULL
    GROUP BY d.from_id ORDER BY count(*) DESC, max(d.left_at) DESC LIMIT 1`);
  const findFirst = db.$client.prepare<[], object>('SELECT 1 FROM former_covers LIMIT 1');
  const isInTrash = db.$client.prepare<[string], object>('SELECT 1 FROM trashed_tracks WHERE cover_key = ? LIMIT 1');

  /** Deletes rows; the next sweep deletes their pictures, unless an album uses them. */
  function deleteWhere(condition: ReturnType<typeof eq>): void {
    db.transaction(
      (tx) => {
        for (const { key } of tx.delete(formerCovers).where(condition).returning().all())
          // only listed as an orphan: another album may still show the picture, because this album was to get a copy of
          // it
          if (key !== null)
            tx.insert(orphanedCovers)
              .values({ key, albumId: albumIdOfCover(key) as AlbumId })
              .onConflictDoNothing()
              .run();
      },
      { behavior: 'immediate' },
    );
  }

  return {
    find: (albumId: AlbumId): FormerCover | undefined => findBySuccessor.get(albumId) ?? findByName.get(albumId),
    findOfOrigin: (albumId: AlbumId): StoredPicture | undefined => findOfOrigin.get(albumId),
    hasAny: (): boolean => findFirst.get() !== undefined,
    delete: ({ id }: Pick<FormerCover, 'id'>): void => deleteWhere(eq(formerCovers.id, id)),
    deleteOld: (now: Date): void =>
      deleteWhere(lt(formerCovers.removedAt, new Date(now.getTime() - TRASH_RETENTION_MS))),
    /** Returns whether the picture is stored for an album that may come back. */
    isReserved: (key: string): boolean =>
      isInTrash.get(key) !== undefined ||
      db
        .select({ n: sql`1` })
        .from(formerCovers)
        .where(eq(formerCovers.key, key))
        .get() !== undefined,
  };
}
