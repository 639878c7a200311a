// Builds the OpenAPI 3.1 document from the routes and schemas that serve and validate the requests.
import type { z } from 'zod';
import { createSchemaBook, parametersOf, type JsonSchema, type SchemaBook } from './json-schema.ts';
import { RIGHTS, type RightName } from '../db/rights.ts';
import { PagedResponse } from './paging.ts';
import { ProblemOut } from './problem.ts';
import type { Access, Route } from './route.ts';
import { refusalsOf, successesOf } from './statuses.ts';

interface OpenApiOptions {
  title: string;
  version: string;
  basePath: string;
  /** Routes at the root instead of below `basePath`. */
  rootRoutes?: Route[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description?: string;
  schema: JsonSchema;
}
interface Content {
  [mediaType: string]: { schema: JsonSchema };
}
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  'x-access': Access;
  /** The right that the account needs for the operation. */
  'x-right'?: RightName;
  /** Set if callers without the right may use the route on tracks that they uploaded. */
  'x-or-own'?: true;
}
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> };
}

const DESCRIPTION =
  'JSON in snake_case, times in ISO 8601 UTC, ids are positive integers. Errors are application/problem+json. ' +
  'Unknown query parameters have no effect, nor have unknown fields of a body beside known ones, except in settings, ' +
  'rights and removals. Lists take limit (1 to 200) and offset, or page with page_size; q is also query or search, ' +
  'and sort=-year, sort=year:desc and sort=year&order=desc are the same. Numbers and booleans may be in strings. ' +
  'Unknown paths get 404, unknown methods 405. A JSON body may have 512 KB and 30,000 values, not counting lists ' +
  'of ids, whose limits are stated with their fields (10 MB in all); a sign-in form 100 KB; a URL 256 KB and 11,000 ' +
  'parameters.';

const SECURITY_BY_ACCESS: Record<Access, Record<string, string[]>[]> = {
  public: [],
  user: [{ bearer: [] }],
  stream: [{ bearer: [] }, { token: [] }],
  superuser: [{ bearer: [] }],
};

export function openApiDocument(
  routes: Route[],
  { title, version, basePath, rootRoutes = [] }: OpenApiOptions,
): OpenApiDocument {
  const book = createSchemaBook();
  book.schemaOf(PagedResponse, 'output');
  const paths: OpenApiDocument['paths'] = {};
  const add = ({ spec }: Route, base: string): void => {
    const path = base + spec.path.replaceAll(/:(\w+)/g, '{$1}');
    // the same path may exist at the root and below `basePath`, so the names must differ
    const name = base === '' ? `/root${spec.path}` : spec.path;
    (paths[path] ??= {})[spec.method] = toOperation(spec, operationId(spec.method, name), book);
  };
  for (const route of routes) add(route, basePath);
  for (const route of rootRoutes) add(route, '');
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return {
    openapi: '3.1.0',
    info: { title, version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.flatMap((operation) => operation.tags))].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: book.components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access_token of a login.' },
        token: {
          type: 'apiKey',
          in: 'query',
          name: 'token',
          description: 'The same token, for clients that cannot send headers.',
        },
      },
    },
  };
}

function toOperation(spec: Route['spec'], id: string, book: SchemaBook): Operation {
  const body = requestBody(spec, book);
  return {
    operationId: id,
    tags: [spec.path.split('/')[1] ?? ''],
    summary: spec.summary,
    ...acceptedNames(spec),
    security: SECURITY_BY_ACCESS[spec.access],
    parameters: [...parameters('path', spec.params, book), ...parameters('query', spec.query, book)],
    ...(body && { requestBody: body }),
    responses: { ...problems(spec, book), ...successes(spec, book) },
    'x-access': spec.access,
    ...(spec.right && { 'x-right': RIGHTS[spec.right].name, ...(spec.orOwn && { 'x-or-own': true as const }) }),
  };
}

/** Returns the id of an operation: `getTracksIdCover` for `GET /tracks/:id/cover`. */
const operationId = (method: string, path: string): string =>
  method +
  path
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

function parameters(location: Parameter['in'], shape: z.ZodType | undefined, book: SchemaBook): Parameter[] {
  if (!shape) return [];
  return parametersOf(shape, book).map(({ name, required, schema: { description, ...schema } }) => ({
    name,
    in: location,
    required: location === 'path' || required,
    ...(typeof description === 'string' && { description }),
    schema,
  }));
}

/** Lists the aliases that the route accepts. */
function acceptedNames({
  aliases = [],
  alsoMethods = [],
  accepts = {},
}: Route['spec']): Pick<Operation, 'description'> {
  const { body = {}, query = {}, extraForms = [] } = accepts;
  const names = [
    ...alsoMethods.map((method) => method.toUpperCase()),
    ...aliases.map((alias) => `the path ${alias.replaceAll(/:(\w+)/g, '{$1}')}`),
    ...Object.entries({ ...body, ...query }).map(([alias, name]) => `${alias} for ${name}`),
    ...extraForms,
  ];
  return names.length === 0 ? {} : { description: `Also accepted: ${names.join(', ')}.` };
}

function requestBody(spec: Route['spec'], book: SchemaBook): Operation['requestBody'] {
  if (!spec.body && !spec.consumes) return undefined;
  const schema = spec.body ? book.schemaOf(spec.body, 'input') : { type: 'object' };
  const types = spec.consumes
    ? [spec.consumes]
    : ['application/json', ...(spec.form ? ['application/x-www-form-urlencoded'] : [])];
  return { required: !spec.bodyOptional, content: contentOf(types, schema) };
}

function successes(spec: Route['spec'], book: SchemaBook): Operation['responses'] {
  const content = spec.produces
    ? contentOf(spec.produces, {})
    : spec.reply && contentOf(['application/json'], book.schemaOf(spec.reply, 'output'));
  return Object.fromEntries(
    successesOf(spec).map((status) => [
      status,
      {
        description: STATUS_TEXTS[status] ?? 'Success',
        ...(content && status !== 204 && status !== 304 && { content }),
      },
    ]),
  );
}

const STATUS_TEXTS: Record<number, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted; continues in the background',
  204: 'Success, no body',
  206: 'The requested range',
  304: 'Not modified',
  400: 'Malformed request',
  401: 'Access token missing, invalid or expired',
  403: 'Not allowed, a cross-site request, or an unknown host name',
  404: 'Not found',
  408: 'The request was not complete in time',
  409: 'Conflict with the current state',
  410: 'The audio is missing',
  412: 'Precondition failed',
  413: 'Request too large',
  415: 'Unsupported type of body',
  416: 'Range not satisfiable',
  422: 'A value is not valid',
  429: 'Too many requests; see Retry-After',
  431: 'Address and headers are too large',
  503: 'Unavailable; see Retry-After',
  507: 'The disk is full',
};

/** Returns the error responses. A failed precondition has no body. */
function problems(spec: Route['spec'], book: SchemaBook): Operation['responses'] {
  const content = contentOf(['application/problem+json'], book.schemaOf(ProblemOut, 'output'));
  return Object.fromEntries(
    refusalsOf(spec).map((status) => [
      status,
      { description: STATUS_TEXTS[status] ?? '', ...(status !== 412 && { content }) },
    ]),
  );
}

const contentOf = (types: string[], schema: JsonSchema): Content =>
  Object.fromEntries(types.map((type) => [type, { schema }]));
