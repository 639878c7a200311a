// The background tasks of playlist files.
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { permanent, task, type Handler } from '../jobs/tasks.ts';
import type { PlaylistFilesService } from './service.ts';
import type { PlaylistWriter } from './write-playlists.ts';

/**
 * Looks for tracks of lines that had none when their playlist file was read. Reads files first that a scan could not
 * read, because there was no account to own the playlists.
 */
export const MATCH_PLAYLIST_LINES = task('match_playlist_lines', {
  payload: z.strictObject({}),
  attempts: 3,
  uniqueBy: () => 'lines',
  isAskedByChanges: true,
  concurrency: 1,
});

/** Writes the playlists that changed into PLAYLIST_EXPORT_PATH. */
export const WRITE_PLAYLISTS = task('write_playlists', {
  payload: z.strictObject({}),
  attempts: 3,
  uniqueBy: () => 'playlists',
  isAskedByChanges: true,
  concurrency: 1,
});

/** A change during the work is written by the next job, which is requested later than the change. */
export const writePlaylistsTask =
  (writer: Pick<PlaylistWriter, 'write'>): Handler<typeof WRITE_PLAYLISTS> =>
  async (_payload, { signal }) => {
    try {
      return await writer.write(signal);
    } catch (error) {
      throw error instanceof AppError && error.code === 'conflict' ? permanent(error) : error;
    }
  };

export const matchLinesTask =
  (files: Pick<PlaylistFilesService, 'follow' | 'matchAgain'>): Handler<typeof MATCH_PLAYLIST_LINES> =>
  async (_payload, { signal }) => {
    const { playlistCount: playlists } = await files.follow({ signal });
    return { playlists, ...(await files.matchAgain({ signal })) };
  };
