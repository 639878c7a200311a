// The second step of every list of albums: the rows of a page's ids, in one statement.
import type { AlbumId, ArtistId, UserId } from '../db/ids.ts';
import { valuesOfList } from '../db/track-fields.ts';
import { inOrder, type Statements } from './statements.ts';

/** An album with its artist's name, and with what the asking person did with it. */
export interface AlbumSummary {
  id: AlbumId;
  title: string;
  artistId: ArtistId | null;
  artistName: string | null;
  year: number | null;
  genre: string | null;
  /** Of its tracks. */
  labels: string[];
  /** The earliest of its tracks. */
  originalYear: number | null;
  isCompilation: boolean;
  trackCount: number;
  discCount: number;
  durationMs: number;
  sizeBytes: number;
  hasCover: boolean;
  /** Of the cover as it is now. */
  coverEtag: string | null;
  source: string | null;
  sourceId: string | null;
  releaseGroupMbid: string | null;
  liked: boolean;
  likedAt: Date | null;
  /** 0..5; 0 is no rating. */
  rating: number;
  playCount: number;
  lastPlayedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

type Raw = Omit<
  AlbumSummary,
  | 'labels'
  | 'originalYear'
  | 'isCompilation'
  | 'hasCover'
  | 'liked'
  | 'likedAt'
  | 'lastPlayedAt'
  | 'createdAt'
  | 'updatedAt'
> & {
  isCompilation: number;
  hasCover: number;
  liked: number;
  likedAt: number | null;
  lastPlayedAt: number | null;
  createdAt: number;
  updatedAt: number;
};

const SELECT = `SELECT a.id, a.title, a.artist_id AS artistId, x.name AS artistName, a.year, a.genre,
    a.is_compilation AS isCompilation,
    a.track_count AS trackCount, a.disc_count AS discCount, a.duration_ms AS durationMs, a.size_bytes AS sizeBytes,
    (c.key IS NOT NULL
      OR EXISTS (SELECT 1 FROM tracks t WHERE t.album_id = a.id AND t.cover_url IS NOT NULL)) AS hasCover,
    c.etag AS coverEtag,
    a.source, a.source_id AS sourceId, a.release_group_mbid AS releaseGroupMbid,
    coalesce(l.liked, 0) AS liked, iif(l.liked, l.since, NULL) AS likedAt,
    coalesce(l.rating, 0) AS rating, coalesce(p.plays, 0) AS playCount, p.last_played_at AS lastPlayedAt,
    a.created_at AS createdAt, a.updated_at AS updatedAt
  FROM json_each(@ids) ids CROSS JOIN albums a ON a.id = ids.value
  LEFT JOIN artists x ON x.id = a.artist_id
  LEFT JOIN album_covers c ON c.album_id = a.id
  LEFT JOIN like_states l ON l.user_id = @userId AND l.item_type = 'album' AND l.item_id = a.id
  LEFT JOIN play_counts p ON p.user_id = @userId AND p.item_type = 'album' AND p.item_id = a.id`;

// In one look for the whole page, in an index that only tracks with either are in.
const RELEASES = `SELECT t.album_id AS id, t.label, min(t.original_year) AS originalYear
  FROM json_each(@ids) ids CROSS JOIN tracks t INDEXED BY tracks_album_release ON t.album_id = ids.value
  WHERE t.label IS NOT NULL OR t.original_year IS NOT NULL GROUP BY t.album_id, t.label`;
interface Release {
  id: AlbumId;
  label: string | null;
  originalYear: number | null;
}

/** The albums of these ids in their order, as often as they are there; an id that is gone is left out. */
export function readAlbums(statements: Statements, userId: UserId, ids: readonly number[]): AlbumSummary[] {
  const albums = statements.rows<Raw>(SELECT, { ids: JSON.stringify(ids), userId }).map((row) => ({
    ...row,
    labels: [] as string[],
    originalYear: null as number | null,
    isCompilation: row.isCompilation === 1,
    hasCover: row.hasCover === 1,
    liked: row.liked === 1,
    likedAt: toDate(row.likedAt),
    lastPlayedAt: toDate(row.lastPlayedAt),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  }));
  const byId = new Map(albums.map((album) => [album.id, album]));
  const asked = { ids: JSON.stringify([...byId.keys()]) };
  for (const { id, label, originalYear } of statements.rows<Release>(RELEASES, asked)) {
    const album = byId.get(id);
    if (!album) continue;
    album.originalYear = Math.min(album.originalYear ?? Infinity, originalYear ?? Infinity);
    if (album.originalYear === Infinity) album.originalYear = null;
    for (const name of valuesOfList(label)) if (!album.labels.includes(name)) album.labels.push(name);
  }
  return inOrder(albums, ids);
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
