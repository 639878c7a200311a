// Statements that only the library's service uses.
import type { Sqlite } from '../db/client.ts';
import type { AlbumId, TrackId } from '../db/ids.ts';
import type { Availability } from '../db/schema.ts';
import { isNamed } from '../db/unknown-names.ts';

const MAX_EDITIONS = 100;

/** Prepares setting the availability of a track, if it still has the given former availability and audio URI. */
export const prepareSetAvailability = (client: Sqlite) =>
  client.prepare<[Availability, number, TrackId, Availability, string]>(
    'UPDATE tracks SET availability = ?, updated_at = ? WHERE id = ? AND availability = ? AND storage_uri = ?',
  );

/** Prepares listing the other albums of an album's release group, or with its artist and title, by year. */
export const prepareListEditions = (client: Sqlite) =>
  client
    .prepare<{ id: AlbumId }, AlbumId>(
      `SELECT a.id FROM (
          SELECT b.id FROM albums o CROSS JOIN albums b ON b.release_group_mbid = o.release_group_mbid WHERE o.id = @id
          UNION
          SELECT b.id FROM albums o CROSS JOIN albums b ON b.artist_id IS o.artist_id AND b.title_sort = o.title_sort
          WHERE o.id = @id AND ${isNamed('o')}) e
        CROSS JOIN albums a ON a.id = e.id AND a.id <> @id
        ORDER BY a.year IS NULL, a.year, a.id LIMIT ${MAX_EDITIONS}`,
    )
    .pluck();
