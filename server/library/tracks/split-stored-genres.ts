// Splits genres of tracks that were read before their separators were known or set: `Rock; Pop` becomes two genres.
// Genres that a person wrote stay as they are.
import type { MainDb } from '../../db/client.ts';
import type { GenreId, TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { genres } from '../../db/schema.ts';
import { splitValues } from '../../media/tag-separators.ts';
import { yieldIfDue } from '../../runtime/time-slices.ts';
import { prepareFindTrack } from './track-identity.ts';
import type { TrackWriter } from './track-writer.ts';

const TRACKS_PER_TRANSACTION = 20;

/** Returns the number of tracks that got other genres. Ends early when the database is closed. */
export async function splitStoredGenres(
  db: MainDb,
  writer: Pick<TrackWriter, 'batch' | 'setIdentity'>,
  separators: readonly string[],
): Promise<number> {
  const client = db.$client;
  const listGenres = client.prepare<[], RowAs<typeof genres, 'id' | 'name'>>('SELECT id, name FROM genres');
  const listTracks = client
    .prepare<[GenreId, TrackId], TrackId>(
      `SELECT g.track_id FROM track_genres g CROSS JOIN tracks t ON t.id = g.track_id
        WHERE g.genre_id = ? AND g.track_id > ? AND t.metadata_status <> 'manual'
          AND coalesce(t.provenance ->> '$.genre', '') <> 'manual'
        ORDER BY g.track_id LIMIT ${TRACKS_PER_TRANSACTION}`,
    )
    .pluck();
  const findTrack = prepareFindTrack(client);
  const splitTracks = client.transaction((ids: readonly TrackId[]): void => {
    writer.batch(() => {
      for (const id of ids) {
        const track = findTrack(id);
        if (!track) continue;
        const { identity, folder } = track;
        writer.setIdentity(id, { ...identity, genres: splitValues(identity.genres, separators) }, folder);
      }
    });
  }).immediate;
  let count = 0;
  const joinedGenres = listGenres.all().filter(({ name }) => splitValues([name], separators).length > 1);
  for (const { id } of joinedGenres) {
    for (let ids = listTracks.all(id, 0 as TrackId); ids.length > 0; ids = listTracks.all(id, ids.at(-1) as TrackId)) {
      splitTracks(ids);
      count += ids.length;
      await yieldIfDue();
      if (!client.open) return count;
    }
  }
  return count;
}
