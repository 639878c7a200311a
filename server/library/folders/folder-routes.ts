// REST API of the folders on disk.
import { z } from 'zod';
import type { MusicFolders } from '../../config/music-folders.ts';
import { notFound } from '../../errors.ts';
import { pageQuery, toPaged } from '../../http/paging.ts';
import { route, type Route } from '../../http/route.ts';
import { FIRST_FOLDER_ONLY, keyOfPath, pathInRoot, rootPathOf } from '../../storage/music-roots.ts';
import { FolderPage, folderPath, type FolderOut } from './folder-wire.ts';
import type { FolderRef } from './folders.ts';
import type { LibraryService } from '../service.ts';

interface FolderRouteDeps {
  library: LibraryService;
  musicFolders: MusicFolders;
}

export function folderRoutes({ library, musicFolders }: FolderRouteDeps): Route[] {
  const { folders } = library;
  const pathOfRoot = (key: string): string => rootPathOf(key) || FIRST_FOLDER_ONLY;
  const keys = (): string[] => musicFolders.roots().map(({ key }) => key);

  /** Finds the folder with this path. Throws `not_found`, also for a path in a music folder that was removed. */
  function findFolder(requestedPath: string): FolderRef & { key: string } {
    const text = requestedPath === FIRST_FOLDER_ONLY ? '' : requestedPath;
    const key = keyOfPath(keys(), text);
    const folder = musicFolders.list().some((musicFolder) => musicFolder.key === key)
      ? folders.findPath(text)
      : undefined;
    if (!folder) throw notFound('folder', requestedPath);
    return { ...folder, key };
  }

  function parentsOf({ path: currentPath, key }: { path: string; key: string }): FolderOut[] {
    const name = musicFolders.list().find((musicFolder) => musicFolder.key === key)?.name ?? '';
    const segments = pathInRoot(key, currentPath).split('/').filter(Boolean);
    const root = rootPathOf(key);
    return [
      { path: pathOfRoot(key), name },
      ...segments.map((segment, i) => ({
        path: [...(root === '' ? [] : [root]), ...segments.slice(0, i + 1)].join('/'),
        name: segment,
      })),
    ];
  }

  return [
    route(
      {
        method: 'get',
        path: '/folders',
        access: 'user',
        summary: 'Folders in a folder as they are on disk; without a path the music folders',
        query: z.object({ path: folderPath.optional(), ...pageQuery }),
        problems: ['not_found'],
        reply: FolderPage,
      },
      async ({ query }) => {
        if (query.path === undefined) {
          const roots = musicFolders.list().map(({ key, name }) => ({
            path: pathOfRoot(key),
            name,
            is_offline: musicFolders.offlineReason(key) !== undefined,
          }));
          const items = roots.slice(query.offset, query.offset + query.limit);
          const page = toPaged({ items, total: roots.length }, query, (root) => root);
          return { ...page, parents: [], is_offline: false, is_copied: false, track_count: 0 };
        }
        const folder = findFolder(query.path);
        return {
          ...toPaged(await folders.pageOf(folder, query), query, ({ path: childPath, name }) => ({
            path: childPath,
            name,
          })),
          parents: parentsOf(folder),
          is_offline: musicFolders.offlineReason(folder.key) !== undefined,
          is_copied: musicFolders.list().some(({ key, mode }) => key === folder.key && mode === 'copy'),
          track_count: folders.countTracks(folder),
        };
      },
    ),
  ];
}
