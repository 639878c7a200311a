// REST API of the music folders.
import type { MusicFolders, StoredFolder } from '../config/music-folders.ts';
import { MusicFolderIdIn } from '../db/ids.ts';
import { idParam } from '../http/paging.ts';
import { route, type Principal, type Route } from '../http/route.ts';
import { toIso } from '../http/times.ts';
import { countFolderContents } from './folder-contents.ts';
import { listServerFolder, type OwnFolders } from './server-disk.ts';
import type { MusicFolderService, Removal } from './service.ts';
import type { FolderTotals } from './totals.ts';
import {
  DryRunQuery,
  FolderContentsOut,
  FolderContentsQuery,
  MusicFolderIn,
  MusicFolderOut,
  MusicFolderPatch,
  MusicFoldersOut,
  RemovalOut,
  ServerFolderOut,
  ServerFolderQuery,
} from './wire.ts';

const FolderParam = idParam(MusicFolderIdIn);

interface MusicFolderRouteDeps {
  service: MusicFolderService;
  musicFolders: MusicFolders;
  /** Returns how the folder with this key is watched. */
  watchStateOf: (key: string) => MusicFolderOut['watching'];
  isFixed: (folder: StoredFolder) => boolean;
  /** Tonearm's own folders, which are not shown. */
  ownFolders: OwnFolders;
  /** Returns LOCAL_MEDIA_IGNORE. */
  ignoredNames: () => string;
}

export function musicFolderRoutes({
  service,
  musicFolders,
  watchStateOf,
  isFixed,
  ownFolders,
  ignoredNames,
}: MusicFolderRouteDeps): Route[] {
  const toOut = (folder: StoredFolder, user: Principal, totals: Map<string, FolderTotals>): MusicFolderOut => {
    const { id, key, name, path, mode, followsLinks, isConfigured, removedAt } = folder;
    const reason = isConfigured ? musicFolders.offlineReason(key) : undefined;
    const { tracks = 0, indexedTracks = 0, sizeBytes = 0, durationMs = 0 } = totals.get(key) ?? {};
    return {
      id,
      name,
      source_id_prefix: key === '' ? '' : `${key}:/`,
      path: user.isSuperuser ? path : null,
      mode,
      follow_links: followsLinks,
      is_fixed: isFixed(folder),
      state: !isConfigured ? 'removed' : reason === undefined ? 'ready' : 'offline',
      reason: user.isSuperuser ? (reason ?? null) : null,
      watching: isConfigured ? watchStateOf(key) : 'off',
      tracks,
      indexed_tracks: indexedTracks,
      size_bytes: sizeBytes,
      duration_ms: durationMs,
      removed_at: isConfigured || removedAt === null ? null : toIso(removedAt),
    };
  };
  const loadOut = async (folder: StoredFolder, user: Principal): Promise<MusicFolderOut> =>
    toOut(folder, user, await service.readTotals());

  return [
    route(
      {
        method: 'get',
        path: '/music-folders',
        access: 'user',
        summary: 'The music folders with their state; for superusers also removed ones, which can be restored',
        reply: MusicFoldersOut,
      },
      async ({ user }) => {
        const totals = await service.readTotals();
        const isShown = ({ isConfigured, removedAt }: StoredFolder): boolean =>
          isConfigured || (user.isSuperuser && removedAt !== null);
        return {
          items: musicFolders
            .listAll()
            .filter(isShown)
            .map((folder) => toOut(folder, user, totals)),
        };
      },
    ),

    route(
      {
        method: 'get',
        path: '/server-folders',
        access: 'superuser',
        summary: 'Folders of the server, to choose a music folder: names only, none of the system or of Tonearm',
        query: ServerFolderQuery,
        reply: ServerFolderOut,
      },
      ({ query }) => listServerFolder(query.path, ownFolders),
    ),

    route(
      {
        method: 'get',
        path: '/server-folders/contents',
        access: 'superuser',
        summary: 'How much music a folder of the server contains, and what else',
        query: FolderContentsQuery,
        reply: FolderContentsOut,
      },
      ({ query: { path, limit }, signal }) =>
        countFolderContents(path, { ownFolders, ignoredNames: ignoredNames(), maxEntries: limit, signal }),
    ),

    route(
      {
        method: 'post',
        path: '/music-folders',
        access: 'superuser',
        summary: 'Add a music folder; its scan starts at once',
        body: MusicFolderIn,
        strict: true,
        reply: MusicFolderOut,
        status: [201],
      },
      async ({ user, body: { follow_links: followsLinks, ...body } }) =>
        loadOut(await service.add({ ...body, followsLinks }), user),
    ),

    route(
      {
        method: 'patch',
        path: '/music-folders/:id',
        access: 'superuser',
        summary: 'Rename a music folder, say where it is now, change its mode for files that come, or follow its links',
        params: FolderParam,
        body: MusicFolderPatch,
        strict: true,
        reply: MusicFolderOut,
        problems: ['conflict'],
      },
      async ({ user, params, body: { follow_links: followsLinks, ...body } }) =>
        loadOut(await service.change(params.id, { ...body, followsLinks }), user),
    ),

    route(
      {
        method: 'delete',
        path: '/music-folders/:id',
        access: 'superuser',
        summary: 'Remove a music folder from the library; no file in it is touched, and it can be restored',
        params: FolderParam,
        query: DryRunQuery,
        reply: RemovalOut,
        problems: ['conflict'],
      },
      async ({ user, params, query }) =>
        toRemovalOut(
          service.get(params.id).name,
          query.dry_run ? await service.planRemoval(params.id) : await service.remove(params.id, user.id),
        ),
    ),

    route(
      {
        method: 'post',
        path: '/music-folders/:id/restore',
        access: 'superuser',
        summary: 'Bring a removed music folder back, with the tracks that its removal put into the trash',
        params: FolderParam,
        reply: MusicFolderOut,
        problems: ['conflict'],
      },
      async ({ user, params }) => loadOut(await service.restore(params.id), user),
    ),
  ];
}

const toRemovalOut = (name: string, { trashedTracks, remainingTracks }: Removal): RemovalOut => {
  const verb = trashedTracks === 1 ? 'goes' : 'go';
  const stay = remainingTracks === 1 ? 'stays' : 'stay';
  return {
    to_trash: trashedTracks,
    kept: remainingTracks,
    detail:
      `${countTracks(trashedTracks)} whose audio is only in “${name}” ${verb} to the trash for 30 days, with likes, ` +
      `plays and playlist entries; ${countTracks(remainingTracks)} with copied files ${stay}. ` +
      'Files in the folder are not changed.',
  };
};

const countTracks = (tracks: number): string => (tracks === 1 ? '1 track' : `${tracks} tracks`);
