// Reads the album rows for the ids of a page, in one statement. page-ids.ts finds the ids.
import type { AlbumId, ArtistId, UserId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { albums, tracks } from '../../db/schema.ts';
import type { MoreTags } from '../../db/more-tags.ts';
import { readAlbumArtists } from './album-artist-rows.ts';
import { averageRating } from './filters.ts';
import { valuesOfList } from '../../db/track-fields.ts';
import type { Page } from '../../http/paging.ts';
import { releaseTypes } from '../albums/release-types.ts';
import { HAS_OWN_EDITION, IS_RELEASE_OF_FILE, moreTagsFor } from './track-rows.ts';
import { inOrder, type Statements } from './statement-cache.ts';
import { separateValues } from '../tracks/separate-values.ts';
import { isNamed } from '../../db/unknown-names.ts';

type Column =
  | 'id'
  | 'title'
  | 'artistId'
  | 'year'
  | 'genre'
  | 'isCompilation'
  | 'trackCount'
  | 'discCount'
  | 'durationMs'
  | 'sizeBytes'
  | 'source'
  | 'sourceId'
  | 'releaseGroupMbid'
  | 'createdAt'
  | 'updatedAt';

interface JoinedColumns {
  artistName: string | null;
  /** ETag of the current cover. */
  coverEtag: string | null;
  /** 0 to 5; 0 means unrated. */
  rating: number;
  /** The mean rating of all users; null without a rating. */
  averageRating: number | null;
  playCount: number;
  /** The account that uploaded all tracks of the album; null if there is none. */
  uploadedBy: UserId | null;
}

/** An album with its artist's name, and with the likes, rating and plays of the requesting user. */
export interface AlbumSummary extends Pick<typeof albums.$inferSelect, Column>, JoinedColumns {
  /** The artists under which the album is filed; none for an album without an artist. */
  artists: { id: ArtistId; name: string }[];
  /** Record labels of the album's tracks. */
  labels: string[];
  /** The earliest original year of the album's tracks. */
  originalYear: number | null;
  /** Read from the files of the first disc, like `edition` and `releaseTypes`. */
  releaseMbid: string | null;
  edition: string | null;
  releaseTypes: string[];
  discTitles: { disc: number; title: string }[];
  /** The tags of one track of each disc, ordered by disc number. */
  moreTags: { disc: number | null; tags: MoreTags }[];
  /** The moods in the tags of its tracks. */
  moods: string[];
  /** True if a track is explicit; false if no track is explicit and some are clean; null if the tags do not say. */
  isExplicit: boolean | null;
  hasCover: boolean;
  liked: boolean;
  likedAt: Date | null;
  lastPlayedAt: Date | null;
}

interface RawAlbumRow extends RowAs<typeof albums, Column>, JoinedColumns {
  hasCover: number;
  liked: number;
  likedAt: number | null;
  lastPlayedAt: number | null;
}

const SELECT = `SELECT a.id, a.title, a.artist_id AS artistId, x.name AS artistName, a.year, a.genre,
    a.is_compilation AS isCompilation,
    a.track_count AS trackCount, a.disc_count AS discCount, a.duration_ms AS durationMs, a.size_bytes AS sizeBytes,
    (c.key IS NOT NULL
      OR ${isNamed('a')}
        AND EXISTS (SELECT 1 FROM tracks t WHERE t.album_id = a.id AND t.cover_url IS NOT NULL)) AS hasCover,
    c.etag AS coverEtag,
    a.source, a.source_id AS sourceId, a.release_group_mbid AS releaseGroupMbid,
    coalesce(l.liked, 0) AS liked, iif(l.liked, l.since, NULL) AS likedAt,
    coalesce(l.rating, 0) AS rating, ${averageRating('album', 'a.id')} AS averageRating,
    iif(${isNamed('a')}, (SELECT u.uploaded_by
      FROM (SELECT t.uploaded_by FROM tracks t WHERE t.album_id = a.id LIMIT 1) u
      WHERE u.uploaded_by IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM tracks t WHERE t.album_id = a.id AND t.uploaded_by IS NOT u.uploaded_by)), NULL) AS uploadedBy,
    coalesce(p.plays, 0) AS playCount, nullif(p.last_played_at, 0) AS lastPlayedAt,
    a.created_at AS createdAt, a.updated_at AS updatedAt
  FROM json_each(@ids) ids CROSS JOIN albums a ON a.id = ids.value
  LEFT JOIN artists x ON x.id = a.artist_id
  LEFT JOIN album_covers c ON c.album_id = a.id
  LEFT JOIN like_states l ON l.user_id = +@userId AND l.item_type = 'album' AND l.item_id = a.id
  LEFT JOIN play_counts p ON p.user_id = +@userId AND p.item_type = 'album' AND p.item_id = a.id`;

// Selects labels and original years, once per page, with a partial index of the tracks that have either.
const RELEASE_VALUES = `SELECT t.album_id AS id, t.label, min(t.original_year) AS originalYear
  FROM json_each(@ids) ids CROSS JOIN tracks t INDEXED BY tracks_album_release ON t.album_id = ids.value
  WHERE t.label IS NOT NULL OR t.original_year IS NOT NULL GROUP BY t.album_id, t.label`;
interface Release extends RowAs<typeof tracks, 'label' | 'originalYear'> {
  id: AlbumId;
}

// Finds the first track of each disc with an index only. Albums without a name are left out: they may have any number
// of tracks.
const FROM_NAMED_ALBUMS = `FROM json_each(@ids) ids CROSS JOIN albums a ON a.id = ids.value AND ${isNamed('a')}
    CROSS JOIN tracks t INDEXED BY tracks_album_id ON t.album_id = a.id`;
const DISC_TAGS = `SELECT t.album_id AS id, t.disc_number AS disc, ${moreTagsFor('album', 'albumSort')} AS tags,
    ${IS_RELEASE_OF_FILE} AS isRelease, ${HAS_OWN_EDITION} AS hasEdition
  FROM (SELECT t.id, min(coalesce(t.track_number, 9999)) ${FROM_NAMED_ALBUMS} GROUP BY t.album_id, t.disc_number) f
  CROSS JOIN tracks t ON t.id = f.id CROSS JOIN more_tags m ON m.track_id = t.id
  ORDER BY t.album_id, t.disc_number`;
interface DiscTags {
  id: AlbumId;
  disc: number | null;
  tags: string;
  isRelease: 0 | 1;
  hasEdition: 0 | 1;
}
// Selects the advisory flags. Few libraries have such tags, and other libraries skip this query.
const EXPLICIT_FLAGS = `SELECT t.album_id AS id, max(m.is_explicit) AS isExplicit ${FROM_NAMED_ALBUMS}
    CROSS JOIN more_tags m INDEXED BY more_tags_is_explicit ON m.track_id = t.id AND m.is_explicit IS NOT NULL
  WHERE EXISTS (SELECT 1 FROM more_tags INDEXED BY more_tags_is_explicit WHERE is_explicit IS NOT NULL)
  GROUP BY t.album_id`;

// Selects the moods of all tracks. Few libraries have such tags, and other libraries find nothing in the partial index.
const MOODS = `SELECT t.album_id AS id, m.tags ->> '$.mood' AS moods ${FROM_NAMED_ALBUMS}
    CROSS JOIN more_tags m INDEXED BY more_tags_mood ON m.track_id = t.id
      AND json_valid(m.tags) AND m.tags ->> '$.mood' IS NOT NULL
  WHERE EXISTS (SELECT 1 FROM more_tags INDEXED BY more_tags_mood
    WHERE json_valid(tags) AND tags ->> '$.mood' IS NOT NULL)`;

/** Returns albums in the order of the ids. Repeated ids are repeated, unknown ones skipped. */
export function readAlbums(statements: Statements, userId: UserId, ids: readonly number[]): AlbumSummary[] {
  const items = statements.rows<RawAlbumRow>(SELECT, { ids: JSON.stringify(ids), userId }).map((row) => ({
    ...row,
    artists: row.artistId === null || row.artistName === null ? [] : [{ id: row.artistId, name: row.artistName }],
    labels: [] as string[],
    originalYear: null as number | null,
    moreTags: [] as AlbumSummary['moreTags'],
    moods: [] as string[],
    isExplicit: null as boolean | null,
    releaseMbid: null as string | null,
    edition: null as string | null,
    releaseTypes: [] as string[],
    discTitles: [] as AlbumSummary['discTitles'],
    isCompilation: row.isCompilation === 1,
    hasCover: row.hasCover === 1,
    liked: row.liked === 1,
    likedAt: toDate(row.likedAt),
    lastPlayedAt: toDate(row.lastPlayedAt),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  }));
  const byId = new Map(items.map((album) => [album.id, album]));
  const uniqueIds = { ids: JSON.stringify([...byId.keys()]) };
  for (const [id, artists] of readAlbumArtists(statements, [...byId.keys()])) {
    const album = byId.get(id);
    if (!album) continue;
    album.artists.push(...artists.filter((artist) => artist.id !== album.artistId));
    album.artistName = album.artists.map(({ name }) => name).join(', ');
  }
  for (const { id, label, originalYear } of statements.rows<Release>(RELEASE_VALUES, uniqueIds)) {
    const album = byId.get(id);
    if (!album) continue;
    album.originalYear = Math.min(album.originalYear ?? Infinity, originalYear ?? Infinity);
    if (album.originalYear === Infinity) album.originalYear = null;
    for (const name of valuesOfList(label)) if (!album.labels.includes(name)) album.labels.push(name);
  }
  for (const { id, disc, tags, isRelease, hasEdition } of statements.rows<DiscTags>(DISC_TAGS, uniqueIds)) {
    const { releaseMbid, edition, ...otherTags } = JSON.parse(tags) as MoreTags;
    const releaseTags = {
      ...(isRelease === 1 && releaseMbid && { releaseMbid }),
      ...(hasEdition === 1 && edition && { edition }),
    };
    byId.get(id)?.moreTags.push({ disc, tags: { ...otherTags, ...releaseTags } });
  }
  for (const album of items) {
    const tags = album.moreTags[0]?.tags ?? {};
    album.releaseMbid = tags.releaseMbid ?? null;
    album.edition = tags.edition?.join(', ') || null;
    album.releaseTypes = releaseTypes(tags, album.isCompilation);
    album.discTitles = album.moreTags.flatMap(({ disc, tags: { discSubtitle } }) =>
      discSubtitle === undefined ? [] : [{ disc: disc ?? 1, title: discSubtitle }],
    );
  }
  for (const { id, isExplicit } of statements.rows<{ id: AlbumId; isExplicit: number }>(EXPLICIT_FLAGS, uniqueIds)) {
    const album = byId.get(id);
    if (album) album.isExplicit = isExplicit === 1;
  }
  for (const { id, moods } of statements.rows<{ id: AlbumId; moods: string }>(MOODS, uniqueIds)) {
    const album = byId.get(id);
    if (album) album.moods = [...new Set([...album.moods, ...separateValues(JSON.parse(moods) as string[])])];
  }
  return inOrder(items, ids);
}

export type PlayedOrder = 'plays' | 'last_played_at';

/** Returns the ids of the albums that the user played most, or last; removed albums are skipped. */
export const playedAlbumIds = (
  statements: Statements,
  userId: UserId,
  by: PlayedOrder,
  { limit, offset }: Page,
): AlbumId[] =>
  statements.column<AlbumId>(
    `SELECT p.item_id FROM play_counts p CROSS JOIN albums i ON i.id = p.item_id
      WHERE p.user_id = @userId AND p.item_type = 'album' ORDER BY p.${by} DESC, p.item_id DESC
      LIMIT @limit OFFSET @offset`,
    { userId, limit, offset },
  );

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
