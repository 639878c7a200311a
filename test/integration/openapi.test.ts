import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleValue } from '../../server/http/docs-examples.ts';
import type { OpenApiDocument } from '../../server/http/openapi.ts';
import type { Route } from '../../server/http/route.ts';
import { runServer } from '../support/process.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let listener: string;
beforeAll(async () => {
  server = await startServer();
  listener = await registerUser(server);
});
afterAll(() => server.close());

/** Returns the path of a route with valid values for all parameters. */
const pathOf = ({ spec }: Route): string => spec.path.replaceAll(/:(\w+)/g, '1');
const nameOf = ({ spec }: Route): string => `${spec.method.toUpperCase()} ${spec.path}`;
const callRoute = (route: Route, token: string | null) =>
  server.api(pathOf(route), { method: route.spec.method.toUpperCase(), token });
const routesWith = (matches: (route: Route) => boolean): Route[] => server.app.routes.filter(matches);

describe('the examples of the documentation', () => {
  it('are bodies that the routes take', () => {
    const { paths, components } = server.app.openApi();
    const refusedExamples = routesWith(({ spec }) => spec.body !== undefined).flatMap(({ spec }) => {
      const operation = paths[`/api/v1${spec.path.replaceAll(/:(\w+)/g, '{$1}')}`]?.[spec.method];
      const schema = operation?.requestBody?.content['application/json']?.schema ?? {};
      const example = exampleValue(schema, components.schemas);
      const parsedBody = spec.body?.safeParse(example);
      return parsedBody?.success
        ? []
        : [`${spec.method} ${spec.path} ${JSON.stringify(example)} ${parsedBody?.error?.message}`];
    });
    expect(refusedExamples).toEqual([]);
  });
});

describe('the list of routes', () => {
  it('has no route twice, and a summary for each', () => {
    const names = server.app.routes.map(nameOf);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    for (const { spec } of server.app.routes) expect(spec.summary, spec.path).toMatch(/\S/);
  });

  it('marks the routes whose responses contain a password or a token, so that they are not compressed', () => {
    const { paths, components } = server.app.openApi();
    const hasSecret = (schema: unknown): boolean =>
      typeof schema === 'object' &&
      schema !== null &&
      Object.entries(schema).some(([name, value]) =>
        name === '$ref'
          ? hasSecret(components.schemas[String(value).split('/').at(-1) ?? ''])
          : (name === 'properties' && Object.keys(value as object).some((key) => /(?:password|token)$/.test(key))) ||
            hasSecret(value),
      );
    const secretRoutes = routesWith(({ spec }) => {
      const responses = paths[`/api/v1${spec.path.replaceAll(/:(\w+)/g, '{$1}')}`]?.[spec.method]?.responses ?? {};
      return Object.entries(responses).some(([status, { content }]) => status < '300' && hasSecret(content));
    });
    expect(secretRoutes.length).toBeGreaterThan(10);
    expect(secretRoutes.filter(({ spec }) => !spec.secret).map(nameOf)).toEqual([]);
  });

  it('refuses everybody without a token on every route that is not public', async () => {
    const guarded = routesWith((route) => route.spec.access !== 'public');
    expect(guarded.length).toBeGreaterThan(10);
    for (const route of guarded) {
      const response = await callRoute(route, null);
      expect(
        [response.status, response.headers.get('www-authenticate'), response.headers.get('content-type')],
        nameOf(route),
      ).toEqual([401, 'Bearer', 'application/problem+json']);
    }
  });

  it('refuses an invalid token, in the header and in the parameter', async () => {
    for (const route of routesWith((candidate) => candidate.spec.access !== 'public')) {
      expect((await callRoute(route, 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.')).status, nameOf(route)).toBe(401);
      const byQuery = await server.api(`${pathOf(route)}?token=wrong`, {
        method: route.spec.method.toUpperCase(),
        token: null,
      });
      expect(byQuery.status, nameOf(route)).toBe(401);
    }
  });

  it('takes the token as a parameter on streams alone', async () => {
    for (const route of routesWith(
      (candidate) => candidate.spec.access === 'user' || candidate.spec.access === 'superuser',
    )) {
      const response = await server.api(`${pathOf(route)}?token=${server.token}`, {
        method: route.spec.method.toUpperCase(),
        token: null,
      });
      expect(response.status, nameOf(route)).toBe(401);
    }
  });

  it('refuses ordinary users on every route for superusers', async () => {
    const guarded = routesWith((route) => route.spec.access === 'superuser');
    expect(guarded.length).toBeGreaterThan(3);
    for (const route of guarded) expect((await callRoute(route, listener)).status, nameOf(route)).toBe(403);
  });

  it('answers 405 with Allow to a method that a path does not have', async () => {
    const paths = Map.groupBy(server.app.routes, (route) => route.spec.path);
    for (const [path, group] of paths) {
      const missing = ['PUT', 'DELETE', 'PATCH', 'POST', 'GET'].find(
        (method) =>
          !server.app.routes.some(
            ({ spec }) =>
              (spec.path === path || spec.aliases?.includes(path)) &&
              [spec.method, ...(spec.alsoMethods ?? [])].includes(method.toLowerCase() as never),
          ),
      );
      if (missing === undefined || group[0] === undefined) continue;
      const response = await server.api(pathOf(group[0]), { method: missing });
      expect(
        [response.status, response.headers.get('allow')?.includes(group[0].spec.method.toUpperCase())],
        `${missing} ${path}`,
      ).toEqual([405, true]);
    }
  });
});

describe('the OpenAPI document of the app', () => {
  const readDocument = async (): Promise<OpenApiDocument> =>
    (await server.api<OpenApiDocument>('/openapi.json', { token: null })).body;

  it('is valid 3.1', async () => {
    expect(await new Validator().validate((await readDocument()) as unknown as Record<string, unknown>)).toEqual({
      valid: true,
    });
  });

  it('contains every route of the app, with its access', async () => {
    const { paths, components } = await readDocument();
    for (const { spec } of server.app.routes) {
      const operation = paths[`/api/v1${spec.path.replaceAll(/:(\w+)/g, '{$1}')}`]?.[spec.method];
      expect(operation?.security.length, `${spec.method} ${spec.path}`).toBe(
        { public: 0, user: 1, stream: 2, superuser: 1 }[spec.access],
      );
      expect(
        operation?.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
      ).toEqual([...spec.path.matchAll(/:(\w+)/g)].map((match) => match[1]));
    }
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['PagedResponse', 'DiskUsage']));
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/health', '/stream/{id}']));
  });

  it('has a unique id for each operation', async () => {
    const ids = Object.values((await readDocument()).paths).flatMap((methods) =>
      Object.values(methods).map((operation) => operation.operationId),
    );
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  });

  it('refers only to schemas that it contains', async () => {
    const document = await readDocument();
    const refs = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]),
    );
    expect([...refs].filter((name) => name === undefined || !(name in document.components.schemas))).toEqual([]);
  });

  it('is the same in the build', async () => {
    const { stdout } = await runServer(['openapi']);
    expect(JSON.parse(stdout)).toEqual({
      ...(await readDocument()),
      info: (JSON.parse(stdout) as OpenApiDocument).info,
    });
  });

  it('is also a web page, with the same security headers', async () => {
    const response = await server.api('/docs', { token: null });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(response.text).not.toMatch(/<script|(?:src|href|url)[=(]"?https?:/);
    for (const { spec } of server.app.routes)
      expect(response.text).toContain(spec.path.replaceAll(/:(\w+)/g, '<var>{$1}</var>'));
  });
});
