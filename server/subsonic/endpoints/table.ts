// All endpoints of the Subsonic API by name; other names get error 0.
import type { Endpoints } from '../endpoint.ts';
import { createItems, type ItemDeps } from '../items.ts';
import { createSteadyLists } from '../steady-lists.ts';
import { withVisibleTracks, withVisibleMatches } from '../visible-library.ts';
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

interface VisibilityDeps {
  /** Returns whether saved tracks without audio are listed. */
  showsRemote: () => boolean;
}

type AllDeps = VisibilityDeps &
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

export function createEndpoints(input: EndpointDeps): Endpoints {
  const deps: AllDeps = { ...input, items: createItems(input), steady: createSteadyLists() };
  const visibleDeps: AllDeps = {
    ...deps,
    library: withVisibleTracks(input.library, input.showsRemote),
    search: withVisibleMatches(input.search, input.library, input.showsRemote),
  };
  return {
    ...systemEndpoints(deps),
    ...browsingEndpoints(visibleDeps),
    ...folderEndpoints(visibleDeps),
    ...listEndpoints(visibleDeps),
    ...searchEndpoints(visibleDeps),
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
