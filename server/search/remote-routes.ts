// API of searching catalogues.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { conflict, notFound } from '../errors.ts';
import { route, type Route } from '../http/route.ts';
import type { RemoteCatalogue } from '../sources/remote-catalogue.ts';
import type { Sources } from '../sources/registry.ts';
import type { RemoteSearch } from './remote-search.ts';
import { HitCoverQuery, SearchQuery, SearchResponse, SourceSearchQuery, toSearchHit } from './remote-wire.ts';

export interface RemoteSearchRouteDeps {
  remoteSearch: RemoteSearch;
  sources: Pick<Sources, 'find'>;
  catalogue: Pick<RemoteCatalogue, 'recall' | 'assertOn'>;
  /** Sends the picture at a URL that the catalogue gave; false when there is none. */
  sendPicture: (req: IncomingMessage, res: ServerResponse, url: string) => Promise<boolean>;
}

const SourceParam = z.object({ source: z.string().max(100) });

export function remoteSearchRoutes({ remoteSearch, sources, catalogue, sendPicture }: RemoteSearchRouteDeps): Route[] {
  function assertSearchable(source: string): void {
    if (!sources.find(source)) throw notFound('source', source);
    if (!remoteSearch.canSearch(source)) throw conflict(`The source ${source} cannot be searched.`);
    catalogue.assertOn();
  }

  return [
    route(
      {
        method: 'get',
        path: '/search',
        access: 'user',
        summary: 'Search all catalogues',
        query: SearchQuery,
        reply: SearchResponse,
      },
      async ({ query }) => {
        const names = query.sources
          ?.split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '');
        const { hits, errors } = await remoteSearch.searchAll(query.q, query.limit, names);
        return { query: query.q, items: hits.map(toSearchHit), errors };
      },
    ),

    route(
      {
        method: 'get',
        path: '/sources/:source/search',
        access: 'user',
        summary: 'Search one catalogue',
        problems: ['conflict'],
        params: SourceParam,
        query: SourceSearchQuery,
        reply: SearchResponse,
      },
      async ({ params, query }) => {
        assertSearchable(params.source);
        return {
          query: query.q,
          items: (await remoteSearch.search(params.source, query.q, query.limit)).map(toSearchHit),
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
