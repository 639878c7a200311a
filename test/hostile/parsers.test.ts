// Files that try to exhaust their parser, through every import: each is refused within its limit, with the position at
// which the limit was exceeded.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readListens } from '../../server/history/listens-file.ts';
import type { HistoryImportOut } from '../../server/history/wire.ts';
import { parseLyrics } from '../../server/media/lrc.ts';
import { parseFeed } from '../../server/podcasts/feed.ts';
import { parseLimitedJson } from '../../server/runtime/text-limits.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let listener: string;
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-imports-'));
  server = await startServer();
  listener = await registerUser(server);
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A size above every limit of a text. */
const TEXT_BYTES = 4 << 20;
const fillText = (prefix: string, filler: string): string =>
  prefix + filler.repeat(Math.ceil(TEXT_BYTES / filler.length));

describe('a listening history', () => {
  const HISTORY_FILES: [string, string, RegExp][] = [
    ['brackets', fillText('{"listens":', '['), /^Line 1, character 61: brackets are nested more than 50 levels/],
    ['brackets and braces', fillText('', '[{"a":'), /^Line 1, character \d+: brackets are nested more than 50 levels/],
    ['one text', fillText('[\n{"a":"', 'x'), /^Line 2, character \d+: no play ends within the last 1048576 characters/],
    ['numbers', fillText('[', '1,'), /^Line 1, character \d+: no play ends within the last 1048576 characters/],
    ['one row', fillText('', 'a,'), /^Line 1: a row has more than 500 cells/],
    ['one cell', fillText('artist,title,date\n"', 'a\n'), /^Line \d+: a row has more than 262144 characters/],
    [
      'one line',
      fillText('{"listened_at":1700000000,"track_metadata":{"track_name":"A","artist_name":"B"}}\n', 'x'),
      /^Line 2: it has more than 262144 characters/,
    ],
  ];

  test.each(HISTORY_FILES)('of %s is refused with the place, and little of it is read', async (_title, text, error) => {
    const path = join(dir, 'history');
    writeFileSync(path, text);
    let bytesRead = 0;
    const readAll = async (): Promise<void> => {
      for await (const listen of readListens(path, (doneBytes) => (bytesRead = doneBytes)))
        expect(listen?.title ?? 'A').toBe('A');
    };
    await expect(readAll()).rejects.toThrow(error);
    expect(bytesRead).toBeLessThan(TEXT_BYTES / 2);
  });

  test('says so to the account that sent it, while others are answered', async () => {
    const formData = new FormData();
    formData.append('file', new Blob([fillText('{"listens":', '[')]), 'history.json');
    const importAnswer = await server.api<HistoryImportOut>('/history/import', {
      method: 'POST',
      body: formData,
      token: listener,
    });
    expect(importAnswer.status).toBe(202);
    expect((await server.api('/health')).status).toBe(200);
    await server.app.drain();
    const { body } = await server.api<HistoryImportOut>(`/history/imports/${importAnswer.body.id}`, {
      token: listener,
    });
    expect([body.status, body.error]).toEqual(['failed', expect.stringMatching(/^Line 1, character 61: brackets/)]);
  });
});

describe('a playlist file', () => {
  test.each([
    ['one line', fillText('', 'a,'), 413, /Line 1: it has more than 65536 characters/],
    ['brackets', fillText('', '['), 413, /Line 1: it has more than 65536 characters/],
    ['one tag', fillText('<?xml version="1.0"?>\n<playlist><track ', 'a'), 413, /Line 2: a track has more than 65536/],
    ['nested elements', fillText('<playlist>', '<track>'), 413, /Line 1: a track has more than 65536 characters/],
    ['more bytes than the limit', fillText('', 'a\n').repeat(3), 413, /at most 10 MB/],
  ])('of %s is refused', async (_title, text, status, detail) => {
    const formData = new FormData();
    formData.append('file', new Blob([text]), 'list.m3u8');
    const answer = await server.api('/playlists/import', { method: 'POST', body: formData, token: listener });
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(detail)]);
  });
});

describe('a podcast feed', () => {
  const feedUrl = new URL('https://feeds.example/feed');
  test.each([
    ['one tag', fillText('<rss>\n<', 'a'), /^Line 2 of the feed: a name or an attribute has no end/],
    ['one attribute', fillText('<rss><channel a="', 'a'), /a name or an attribute has no end/],
    ['attributes', `<rss ${Array.from({ length: 300 }, (_, n) => `a${n}="1"`).join(' ')}>`, /more than 200 attributes/],
    ['nested elements', fillText('<rss>', '<a>'), /elements are nested more than 100 levels/],
    [
      'texts',
      `<rss>${`<item><title>${'x'.repeat(49_000)}</title></item>`.repeat(300)}</rss>`,
      /its texts have more than/,
    ],
  ])('of %s is refused with the place', async (_title, text, fault) => {
    await expect(parseFeed(Buffer.from(text), null, feedUrl)).rejects.toThrow(fault);
  });

  test('of one comment has nothing in it', async () => {
    const feed = await parseFeed(
      Buffer.from(`${fillText('<rss><!--', 'x')}--><channel><title>A</title></channel></rss>`),
      null,
      feedUrl,
    );
    expect(feed).toMatchObject({ title: 'A', episodes: [] });
  });
});

test('an answer in JSON is counted before it is parsed', () => {
  expect(() => parseLimitedJson(fillText('', '['))).toThrow('Character 101: nested more than 100 levels deep.');
  expect(() => parseLimitedJson(fillText('[', '1,'))).toThrow(/more than 500000 values/);
  expect(parseLimitedJson('{"a":["[\\"[",{}]}')).toEqual({ a: ['["[', {}] });
});

test('lyrics of one line, of brackets and of elements are cut off', () => {
  for (const repeatedPart of ['a', '[', '[00:01.00]', '<tt><p>']) {
    const lyrics = parseLyrics(fillText('', repeatedPart));
    const texts = lyrics?.lines.map(({ text }) => text).join('') ?? '';
    expect(texts.length).toBeLessThanOrEqual(256 << 10);
  }
});
