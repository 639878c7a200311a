// REST API of playlists that follow a file in a music folder.
import { PlaylistIdIn } from '../db/ids.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { PlaylistService } from '../playlists/service.ts';
import { PlaylistOut, toPlaylistOut } from '../playlists/wire.ts';
import type { PlaylistFilesService } from './service.ts';

const IdParam = idParam(PlaylistIdIn);

export function playlistFileRoutes({
  files,
  playlists,
}: {
  files: PlaylistFilesService;
  playlists: PlaylistService;
}): Route[] {
  return [
    route(
      {
        method: 'post',
        path: '/playlists/:id/follow-file',
        access: 'user',
        summary: 'Let a playlist follow its file in the music folder again; its contents become a new version',
        params: IdParam,
        reply: PlaylistOut,
        problems: ['conflict'],
      },
      async ({ user, params }) => {
        await files.startFollowing(user.id, params.id);
        return toPlaylistOut(await playlists.get(user.id, params.id));
      },
    ),

    route(
      {
        method: 'delete',
        path: '/playlists/:id/follow-file',
        access: 'user',
        summary: 'Stop following the file in the music folder; the playlist stays as it is',
        params: IdParam,
        reply: PlaylistOut,
        problems: ['conflict'],
      },
      async ({ user, params }) => {
        files.stopFollowing(user.id, params.id);
        return toPlaylistOut(await playlists.get(user.id, params.id));
      },
    ),
  ];
}
