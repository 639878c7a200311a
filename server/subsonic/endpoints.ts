// The one table of the phone door: every endpoint by its name. What is not in it is answered as "not something this
// server can do".
import { unsupportedEndpoints } from './unsupported.ts';
import { annotationEndpoints, type AnnotationDeps } from './annotation.ts';
import { browsingEndpoints, type BrowsingDeps } from './browsing.ts';
import type { Endpoints } from './call.ts';
import { folderEndpoints, type FolderDeps } from './folders.ts';
import { jukeboxEndpoints, type JukeboxDeps } from './jukebox.ts';
import { listEndpoints, type ListDeps } from './lists.ts';
import { lyricsEndpoints } from './lyrics.ts';
import { mediaEndpoints, type MediaDeps } from './media.ts';
import { playbackEndpoints, type PlaybackDeps } from './playback.ts';
import { playlistEndpoints, type PlaylistDeps } from './playlists.ts';
import { searchEndpoints, type SearchDeps } from './search.ts';
import { sharingEndpoints, type SharingDeps } from './sharing.ts';
import { shownLibrary, shownSearch } from './visible-library.ts';
import { systemEndpoints, type SystemDeps } from './system.ts';
import { transcodingEndpoints } from './transcoding.ts';
import { userEndpoints, type UserDeps } from './users.ts';

/** Whether saved tracks without audio are shown. */
interface ShownDeps {
  showsRemote: () => boolean;
}

export type EndpointDeps = ShownDeps &
  SystemDeps &
  BrowsingDeps &
  FolderDeps &
  ListDeps &
  SearchDeps &
  AnnotationDeps &
  PlaybackDeps &
  PlaylistDeps &
  MediaDeps &
  JukeboxDeps &
  SharingDeps &
  UserDeps;

export const createEndpoints = (deps: EndpointDeps): Endpoints => ({
  ...systemEndpoints(deps),
  ...browsingEndpoints(shown(deps)),
  ...folderEndpoints(shown(deps)),
  ...listEndpoints(shown(deps)),
  ...searchEndpoints(shown(deps)),
  ...annotationEndpoints(deps),
  ...playlistEndpoints(deps),
  ...playbackEndpoints(deps),
  ...lyricsEndpoints(deps),
  ...mediaEndpoints(deps),
  ...transcodingEndpoints(deps),
  ...jukeboxEndpoints(deps),
  ...sharingEndpoints(deps),
  ...userEndpoints(deps),
  ...unsupportedEndpoints,
});

const shown = (deps: EndpointDeps): EndpointDeps => ({
  ...deps,
  library: shownLibrary(deps.library, deps.showsRemote),
  search: shownSearch(deps.search, deps.showsRemote),
});
