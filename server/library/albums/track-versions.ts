// Finds files of one recording at one place of an album, such as an MP3 and the FLAC beside it. They stay separate
// tracks, with their own likes and plays; the album shows only the best of them, and the details of a track list the
// others as versions.
import type { Sqlite } from '../../db/client.ts';
import type { AlbumId, TrackId } from '../../db/ids.ts';
import { inNamedAlbum } from '../../db/unknown-names.ts';
import { compareQuality } from '../tracks/audio-quality.ts';
import { groupConnected, createComparison, placeOf } from './releases.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';
import type { TrackSummary } from '../lists/track-rows.ts';
import { createTrackSounds } from '../tracks/track-sounds.ts';

export function createTrackVersions(client: Sqlite) {
  const sounds = createTrackSounds(client);
  const listSharingPlace = client
    .prepare<[AlbumId], TrackId>(
      `SELECT id FROM (SELECT t.id, count(*) OVER (PARTITION BY coalesce(t.disc_number, 1), t.track_number) AS n
          FROM tracks t WHERE t.album_id = +? AND ${inNamedAlbum('t')})
        WHERE n > 1`,
    )
    .pluck();
  const findDismissal = client.prepare<{ a: TrackId; b: TrackId }>(
    'SELECT 1 FROM duplicate_dismissals WHERE track_id = min(@a, @b) AND other_id = max(@a, @b)',
  );

  return {
    /**
     * Returns the recordings of which the album has several files, the best first. `readTracks` returns tracks by id,
     * with their current availability.
     */
    inAlbum(album: AlbumId, readTracks: (ids: readonly TrackId[]) => TrackSummary[]): TrackSummary[][] {
      const ids = listSharingPlace.all(album);
      if (ids.length === 0) return [];
      const isSameRecording = createComparison(sounds());
      const placedTracks = readTracks(ids).map((track) => ({
        track,
        id: track.id,
        title: identityKey(track.title),
        durationMs: track.durationMs ?? 0,
        disc: track.discNumber ?? 1,
        number: track.trackNumber,
      }));
      return [...Map.groupBy(placedTracks, placeOf).values()]
        .flatMap((group) =>
          groupConnected(
            group,
            (a, b) => isSameRecording(a, b) && findDismissal.get({ a: a.id, b: b.id }) === undefined,
          ),
        )
        .filter(({ length }) => length > 1)
        .map((group) =>
          group.map(({ track }) => track).toSorted((a, b) => compareQuality(a, b) || Number(a.id) - Number(b.id)),
        );
    },
  };
}
