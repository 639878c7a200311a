// GET /openapi.json and GET /docs, generated from the app's list of routes at the first request.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { docsHtml } from './docs-html.ts';
import { docsStyle } from './docs-style.ts';
import { openApiDocument, type OpenApiDocument } from './openapi.ts';
import { route, type Route } from './route.ts';

/** The policy of the page, which allows its inline style sheet by a hash. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', docsStyle, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const OpenApiOut = z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) });

/** Returns the two routes. `getRoutes` is called at the first request, since its lists include these two. */
export function documentationRoutes(
  getRoutes: () => { routes: Route[]; rootRoutes: Route[] },
  version: string,
): Route[] {
  let cachedPage: { document: OpenApiDocument; page: string } | undefined;
  const documentation = () => {
    if (cachedPage) return cachedPage;
    const { routes, rootRoutes } = getRoutes();
    const document = openApiDocument(routes, { title: 'Tonearm', version, basePath: '/api/v1', rootRoutes });
    cachedPage = { document, page: docsHtml(document) };
    return cachedPage;
  };

  return [
    route(
      {
        method: 'get',
        path: '/openapi.json',
        access: 'public',
        summary: 'The API as an OpenAPI 3.1 document',
        reply: OpenApiOut,
      },
      () => ({ ...documentation().document }),
    ),

    route(
      {
        method: 'get',
        path: '/docs',
        access: 'public',
        summary: 'The API documentation as a web page',
        produces: ['text/html'],
      },
      ({ res }) =>
        void res.status(200).type('html').set('Content-Security-Policy', PAGE_POLICY).end(documentation().page),
    ),
  ];
}
