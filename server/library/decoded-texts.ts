// What came from tags that do not say their charset, after they were decoded again. What a person typed, or a service
// found, stays.
import type { Sqlite } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import { fieldsFrom, type KnownFields } from '../db/track-fields.ts';
import { prepareKnownTracks } from './track-identity.ts';
import type { TrackIdentity } from './track-values.ts';
import type { TrackWriter } from './track-writer.ts';

/** Replaces the texts of tracks of one album, inside the caller's transaction; answers which album they have then. */
export function prepareDecodedTexts(
  client: Sqlite,
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'renameAlbum'>,
) {
  const findKnown = prepareKnownTracks(client);
  const findAlbum = client.prepare<[AlbumId], { tracks: number }>(
    'SELECT track_count AS tracks FROM albums WHERE id = ?',
  );

  return (albumId: AlbumId, read: ReadonlyMap<TrackId, TrackIdentity>): AlbumId | null => {
    const known = [...read.keys()].flatMap((id) => findKnown(id) ?? []);
    const next = known.map((track) => ({
      track,
      identity: withTexts(track.identity, read.get(track.id) as TrackIdentity),
    }));
    return tracks.batch(() => {
      const [first] = next;
      const isWhole = next.length === findAlbum.get(albumId)?.tracks;
      if (first && isWhole && next.every(({ identity }) => identity.album === first.identity.album))
        tracks.renameAlbum(albumId, first.identity, first.track.folder);
      for (const { track, identity } of next) tracks.setIdentity(track.id, identity, track.folder);
      return first ? (findKnown(first.track.id)?.albumId ?? null) : albumId;
    });
  };
}

/** The fields that come from tags, as they are read now. */
function withTexts(current: TrackIdentity, read: TrackIdentity): TrackIdentity {
  const isFromTags = (field: string): boolean => {
    const origin = current.provenance?.[field];
    return origin === undefined || origin === 'tag' || origin === 'charset';
  };
  const kept = Object.entries(current.provenance ?? {}).filter(([field]) => !isFromTags(field));
  const fresh = Object.entries(read.provenance ?? {}).filter(([field]) => isFromTags(field));
  const { artists, artist, artistSort } = isFromTags('artist') ? read : current;
  const { album, albumArtist, albumArtists } = isFromTags('album') ? read : current;
  return {
    ...current,
    title: isFromTags('title') ? read.title : current.title,
    artists,
    artist,
    artistSort,
    album,
    albumArtist,
    albumArtists,
    genres: isFromTags('genre') ? read.genres : current.genres,
    ...(fieldsFrom((field) => (isFromTags(field) ? read[field] : current[field])) as KnownFields),
    charset: read.charset,
    provenance: { ...Object.fromEntries(fresh), ...Object.fromEntries(kept) },
  };
}
