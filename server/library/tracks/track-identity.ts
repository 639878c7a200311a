// Reads a track's current metadata in the shape that the track writer takes: enrichment and manual edits start from it.
import { isDeepStrictEqual } from 'node:util';
import type { Sqlite } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { MoreTags } from '../../db/more-tags.ts';
import type { RowAs } from '../../db/rows.ts';
import type { MetadataStatus, Origin, tracks } from '../../db/schema.ts';
import { fieldColumns, fieldsFrom, knownFields, type FieldValues, type KnownFields } from '../../db/track-fields.ts';
import { IS_RELEASE_OF_FILE } from '../lists/track-rows.ts';
import { splitArtists } from '../albums/artist-split.ts';
import { identityKey } from './sort-and-identity-keys.ts';
import { visibleName } from './resolve.ts';
import { isCompilation, isVariousArtists, VARIOUS_ARTISTS } from '../albums/compilations.ts';
import { albumTagsOf, taggedAlbumArtists, type AlbumTag, type TrackIdentity } from './track-values.ts';
import { inNamedAlbum } from '../../db/unknown-names.ts';

export interface TrackWithIdentity extends RowAs<
  typeof tracks,
  | 'id'
  | 'source'
  | 'sourceId'
  | 'storageUri'
  | 'availability'
  | 'enrichedAt'
  | 'fpidScore'
  | 'durationMs'
  | 'format'
  | 'codec'
  | 'albumId'
  | 'sectionStart'
  | 'sampleRateHz'
> {
  status: MetadataStatus;
  error: string | null;
  /** Folder of the track's file (source_folders.id), if it has one. */
  folder: number | undefined;
  identity: TrackIdentity;
}

interface Row
  extends
    Omit<TrackWithIdentity, 'folder' | 'identity'>,
    FieldValues,
    RowAs<typeof tracks, 'title' | 'artistName' | 'genre' | 'recordingMbid' | 'acoustidId' | 'charset' | 'provenance'> {
  folder: number | null;
  album: string | null;
  albumArtist: string | null;
  isCompilation: number | null;
  releaseGroupMbid: string | null;
  releaseTags: string | null;
  lyricsSynced: number | null;
  lyricsLines: string | null;
  lyricsLanguage: string | null;
  artists: string;
  albumArtists: string;
  genres: string;
}

export type FindTrack = ReturnType<typeof prepareFindTrack>;

export function prepareFindTrack(client: Sqlite) {
  const findRow = client.prepare<
    [TrackId],
    Row
  >(`SELECT t.id, t.source, t.source_id AS sourceId, t.storage_uri AS storageUri, t.availability,
      t.metadata_status AS status, t.metadata_error AS error, t.enriched_at AS enrichedAt, t.fpid_score AS fpidScore,
      t.duration_ms AS durationMs, t.format, t.codec, t.album_id AS albumId,
      t.section_start AS sectionStart, t.sample_rate_hz AS sampleRateHz,
      t.title, t.artist_name AS artistName, t.genre, ${fieldColumns('t')},
      t.recording_mbid AS recordingMbid, t.acoustid_id AS acoustidId, t.charset, t.provenance,
      al.title AS album, aa.name AS albumArtist, al.is_compilation AS isCompilation,
      al.release_group_mbid AS releaseGroupMbid,
      (SELECT json_object('releaseMbid', iif(${IS_RELEASE_OF_FILE}, m.tags ->> '$.releaseMbid', NULL),
        'edition', m.tags -> '$.edition', 'releaseType', m.tags -> '$.releaseType',
        'albumSort', m.tags ->> '$.albumSort') FROM more_tags m WHERE m.track_id = t.id) AS releaseTags,
      (SELECT json_group_array(x.name ORDER BY r.position)
        FROM track_album_artists r JOIN artists x ON x.id = r.artist_id WHERE r.track_id = t.id) AS albumArtists,
      l.synced AS lyricsSynced, l.lines AS lyricsLines, l.language AS lyricsLanguage,
      (SELECT folder_id FROM source_files WHERE track_id = t.id LIMIT 1) AS folder,
      (SELECT json_group_array(credit ORDER BY position) FROM track_artists WHERE track_id = t.id) AS artists,
      (SELECT json_group_array(g.name ORDER BY tg.position) FROM track_genres tg JOIN genres g ON g.id = tg.genre_id
        WHERE tg.track_id = t.id) AS genres
    FROM tracks t LEFT JOIN albums al ON al.id = t.album_id AND ${inNamedAlbum('t')}
      LEFT JOIN artists aa ON aa.id = al.artist_id
      LEFT JOIN lyrics l ON l.track_id = t.id
    WHERE t.id = ?`);

  return (id: TrackId): TrackWithIdentity | undefined => {
    const row = findRow.get(id);
    return row && { ...row, folder: row.folder ?? undefined, identity: toIdentity(row) };
  };
}

const toIdentity = (row: Row): TrackIdentity => ({
  title: row.title,
  artists: JSON.parse(row.artists) as string[],
  artist: row.artistName ?? undefined,
  album: row.album ?? undefined,
  ...albumArtistsOf(row),
  compilation: row.isCompilation === 1 ? true : undefined,
  releaseGroupMbid: row.releaseGroupMbid ?? undefined,
  ...releaseTagsOf(row),
  genres: withOwnSpelling(JSON.parse(row.genres) as string[], row.genre),
  ...(fieldsFrom((field) => row[field] ?? undefined) as KnownFields),
  recordingMbid: row.recordingMbid ?? undefined,
  acoustidId: row.acoustidId ?? undefined,
  lyrics:
    row.lyricsLines === null
      ? undefined
      : {
          synced: row.lyricsSynced === 1,
          lines: JSON.parse(row.lyricsLines) as { text: string }[],
          ...(row.lyricsLanguage !== null && { language: row.lyricsLanguage }),
        },
  charset: row.charset ?? undefined,
  provenance: row.provenance === null ? undefined : (JSON.parse(row.provenance) as Partial<Record<string, Origin>>),
});

function releaseTagsOf({ releaseTags }: Row): Pick<TrackIdentity, 'releaseMbid' | AlbumTag> {
  const tags = releaseTags === null ? null : (JSON.parse(releaseTags) as MoreTags & { releaseMbid: string | null });
  return { releaseMbid: tags?.releaseMbid ?? undefined, ...albumTagsOf(tags) };
}

/** Returns the album artists; several are shown with commas. */
function albumArtistsOf({
  album,
  albumArtist,
  albumArtists,
}: Row): Pick<TrackIdentity, 'albumArtist' | 'albumArtists'> {
  const names = album === null ? [] : (JSON.parse(albumArtists) as string[]);
  // a rule may have filed the album under another artist, such as `Various Artists`
  if (names.length === 0 || albumArtist !== names[0]) return { albumArtist: albumArtist ?? undefined };
  return { albumArtist: names.join(', '), albumArtists: names };
}

/** Returns genres with the track's own spelling of its first genre: genres are stored in one spelling. */
const withOwnSpelling = ([firstGenre, ...otherGenres]: string[], trackSpelling: string | null): string[] =>
  firstGenre === undefined
    ? []
    : [
        trackSpelling !== null && identityKey(trackSpelling) === identityKey(firstGenre) ? trackSpelling : firstGenre,
        ...otherGenres,
      ];

/** Returns the identity without the values that the analysis filled in. */
export function withoutMeasured({ provenance = {}, ...identity }: TrackIdentity): TrackIdentity {
  const origins = Object.entries(provenance);
  const clearedFields = origins.filter(([, origin]) => origin === 'measured').map(([field]) => [field, undefined]);
  return {
    ...identity,
    ...(Object.fromEntries(clearedFields) as Partial<TrackIdentity>),
    provenance: Object.fromEntries(origins.filter(([, origin]) => origin !== 'measured')),
  };
}

/**
 * Returns true if writing `b` over `a` would change nothing. Spellings of an album title are equal, since an album has
 * one.
 */
export const isSameIdentity = (a: TrackIdentity, b: TrackIdentity): boolean =>
  isDeepStrictEqual(comparableForm(a), comparableForm(b));

function comparableForm(identity: TrackIdentity): unknown {
  const names = splitArtists(identity.artists).filter((name) => visibleName(name) !== undefined);
  const title = identityKey(visibleName(identity.album) ?? '');
  const albumArtists = taggedAlbumArtists(identity);
  const taggedFields =
    albumArtists.join('\n') || ((identity.compilation ? VARIOUS_ARTISTS : undefined) ?? names[0] ?? '');
  const isVarious = isVariousArtists(taggedFields);
  const { provenance = {} } = identity;
  return {
    title: identity.title,
    names,
    credit: identity.artist ?? names.join(', '),
    album:
      title === ''
        ? null
        : [
            title,
            identityKey(isVarious ? VARIOUS_ARTISTS : taggedFields),
            isCompilation(identity.compilation, taggedFields),
            identity.releaseGroupMbid,
          ],
    genres: [...new Set(identity.genres.map(identityKey))],
    ...knownFields(identity),
    recordingMbid: identity.recordingMbid,
    acoustidId: identity.acoustidId,
    charset: identity.charset,
    lyrics: identity.lyrics
      ? [identity.lyrics.synced, JSON.stringify(identity.lyrics.lines), identity.lyrics.language]
      : null,
    provenance: Object.entries(provenance)
      .filter(([, origin]) => origin !== undefined)
      .toSorted(([x], [y]) => (x < y ? -1 : 1)),
  };
}
