// Finds the tracks of plays without one (imported, or of a deleted file), after tracks were added.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { Handler } from '../jobs/tasks.ts';
import type { RowAs } from '../db/rows.ts';
import type { plays } from '../db/schema.ts';
import { createTrackMatcher, type SongNames } from './matcher.ts';
import type { MATCH_HISTORY } from './tasks.ts';

/** Songs per transaction, which takes a few milliseconds. */
const SLICE = 100;

type SongWithoutTrack = SongNames & RowAs<typeof plays, 'songKey'> & { songKey: number };

/** Handler of `match_history`. */
export function matchHistoryTask({ db }: { db: MainDb }): Handler<typeof MATCH_HISTORY> {
  const client = db.$client;
  const matcher = createTrackMatcher({ db });
  // One play stands for all with the same song key.
  const nextSongs = client.prepare<
    [number],
    SongWithoutTrack
  >(`SELECT song_key AS songKey, title, artist_name AS artistName, album_title AS albumTitle,
    max(recording_mbid) AS recordingMbid
    FROM plays WHERE track_id IS NULL AND song_key > ? GROUP BY song_key ORDER BY song_key LIMIT ${SLICE}`);
  const give = client.prepare<[TrackId, number]>(
    'UPDATE plays SET track_id = ? WHERE song_key = ? AND track_id IS NULL',
  );
  const matchSlice = client.transaction((songs: readonly SongWithoutTrack[]): number => {
    let plays = 0;
    for (const song of songs) {
      const trackId = matcher.find(song);
      if (trackId !== undefined) plays += give.run(trackId, song.songKey).changes;
    }
    return plays;
  }).immediate;

  return async (_payload, { signal, yieldToRequests }) => {
    let plays = 0;
    for (let after = -1; ;) {
      signal.throwIfAborted();
      const songs = nextSongs.all(after);
      const last = songs.at(-1);
      if (!last) return { plays };
      matcher.forget();
      plays += matchSlice(songs);
      after = last.songKey;
      await yieldToRequests();
    }
  };
}
