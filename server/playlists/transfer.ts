// Playlist files in and out. A file that comes in becomes a new playlist of what could be matched, with a report of
// every line that could not; nothing that a line names is opened.
import { join } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PlaylistId } from '../db/ids.ts';
import { AppError, conflict, forbidden, invalid } from '../errors.ts';
import { contentDisposition } from '../http/content-disposition.ts';
import { readForm } from '../http/multipart.ts';
import type { Principal } from '../http/route.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import { MOST_ENTRIES } from './file-entry.ts';
import type { FileMatcher, Unmatched } from './file-match.ts';
import { m3uEntry, m3uHead } from './m3u.ts';
import { parsePlaylistFile } from './playlist-file.ts';
import type { PlaylistSummary } from './queries.ts';
import type { PlaylistService } from './service.ts';

const MOST_BYTES = 10 << 20;

export interface TransferDeps {
  playlists: PlaylistService;
  files: FileMatcher;
  importPath: () => string | undefined;
}

export interface Imported {
  playlist: PlaylistSummary;
  matched: number;
  unmatched: Unmatched[];
}

export type PlaylistTransfer = ReturnType<typeof createTransfer>;

export function createTransfer({ playlists, files, importPath }: TransferDeps) {
  return {
    /**
     * Reads the form's one `file`. Throws `invalid` when it holds no tracks at all, `too_large` past 10 MB or 50,000
     * lines.
     */
    async receive(
      req: IncomingMessage,
      user: Principal,
      { name, isPublic }: { name: string | undefined; isPublic: boolean },
    ): Promise<Imported> {
      const { bytes, filename } = await readUpload(req);
      const file = parsePlaylistFile(bytes);
      if (file.entries.length === 0)
        throw invalid([{ field: 'file', message: 'holds no tracks: it is empty, or no M3U, PLS or XSPF playlist' }]);
      if (file.entries.length > MOST_ENTRIES)
        throw new AppError('too_large', `A playlist file may have ${MOST_ENTRIES} tracks at most.`);
      const { trackIds, unmatched } = await files.match(file.entries);
      const title = name ?? file.name ?? filename.replace(/\.[a-z\d]{2,5}$/i, '');
      return {
        playlist: playlists.create(user.id, { name: title, isPublic, trackIds }, 'import'),
        matched: trackIds.length,
        unmatched,
      };
    },

    /** Writes the file, a part at a time. */
    async send(res: ServerResponse, user: Principal, id: PlaylistId, paths: 'relative' | 'absolute'): Promise<void> {
      const playlist = await playlists.get(user.id, id);
      const root = paths === 'absolute' ? rootFor(user) : undefined;
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
        if (!res.write(entries.map(({ track }) => m3uEntry({ ...track, path: pathOf(track, root) })).join('')))
          await drained(res);
      }
      res.end();
    },
  };

  function rootFor(user: Principal): string {
    if (!user.isSuperuser) throw forbidden('Only an administrator may see where files are on this machine.');
    const root = importPath();
    if (root === undefined) throw conflict('No music folder is set, so there are no absolute paths.');
    return root;
  }
}

async function readUpload(req: IncomingMessage): Promise<{ bytes: Buffer; filename: string }> {
  let file: { bytes: Buffer; filename: string } | undefined;
  await readForm(
    req,
    { files: 1, fileBytes: MOST_BYTES, tooLarge: 'A playlist file may have 10 MB at most.' },
    async ({ field, filename, chunks }) => {
      if (field !== 'file') return;
      const parts: Buffer[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      file = { bytes: Buffer.concat(parts), filename };
    },
  );
  if (!file) throw invalid([{ field: 'file', message: 'a playlist file is needed' }]);
  return file;
}

/** A track that is no file of the music folder gets a name by which it can be found again. */
function pathOf({ source, sourceId, title, artistName, format }: TrackSummary, root: string | undefined): string {
  if (source === 'local_folder') return root === undefined ? sourceId : join(root, sourceId);
  const name = `${artistName ?? 'Unknown Artist'} - ${title}`;
  return `${name.replace(/[\u0000-\u001f/\\:*?"<>|]/g, '_')}.${format ?? 'mp3'}`;
}

/** Also when the reader went away. */
const drained = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });
