// Hides saved tracks without audio from browsing, lists and search, if SUBSONIC_REMOTE_TRACKS is off. Playlists and the
// queue stay complete, since clients edit them by position.
import type { LibraryService } from '../library/service.ts';
import type { IdFilter, SearchService } from '../search/service.ts';

const hasAudio = ({ availability }: { availability: string }): boolean =>
  availability !== 'remote' && availability !== 'fetching';

export function withVisibleTracks(library: LibraryService, showsRemote: () => boolean): LibraryService {
  const { listTracks, listIds } = library;
  const visibleFilter = <F>(filter: F): F => (showsRemote() ? filter : { ...filter, withoutRemote: true });
  return {
    ...library,
    listTracks: (userId, filter, order, page) => listTracks(userId, visibleFilter(filter), order, page),
    listIds: {
      ...listIds,
      track: (userId, filter, order, page) => listIds.track(userId, visibleFilter(filter), order, page),
    },
    tracksById: (userId, ids) =>
      showsRemote() ? library.tracksById(userId, ids) : library.tracksById(userId, ids).filter(hasAudio),
  };
}

/** Wraps the search so that hidden tracks are excluded from it, which keeps pages full and totals right. */
export function withVisibleMatches(
  search: SearchService,
  library: Pick<LibraryService, 'notRemote'>,
  showsRemote: () => boolean,
): SearchService {
  return {
    searchLibrary(userId, text, page, filterIds) {
      const visibleOnly: IdFilter = (kind, ids) => {
        const visibleIds = filterIds ? filterIds(kind, ids) : [...ids];
        return kind === 'track' ? library.notRemote(visibleIds) : visibleIds;
      };
      return search.searchLibrary(userId, text, page, showsRemote() ? filterIds : visibleOnly);
    },
  };
}
