// The albums that are due for a lookup in the cover archive, and lookups without a result (cover_lookups).
import { eq } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { coverLookups } from '../db/schema.ts';
import { hasAlbum } from './queries.ts';
import { retryAfterMs, type LookupResult } from './retry-times.ts';

export type DueAlbum = RowAs<typeof coverLookups, 'albumId' | 'releaseGroupMbid'>;

const COLUMNS = 'a.id AS albumId, a.release_group_mbid AS releaseGroupMbid';
/** No cover, not removed by a person, local files checked, has a release group that was not looked up lately. */
const IS_DUE = `c.key IS NULL AND c.origin IS NOT 'manual' AND a.release_group_mbid IS NOT NULL
  AND (l.album_id IS NULL OR l.release_group_mbid <> a.release_group_mbid OR l.retry_at <= @now)`;
const FROM = 'FROM albums a JOIN album_covers c ON c.album_id = a.id LEFT JOIN cover_lookups l ON l.album_id = a.id';

export function createLookupRows({ db, now }: { db: MainDb; now: () => Date }) {
  const findDue = db.$client.prepare<[{ id: number; now: number }], DueAlbum>(
    `SELECT ${COLUMNS} ${FROM} WHERE a.id = @id AND ${IS_DUE}`,
  );
  const listDue = db.$client.prepare<[{ above: number; upTo: number; now: number }], DueAlbum>(
    `SELECT ${COLUMNS} ${FROM} WHERE a.id > @above AND a.id <= @upTo AND ${IS_DUE}`,
  );
  const findDueRetry = db.$client.prepare<[number], object>('SELECT 1 FROM cover_lookups WHERE retry_at <= ? LIMIT 1');
  const nowMs = (): number => now().getTime();

  return {
    /** Returns undefined when the album is not due. */
    find: (id: AlbumId): DueAlbum | undefined => findDue.get({ id, now: nowMs() }),
    /** Ids in (above, upTo]. */
    listBetween: (above: number, upTo: number): DueAlbum[] => listDue.all({ above, upTo, now: nowMs() }),
    hasDueRetry: (): boolean => findDueRetry.get(nowMs()) !== undefined,

    /** Stores a lookup without a result. */
    storeFailure({ albumId, releaseGroupMbid }: DueAlbum, result: LookupResult, reason: string | null): void {
      db.transaction(
        (tx) => {
          if (!hasAlbum(tx, albumId)) return;
          const previous = tx.select().from(coverLookups).where(eq(coverLookups.albumId, albumId)).get();
          const isSameResult = previous?.result === result && previous.releaseGroupMbid === releaseGroupMbid;
          const tries = isSameResult ? previous.tries + 1 : 1;
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
