// Which albums the cover archive is to be asked for, and what became of it (cover_lookups).
import { eq } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { coverLookups } from '../db/schema.ts';
import { hasAlbum } from './queries.ts';
import { retryAfterMs, type LookupResult } from './retry-times.ts';

export interface Wanted {
  albumId: AlbumId;
  releaseGroupMbid: string;
}

const COLUMNS = 'a.id AS albumId, a.release_group_mbid AS releaseGroupMbid';
/** No cover, none taken away by a person, looked at near by already, a release group, and not asked for that lately. */
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
    /** Undefined when there is no need to ask for this album now. */
    find: (id: AlbumId): Wanted | undefined => one.get({ id, now: time() }),
    /** Covers the ids in (above, upTo]. */
    wantedBetween: (above: number, upTo: number): Wanted[] => between.all({ above, upTo, now: time() }),
    hasDue: (): boolean => due.get(time()) !== undefined,

    /** Asked in vain. */
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
