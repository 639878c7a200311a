import { findUserByKey } from '../auth/queries.ts';
import type { AuthService } from '../auth/service.ts';
import { usernameKey } from '../auth/username.ts';
import { handledBy } from '../jobs/tasks.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { PlaylistsOffer } from '../playlists/module.ts';
import type { SettingsService } from '../settings/service.ts';
import { playlistFileRoutes } from './routes.ts';
import { createPlaylistFiles } from './service.ts';
import { MATCH_PLAYLIST_LINES, matchLinesTask, WRITE_PLAYLISTS, writePlaylistsTask } from './tasks.ts';
import { createJobRequest, createWriteRequests } from './write-later.ts';
import { createPlaylistWriter } from './write-playlists.ts';

type PlaylistFilesModuleDeps = Omit<Base, 'settings'> &
  Pick<LibraryOffer, 'changes' | 'onMerge'> &
  PlaylistsOffer & { auth: Pick<AuthService, 'onSetUp'>; settings: SettingsService; tuning: PlaylistFilesTuning };

export interface PlaylistFilesTuning {
  /** The time without changes after which playlists are written. */
  playlistQuietMs?: number;
}

export function playlistFilesModule({
  config,
  db,
  settings,
  musicFolders,
  jobs,
  changes,
  onMerge,
  playlists,
  matcher,
  auth,
  tuning,
}: PlaylistFilesModuleDeps) {
  const files = createPlaylistFiles({ db, settings, musicFolders, playlists, matcher });
  const writer = createPlaylistWriter({ db, settings, musicFolders, playlists, ownFolders: config.paths });
  const writing = createJobRequest(() => jobs.tryEnqueue(WRITE_PLAYLISTS, {}));
  const matching = createJobRequest(() => jobs.tryEnqueue(MATCH_PLAYLIST_LINES, {}));
  const requests = createWriteRequests({
    isEnabled: writer.isEnabled,
    request: writing.request,
    quietMs: tuning.playlistQuietMs,
  });
  settings.checkAlso('PLAYLIST_EXPORT_PATH', writer.faultOf);
  settings.checkAlso('PLAYLIST_FILES_OWNER', (name) =>
    Promise.resolve(findUserByKey(db, usernameKey(name)) ? undefined : 'is not the name of an account'),
  );
  settings.onChange(['PLAYLIST_EXPORT_PATH'], requests.writeSoon);
  playlists.onChange(requests.writeSoon);
  changes.onDeleted(requests.writeSoon);
  changes.onEdited(requests.writeSoon);

  const matchLater = (): void => {
    if (files.hasUnmatchedLines() || files.hasChangedPlaylists()) matching.request();
  };
  auth.onSetUp(matching.request);
  changes.onAdded(matchLater);
  changes.onRestored(() => setImmediate(matchLater)); // after the transaction
  onMerge({ move: files.moveTrack, rows: [{ table: 'playlist_file_lines', column: 'track_id' }] });
  return {
    offers: { playlistFiles: { ...files, noteScanned: requests.writeSoon } },
    routes: playlistFileRoutes({ files, playlists }),
    tasks: [
      handledBy(MATCH_PLAYLIST_LINES, matchLinesTask(files)),
      handledBy(WRITE_PLAYLISTS, writePlaylistsTask(writer)),
    ],
    start: requests.start,
    stop(): void {
      requests.stop();
      writing.stop();
      matching.stop();
    },
  } satisfies Module;
}

export type PlaylistFilesOffer = ReturnType<typeof playlistFilesModule>['offers'];
