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
