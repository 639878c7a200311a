import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { conflict, notFound } from '../../../server/errors.ts';
import { idParam, pageQuery, queryBool, toPaged } from '../../../server/http/paging.ts';
import { Reply, route } from '../../../server/http/route.ts';
import { TrackIdIn } from '../../../server/db/ids.ts';
import { openBareApp, type BareApp } from './bare-app.ts';

const Body = z.strictObject({ name: z.string().min(1), count: z.int().optional() });
const Echo = z.object({ got: z.unknown() });

const routes = [
  route({ method: 'get', path: '/open', access: 'public', summary: 'anyone', reply: Echo }, ({ user }) => ({
    got: user?.username ?? null,
  })),
  route({ method: 'get', path: '/mine', access: 'user', summary: 'a user', reply: Echo }, ({ user }) => ({
    got: user.username,
  })),
  route({ method: 'get', path: '/heard', access: 'stream', summary: 'a stream', reply: Echo }, ({ user }) => ({
    got: user.username,
  })),
  route({ method: 'get', path: '/ruled', access: 'superuser', summary: 'a superuser', reply: Echo }, ({ user }) => ({
    got: user.username,
  })),
  route(
    { method: 'post', path: '/things', access: 'public', summary: 'make', body: Body, reply: Echo, status: [201] },
    ({ body }) => ({ got: body }),
  ),
  route(
    {
      method: 'get',
      path: '/things',
      access: 'public',
      summary: 'list',
      query: z.object({ q: z.string().optional(), liked: queryBool.optional(), ...pageQuery }),
      reply: Echo,
    },
    ({ query }) => ({ got: query }),
  ),
  route(
    { method: 'get', path: '/things/:id', access: 'public', summary: 'one', params: idParam(TrackIdIn), reply: Echo },
    ({ params }) => ({ got: params.id }),
  ),
  route(
    { method: 'delete', path: '/things/:id', access: 'public', summary: 'gone', params: idParam(TrackIdIn) },
    () => undefined,
  ),
  route({ method: 'get', path: '/things/latest', access: 'public', summary: 'a literal path', reply: Echo }, () => ({
    got: 'latest',
  })),
  route(
    {
      method: 'post',
      path: '/form',
      access: 'public',
      summary: 'a form',
      body: z.object({ name: z.string() }),
      form: true,
      reply: Echo,
    },
    ({ body }) => ({ got: body }),
  ),
  route(
    { method: 'post', path: '/odd', access: 'public', summary: 'another status', reply: Echo },
    () => new Reply(202, { got: 1 }, { 'X-More': 'yes' }),
  ),
  route(
    { method: 'get', path: '/words', access: 'public', summary: 'bytes', produces: ['text/plain'] },
    ({ res }) => void res.type('text').end('words'),
  ),
  route({ method: 'get', path: '/lost', access: 'public', summary: 'x', reply: Echo, problems: ['not_found'] }, () => {
    throw notFound('track', 7);
  }),
  route({ method: 'get', path: '/clash', access: 'public', summary: 'x', reply: Echo, problems: ['conflict'] }, () =>
    Promise.reject(conflict('It is taken.')),
  ),
  route({ method: 'get', path: '/broken', access: 'public', summary: 'a bug', reply: Echo }, () => {
    throw new Error('SELECT secret FROM /home/ann/tonearm.db');
  }),
  route(
    {
      method: 'get',
      path: '/wrong-reply',
      access: 'public',
      summary: 'a reply of another shape',
      reply: z.object({ n: z.int() }),
    },
    () => ({ n: 'x' }) as unknown as { n: number },
  ),
];

let app: BareApp;
beforeAll(async () => void (app = await openBareApp(routes)));
afterAll(() => app.close());

const post = (path: string, body: string | undefined, type: string | undefined = 'application/json', method = 'POST') =>
  app.fetch(path, {
    method,
    ...(body !== undefined && { body }),
    headers: type === undefined ? {} : { 'Content-Type': type },
  });
const fetchEcho = async (path: string, init?: RequestInit) =>
  ((await (await app.fetch(path, init)).json()) as { got: unknown }).got;
const fields = async (answer: Response) =>
  ((await answer.json()) as { errors: { field: string }[] }).errors.map((error) => error.field);

describe('access', () => {
  it.each([
    ['/open', undefined, 200],
    ['/open', 'ann', 200],
    ['/open', 'nobody', 200],
    ['/mine', undefined, 401],
    ['/mine', 'nobody', 401],
    ['/mine', 'ann', 200],
    ['/ruled', undefined, 401],
    ['/ruled', 'ann', 403],
    ['/ruled', 'root', 200],
    ['/heard', undefined, 401],
    ['/heard', 'ann', 200],
    ['/heard?token=ann', undefined, 200],
    ['/mine?token=ann', undefined, 401],
    ['/ruled?token=root', undefined, 401],
  ])('to %s as %s is %s', async (path, name, status) => {
    const answer = await app.fetch(path, { headers: name === undefined ? {} : { Authorization: `Bearer ${name}` } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  });

  it('is checked before the body is read', async () => {
    const guardedApp = await openBareApp([
      route({ method: 'post', path: '/x', access: 'user', summary: 'x', body: Body, reply: Echo }, () => ({ got: 1 })),
    ]);
    expect((await guardedApp.fetch('/x', { method: 'POST', body: '{' })).status).toBe(401);
    await guardedApp.close();
  });
});

describe('a body', () => {
  it('is parsed and passed on', async () => {
    const answer = await post('/things', '{"name": "ann", "count": 2}');
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual({ got: { name: 'ann', count: 2 } });
  });

  it.each<[string, string | undefined, string | undefined, number]>([
    ['half a JSON text', '{"name": ', 'application/json', 400],
    ['no JSON', 'name=ann', 'application/json', 400],
    ['nothing', '', 'application/json', 400],
    ['nothing at all', undefined, undefined, 400],
    ['a form where none is taken', 'name=ann', 'application/x-www-form-urlencoded', 415],
    ['XML', '<a/>', 'application/xml', 415],
    ['another charset', '{"name": "ann"}', 'application/json; charset=klingon', 415],
    ['more than 512 KB', JSON.stringify({ name: 'x'.repeat(600_000) }), 'application/json', 413],
    ['more values than it may hold', JSON.stringify({ name: Array(40_000).fill(0) }), 'application/json', 422],
    ['many levels', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, 'application/json', 400],
    ['null', 'null', 'application/json', 422],
    ['a list', '[1]', 'application/json', 422],
    ['a number', '1', 'application/json', 422],
  ])('of %s is rejected', async (_, body, type, status) => {
    const answer = await post('/things', body, type);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch('application/problem+json');
  });

  it('with unknown, missing or wrong fields is 422 with their names', async () => {
    const answer = await post('/things', '{"count": "two", "colour": 1, "size": {}}');
    expect(answer.status).toBe(422);
    expect((await fields(answer)).sort()).toEqual(['colour', 'count', 'name', 'size']);
  });

  it('may be a form where declared, or JSON', async () => {
    expect(await (await post('/form', 'name=a%20b+c&more=1', 'application/x-www-form-urlencoded')).json()).toEqual({
      got: { name: 'a b c' },
    });
    expect(await (await post('/form', '{"name": "ann"}')).json()).toEqual({ got: { name: 'ann' } });
    expect((await post('/form', `name=${'x'.repeat(100_001)}`, 'application/x-www-form-urlencoded')).status).toBe(413);
    expect((await post('/form', '', 'application/x-www-form-urlencoded')).status).toBe(422);
  });
});

describe('query parameters', () => {
  it('have defaults, and unknown ones are ignored', async () => {
    expect(await fetchEcho('/things?colour=red&q=')).toEqual({ q: '', limit: 50, offset: 0 });
    expect(await fetchEcho('/things?limit=200&offset=7&liked=true')).toEqual({ limit: 200, offset: 7, liked: true });
    expect(await fetchEcho('/things?limit=1')).toMatchObject({ limit: 1 });
    expect(await fetchEcho('/things?constructor=1&__proto__=2&toString=3')).toEqual({ limit: 50, offset: 0 });
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=abc',
    'limit=1.5',
    'limit=',
    'limit=1e2',
    'limit=0x10',
    'limit=99999999999999999999',
    'limit=1&limit=2',
    'offset=-1',
    'offset=x',
    'offset=',
    'liked=maybe',
    'q=a&q=b',
  ])('%s is 422 with the parameter', async (query) => {
    const answer = await app.fetch(`/things?${query}`);
    expect(answer.status).toBe(422);
    expect(await fields(answer)).toEqual([query.split('=')[0]]);
  });

  it('are passed as sent, with any bytes', async () => {
    expect(await fetchEcho('/things?q=%E2%9C%93+%2B%26')).toMatchObject({ q: '✓ +&' });
    expect(await fetchEcho('/things?q=%zz')).toMatchObject({ q: '%zz' });
    expect(await fetchEcho('/things?q=a[b]=1')).toMatchObject({ q: 'a[b]=1' });
  });
});

describe('a path', () => {
  it.each([
    ['1', 200],
    ['0', 422],
    ['-1', 422],
    ['abc', 422],
    ['1.5', 422],
    ['1e3', 422],
    ['99999999999999999999', 422],
    ['%00', 422],
    ['1%2F2', 422],
  ])('with id %s is %s', async (id, status) => {
    expect((await app.fetch(`/things/${id}`)).status).toBe(status);
  });

  it('that is malformed is 400, an unknown one 404, and case matters', async () => {
    expect((await app.fetch('/things/%zz')).status).toBe(400);
    expect((await app.fetch('/nothing')).status).toBe(404);
    expect((await app.fetch('/Things')).status).toBe(404);
  });

  it('without parameters takes precedence over one with, whichever is listed first', async () => {
    expect(await fetchEcho('/things/latest')).toBe('latest');
  });
});

describe('methods', () => {
  it('that a path does not have are 405, with the others in Allow', async () => {
    const answer = await post('/things/1', '{}', 'application/json', 'PUT');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, DELETE, HEAD');
    expect((await post('/things', undefined, undefined, 'DELETE')).headers.get('allow')).toBe('GET, POST, HEAD');
    expect((await post('/odd', undefined, undefined, 'GET')).status).toBe(405);
    expect((await post('/odd', undefined, undefined, 'HEAD')).status).toBe(405);
  });

  it('are listed by OPTIONS', async () => {
    const answer = await app.fetch('/things', { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD']);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('HEAD answers as GET without a body', async () => {
    const answer = await app.fetch('/things', { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await app.fetch('/mine', { method: 'HEAD' })).status).toBe(401);
  });
});

describe('a response', () => {
  it('without a schema is 204, with a Reply has its status and headers', async () => {
    const deleteResponse = await app.fetch('/things/1', { method: 'DELETE' });
    expect([deleteResponse.status, await deleteResponse.text()]).toEqual([204, '']);
    const oddReply = await app.fetch('/odd', { method: 'POST' });
    expect([oddReply.status, oddReply.headers.get('x-more')]).toEqual([202, 'yes']);
    expect(await (await app.fetch('/words')).text()).toBe('words');
  });

  it('of another shape than declared fails if responses are checked', async () => {
    expect((await app.fetch('/wrong-reply')).status).toBe(500);
  });

  it('to an error is a problem with its status', async () => {
    const failure = await app.fetch('/lost');
    expect([failure.status, await failure.json()]).toEqual([
      404,
      { type: 'about:blank', title: 'Not found', status: 404, detail: 'There is no track 7.' },
    ]);
    expect((await app.fetch('/clash')).status).toBe(409);
  });

  it('to a bug is neutral; the log has the rest under the same request id', async () => {
    const answer = await app.fetch('/broken');
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toMatch(/SELECT|home/);
    const line = app.logged().find((entry) => entry['request_id'] === answer.headers.get('x-request-id'));
    expect(line).toMatchObject({
      level: 'error',
      route: 'GET /broken',
      status: 500,
      err: { message: 'SELECT secret FROM /home/ann/tonearm.db' },
    });
  });
});

describe('a page of rows', () => {
  it('takes the shape of PagedResponse', () => {
    expect(toPaged({ items: [1, 2], total: 9 }, { limit: 2, offset: 4 }, (n) => ({ n }))).toEqual({
      items: [{ n: 1 }, { n: 2 }],
      total: 9,
      limit: 2,
      offset: 4,
    });
  });
});
