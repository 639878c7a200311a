// Albums that were started but not finished, derived from the last played tracks. Pure.
import type { AlbumOut, TrackOut } from '../../../api/routes.ts';

export interface UnfinishedAlbum {
  album: AlbumOut;
  heardCount: number;
  lastTrackId: number;
}

const MIN_TRACKS = 4;

/**
 * Returns the unfinished albums. `plays` are tracks by their last play, latest first; plays within three days count as
 * one session.
 */
export function unfinishedAlbums(
  albums: readonly AlbumOut[],
  plays: readonly TrackOut[],
  maxAlbums = 6,
): UnfinishedAlbum[] {
  const playsByAlbum = Map.groupBy(
    plays.filter((track) => track.album_title !== null && track.last_played_at !== null),
    (track) => track.album_id,
  );
  return albums
    .flatMap((album): UnfinishedAlbum[] => {
      const [latestTrack, ...earlierTracks] = playsByAlbum.get(album.id) ?? [];
      if (!latestTrack || album.track_count < MIN_TRACKS) return [];
      const sessionStartMs = Date.parse(latestTrack.last_played_at ?? '') - 3 * 86_400_000;
      const heardCount =
        1 + earlierTracks.filter((track) => Date.parse(track.last_played_at ?? '') >= sessionStartMs).length;
      return heardCount < album.track_count ? [{ album, heardCount, lastTrackId: latestTrack.id }] : [];
    })
    .slice(0, maxAlbums);
}
