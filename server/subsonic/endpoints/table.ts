// All endpoints of the Subsonic API by name; other names get error 0.
import type { Endpoints } from '../endpoint.ts';
import { createItems, type ItemDeps } from '../items.ts';
import { createSteadyLists } from '../steady-lists.ts';
import { shownLibrary, shownSearch } from '../visible-library.ts';
import { listEndpoints, type ListDeps } from './album-song-lists.ts';
import { bookmarkEndpoints, type BookmarkDeps } from './bookmarks.ts';
import { browsingEndpoints, type BrowsingDeps } from './browsing.ts';
import { folderEndpoints, type FolderDeps } from './folder-browsing.ts';
import { radioEndpoints, type RadioDeps } from './internet-radio.ts';
import { jukeboxEndpoints, type JukeboxDeps } from './jukebox.ts';
import { lyricsEndpoints } from './lyrics.ts';
import { mediaEndpoints, type MediaDeps } from './media-retrieval.ts';
import { playQueueEndpoints, type PlayQueueDeps } from './play-queue.ts';
import { playlistEndpoints, type PlaylistDeps } from './playlists.ts';
import { podcastEndpoints, type PodcastDeps } from './podcasts.ts';
import { scrobblingEndpoints, type ScrobblingDeps } from './scrobbling.ts';
import { searchEndpoints, type SearchDeps } from './searching.ts';
import { sharingEndpoints, type SharingDeps } from './sharing.ts';
import { ratingEndpoints, type RatingDeps } from './stars-ratings.ts';
import { systemEndpoints, type SystemDeps } from './system.ts';
import { transcodingEndpoints } from './transcoding.ts';
import { unsupportedEndpoints } from './unsupported.ts';
import { userEndpoints, type UserDeps } from './users.ts';

interface ShownDeps {
  /** Whether saved tracks without audio are listed. */
  showsRemote: () => boolean;
}

type AllDeps = ShownDeps &
  SystemDeps &
  BrowsingDeps &
  FolderDeps &
  ListDeps &
  SearchDeps &
  RatingDeps &
  ScrobblingDeps &
  PlayQueueDeps &
  BookmarkDeps &
  PlaylistDeps &
  MediaDeps &
  JukeboxDeps &
  PodcastDeps &
  RadioDeps &
  SharingDeps &
  UserDeps;

export type EndpointDeps = Omit<AllDeps, 'items' | 'steady'> & ItemDeps;

export function createEndpoints(given: EndpointDeps): Endpoints {
  const deps: AllDeps = { ...given, items: createItems(given), steady: createSteadyLists() };
  const listed: AllDeps = {
    ...deps,
    library: shownLibrary(given.library, given.showsRemote),
    search: shownSearch(given.search, given.library, given.showsRemote),
  };
  return {
    ...systemEndpoints(deps),
    ...browsingEndpoints(listed),
    ...folderEndpoints(listed),
    ...listEndpoints(listed),
    ...searchEndpoints(listed),
    ...ratingEndpoints(deps),
    ...playlistEndpoints(deps),
    ...scrobblingEndpoints(deps),
    ...playQueueEndpoints(deps),
    ...bookmarkEndpoints(deps),
    ...lyricsEndpoints(deps),
    ...mediaEndpoints(deps),
    ...transcodingEndpoints(deps),
    ...jukeboxEndpoints(deps),
    ...radioEndpoints(deps),
    ...podcastEndpoints(deps),
    ...sharingEndpoints(deps),
    ...userEndpoints(deps),
    ...unsupportedEndpoints,
  };
}
