import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TrackIdIn } from '../../../server/db/ids.ts';
import { docsHtml } from '../../../server/http/docs-html.ts';
import { openApiDocument, type OpenApiDocument } from '../../../server/http/openapi.ts';
import { idParam, pagedOf, pageQuery, queryBool, queryInt } from '../../../server/http/paging.ts';
import { route, type Route } from '../../../server/http/route.ts';
import { isoTime } from '../../../server/http/times.ts';

const ThingOut = z
  .object({ id: z.int(), at: isoTime, note: z.string().nullable().meta({ description: 'a <b>note</b>' }) })
  .meta({ id: 'TestThing' });
const ThingIn = z
  .strictObject({ name: z.string().max(9), tags: z.array(z.string()).optional() })
  .meta({ id: 'TestThingIn' });
const returnNothing = () => undefined;
const throwAlways = (): never => {
  throw new Error('not called');
};

const routes: Route[] = [
  route(
    {
      method: 'get',
      path: '/things',
      access: 'user',
      summary: 'All',
      query: z.object({
        liked: queryBool.optional(),
        seed: queryInt.optional().meta({ description: 'of chance' }),
        ...pageQuery,
      }),
      reply: pagedOf(ThingOut),
    },
    throwAlways,
  ),
  route(
    {
      method: 'post',
      path: '/things',
      access: 'superuser',
      summary: 'Make',
      body: ThingIn,
      form: true,
      reply: ThingOut,
      status: [201, 200],
    },
    throwAlways,
  ),
  route(
    { method: 'delete', path: '/things/:id', access: 'user', summary: 'Delete', params: idParam(TrackIdIn) },
    returnNothing,
  ),
  route(
    {
      method: 'get',
      path: '/things/:id/audio',
      access: 'stream',
      summary: 'Bytes',
      params: idParam(TrackIdIn),
      produces: ['audio/*'],
      status: [200, 206, 304],
      problems: ['conflict'],
    },
    returnNothing,
  ),
  route(
    {
      method: 'post',
      path: '/things/upload',
      access: 'user',
      summary: 'Upload',
      consumes: 'multipart/form-data',
      body: z.object({ files: z.array(z.string()).meta({ description: 'files' }) }),
      reply: ThingOut,
    },
    throwAlways,
  ),
  route(
    { method: 'get', path: '/status', access: 'public', summary: 'Open', reply: z.object({ ok: z.boolean() }) },
    throwAlways,
  ),
];
const document = openApiDocument(routes, {
  title: 'Test',
  version: '1.0.0',
  basePath: '/api/v1',
  rootRoutes: routes.slice(-1),
});
const findOperation = (path: string, method: string) => {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`no ${method} ${path}`);
  return operation;
};
const validate = async (testedDocument: OpenApiDocument) =>
  new Validator().validate(JSON.parse(JSON.stringify(testedDocument)) as Record<string, unknown>);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await validate(document)).toEqual({ valid: true });
    expect(document.openapi).toBe('3.1.0');
  });

  it('has each route at its path, also those at the root, with unique ids', () => {
    expect(
      Object.entries(document.paths)
        .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
        .sort(),
    ).toEqual([
      'delete /api/v1/things/{id}',
      'get /api/v1/status',
      'get /api/v1/things',
      'get /api/v1/things/{id}/audio',
      'get /status',
      'post /api/v1/things',
      'post /api/v1/things/upload',
    ]);
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('getThingsIdAudio');
  });

  it('refers to named schemas and contains them once', () => {
    expect(findOperation('/api/v1/things', 'post').responses['201']?.content).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/TestThing' } },
    });
    expect(document.components.schemas['TestThing']).toEqual({
      type: 'object',
      required: ['id', 'at', 'note'],
      properties: {
        id: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        at: { type: 'string', format: 'date-time' },
        note: { description: 'a <b>note</b>', type: ['string', 'null'] },
      },
    });
    expect(document.components.schemas['TestThingIn']).toMatchObject({
      additionalProperties: false,
      required: ['name'],
    });
    const page = findOperation('/api/v1/things', 'get').responses['200']?.content?.['application/json']?.schema;
    expect(page).toMatchObject({
      properties: {
        items: { items: { $ref: '#/components/schemas/TestThing' } },
        total: { type: 'integer', minimum: 0 },
      },
    });
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('shows parameters with their parsed types', () => {
    expect(findOperation('/api/v1/things', 'get').parameters).toEqual([
      {
        name: 'liked',
        in: 'query',
        required: false,
        schema: { type: 'string', enum: expect.arrayContaining(['true', 'false']) as string[] },
      },
      {
        name: 'seed',
        in: 'query',
        required: false,
        description: 'of chance',
        schema: { type: 'string', pattern: '^-?\\d{1,15}$' },
      },
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'items per page, 1 to 200',
        schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
      },
      {
        name: 'offset',
        in: 'query',
        required: false,
        description: 'items to skip',
        schema: { type: 'integer', minimum: 0, maximum: 10 ** 12, default: 0 },
      },
    ]);
    expect(findOperation('/api/v1/things/{id}', 'delete').parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'positive integer',
        schema: { type: 'integer', exclusiveMinimum: 0, maximum: 10 ** 15 - 1 },
      },
    ]);
  });

  it('documents the security of each access', () => {
    expect(findOperation('/api/v1/status', 'get').security).toEqual([]);
    expect(findOperation('/api/v1/things', 'get').security).toEqual([{ bearer: [] }]);
    expect(findOperation('/api/v1/things/{id}/audio', 'get').security).toEqual([{ bearer: [] }, { token: [] }]);
    expect(findOperation('/api/v1/things', 'post').security).toEqual([{ bearer: [] }]);
  });

  it('documents the responses', () => {
    const statuses = (path: string, method: string) => Object.keys(findOperation(path, method).responses);
    expect(statuses('/api/v1/status', 'get').join()).toBe('200,400,403,408,413,429,431,503');
    expect(statuses('/api/v1/things', 'post').join()).toBe(
      '200,201,400,401,403,404,408,409,413,415,422,429,431,503,507',
    );
    expect(statuses('/api/v1/things/{id}', 'delete').join()).toBe(
      '204,400,401,403,404,408,409,413,422,429,431,503,507',
    );
    expect(statuses('/api/v1/things/{id}/audio', 'get').join()).toBe(
      '200,206,304,400,401,403,404,408,409,412,413,416,422,429,431,503,507',
    );
    expect(findOperation('/api/v1/things/{id}/audio', 'get').responses['412']?.content).toBeUndefined();
    expect(findOperation('/api/v1/things/{id}', 'delete').responses['204']?.content).toBeUndefined();
    expect(findOperation('/api/v1/things/{id}/audio', 'get').responses['206']?.content).toEqual({
      'audio/*': { schema: {} },
    });
    expect(findOperation('/api/v1/things', 'get').responses['401']?.content).toEqual({
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    });
  });

  it('documents the request bodies', () => {
    expect(Object.keys(findOperation('/api/v1/things', 'post').requestBody?.content ?? {})).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
    ]);
    expect(
      findOperation('/api/v1/things/upload', 'post').requestBody?.content['multipart/form-data']?.schema,
    ).toMatchObject({
      properties: { files: { description: 'files' } },
    });
    expect(findOperation('/api/v1/things', 'get').requestBody).toBeUndefined();
  });

  it('fails if two different schemas have the same name', () => {
    const firstRoute = route(
      {
        method: 'get',
        path: '/clash',
        access: 'public',
        summary: 'x',
        reply: z.object({ other: z.string() }).meta({ id: 'TestClash' }),
      },
      throwAlways,
    );
    const secondRoute = {
      spec: { ...firstRoute.spec, path: '/other', reply: z.object({ id: z.int().meta({ id: 'TestClash' }) }) },
      handle: returnNothing,
    };
    expect(() => openApiDocument([firstRoute, secondRoute], { title: 'x', version: '1', basePath: '' })).toThrow(
      /TestClash/,
    );
  });
});

describe('the documentation page', () => {
  const page = docsHtml(document);

  it('shows every route with its method, path, access and summary', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        expect(page).toContain(`id="${operation.operationId}"`);
        expect(page).toContain(
          `>${method.toUpperCase()}</b> <code>${path.replaceAll(/\{(\w+)\}/g, '<var>{$1}</var>')}</code>`,
        );
        expect(page).toContain(operation.summary);
      }
    }
    expect(page).toContain('administrator');
  });

  it('has no script, loads nothing, and escapes its content', () => {
    expect(page).not.toMatch(/<script|<link|<img|(?:src|href|url)[=(]"?https?:|\son\w+=/i);
    expect(page).toContain('a &lt;b&gt;note&lt;/b&gt;');
    expect(page).not.toContain('<b>note</b>');
  });

  it('links only to existing anchors', () => {
    const targets = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !targets.has(link))).toEqual([]);
  });
});
