// Replaces texts from tags without a declared charset after they were decoded again. Texts that a person typed or a
// service found are kept.
import type { Sqlite } from '../../db/client.ts';
import type { AlbumId, TrackId } from '../../db/ids.ts';
import { fieldsFrom, type KnownFields } from '../../db/track-fields.ts';
import { prepareFindTrack } from './track-identity.ts';
import type { TrackIdentity } from './track-values.ts';
import type { TrackWriter } from './track-writer.ts';

/**
 * Prepares replacing the texts of tracks of one album inside the caller's transaction; the function returns the album
 * that the tracks then have.
 */
export function prepareDecodedTexts(
  client: Sqlite,
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'renameAlbum'>,
) {
  const findStoredTrack = prepareFindTrack(client);
  const findAlbum = client.prepare<[AlbumId], { tracks: number }>(
    'SELECT track_count AS tracks FROM albums WHERE id = ?',
  );

  return (albumId: AlbumId, decodedIdentities: ReadonlyMap<TrackId, TrackIdentity>): AlbumId | null => {
    const storedTracks = [...decodedIdentities.keys()].flatMap((id) => findStoredTrack(id) ?? []);
    const changedTracks = storedTracks.map((track) => ({
      track,
      identity: withTexts(track.identity, decodedIdentities.get(track.id) as TrackIdentity),
    }));
    return tracks.batch(() => {
      const [firstTrack] = changedTracks;
      const isWholeAlbum = changedTracks.length === findAlbum.get(albumId)?.tracks;
      if (
        firstTrack &&
        isWholeAlbum &&
        changedTracks.every(({ identity }) => identity.album === firstTrack.identity.album)
      )
        tracks.renameAlbum(albumId, firstTrack.identity, firstTrack.track.folder);
      for (const { track, identity } of changedTracks) tracks.setIdentity(track.id, identity, track.folder);
      return firstTrack ? (findStoredTrack(firstTrack.track.id)?.albumId ?? null) : albumId;
    });
  };
}

/** Returns the stored identity, with the texts that come from tags replaced by their newly decoded forms. */
function withTexts(storedIdentity: TrackIdentity, decodedIdentity: TrackIdentity): TrackIdentity {
  const isFromTags = (field: string): boolean => {
    const origin = storedIdentity.provenance?.[field];
    return origin === undefined || origin === 'tag' || origin === 'charset';
  };
  const otherOrigins = Object.entries(storedIdentity.provenance ?? {}).filter(([field]) => !isFromTags(field));
  const tagOrigins = Object.entries(decodedIdentity.provenance ?? {}).filter(([field]) => isFromTags(field));
  const { artists, artist, artistSort } = isFromTags('artist') ? decodedIdentity : storedIdentity;
  const { album, albumArtist, albumArtists } = isFromTags('album') ? decodedIdentity : storedIdentity;
  return {
    ...storedIdentity,
    title: isFromTags('title') ? decodedIdentity.title : storedIdentity.title,
    artists,
    artist,
    artistSort,
    album,
    albumArtist,
    albumArtists,
    genres: isFromTags('genre') ? decodedIdentity.genres : storedIdentity.genres,
    ...(fieldsFrom((field) => (isFromTags(field) ? decodedIdentity[field] : storedIdentity[field])) as KnownFields),
    charset: decodedIdentity.charset,
    provenance: { ...Object.fromEntries(tagOrigins), ...Object.fromEntries(otherOrigins) },
  };
}
