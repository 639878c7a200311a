// The statements of playlist files in music folders and of their lines.
import type { MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { playlistFileLines, playlistFiles } from '../db/schema.ts';
import type { FileIdentity } from '../files/file-stamp.ts';
import type { FileEntry } from '../playlists/file-entry.ts';
import type { LineMatch } from '../playlists/file-match.ts';

/** A difference between what the walk saw and the last scan. */
export type PlaylistFileChange = { path: string } & ({ kind: 'changed'; stamp: FileIdentity } | { kind: 'gone' });

export type FileRow = RowAs<
  typeof playlistFiles,
  | 'id'
  | 'path'
  | 'sizeBytes'
  | 'mtimeUs'
  | 'isGone'
  | 'contentHash'
  | 'playlistId'
  | 'playlistVersion'
  | 'isStopped'
  | 'playlistName'
  | 'fault'
>;

/** What is stored after a file was read. */
export interface AppliedFile {
  contentHash: string | null;
  playlistName: string | null;
  fault: string | null;
}

/** An entry of a file with its track. */
export type StoredLine = FileEntry & { match: LineMatch };

interface LineRow extends RowAs<
  typeof playlistFileLines,
  'position' | 'line' | 'location' | 'title' | 'artist' | 'album' | 'durationMs' | 'trackId'
> {
  fileId: number;
}
/** A line without a track, with the path of its file. */
export interface UnmatchedRow extends LineRow {
  path: string;
}

const FILE = `f.id, f.path, f.size_bytes AS sizeBytes, f.mtime_us AS mtimeUs, f.is_gone AS isGone,
  f.content_hash AS contentHash, f.playlist_id AS playlistId, f.playlist_version AS playlistVersion,
  f.is_stopped AS isStopped, f.playlist_name AS playlistName, f.fault`;
const LINE = `l.file_id AS fileId, l.position, l.line, l.location, l.title, l.artist, l.album,
  l.duration_ms AS durationMs, l.track_id AS trackId`;
/** The condition for files whose playlist a person has not deleted. */
const IS_LIVE = `(f.playlist_id IS NULL OR EXISTS
  (SELECT 1 FROM playlists p WHERE p.id = f.playlist_id AND p.deleted_at IS NULL))`;

/** A file that a scan saw change while it was read has to be read again. */
const IS_STILL_PENDING = 'is_pending = (size_bytes <> @sizeBytes OR mtime_us <> @mtimeUs)';

export type PlaylistFileRows = ReturnType<typeof createPlaylistFileRows>;

export function createPlaylistFileRows({ $client: client }: MainDb) {
  const upsert = client.prepare(
    `INSERT INTO playlist_files (path, size_bytes, mtime_us, dev, ino) VALUES (@path, @sizeBytes, @mtimeUs, @dev, @ino)
      ON CONFLICT (path) DO UPDATE SET size_bytes = @sizeBytes, mtime_us = @mtimeUs, dev = @dev, ino = @ino,
        is_pending = 1, is_gone = 0`,
  );
  const setGone = client.prepare<[string]>('UPDATE playlist_files SET is_gone = 1 WHERE path = ?');
  const listPending = client.prepare<[number, number], FileRow>(
    `SELECT ${FILE} FROM playlist_files f
      WHERE f.is_pending = 1 AND f.is_gone = 0 AND f.id > ? AND ${IS_LIVE} ORDER BY f.id LIMIT ?`,
  );
  const find = client.prepare<[number], FileRow>(`SELECT ${FILE} FROM playlist_files f WHERE f.id = ?`);
  const findByPlaylist = client.prepare<[PlaylistId], FileRow>(
    `SELECT ${FILE} FROM playlist_files f WHERE f.playlist_id = ?`,
  );
  const listTwins = client.prepare<[string, number], FileRow>(
    `SELECT ${FILE} FROM playlist_files f
      WHERE f.content_hash = ? AND f.id <> ? AND f.playlist_id IS NOT NULL AND ${IS_LIVE} LIMIT 3`,
  );
  const findOwner = client
    .prepare<[PlaylistId], UserId>('SELECT owner_id FROM playlists WHERE id = ? AND deleted_at IS NULL')
    .pluck();
  const setApplied = client.prepare(
    `UPDATE playlist_files SET ${IS_STILL_PENDING}, content_hash = @contentHash, fault = @fault,
      playlist_name = @playlistName WHERE id = @id`,
  );
  const setVersion = client.prepare<{ id: number; playlistId: PlaylistId }>(
    `UPDATE playlist_files SET playlist_id = @playlistId,
      playlist_version = (SELECT version FROM playlists WHERE id = @playlistId) WHERE id = @id`,
  );
  const setRead = client.prepare<FileRow>(`UPDATE playlist_files SET ${IS_STILL_PENDING} WHERE id = @id`);
  const setFollowing = client.prepare<[number]>(
    `UPDATE playlist_files SET is_stopped = 0, is_pending = 1, content_hash = NULL,
      playlist_version = (SELECT version FROM playlists p WHERE p.id = playlist_id) WHERE id = ?`,
  );
  const setStopped = client.prepare<[number]>('UPDATE playlist_files SET is_stopped = 1 WHERE id = ?');
  const takeStamp = client.prepare<{ from: number; to: number }>(
    `UPDATE playlist_files SET (size_bytes, mtime_us, dev, ino, is_pending, is_gone) =
      (SELECT size_bytes, mtime_us, dev, ino, 0, 0 FROM playlist_files WHERE id = @from) WHERE id = @to`,
  );
  const setPath = client.prepare<[string, number]>('UPDATE playlist_files SET path = ? WHERE id = ?');
  const remove = client.prepare<[number]>('DELETE FROM playlist_files WHERE id = ?');
  const listLines = client.prepare<[number], LineRow>(
    `SELECT ${LINE} FROM playlist_file_lines l WHERE l.file_id = ? ORDER BY l.position`,
  );
  const listLineTracks = client.prepare<[number], Pick<LineRow, 'position' | 'trackId'>>(
    'SELECT position, track_id AS trackId FROM playlist_file_lines WHERE file_id = ? ORDER BY position',
  );
  const removeLines = client.prepare<[number]>('DELETE FROM playlist_file_lines WHERE file_id = ?');
  const insertLines = client.prepare<{ fileId: number; lines: string }>(
    `INSERT INTO playlist_file_lines
      (file_id, position, line, location, title, artist, album, duration_ms, track_id, reason)
      SELECT @fileId, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
        (SELECT id FROM tracks WHERE id = value ->> 7), value ->> 8 FROM json_each(@lines)`,
  );
  const listUnmatched = client.prepare<[number, number, number], UnmatchedRow>(
    `SELECT ${LINE}, f.path FROM playlist_file_lines l JOIN playlist_files f ON f.id = l.file_id
      WHERE l.track_id IS NULL AND (l.file_id, l.position) > (?, ?) AND f.is_stopped = 0
        AND f.playlist_id IS NOT NULL AND ${IS_LIVE} ORDER BY l.file_id, l.position LIMIT ?`,
  );
  const setTrack = client.prepare<LineRow & { newTrackId: TrackId }>(
    `UPDATE playlist_file_lines SET track_id = @newTrackId, reason = NULL
      WHERE file_id = @fileId AND position = @position AND EXISTS (SELECT 1 FROM tracks WHERE id = @newTrackId)`,
  );
  const hasUnmatched = client
    .prepare<[], number>('SELECT EXISTS (SELECT 1 FROM playlist_file_lines WHERE track_id IS NULL)')
    .pluck();
  const listChanged = client
    .prepare<[], number>(
      `SELECT f.id FROM playlist_files f CROSS JOIN playlists p ON p.id = f.playlist_id
        WHERE p.version > f.playlist_version AND p.deleted_at IS NULL AND p.rules IS NULL AND f.is_stopped = 0
          AND NOT EXISTS (SELECT 1 FROM playlist_versions v WHERE v.playlist_id = p.id
            AND v.version > f.playlist_version AND v.user_id IS NOT NULL)`,
    )
    .pluck();
  const isWritten = client
    .prepare<[string], number>('SELECT EXISTS (SELECT 1 FROM written_playlists WHERE content_hash = ?)')
    .pluck();
  const moveTrack = client.prepare<[TrackId, TrackId]>(
    'UPDATE playlist_file_lines SET track_id = ? WHERE track_id = ?',
  );

  return {
    /** Stores what the walk saw. Runs in one transaction. */
    noteChanges: client.transaction((changes: readonly PlaylistFileChange[]): void => {
      for (const change of changes)
        if (change.kind === 'gone') setGone.run(change.path);
        else upsert.run({ path: change.path, ...change.stamp });
    }).immediate,
    noteGone: (path: string): void => void setGone.run(path),
    listPending: (afterId: number, limit: number): FileRow[] => listPending.all(afterId, limit),
    find: (id: number): FileRow | undefined => find.get(id),
    findByPlaylist: (id: PlaylistId): FileRow | undefined => findByPlaylist.get(id),
    /** Returns files with the same contents, which made a playlist. */
    listTwins: (hash: string, id: number): FileRow[] => listTwins.all(hash, id),
    findOwner: (id: PlaylistId): UserId | undefined => findOwner.get(id),
    /** Stores that a file was read. */
    setApplied: ({ id, sizeBytes, mtimeUs }: FileRow, applied: AppliedFile): void =>
      void setApplied.run({ id, sizeBytes, mtimeUs, ...applied }),
    /** Stores the playlist with its current version as what the file made. */
    setVersion: (id: number, playlistId: PlaylistId): void => void setVersion.run({ id, playlistId }),
    setRead: (row: FileRow): void => void setRead.run(row),
    setFollowing: (id: number): void => void setFollowing.run(id),
    setStopped: (id: number): void => void setStopped.run(id),
    /** Gives the place of a file to the row of the same file at its former place. */
    adopt: client.transaction((from: FileRow, to: FileRow): void => {
      takeStamp.run({ from: from.id, to: to.id });
      remove.run(from.id); // paths are unique
      setPath.run(from.path, to.id);
    }).immediate,
    listLines: (id: number): LineRow[] => listLines.all(id),
    /** Returns the track of each line. */
    listLineTracks: (id: number) => listLineTracks.all(id),
    removeLines: (id: number): void => void removeLines.run(id),
    insertLines: (fileId: number, from: number, lines: readonly StoredLine[]): void =>
      void insertLines.run({
        fileId,
        lines: JSON.stringify(
          lines.map(({ line, location, title, artist, album, durationMs, match }, n) => [
            from + n,
            line,
            location,
            title ?? null,
            artist ?? null,
            album ?? null,
            durationMs ?? null,
            match.trackId ?? null,
            match.trackId === undefined ? match.reason : null,
          ]),
        ),
      }),
    /** Lists lines without a track, of all files whose playlist may follow. */
    listUnmatched: (after: { fileId: number; position: number }, limit: number): UnmatchedRow[] =>
      listUnmatched.all(after.fileId, after.position, limit),
    /** Does nothing for a track that was deleted meanwhile. */
    setTrack: (newTrackId: TrackId, line: LineRow): void => void setTrack.run({ ...line, newTrackId }),
    hasUnmatched: (): boolean => hasUnmatched.get() === 1,
    /** Lists files whose playlist follows, and has later versions by tracks that were deleted or restored. */
    listChanged: (): number[] => listChanged.all(),
    /** Returns whether Tonearm wrote a file with these contents. */
    isWritten: (contentHash: string): boolean => isWritten.get(contentHash) === 1,
    moveTrack: (from: TrackId, to: TrackId): void => void moveTrack.run(to, from),
  };
}
