// The second step of every list of artists: the rows of a page's ids, in one statement.
import type { ArtistId, UserId } from '../db/ids.ts';
import { inOrder, type Statements } from './statements.ts';

export interface ArtistSummary {
  id: ArtistId;
  name: string;
  sortName: string;
  albumCount: number;
  trackCount: number;
  /** One of the artist's own albums has a cover, or one with a track of theirs. */
  hasCover: boolean;
  source: string | null;
  sourceId: string | null;
  artistMbid: string | null;
  /** The name is one artist, whatever stands between its words. */
  neverSplit: boolean;
  liked: boolean;
  likedAt: Date | null;
  /** 0..5; 0 is no rating. */
  rating: number;
  createdAt: Date;
}

type Raw = Omit<ArtistSummary, 'hasCover' | 'neverSplit' | 'liked' | 'likedAt' | 'createdAt'> & {
  hasCover: number;
  neverSplit: number;
  liked: number;
  likedAt: number | null;
  createdAt: number;
};

/**
 * Tracks of an artist that are looked through for an album with a cover: of tens of thousands without any, all would
 * take too long.
 */
export const CREDITS_LOOKED_AT = 2_000;

const SELECT = `SELECT x.id, x.name, x.sort_name AS sortName, x.album_count AS albumCount, x.track_count AS trackCount,
    EXISTS (SELECT 1 FROM albums a JOIN album_covers c ON c.album_id = a.id WHERE a.artist_id = x.id
    AND c.key IS NOT NULL)
      OR EXISTS (SELECT 1 FROM (SELECT track_id FROM track_artists WHERE artist_id = x.id LIMIT ${CREDITS_LOOKED_AT}) ta
        CROSS JOIN tracks t ON t.id = ta.track_id CROSS JOIN album_covers c ON c.album_id = t.album_id
        WHERE c.key IS NOT NULL) AS hasCover,
    x.source, x.source_id AS sourceId, x.artist_mbid AS artistMbid, x.never_split AS neverSplit, coalesce(l.liked,
    0) AS liked, iif(l.liked, l.since, NULL) AS likedAt,
    coalesce(l.rating, 0) AS rating, x.created_at AS createdAt
  FROM json_each(@ids) ids CROSS JOIN artists x ON x.id = ids.value
  LEFT JOIN like_states l ON l.user_id = @userId AND l.item_type = 'artist' AND l.item_id = x.id`;

/** The artists of these ids in their order, as often as they are there; an id that is gone is left out. */
export function readArtists(statements: Statements, userId: UserId, ids: readonly number[]): ArtistSummary[] {
  const artists = statements.rows<Raw>(SELECT, { ids: JSON.stringify(ids), userId }).map((row) => ({
    ...row,
    hasCover: row.hasCover === 1,
    neverSplit: row.neverSplit === 1,
    liked: row.liked === 1,
    likedAt: row.likedAt === null ? null : new Date(row.likedAt),
    createdAt: new Date(row.createdAt),
  }));
  return inOrder(artists, ids);
}
