// REST API of searching catalogues.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { UserId } from '../db/ids.ts';
import { conflict, notFound } from '../errors.ts';
import { route, type Route } from '../http/route.ts';
import type { RemoteCatalogue } from '../sources/remote-catalogue.ts';
import type { Sources } from '../sources/registry.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import type { RemoteSearch } from './remote-search.ts';
import type { SearchService } from './service.ts';
import {
  HitCoverQuery,
  SearchQuery,
  SearchResponse,
  SourceSearchQuery,
  toLibraryHit,
  toSearchHit,
} from './remote-wire.ts';

export interface RemoteSearchRouteDeps {
  remoteSearch: RemoteSearch;
  search: SearchService;
  library: Pick<LibraryService, 'listTracks'>;
  sources: Pick<Sources, 'find'>;
  catalogue: Pick<RemoteCatalogue, 'recall' | 'assertOn' | 'whyOff'>;
  /** Sends the picture at a URL from the catalogue; returns false when there is none. */
  sendPicture: (req: IncomingMessage, res: ServerResponse, url: string) => Promise<boolean>;
}

/** Sources whose tracks are all in the library. */
const LIBRARY_SOURCES: ReadonlySet<string> = new Set(['local_folder', 'upload']);

const SourceParam = z.object({ source: z.string().max(100) });

export function remoteSearchRoutes({
  remoteSearch,
  search,
  library,
  sources,
  catalogue,
  sendPicture,
}: RemoteSearchRouteDeps): Route[] {
  function assertSearchable(source: string): void {
    if (!sources.find(source)) throw notFound('source', source);
    if (!remoteSearch.canSearch(source)) throw conflict(`The source ${source} cannot be searched.`);
    catalogue.assertOn();
  }

  /**
   * Returns library tracks by title, best first, only of these sources if there are any. Tracks saved from a catalogue
   * are marked in that catalogue's own results.
   */
  async function libraryTracks(
    userId: UserId,
    { q, limit }: { q: string; limit: number },
    sourceNames?: readonly string[],
  ): Promise<TrackSummary[]> {
    const page = { limit, offset: 0 };
    if (!sourceNames) return search.searchLibrary(userId, q, page).tracks.items;
    const pages = sourceNames
      .filter((name) => LIBRARY_SOURCES.has(name))
      .map((source) => library.listTracks(userId, { q, source }, { sort: 'title' }, page));
    return (await Promise.all(pages)).flatMap(({ items }) => items);
  }

  return [
    route(
      {
        method: 'get',
        path: '/search',
        access: 'user',
        summary: 'Search all sources: tracks of the library first, then the catalogues that are on',
        query: SearchQuery,
        reply: SearchResponse,
      },
      async ({ user, query }) => {
        const names = query.sources
          ?.split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '');
        const tracks = await libraryTracks(user.id, query, names);
        const libraryKeys = new Set(tracks.map(({ source, sourceId }) => `${source} ${sourceId}`));
        const requestedCatalogues = names?.filter((name) => !LIBRARY_SOURCES.has(name));
        const catalogues = requestedCatalogues ?? (catalogue.whyOff() === undefined ? undefined : []);
        const { hits, errors } = await remoteSearch.searchAll(query.q, query.limit, catalogues);
        const otherHits = hits.filter(({ source, hit }) => !libraryKeys.has(`${source} ${hit.sourceId}`));
        const items = [...tracks.map(toLibraryHit), ...otherHits.map(toSearchHit)].slice(0, query.limit);
        return { query: query.q, items, errors };
      },
    ),

    route(
      {
        method: 'get',
        path: '/sources/:source/search',
        access: 'user',
        summary: 'Search one source',
        problems: ['conflict'],
        params: SourceParam,
        query: SourceSearchQuery,
        reply: SearchResponse,
      },
      async ({ user, params: { source }, query }) => {
        if (LIBRARY_SOURCES.has(source)) {
          const tracks = await libraryTracks(user.id, query, [source]);
          return { query: query.q, items: tracks.map(toLibraryHit), errors: [] };
        }
        assertSearchable(source);
        return {
          query: query.q,
          items: (await remoteSearch.search(source, query.q, query.limit)).map(toSearchHit),
          errors: [],
        };
      },
    ),

    route(
      {
        method: 'get',
        path: '/sources/:source/cover',
        access: 'stream',
        summary: 'Picture of a hit',
        problems: ['conflict'],
        params: SourceParam,
        query: HitCoverQuery,
        status: [200, 206, 304],
        produces: ['image/webp'],
      },
      async ({ params, query, req, res }) => {
        assertSearchable(params.source);
        const url = catalogue.recall(query.source_id)?.coverUrl;
        if (url === undefined || !(await sendPicture(req, res, url))) throw notFound('cover');
      },
    ),
  ];
}
