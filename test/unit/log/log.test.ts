// A log line is one JSON object, and contains no secrets.
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../server/errors.ts';
import { createLog, redactUrl, type Log } from '../../../server/log/log.ts';

const SECRET_TEXT = 'sesame/+%20=.~_-';

function captureLines(writeLog: (log: Log) => void, level: 'trace' | 'warn' = 'trace'): Record<string, unknown>[] {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  writeLog(createLog(level, stream));
  expect(text).not.toContain('sesame');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
const captureLine = (writeLog: (log: Log) => void): Record<string, unknown> => {
  const lines = captureLines(writeLog);
  expect(lines).toHaveLength(1);
  return lines[0] ?? {};
};

describe('a text', () => {
  test.each([
    ['/stream/1?token=SECRET', '/stream/1?token=***'],
    ['/stream/1?format=mp3&token=SECRET&x=1', '/stream/1?format=mp3&token=***&x=1'],
    ['/rest/ping?u=ann&p=enc:SECRET&v=1', '/rest/ping?u=ann&p=***&v=1'],
    ['/rest/ping?t=SECRET&s=SECRET&u=ann', '/rest/ping?t=***&s=***&u=ann'],
    ['/rest/ping?APIKEY=SECRET', '/rest/ping?APIKEY=***'],
    ['/rest/ping?apiKey=SECRET#top', '/rest/ping?apiKey=***#top'],
    ['/setup?setup_token=SECRET', '/setup?setup_token=***'],
    ['/#access_token=SECRET&x=1', '/#access_token=***&x=1'],
    ['see http://a/?token=SECRET and http://b/?p=SECRET', 'see http://a/?token=*** and http://b/?p=***'],
    ['{"url":"/?token=SECRET","n":1}', '{"url":"/?token=***","n":1}'],
    ['{"url":"/?p=a\\\\SECRET","n":1}', '{"url":"/?p=***","n":1}'],
    ['http://api.example/?key=SECRET&x=1', 'http://api.example/?key=***&x=1'],
    ['/pictures/a?signature=SECRET', '/pictures/a?signature=***'],
    ['GET http://ann:hunter2@host/feed', 'GET http://***@host/feed'],
    ['ftp://ann:hunt@er2@host/ and HTTPS://hunter2@host', 'ftp://***@host/ and HTTPS://***@host'],
    ['http://host/@ann and me@host', 'http://host/@ann and me@host'],
    ['authorization: Bearer SECRETSECRET', 'authorization: Bearer ***'],
    ['/tracks?sort=title&start=5&top=1&stop=2', '/tracks?sort=title&start=5&top=1&stop=2'],
    ['/search?q=token=abc', '/search?q=token=abc'],
    ['the bearer of news', 'the bearer of news'],
    ...[
      '%74oken',
      't%6Fken',
      '%74%6f%6b%65%6e',
      '%2574oken',
      'TOKEN',
      'token%00',
      'to%20ken',
      'token[]',
      'my_token',
    ].map((name) => [`/stream/1?x=1&${name}=SECRET&y=2`, `/stream/1?x=1&${name}=***&y=2`]),
    ...['%70', 'P', 'api%4Bey', 'pass%77ord', 'apikey%5B0%5D'].map((name) => [
      `/rest/ping?${name}=SECRET;v=1`,
      `/rest/ping?${name}=***`,
    ]),
    ['/share/sesame-0123456789/3', '/share/***/3'],
    ['GET /share/aB3_-xyz90 done', 'GET /share/*** done'],
    ['/x/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2VzYW1l', '/x/***'],
  ])('%s is redacted', (text, expected) => {
    expect(redactUrl(text.replaceAll('SECRET', SECRET_TEXT))).toBe(expected);
  });
});

describe('a line', () => {
  test.each([
    'token',
    'p',
    't',
    's',
    'apiKey',
    'api_key',
    'authorization',
    'Authorization',
    'password',
    'newPassword',
    'current_password',
    'setup_token',
    'accessToken',
    'cookie',
    'set-cookie',
    'JWT_SECRET',
    'S3_SECRET_ACCESS_KEY',
    'FPID_API_KEY',
  ])('hides the field %s at any depth', (name) => {
    const nested = { a: { b: { c: { d: [{ [name]: SECRET_TEXT }] } } } };
    expect(
      captureLine((log) =>
        log.info(
          {
            [name]: SECRET_TEXT,
            headers: { [name]: SECRET_TEXT },
            deep: nested,
            list: [[{ [name]: { inner: SECRET_TEXT } }]],
          },
          'x',
        ),
      ),
    ).toMatchObject({
      [name]: '***',
      headers: { [name]: '***' },
      deep: { a: { b: { c: { d: [{ [name]: '***' }] } } } },
      list: [[{ [name]: '***' }]],
    });
  });

  test('hides secrets of URLs in any field and in the message', () => {
    const url = `http://host/rest/x?u=a&p=${SECRET_TEXT}&c=app`;
    expect(
      captureLine((log) => log.error({ url, cover: { from: [url] }, target: new URL(url) }, `could not fetch ${url}`)),
    ).toMatchObject({
      url: 'http://host/rest/x?u=a&p=***&c=app',
      cover: { from: ['http://host/rest/x?u=a&p=***&c=app'] },
      target: 'http://host/rest/x?u=a&p=***&c=app',
      msg: 'could not fetch http://host/rest/x?u=a&p=***&c=app',
    });
  });

  test('stays JSON when a secret contains quotes, line breaks and backslashes', () => {
    for (const character of ['"', '\\', '\\"', '\n', '\u2028', '\ud800', '}', '\\\\"x']) {
      expect(
        captureLine((log) => log.info({ url: `/?token=sesame${character}` }, `"quoted" ?p=sesame${character} and on`)),
      ).toMatchObject({ url: expect.stringMatching(/^\/\?token=\*\*\*/) as string });
    }
  });

  test('keeps everything else', () => {
    const line = {
      request_id: 'r',
      status: 200,
      ms: 1.5,
      route: null,
      title: 'Basic Instinct',
      tokens_left: 3,
      at: new Date(0),
      nothing: undefined,
      sort: 'title',
    };
    expect(captureLine((log) => log.info(line, 'request'))).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      request_id: 'r',
      status: 200,
      ms: 1.5,
      route: null,
      title: 'Basic Instinct',
      tokens_left: 3,
      at: '1970-01-01T00:00:00.000Z',
      sort: 'title',
      msg: 'request',
    });
  });

  test('is written from the configured level on', () => {
    expect(
      captureLines((log) => {
        log.debug('a');
        log.info('b');
        log.warn('c');
        log.error('d');
      }, 'warn').map((line) => line['msg']),
    ).toEqual(['c', 'd']);
  });
});

describe('an error', () => {
  test('is logged with its code, its stack and all its causes', () => {
    const root = Object.assign(new TypeError('no such host'), { code: 'ENOTFOUND' });
    const error = new AppError('unavailable', 'could not fetch the cover', {
      cause: new Error('request failed', { cause: root }),
    });
    expect(captureLine((log) => log.error({ err: error }, 'covers'))).toMatchObject({
      msg: 'covers',
      err: {
        name: 'AppError',
        message: 'could not fetch the cover',
        code: 'unavailable',
        stack: expect.stringContaining('log.test.ts') as string,
        cause: {
          name: 'Error',
          message: 'request failed',
          cause: { name: 'TypeError', message: 'no such host', code: 'ENOTFOUND' },
        },
      },
    });
  });

  test('without a cause or code has none', () => {
    expect(
      Object.keys(captureLine((log) => log.error({ err: new Error('x') }, 'y'))['err'] as object).toSorted(),
    ).toEqual(['message', 'name', 'stack']);
  });

  test('has no secrets in message, stack and causes', () => {
    const cause = { message: 'not an error', authorization: SECRET_TEXT };
    const error = new Error(`GET /?token=${SECRET_TEXT} failed`, {
      cause: new Error(`p: ?p=${SECRET_TEXT}`, { cause }),
    });
    expect(captureLine((log) => log.error({ err: error }, 'x'))).toMatchObject({
      err: {
        message: 'GET /?token=*** failed',
        cause: { message: 'p: ?p=***', cause: { message: 'not an error', authorization: '***' } },
      },
    });
  });

  test('without fields is logged too, and its message is redacted', () => {
    expect(captureLine((log) => log.error(new Error(`?token=${SECRET_TEXT}`)))).toMatchObject({
      msg: '?token=***',
      err: { message: '?token=***' },
    });
  });

  test('that causes itself does not recurse', () => {
    const error = new Error('round');
    error.cause = error;
    expect(captureLine((log) => log.error({ err: error }, 'x'))).toMatchObject({
      err: { message: 'round', cause: { message: 'round' } },
    });
  });

  test.each([
    ['text', 'text'],
    [null, null],
    [42, 42],
  ])('that is not an error but %j is logged as it is', (error, expected) => {
    expect(captureLine((log) => log.error({ err: error }, 'x'))['err']).toBe(expected);
  });

  test('in another field is logged as well', () => {
    expect(captureLine((log) => log.warn({ reason: new Error('why') }, 'x'))).toMatchObject({
      reason: { message: 'why' },
    });
  });
});

test('what others choose is cut before it is searched for secrets', () => {
  const line = captureLine((log) =>
    log.warn({ name: 'eyJ-'.repeat(100_000), list: Array.from({ length: 5_000 }, () => 'x') }, 'odd'),
  );
  expect([String(line['name']).length, (line['list'] as string[]).length]).toEqual([4_001, 100]);
});
