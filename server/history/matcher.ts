// Finds the track of a play from another service: by recording mbid, or by artist and title. If several tracks match,
// the one on the same album is used. The songs of an artist are cached, because imports often have many plays of an
// artist in a row.
import type { MainDb } from '../db/client.ts';
import type { ArtistId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { plays, tracks } from '../db/schema.ts';
import { identityKey, sortKey, sortName } from '../library/tracks/sort-and-identity-keys.ts';
import { artistNames, titleKey } from './song-names.ts';

export type SongNames = RowAs<typeof plays, 'title' | 'artistName' | 'albumTitle' | 'recordingMbid'>;
type Candidate = RowAs<typeof tracks, 'id' | 'albumSort'>;
type Songs = Map<string, Candidate[]>;

const MAX_CACHED_ARTISTS = 200;

export type TrackMatcher = ReturnType<typeof createTrackMatcher>;

export function createTrackMatcher({ db }: { db: MainDb }) {
  const client = db.$client;
  const byRecording = client.prepare<[string], Candidate>(
    'SELECT id, album_sort AS albumSort FROM tracks WHERE recording_mbid = ? ORDER BY id LIMIT 50',
  );
  const artistByName = client.prepare<[string], ArtistId>('SELECT id FROM artists WHERE name_key = ?').pluck();
  const artistsBySort = client.prepare<[string], ArtistId>('SELECT id FROM artists WHERE sort_key = ? LIMIT 5').pluck();
  const songsOf = client.prepare<[ArtistId], Candidate & RowAs<typeof tracks, 'title'>>(
    'SELECT t.id, t.album_sort AS albumSort, t.title FROM track_artists a CROSS ' +
      'JOIN tracks t ON t.id = a.track_id WHERE a.artist_id = ? ORDER BY a.track_id',
  );
  const songsByName = new Map<string, Songs>();

  /** Returns the songs of all artists with this name. */
  function songsBy(name: string): Songs {
    const cachedSongs = songsByName.get(name);
    if (cachedSongs) return cachedSongs;
    const exact = artistByName.get(identityKey(name));
    const ids = exact === undefined ? artistsBySort.all(sortKey(sortName(name))) : [exact];
    const songs: Songs = Map.groupBy(
      ids.flatMap((id) => songsOf.all(id)),
      ({ title }) => titleKey(title),
    );
    if (songsByName.size >= MAX_CACHED_ARTISTS) songsByName.delete(songsByName.keys().next().value as string);
    songsByName.set(name, songs);
    return songs;
  }

  const pickByAlbum = (candidates: readonly Candidate[], albumTitle: string | null): TrackId | undefined => {
    const album = albumTitle === null ? undefined : sortKey(albumTitle);
    return (candidates.find(({ albumSort }) => albumSort === album) ?? candidates[0])?.id;
  };

  return {
    find({ title, artistName, albumTitle, recordingMbid }: SongNames): TrackId | undefined {
      const recordingMatch =
        recordingMbid === null ? undefined : pickByAlbum(byRecording.all(recordingMbid), albumTitle);
      if (recordingMatch !== undefined || artistName === null) return recordingMatch;
      const key = titleKey(title);
      for (const name of artistNames(artistName)) {
        const trackId = pickByAlbum(songsBy(name).get(key) ?? [], albumTitle);
        if (trackId !== undefined) return trackId;
      }
      return undefined;
    },
    /** Clears the cache. To be called between transactions, because the library may have changed. */
    forget: (): void => songsByName.clear(),
  };
}
