import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import { createFileMatcher } from './file-match.ts';
import { playlistRoutes } from './routes.ts';
import { createPlaylistService } from './service.ts';
import { createSmartLists, createSmartThread } from './smart.ts';
import { createSongMatcher } from './song-match.ts';
import { createEntryMerge } from './track-merge.ts';
import { createTransfer } from './transfer.ts';

type PlaylistsModuleDeps = Base & Pick<LibraryOffer, 'library' | 'onMerge'>;

export type PlaylistsOffer = ReturnType<typeof playlistsModule>['offers'];

export function playlistsModule({
  config,
  paths,
  now,
  db,
  musicFolders,
  events,
  library,
  onMerge,
}: PlaylistsModuleDeps) {
  const thread = createSmartThread({ workerUrl: paths.workers.smart, databasePath: config.paths.database });
  const songs = createSongMatcher({ db });
  const smart = createSmartLists({ db, thread, now });
  const playlists = createPlaylistService({ db, now, events, library, songs, smart });
  const matcher = createFileMatcher({ db, songs, folders: musicFolders.list });
  const transfer = createTransfer({ playlists, roots: musicFolders.roots, files: matcher });
  onMerge(createEntryMerge({ db, now }));
  return {
    offers: { playlists, matcher },
    routes: playlistRoutes({ playlists, transfer }),
    close: thread.close,
  } satisfies Module;
}
