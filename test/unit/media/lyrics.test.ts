// Tests lyrics with times for each word, and how they are written as text.
import { expect, test } from 'vitest';
import { formatLrc } from '../../../server/media/lrc-format.ts';
import { parseLyrics } from '../../../server/media/lrc.ts';

test('enhanced LRC has times of words', () => {
  expect(parseLyrics('[offset:+100]\n[00:01.00]<00:01.00>Low <00:01.50>water<00:02.00>\n[00:03.00]Plain')).toEqual({
    synced: true,
    lines: [
      {
        startMs: 900,
        text: 'Low water',
        words: [
          { startMs: 900, text: 'Low ' },
          { startMs: 1_400, text: 'water' },
        ],
      },
      { startMs: 2_900, text: 'Plain' },
    ],
  });
});

test('TTML has lines and words, in all forms of time', () => {
  const ttml = `<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"><head><title>x</title></head><body><div>
    <p begin="00:00:12.500" end="15s"><span begin="12.5s">Tom</span> <span begin="13.25">&amp;</span>
      <span begin="0:14.0">Ida</span></p>
    <p begin="1:02.5">Plain &#x2014; line</p><p begin="2500ms">First</p></div></body></tt>`;
  expect(parseLyrics(ttml)).toEqual({
    synced: true,
    lines: [
      { startMs: 2_500, text: 'First' },
      {
        startMs: 12_500,
        text: 'Tom & Ida',
        words: [
          { startMs: 12_500, text: 'Tom ' },
          { startMs: 13_250, text: '& ' },
          { startMs: 14_000, text: 'Ida' },
        ],
      },
      { startMs: 62_500, text: 'Plain — line' },
    ],
  });
  expect(parseLyrics('<tt><body><p>No times</p></body></tt>')).toEqual({
    synced: false,
    lines: [{ text: 'No times' }],
  });
  expect(parseLyrics('<tt><body></body></tt>')).toBeUndefined();
});

test.each([
  ['lines', '<p>'],
  ['beginnings of lines', '<p '],
  ['names', '<aaaa'],
  ['one name', 'a'],
  ['spans in a line', '<span begin="1s">a'],
])('TTML of %s without end is read quickly', (_, piece) => {
  const text = `<tt><p begin="1s">One</p><p><${piece.repeat(Math.floor(250_000 / piece.length))}`;
  expect(parseLyrics(text)).toMatchObject({ lines: [{ text: 'One' }] });
  expect(parseLyrics(`${text}</p>`)?.lines[0]?.text).toBe('One');
});

test('lyrics that were written are read back unchanged', () => {
  for (const text of ['[00:01.00]<00:01.00>Low <00:01.50>water\n[01:03.25]Plain', 'One\n\nTwo']) {
    const lyrics = parseLyrics(text);
    expect(formatLrc(lyrics?.lines ?? [])).toBe(text);
  }
});

test('background voices are lines of their own, and come back when they are written as LRC', () => {
  const lrc =
    '[00:01.00]<00:01.00>Low <00:01.50>water\n[bg:<00:01.60>(low <00:01.80>water)]\n[00:03.00]Plain\n[bg: ooh]';
  const lyrics = parseLyrics(lrc);
  expect(lyrics?.lines).toEqual([
    expect.objectContaining({ startMs: 1_000, text: 'Low water' }),
    {
      startMs: 1_600,
      text: '(low water)',
      words: [
        { startMs: 1_600, text: '(low ' },
        { startMs: 1_800, text: 'water)' },
      ],
      isBackground: true,
    },
    { startMs: 3_000, text: 'Plain' },
    { startMs: 3_000, text: 'ooh', isBackground: true },
  ]);
  expect(parseLyrics(formatLrc(lyrics?.lines ?? []))?.lines).toEqual(lyrics?.lines);
});

test('the background voice of TTML is a line of its own', () => {
  const ttml = `<tt xmlns:ttm="http://www.w3.org/ns/ttml#metadata"><body><p begin="1s"><span begin="1s">Low</span>
    <span begin="2s">water</span><span ttm:role="x-bg"><span begin="2.5s">(low</span> <span begin="3s">water)</span>
    </span></p></body></tt>`;
  expect(parseLyrics(ttml)?.lines.map(({ startMs, text, isBackground }) => [startMs, text, isBackground])).toEqual([
    [1_000, 'Low water', undefined],
    [2_500, '(low water)', true],
  ]);
});

test.each([
  [
    'SubRip',
    '1\r\n00:00:01,500 --> 00:00:03,000\r\n<i>Low</i>\r\nwater\r\n\r\n2\r\n00:01:02,000 --> 00:01:03,000\r\nPlain\r\n',
  ],
  ['WebVTT', 'WEBVTT\n\nNOTE x\n\n00:01.500 --> 00:03.000 align:start\nLow\nwater\n\n01:02.000 --> 01:03.000\nPlain\n'],
])('subtitles in %s are timed lines', (_, text) => {
  expect(parseLyrics(text)).toEqual({
    synced: true,
    lines: [
      { startMs: 1_500, text: 'Low water' },
      { startMs: 62_000, text: 'Plain' },
    ],
  });
});

test('lyrics in YAML have lines, words and an offset, or plain text', () => {
  const yaml = `version: '1.0'
metadata:
  title: Low Water
  offset_ms: 100
lines:
- text: Low water
  start_ms: 1000
  end_ms: 2000
  words:
  - text: 'Low '
    start_ms: 1000
  - text: water
    start_ms: 1500
- text: ''
  start_ms: 2500
- text: "Plain: line"
  start_ms: 3000
`;
  expect(parseLyrics(yaml)).toEqual({
    synced: true,
    lines: [
      {
        startMs: 900,
        text: 'Low water',
        words: [
          { startMs: 900, text: 'Low ' },
          { startMs: 1_400, text: 'water' },
        ],
      },
      { startMs: 2_900, text: 'Plain: line' },
    ],
  });
  expect(parseLyrics('plain: |\n  One\n  Two\n')).toEqual({ synced: false, lines: [{ text: 'One' }, { text: 'Two' }] });
  expect(parseLyrics('lines:\n- text: A\n- text: B\n')).toEqual({
    synced: false,
    lines: [{ text: 'A' }, { text: 'B' }],
  });
});

test.each([
  ['complex keys', `lines:\n${'? '.repeat(2_000)}`],
  ['complex keys in a list', `lines: [${'? '.repeat(2_000)}]`],
  ['lists in lists', `lines: ${'['.repeat(5_000)}`],
  ['lists in lists in one row', `lines:\n  ${'- '.repeat(5_000)}x`],
  ['many keys', `plain: a\n${Array.from({ length: 30_000 }, (_, n) => `k${n}: 1\n`).join('')}`],
])('YAML with %s is read as text at most', (_, text) => {
  expect(parseLyrics(text)).toMatchObject({ synced: false });
});

test('times in YAML are whole milliseconds within limits, and texts have no control characters', () => {
  const parse = (offset: string) =>
    parseLyrics(`metadata: { offset_ms: ${offset} }\nlines:\n- { text: "a\\0b\\nc", start_ms: 1000 }\n`)?.lines;
  expect([parse('0.4'), parse('-1e300')]).toEqual(Array.from({ length: 2 }, () => [{ startMs: 1000, text: 'a b c' }]));
});

test('a subtitle of very many rows is one line', () => {
  const lines = parseLyrics(`00:00:01,000 --> 00:00:02,000\n${'a\n'.repeat(100_000)}`)?.lines;
  expect(lines).toEqual([{ startMs: 1000, text: Array(100_000).fill('a').join(' ') }]);
});

test.each([
  ['no mapping', 'lines: between us\nare few'],
  ['aliases', 'a: &a [x, x]\nlines: [*a, *a]\nplain: x'],
  ['unclosed', 'lines: [\nI sang'],
])('a song with %s is plain text', (_, text) => {
  expect(parseLyrics(text)?.lines.map((line) => line.text)).toEqual(text.split('\n'));
});
