// Statements that only the library's service uses.
import type { Sqlite } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import type { Availability } from '../db/schema.ts';

const MAX_EDITIONS = 100;

/** Prepares setting the availability of a track, if it still has the given former availability and audio URI. */
export const prepareSetAvailability = (client: Sqlite) =>
  client.prepare<[Availability, number, TrackId, Availability, string]>(
    'UPDATE tracks SET availability = ?, updated_at = ? WHERE id = ? AND availability = ? AND storage_uri = ?',
  );

/** Prepares listing the other albums of an album's release group, by year. */
export const prepareListEditions = (client: Sqlite) =>
  client
    .prepare<[AlbumId, AlbumId], AlbumId>(
      `SELECT a.id FROM albums a WHERE a.release_group_mbid = (SELECT release_group_mbid FROM albums WHERE id = ?)
        AND a.id <> ? ORDER BY a.year IS NULL, a.year, a.id LIMIT ${MAX_EDITIONS}`,
    )
    .pluck();
