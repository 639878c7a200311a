import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkHost, checkOrigin, isAllowedHost } from '../../../server/http/host-and-origin.ts';
import { route } from '../../../server/http/route.ts';
import { openBareApp, type BareApp } from './bare-app.ts';

describe('a Host header', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:4747',
    '192.168.1.20:4747',
    '[::1]',
    '[::1]:4747',
    '[fe80::1]:80',
    'localhost',
    'localhost:4747',
    'LOCALHOST',
    'localhost.',
    'app.localhost:4747',
    'nas',
    'NAS:80',
    'music.local',
    'music.local:4747',
    'music.example',
    'Music.Example:443',
    'music.example.',
    'attic.lan:4747',
  ])('%s is allowed while shared', (host) => {
    expect(
      isAllowedHost(host, { allowedHosts: ['music.example'], isShared: true, ownNames: () => ['attic.lan'] }),
    ).toBe(true);
  });

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:4747',
    'music.example.evil.com',
    'xmusic.example',
    'localhost.evil.com',
    '127.0.0.1.evil.com',
    'local.evil.com',
    'nas:port',
    'nas:123456',
    'nas/path',
    'user@nas',
    '[::1',
    '::1]',
    'a b',
    'nas?x',
    'nas#x',
    ':80',
  ])('%s is rejected', (host) => {
    expect(
      isAllowedHost(host, { allowedHosts: ['music.example'], isShared: true, ownNames: () => ['attic.lan'] }),
    ).toBe(false);
  });
});

describe('a Host header while only loopback listens', () => {
  it.each(['nas', 'NAS:80', 'evil.local', 'attic.lan', 'wpad'])('%s is rejected', (host) => {
    expect(
      isAllowedHost(host, { allowedHosts: ['music.example'], isShared: false, ownNames: () => ['attic.lan'] }),
    ).toBe(false);
  });

  it.each(['127.0.0.1:4747', '[::1]', 'localhost', 'app.localhost', 'music.example'])('%s is allowed', (host) => {
    expect(
      isAllowedHost(host, { allowedHosts: ['music.example'], isShared: false, ownNames: () => ['attic.lan'] }),
    ).toBe(true);
  });
});

describe('every request', () => {
  let app: BareApp;
  let allowedNames: string[] = [];
  const warnings: unknown[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) };
  beforeAll(async () => {
    const routes = [
      route({ method: 'post', path: '/x', access: 'public', summary: 'x' }, () => undefined),
      route({ method: 'get', path: '/x', access: 'stream', summary: 'x' }, () => undefined),
    ];
    app = await openBareApp(routes, {
      before: [
        checkHost(() => ({ allowedHosts: allowedNames, isShared: false, ownNames: () => ['attic.lan'] }), log),
        checkOrigin,
      ],
    });
  });
  afterAll(() => app.close());

  const sendRequest = async (lines: string[], method = 'POST', path = '/x'): Promise<number> =>
    Number(
      (
        await app.raw(
          `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        )
      ).split(' ')[1],
    );

  it('under another name is 403, until that name is allowed', async () => {
    expect(await sendRequest(['Host: 127.0.0.1'])).toBe(204);
    expect(await sendRequest(['Host: music.example'])).toBe(403);
    allowedNames = ['music.example'];
    expect(await sendRequest(['Host: music.example'])).toBe(204);
    allowedNames = [];
    expect(await sendRequest(['Host: music.example'])).toBe(403);
    expect(warnings).toEqual([{ host: 'music.example' }]);
  });

  it.each([
    ['http://127.0.0.1:4747', 204],
    ['https://127.0.0.1:4747', 204],
    ['http://127.0.0.1:4748', 403],
    ['http://evil.example', 403],
    ['null', 403],
    ['', 403],
    ['127.0.0.1:4747', 403],
  ])('with Origin %j to 127.0.0.1:4747 is %s', async (origin, status) => {
    expect(await sendRequest(['Host: 127.0.0.1:4747', `Origin: ${origin}`])).toBe(status);
  });

  it('without an Origin is from a client, not a page', async () => {
    expect(await sendRequest(['Host: 127.0.0.1:4747'])).toBe(204);
  });

  it('gets an id and the security headers', async () => {
    const answer = await app.fetch('/x', { method: 'POST' });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('x-powered-by')).toBeNull();
    const missingPage = await app.fetch('/missing');
    expect([missingPage.status, missingPage.headers.get('x-request-id') === null]).toEqual([404, false]);
  });

  it('has one line in the log, without secrets', async () => {
    const answer = await app.fetch('/x?token=ann&p=pw&t=0815&s=salt&apiKey=key&q=beatles');
    const [line, ...otherLines] = app
      .logged()
      .filter((entry) => entry['request_id'] === answer.headers.get('x-request-id'));
    expect(otherLines).toEqual([]);
    expect(line).toMatchObject({
      method: 'GET',
      route: 'GET /x',
      status: 204,
      user_id: 2,
      url: '/x?token=***&p=***&t=***&s=***&apiKey=***&q=beatles',
    });
  });
});
