import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { SourcesOffer } from '../sources/module.ts';
import { remoteSearchRoutes, type RemoteSearchRouteDeps } from './remote-routes.ts';
import { createRemoteSearch } from './remote-search.ts';
import { searchRoutes } from './routes.ts';
import { createSearchService } from './service.ts';

type SearchModuleDeps = Base &
  Pick<LibraryOffer, 'library'> &
  SourcesOffer & { placeholders: { send: RemoteSearchRouteDeps['sendPicture'] } };

export function searchModule({ db, library, sources, catalogue, placeholders }: SearchModuleDeps) {
  const search = createSearchService({ db, library });
  const remoteSearch = createRemoteSearch({ db, catalogue });
  return {
    offers: search,
    routes: [
      ...searchRoutes(search, library.folders),
      ...remoteSearchRoutes({ remoteSearch, search, library, sources, catalogue, sendPicture: placeholders.send }),
    ],
  } satisfies Module;
}
