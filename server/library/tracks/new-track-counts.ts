// Counts the new tracks of a batch at its end. Triggers keep the counts of albums, artists and genres, and the totals,
// for all tracks up to a mark. With a mark below the new tracks the triggers cost nothing, and each count is written
// once. Everything happens in the batch's transaction, so nobody else sees the mark.
import type { Sqlite } from '../../db/client.ts';

/** Higher than every id: with this mark, the triggers count all tracks. */
const ABOVE_ALL_IDS = Number.MAX_SAFE_INTEGER;

// reads the rows by id: an index that has the order of the groups would be read whole
const NEW_TRACKS = 'tracks t NOT INDEXED';
const IS_NEW = 't.id > (SELECT up_to FROM counted_tracks)';
const COUNT_STATEMENTS = [
  `UPDATE albums SET
      track_count = track_count + n.tracks,
      disc_count = max(disc_count, n.discs),
      duration_ms = albums.duration_ms + n.duration_ms,
      size_bytes = albums.size_bytes + n.size_bytes
    FROM (SELECT album_id, count(*) AS tracks, max(coalesce(disc_number, 1)) AS discs,
        sum(coalesce(duration_ms, 0)) AS duration_ms, sum(coalesce(size_bytes, 0)) AS size_bytes
      FROM ${NEW_TRACKS} WHERE ${IS_NEW} AND album_id IS NOT NULL GROUP BY album_id) n
    WHERE albums.id = n.album_id`,
  `INSERT INTO library_totals (source, metadata_status, format, tracks, size_bytes, duration_ms)
    SELECT source, metadata_status, coalesce(format, ''), count(*), sum(coalesce(size_bytes, 0)),
        sum(coalesce(duration_ms, 0)) FROM ${NEW_TRACKS} WHERE ${IS_NEW} GROUP BY 1, 2, 3
    ON CONFLICT (source, metadata_status, format) DO UPDATE SET tracks = tracks + excluded.tracks,
      size_bytes = size_bytes + excluded.size_bytes, duration_ms = duration_ms + excluded.duration_ms`,
  `UPDATE artists SET track_count = track_count + n.tracks
    FROM (SELECT a.artist_id, count(*) AS tracks FROM ${NEW_TRACKS} CROSS JOIN track_artists a ON a.track_id = t.id
      WHERE ${IS_NEW} GROUP BY a.artist_id) n
    WHERE artists.id = n.artist_id`,
  `UPDATE genres SET track_count = track_count + n.tracks
    FROM (SELECT g.genre_id, count(*) AS tracks FROM ${NEW_TRACKS} CROSS JOIN track_genres g ON g.track_id = t.id
      WHERE ${IS_NEW} GROUP BY g.genre_id) n
    WHERE genres.id = n.genre_id`,
  `INSERT INTO album_genres (genre_id, album_id, track_count)
    SELECT g.genre_id, t.album_id, count(*) FROM ${NEW_TRACKS} CROSS JOIN track_genres g ON g.track_id = t.id
      WHERE ${IS_NEW} AND t.album_id IS NOT NULL GROUP BY 1, 2
    ON CONFLICT (genre_id, album_id) DO UPDATE SET track_count = track_count + excluded.track_count`,
  "UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'",
];

export function createNewTrackCounts(client: Sqlite) {
  const mark = client.prepare<[number]>(
    'UPDATE counted_tracks SET up_to = (SELECT coalesce(max(id), 0) FROM tracks) WHERE up_to = ?',
  );
  const unmark = client.prepare<[number]>('UPDATE counted_tracks SET up_to = ?');
  const countStatements = COUNT_STATEMENTS.map((sql) => client.prepare(sql));
  let isMarked = false;
  /** True if tracks were added, also when a rolled back savepoint may have removed the mark. */
  let hasNew = false;

  return {
    /** Postpones counting. To be called before a track is inserted inside a batch. */
    postpone(): void {
      if (!isMarked) mark.run(ABOVE_ALL_IDS);
      isMarked = true;
      hasNew = true;
    },
    /** Forgets the mark, which a rolled back savepoint may have removed. To be called after the rollback. */
    forget(): void {
      isMarked = false;
    },
    /** Counts the tracks of the batch. To be called at its end. */
    settle(): void {
      if (!hasNew) return;
      for (const statement of countStatements) statement.run();
      unmark.run(ABOVE_ALL_IDS);
    },
    /** Resets the state. To be called after a batch, committed or rolled back. */
    end(): void {
      isMarked = false;
      hasNew = false;
    },
  };
}
