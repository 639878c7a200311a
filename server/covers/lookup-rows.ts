// The albums that are due for a lookup in the cover archive, and stored lookups without a result (cover_lookups).
import { eq } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { coverLookups } from '../db/schema.ts';
import { hasAlbum } from './queries.ts';
import { retryAfterMs, type LookupResult } from './retry-times.ts';

export type DueAlbum = RowAs<typeof coverLookups, 'albumId' | 'releaseGroupMbid'>;

const COLUMNS = 'a.id AS albumId, a.release_group_mbid AS releaseGroupMbid';
/**
 * SQL condition: the album has no cover, none was removed by a person, its local files were checked, and its release
 * group was not looked up lately.
 */
const IS_DUE = `c.key IS NULL AND c.origin IS NOT 'manual' AND a.release_group_mbid IS NOT NULL
  AND (l.album_id IS NULL OR l.release_group_mbid <> a.release_group_mbid OR l.retry_at <= @now)`;
const FROM = 'FROM albums a JOIN album_covers c ON c.album_id = a.id LEFT JOIN cover_lookups l ON l.album_id = a.id';

export function createLookupRows({ db, now }: { db: MainDb; now: () => Date }) {
  const findDue = db.$client.prepare<[{ id: number; now: number }], DueAlbum>(
    `SELECT ${COLUMNS} ${FROM} WHERE a.id = @id AND ${IS_DUE}`,
  );
  const listDue = db.$client.prepare<[{ afterId: number; upToId: number; now: number }], DueAlbum>(
    `SELECT ${COLUMNS} ${FROM} WHERE a.id > @afterId AND a.id <= @upToId AND ${IS_DUE}`,
  );
  const findDueRetry = db.$client.prepare<[number], object>('SELECT 1 FROM cover_lookups WHERE retry_at <= ? LIMIT 1');
  const nowMs = (): number => now().getTime();

  return {
    /** Returns the album if it is due, else undefined. */
    find: (id: AlbumId): DueAlbum | undefined => findDue.get({ id, now: nowMs() }),
    /** Lists the due albums with ids above `afterId`, up to and including `upToId`. */
    listBetween: (afterId: number, upToId: number): DueAlbum[] => listDue.all({ afterId, upToId, now: nowMs() }),
    hasDueRetry: (): boolean => findDueRetry.get(nowMs()) !== undefined,

    /** Stores that a lookup had no result. */
    storeFailure({ albumId, releaseGroupMbid }: DueAlbum, result: LookupResult, reason: string | null): void {
      db.transaction(
        (tx) => {
          if (!hasAlbum(tx, albumId)) return;
          const previousLookup = tx.select().from(coverLookups).where(eq(coverLookups.albumId, albumId)).get();
          const isSameResult =
            previousLookup?.result === result && previousLookup.releaseGroupMbid === releaseGroupMbid;
          const tries = isSameResult ? previousLookup.tries + 1 : 1;
          const values = {
            releaseGroupMbid,
            result,
            reason,
            tries,
            retryAt: new Date(nowMs() + retryAfterMs(result, tries)),
          };
          tx.insert(coverLookups)
            .values({ albumId, ...values })
            .onConflictDoUpdate({ target: coverLookups.albumId, set: values })
            .run();
        },
        { behavior: 'immediate' },
      );
    },
  };
}

export const deleteLookup = (db: Db, albumId: AlbumId): void =>
  void db.delete(coverLookups).where(eq(coverLookups.albumId, albumId)).run();
export const deleteLookups = (db: Db): void => void db.delete(coverLookups).run();
export const findLookup = (db: Db, albumId: AlbumId): typeof coverLookups.$inferSelect | undefined =>
  db.select().from(coverLookups).where(eq(coverLookups.albumId, albumId)).get();
