// Imports and exports playlist files. An import creates a playlist of the tracks that were found and reports the other
// lines; it never opens a file or address that a line refers to.
import { join } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PlaylistId } from '../db/ids.ts';
import { AppError, conflict, forbidden, invalid } from '../errors.ts';
import { NO_PATH, locateInRoots, type MusicRoot } from '../storage/music-roots.ts';
import { contentDisposition } from '../http/content-disposition.ts';
import { readFormFile } from '../http/form-file.ts';
import type { Principal } from '../http/route.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { finishInSlices } from '../runtime/time-slices.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { MAX_FILE_ENTRIES } from './file-entry.ts';
import type { FileMatcher, UnmatchedLine } from './file-match.ts';
import { m3uEntry, m3uHead } from './m3u.ts';
import { parsePlaylistFile } from './playlist-file.ts';
import type { PlaylistSummary } from './queries.ts';
import type { PlaylistService } from './service.ts';

const { bytes: MAX_BYTES } = TEXT_LIMITS.playlist;

interface TransferDeps {
  playlists: PlaylistService;
  files: FileMatcher;
  roots: () => MusicRoot[];
}

interface ImportResult {
  playlist: PlaylistSummary;
  matched: number;
  unmatched: UnmatchedLine[];
}

export type PlaylistTransfer = ReturnType<typeof createTransfer>;

export function createTransfer({ playlists, files, roots }: TransferDeps) {
  return {
    /**
     * Reads the form field `file`. Throws `invalid` if the file has no tracks, `too_large` for more than 10 MB or
     * 50,000 lines.
     */
    async receive(
      req: IncomingMessage,
      user: Principal,
      { name, isPublic }: { name: string | undefined; isPublic: boolean },
    ): Promise<ImportResult> {
      const { bytes, filename } = await readFormFile(req, {
        bytes: MAX_BYTES,
        tooLarge: 'A playlist file can have at most 10 MB.',
        missing: 'a playlist file is required',
      });
      const file = await finishInSlices(parsePlaylistFile(bytes));
      if (file.entries.length === 0)
        throw invalid([{ field: 'file', message: 'has no tracks: it is empty, or not an M3U, PLS or XSPF playlist' }]);
      if (file.entries.length > MAX_FILE_ENTRIES)
        throw new AppError('too_large', `A playlist file can have at most ${MAX_FILE_ENTRIES} tracks.`);
      const { trackIds, unmatched } = await files.match(file.entries);
      const title = name ?? file.name ?? filename.replace(/\.[a-z\d]{2,5}$/i, '');
      return {
        playlist: await playlists.create(user.id, { name: title, isPublic, trackIds }, 'import'),
        matched: trackIds.length,
        unmatched,
      };
    },

    /** Sends the file in chunks. Throws `forbidden` for absolute paths unless the user is an administrator. */
    async send(res: ServerResponse, user: Principal, id: PlaylistId, paths: 'relative' | 'absolute'): Promise<void> {
      const playlist = await playlists.get(user.id, id);
      const musicRoots = roots();
      if (paths === 'absolute') assertMaySee(user, musicRoots);
      res.writeHead(200, {
        'Content-Type': 'audio/x-mpegurl; charset=utf-8',
        'Content-Disposition': contentDisposition('attachment', {
          title: playlist.name,
          extension: 'm3u8',
          untitled: 'unnamed',
        }),
        'Cache-Control': 'private, no-cache',
      });
      res.write(m3uHead(playlist.name));
      for await (const entries of playlists.allEntries(user.id, playlist)) {
        if (res.destroyed) return;
        if (
          !res.write(
            entries.map(({ track }) => m3uEntry({ ...track, path: pathInMusicOf(track, musicRoots, paths) })).join(''),
          )
        )
          await waitForDrain(res);
      }
      res.end();
    },
  };

  function assertMaySee(user: Principal, musicRoots: readonly MusicRoot[]): void {
    if (!user.isSuperuser) throw forbidden('Only administrators may see file paths of the server.');
    if (musicRoots.every(({ path }) => path === NO_PATH))
      throw conflict('No music folder is set, so there are no absolute paths.');
  }
}

/**
 * Returns the path of a track, relative to its music folder, or absolute. A track outside of the music folders gets a
 * name by which an import can find it again.
 */
export function pathInMusicOf(
  { source, sourceId, title, artistName, format }: TrackSummary,
  roots: readonly MusicRoot[],
  paths: 'relative' | 'absolute',
): string {
  const { root, relativePath } = locateInRoots(roots, sourceId);
  if (source === 'local_folder')
    return paths === 'relative' || root === NO_PATH ? relativePath : join(root, relativePath);
  const name = `${artistName ?? 'Unknown Artist'} - ${title}`;
  return `${name.replace(/[\u0000-\u001f/\\:*?"<>|]/g, '_')}.${format ?? 'mp3'}`;
}

/** Waits until more can be written. Resolves also when the client has disconnected. */
const waitForDrain = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      res.off('drain', finish).off('close', finish);
      resolve();
    };
    res.on('drain', finish).on('close', finish);
  });
