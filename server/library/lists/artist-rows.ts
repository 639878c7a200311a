// Reads the artist rows for the ids of a page, in one statement. page-ids.ts finds the ids.
import type { UserId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { artists } from '../../db/schema.ts';
import { averageRating } from './filters.ts';
import { inOrder, type Statements } from './statement-cache.ts';

type Column =
  | 'id'
  | 'name'
  | 'sortName'
  | 'albumCount'
  | 'trackCount'
  | 'source'
  | 'sourceId'
  | 'artistMbid'
  | 'neverSplit'
  | 'createdAt';

export interface ArtistSummary extends Pick<typeof artists.$inferSelect, Column> {
  /** True if there is a picture of the artist, or a cover of an album by them or one they appear on. */
  hasCover: boolean;
  liked: boolean;
  likedAt: Date | null;
  /** 0 to 5; 0 means unrated. */
  rating: number;
  /** The mean rating of all users; null without a rating. */
  averageRating: number | null;
}

interface RawArtistRow extends RowAs<typeof artists, Column> {
  hasCover: number;
  liked: number;
  likedAt: number | null;
  rating: number;
  averageRating: number | null;
}

/**
 * The number of an artist's tracks that are checked for a cover: checking all would take too long for tens of
 * thousands.
 */
export const MAX_CREDITS_FOR_COVER = 2_000;

const SELECT = `SELECT x.id, x.name, x.sort_name AS sortName, x.album_count AS albumCount, x.track_count AS trackCount,
    EXISTS (SELECT 1 FROM artist_pictures p WHERE p.artist_key = x.name_key AND p.is_current = 1 AND p.key IS NOT NULL)
      OR EXISTS (SELECT 1 FROM albums a JOIN album_covers c ON c.album_id = a.id WHERE a.artist_id = x.id
    AND c.key IS NOT NULL)
      OR EXISTS (SELECT 1 FROM
        (SELECT track_id FROM track_artists WHERE artist_id = x.id LIMIT ${MAX_CREDITS_FOR_COVER}) ta
        CROSS JOIN tracks t ON t.id = ta.track_id CROSS JOIN album_covers c ON c.album_id = t.album_id
        WHERE c.key IS NOT NULL) AS hasCover,
    x.source, x.source_id AS sourceId, x.artist_mbid AS artistMbid, x.never_split AS neverSplit, coalesce(l.liked,
    0) AS liked, iif(l.liked, l.since, NULL) AS likedAt,
    coalesce(l.rating, 0) AS rating, ${averageRating('artist', 'x.id')} AS averageRating, x.created_at AS createdAt
  FROM json_each(@ids) ids CROSS JOIN artists x ON x.id = ids.value
  LEFT JOIN like_states l ON l.user_id = +@userId AND l.item_type = 'artist' AND l.item_id = x.id`;

/** Returns artists in the order of the ids. Repeated ids are repeated, unknown ones skipped. */
export function readArtists(statements: Statements, userId: UserId, ids: readonly number[]): ArtistSummary[] {
  const items = statements.rows<RawArtistRow>(SELECT, { ids: JSON.stringify(ids), userId }).map((row) => ({
    ...row,
    hasCover: row.hasCover === 1,
    neverSplit: row.neverSplit === 1,
    liked: row.liked === 1,
    likedAt: row.likedAt === null ? null : new Date(row.likedAt),
    createdAt: new Date(row.createdAt),
  }));
  return inOrder(items, ids);
}
