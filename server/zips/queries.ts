// Finds the tracks of a zip, and their names in it.
import { albumPlace } from '../db/album-place.ts';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { albums, tracks } from '../db/schema.ts';
import { inNamedAlbum } from '../db/unknown-names.ts';

export interface NamedRow extends RowAs<typeof tracks, 'id' | 'title' | 'artistName' | 'trackNumber' | 'discNumber'> {
  albumTitle: RowAs<typeof albums, 'title'>['title'] | null;
  albumArtist: string | null;
  year: number | null;
  discCount: number | null;
  createdAt: number;
}

const TRACKS_PER_QUERY = 500;

export function createZipQueries(db: MainDb) {
  const client = db.$client;
  const ofAlbum = client
    .prepare<[number], TrackId>(`SELECT id FROM tracks WHERE album_id = ? ORDER BY ${albumPlace()}, id`)
    .pluck();
  const ofArtist = client
    .prepare<[number, number], TrackId>(
      `SELECT t.id FROM tracks t LEFT JOIN albums a ON a.id = t.album_id
       WHERE t.id IN (SELECT track_id FROM track_artists WHERE artist_id = ?
         UNION SELECT id FROM tracks WHERE album_id IN (SELECT id FROM albums WHERE artist_id = ?))
       ORDER BY a.year, t.album_id, ${albumPlace('t')}, t.id`,
    )
    .pluck();
  const selectNamed = client.prepare<[string], NamedRow>(
    `SELECT t.id, t.title, t.artist_name AS artistName, t.track_number AS trackNumber, t.disc_number AS discNumber,
       a.title AS albumTitle, r.name AS albumArtist, a.year, a.disc_count AS discCount, t.created_at AS createdAt
     FROM json_each(?) wanted JOIN tracks t ON t.id = wanted.value
       LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')} LEFT JOIN artists r ON r.id = a.artist_id
       ORDER BY wanted.key`,
  );
  const album = client.prepare<[number], { title: string; artist: string | null }>(
    'SELECT a.title, r.name AS artist FROM albums a LEFT JOIN artists r ON r.id = a.artist_id WHERE a.id = ?',
  );
  const artist = client.prepare<[number], string>('SELECT name FROM artists WHERE id = ?').pluck();

  return {
    findAlbum: (id: AlbumId) => album.get(id),
    findArtist: (id: ArtistId): string | undefined => artist.get(id),
    ofAlbum: (id: AlbumId): TrackId[] => ofAlbum.all(id),
    ofArtist: (id: ArtistId): TrackId[] => ofArtist.all(id, id),
    /** Yields the rows in the order of the ids, some hundred at a time. */
    *listNamed(ids: readonly TrackId[]): Generator<NamedRow[]> {
      for (let offset = 0; offset < ids.length; offset += TRACKS_PER_QUERY)
        yield selectNamed.all(JSON.stringify(ids.slice(offset, offset + TRACKS_PER_QUERY)));
    },
  };
}
