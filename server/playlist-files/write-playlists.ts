// Writes all playlists as M3U8 files into PLAYLIST_EXPORT_PATH, in a folder for each account, and keeps them fresh. The
// paths in a file are relative to it: they stay right where other programs see the same folders under another path.
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { WatchedSettings } from '../config/live-settings.ts';
import type { MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import type { PlaylistId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { writtenPlaylists } from '../db/schema.ts';
import { AppError, messageOf } from '../errors.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { nameKey, numbered, safeName } from '../media/readable-names.ts';
import { getReadable } from '../playlists/access.ts';
import { m3uEntry, m3uHead } from '../playlists/m3u.ts';
import type { PlaylistService } from '../playlists/service.ts';
import { pathInMusicOf } from '../playlists/transfer.ts';
import { LOCAL_SCHEME, splitUri } from '../storage/uri.ts';
import {
  accountFolderFault,
  exportFolderFault,
  hashOf,
  removeFile,
  replaceFile,
  stateOf,
  type ForbiddenFolders,
} from './export-folder.ts';

interface WriterDeps {
  db: MainDb;
  settings: Pick<WatchedSettings, 'get'>;
  musicFolders: Pick<MusicFolders, 'roots' | 'list'>;
  playlists: PlaylistService;
  ownFolders: { data: string; storageRoot: string };
}

interface ListedPlaylist {
  id: PlaylistId;
  ownerId: UserId;
  ownerName: string;
  name: string;
}
type WrittenRow = RowAs<typeof writtenPlaylists, 'path' | 'playlistId' | 'contentHash'>;

interface Folder {
  /** As in the settings. */
  setFolder: string;
  /** Without links: other programs follow a relative path from there. */
  realFolder: string;
  /** Why folders of accounts cannot be used; undefined for those that can. */
  faults: Map<string, string | undefined>;
}

interface WriteResult {
  /** The number of files that were written; files that are still right are not written again. */
  written: number;
  removed: number;
  /** Files that somebody else changed or made, and files that could not be written. */
  left: { path: string; reason: string }[];
}

export type PlaylistWriter = ReturnType<typeof createPlaylistWriter>;

export function createPlaylistWriter(deps: WriterDeps) {
  const { settings, musicFolders, ownFolders } = deps;
  const rows = createWrittenRows(deps.db);
  const forbiddenFolders = (): ForbiddenFolders => ({
    ownFolders: [ownFolders.data, ownFolders.storageRoot],
    musicPaths: musicFolders.list().map(({ path }) => path),
  });

  return {
    isEnabled: (): boolean => settings.get('PLAYLIST_EXPORT_PATH') !== undefined,
    /** Returns why the folder cannot be used, as the end of a sentence. */
    faultOf: (path: string): Promise<string | undefined> => exportFolderFault(path, forbiddenFolders()),

    /** Writes the playlists whose contents changed. Throws `conflict` if the folder cannot be used. */
    async write(signal: AbortSignal): Promise<WriteResult> {
      const setFolder = settings.get('PLAYLIST_EXPORT_PATH');
      const result: WriteResult = { written: 0, removed: 0, left: [] };
      if (setFolder === undefined) return result;
      const fault = await exportFolderFault(setFolder, forbiddenFolders());
      if (fault !== undefined) throw new AppError('conflict', `The folder for playlists, ${setFolder}, ${fault}.`);
      rows.forgetOtherFolders(setFolder);
      const folder: Folder = { setFolder, realFolder: await realpath(setFolder), faults: new Map() };
      const writtenRows = new Map(rows.list().map((row) => [row.path, row]));
      const paths = assignPaths(rows.listPlaylists(), writtenRows);
      for (const row of writtenRows.values()) if (!paths.has(row.path)) await removeWritten(folder, row, result);
      for (const [path, playlist] of paths) {
        signal.throwIfAborted();
        await writeOne(folder, path, playlist, writtenRows.get(path), result);
      }
      return result;
    },
  };

  /** Returns the absolute path of a file. Throws if the folder of its account cannot be used. */
  async function placeOf({ realFolder, faults }: Folder, path: string): Promise<string> {
    const accountFolder = dirname(join(realFolder, path));
    if (!faults.has(accountFolder))
      faults.set(accountFolder, await accountFolderFault(accountFolder, forbiddenFolders()));
    const fault = faults.get(accountFolder);
    if (fault !== undefined) throw new AppError('conflict', `The folder ${accountFolder} ${fault}.`);
    return join(realFolder, path);
  }

  async function removeWritten(folder: Folder, { path, contentHash }: WrittenRow, result: WriteResult): Promise<void> {
    const place = await placeOf(folder, path).catch(() => undefined);
    const state = place === undefined ? 'foreign' : await stateOf(place, contentHash);
    if (state === 'foreign') result.left.push({ path, reason: 'somebody changed the file; its playlist is gone' });
    else if (state === 'as written' && place !== undefined) {
      await removeFile(place);
      result.removed++;
    }
    rows.remove(path);
  }

  async function writeOne(
    folder: Folder,
    path: string,
    playlist: ListedPlaylist,
    row: WrittenRow | undefined,
    result: WriteResult,
  ): Promise<void> {
    try {
      const place = await placeOf(folder, path);
      const text = await textOf(playlist, dirname(place));
      const contentHash = hashOf(text);
      const state = await stateOf(place, row?.contentHash ?? contentHash);
      if (state === 'foreign' && (await stateOf(place, contentHash)) === 'foreign') {
        const reason = row ? 'somebody changed the file' : 'a file of somebody else has this name';
        result.left.push({ path, reason: `${reason}; rename or delete it, and it will be written again` });
        return;
      }
      if (state !== 'as written' || row?.contentHash !== contentHash) {
        if (state !== 'as written' || row !== undefined) await replaceFile(place, text);
        rows.set({ path, folder: folder.setFolder, playlistId: playlist.id, contentHash });
        result.written++;
      }
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return; // deleted meanwhile
      result.left.push({ path, reason: messageOf(error) });
    }
  }

  async function textOf({ id, ownerId }: ListedPlaylist, targetFolder: string): Promise<string> {
    const playlist = getReadable(deps.db, ownerId, id);
    const roots = musicFolders.roots();
    let text = m3uHead(playlist.name);
    for await (const entries of deps.playlists.allEntries(ownerId, playlist))
      for (const { track } of entries) text += m3uEntry({ ...track, path: pathFrom(targetFolder, track) });
    return text;

    function pathFrom(from: string, track: TrackSummary): string {
      const path = storedPathOf(track) ?? pathInMusicOf(track, roots, 'absolute');
      if (!isAbsolute(path)) return path;
      const relativePath = relative(from, path); // absolute on Windows where the drives differ
      return relativePath.split(sep).join('/');
    }
  }

  /** Returns the file of a track that is only in the local storage. */
  function storedPathOf({ source, storageUri }: TrackSummary): string | undefined {
    if (source === 'local_folder' || storageUri === null) return undefined;
    const { scheme, path } = splitUri(storageUri);
    return scheme === LOCAL_SCHEME ? join(ownFolders.storageRoot, path) : undefined;
  }
}

const EXTENSION = '.m3u8';

/** Gives each playlist a path. A playlist keeps the path that it has, and others of the same name get a number. */
function assignPaths(
  playlists: readonly ListedPlaylist[],
  writtenRows: ReadonlyMap<string, WrittenRow>,
): Map<string, ListedPlaylist> {
  const paths = new Map<string, ListedPlaylist>();
  const usedKeys = new Set<string>();
  const formerPaths = new Map([...writtenRows.values()].map(({ playlistId, path }) => [playlistId, path]));
  const take = (path: string, playlist: ListedPlaylist): void => {
    usedKeys.add(nameKey(path));
    paths.set(path, playlist);
  };
  const pathOf = ({ ownerName, name }: ListedPlaylist, n: number): string =>
    `${safeName(ownerName, 'Account')}/${numbered(safeName(name, 'Playlist'), n)}${EXTENSION}`;
  const isNumbered = (path: string, playlist: ListedPlaylist): boolean => {
    const start = pathOf(playlist, 1).slice(0, -EXTENSION.length);
    return path.startsWith(start) && /^(?: \(\d{1,5}\))?\.m3u8$/.test(path.slice(start.length));
  };
  const newPlaylists = playlists.filter((playlist) => {
    const path = formerPaths.get(playlist.id);
    const isSame = path !== undefined && isNumbered(path, playlist) && !usedKeys.has(nameKey(path));
    if (isSame) take(path, playlist);
    return !isSame;
  });
  const nextNumbers = new Map<string, number>();
  for (const playlist of newPlaylists) {
    const key = nameKey(pathOf(playlist, 1));
    let n = nextNumbers.get(key) ?? 1;
    while (usedKeys.has(nameKey(pathOf(playlist, n)))) n++;
    nextNumbers.set(key, n + 1);
    take(pathOf(playlist, n), playlist);
  }
  return paths;
}

function createWrittenRows({ $client: client }: MainDb) {
  const listPlaylists = client.prepare<[], ListedPlaylist>(
    `SELECT p.id, p.owner_id AS ownerId, u.username AS ownerName, p.name FROM playlists p
      JOIN users u ON u.id = p.owner_id WHERE p.deleted_at IS NULL ORDER BY p.id`,
  );
  const list = client.prepare<[], WrittenRow>(
    'SELECT path, playlist_id AS playlistId, content_hash AS contentHash FROM written_playlists',
  );
  const set = client.prepare(
    `INSERT OR REPLACE INTO written_playlists (path, folder, playlist_id, content_hash)
      VALUES (@path, @folder, @playlistId, @contentHash)`,
  );
  const remove = client.prepare<[string]>('DELETE FROM written_playlists WHERE path = ?');
  const forgetOtherFolders = client.prepare<[string]>('DELETE FROM written_playlists WHERE folder <> ?');
  return {
    listPlaylists: (): ListedPlaylist[] => listPlaylists.all(),
    list: (): WrittenRow[] => list.all(),
    set: (row: WrittenRow & { folder: string }): void => void set.run(row),
    remove: (path: string): void => void remove.run(path),
    /** Forgets files in a folder that was set before; they stay there. */
    forgetOtherFolders: (folder: string): void => void forgetOtherFolders.run(folder),
  };
}
