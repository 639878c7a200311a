// Finds the tracks of plays that have none (imported plays, or plays of a track that was deleted for good), after
// tracks were added. Plays of a track in the trash stay with that track.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { RowAs } from '../db/rows.ts';
import type { plays } from '../db/schema.ts';
import { createTrackMatcher, type SongNames } from './matcher.ts';
import type { MATCH_HISTORY } from './tasks.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** Number of songs per transaction, which takes a few milliseconds. */
const SONGS_PER_TRANSACTION = 100;
/** The number of deleted tracks whose plays one statement looks up. */
const DELETED_PER_QUERY = 50;

type SongWithoutTrack = SongNames & RowAs<typeof plays, 'songKey'> & { songKey: number };

/** Handler of `match_history`. */
export function matchHistoryTask({ db }: { db: MainDb }): Handler<typeof MATCH_HISTORY> {
  const client = db.$client;
  const matcher = createTrackMatcher({ db });
  client.exec('CREATE TEMP TABLE IF NOT EXISTS plays_in_trash (id INTEGER PRIMARY KEY)');
  const forgetTrash = client.prepare('DELETE FROM temp.plays_in_trash');
  const listDeleted = client.prepare<[number], { id: number }>(
    `SELECT id FROM trashed_tracks WHERE merged_into IS NULL AND id > ? ORDER BY id LIMIT ${DELETED_PER_QUERY}`,
  );
  const addTrash = client.prepare<[string]>(
    `INSERT OR IGNORE INTO temp.plays_in_trash SELECT key.value ->> 'id' FROM json_each(?) j
      CROSS JOIN trashed_tracks t ON t.id = j.value CROSS JOIN json_each(t.snapshot, '$.links') link
      CROSS JOIN json_each(link.value, '$.keys') key WHERE link.value ->> 'table' = 'plays'`,
  );
  const NOT_IN_TRASH = 'id NOT IN (SELECT id FROM temp.plays_in_trash)';
  // One play represents all plays with the same song key.
  const listSongs = client.prepare<
    [number],
    SongWithoutTrack
  >(`SELECT song_key AS songKey, title, artist_name AS artistName, album_title AS albumTitle,
    max(recording_mbid) AS recordingMbid
    FROM plays WHERE track_id IS NULL AND song_key > ? AND ${NOT_IN_TRASH}
    GROUP BY song_key ORDER BY song_key LIMIT ${SONGS_PER_TRANSACTION}`);
  const assignTrack = client.prepare<[TrackId, number]>(
    `UPDATE plays SET track_id = ? WHERE song_key = ? AND track_id IS NULL AND ${NOT_IN_TRASH}`,
  );
  const matchSlice = client.transaction((songs: readonly SongWithoutTrack[]): number => {
    let plays = 0;
    for (const song of songs) {
      const trackId = matcher.find(song);
      if (trackId !== undefined) plays += assignTrack.run(trackId, song.songKey).changes;
    }
    return plays;
  }).immediate;

  return async (_payload, { signal }) => {
    forgetTrash.run();
    for (let lastId = 0; ;) {
      const deletedIds = listDeleted.all(lastId).map(({ id }) => id);
      addTrash.run(JSON.stringify(deletedIds));
      if (deletedIds.length < DELETED_PER_QUERY) break;
      lastId = deletedIds.at(-1) ?? 0;
      await yieldIfDue();
    }
    let plays = 0;
    for (let lastKey = -1; ;) {
      signal.throwIfAborted();
      const songs = listSongs.all(lastKey);
      const lastSong = songs.at(-1);
      if (!lastSong) return { plays };
      matcher.forget();
      plays += matchSlice(songs);
      lastKey = lastSong.songKey;
      await yieldIfDue();
    }
  };
}
