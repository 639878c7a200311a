// Reads the artists of albums that are filed under several.
import type { AlbumId, ArtistId } from '../../db/ids.ts';
import type { Statements } from './statement-cache.ts';

/** Returns the artists of the albums that have several, in their order. */
export function readAlbumArtists(
  statements: Statements,
  ids: readonly AlbumId[],
): Map<AlbumId, { id: ArtistId; name: string }[]> {
  const rows = statements.rows<{ albumId: AlbumId; id: ArtistId; name: string }>(
    `SELECT r.album_id AS albumId, x.id, x.name FROM json_each(@ids) ids CROSS JOIN album_artists r
      ON r.album_id = ids.value CROSS JOIN artists x ON x.id = r.artist_id ORDER BY ids.key, r.position, x.id`,
    { ids: JSON.stringify(ids) },
  );
  return new Map(
    [...Map.groupBy(rows, ({ albumId }) => albumId)].map(([albumId, artists]) => [
      albumId,
      artists.map(({ id, name }) => ({ id, name })),
    ]),
  );
}
