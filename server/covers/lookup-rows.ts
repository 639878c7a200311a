// Which albums are due for a lookup in the cover archive, and lookups without a result (cover_lookups).
import { eq } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { coverLookups } from '../db/schema.ts';
import { hasAlbum } from './queries.ts';
import { retryAfterMs, type LookupResult } from './retry-times.ts';

export type Wanted = RowAs<typeof coverLookups, 'albumId' | 'releaseGroupMbid'>;

const COLUMNS = 'a.id AS albumId, a.release_group_mbid AS releaseGroupMbid';
/** No cover, not removed by a person, local files checked, has a release group, and not looked up for that lately. */
const IS_WANTED = `c.key IS NULL AND c.origin IS NOT 'manual' AND a.release_group_mbid IS NOT NULL
  AND (l.album_id IS NULL OR l.release_group_mbid <> a.release_group_mbid OR l.retry_at <= @now)`;
const FROM = 'FROM albums a JOIN album_covers c ON c.album_id = a.id LEFT JOIN cover_lookups l ON l.album_id = a.id';

export function createLookupRows({ db, now }: { db: MainDb; now: () => Date }) {
  const one = db.$client.prepare<[{ id: number; now: number }], Wanted>(
    `SELECT ${COLUMNS} ${FROM} WHERE a.id = @id AND ${IS_WANTED}`,
  );
  const between = db.$client.prepare<[{ above: number; upTo: number; now: number }], Wanted>(
    `SELECT ${COLUMNS} ${FROM} WHERE a.id > @above AND a.id <= @upTo AND ${IS_WANTED}`,
  );
  const due = db.$client.prepare<[number], object>('SELECT 1 FROM cover_lookups WHERE retry_at <= ? LIMIT 1');
  const time = (): number => now().getTime();

  return {
    /** Undefined when the album is not due. */
    find: (id: AlbumId): Wanted | undefined => one.get({ id, now: time() }),
    /** Ids in (above, upTo]. */
    wantedBetween: (above: number, upTo: number): Wanted[] => between.all({ above, upTo, now: time() }),
    hasDue: (): boolean => due.get(time()) !== undefined,

    /** Stores a lookup without a result. */
    note({ albumId, releaseGroupMbid }: Wanted, result: LookupResult, reason: string | null): void {
      db.transaction(
        (tx) => {
          if (!hasAlbum(tx, albumId)) return;
          const before = tx.select().from(coverLookups).where(eq(coverLookups.albumId, albumId)).get();
          const isSame = before?.result === result && before.releaseGroupMbid === releaseGroupMbid;
          const tries = isSame ? before.tries + 1 : 1;
          const set = {
            releaseGroupMbid,
            result,
            reason,
            tries,
            retryAt: new Date(time() + retryAfterMs(result, tries)),
          };
          tx.insert(coverLookups)
            .values({ albumId, ...set })
            .onConflictDoUpdate({ target: coverLookups.albumId, set })
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
