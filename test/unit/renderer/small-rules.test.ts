import { expect, test } from 'vitest';
import { stateOf } from '../../../renderer/api/analysis-state.ts';
import type { AnalysisOut } from '../../../server/analysis/wire.ts';
import { nameOf, shownName } from '../../../renderer/api/client-name.ts';
import { lineAt } from '../../../renderer/features/playback/lyrics-line.ts';
import { outlineOf } from '../../../renderer/features/playback/waveform-outline.ts';
import { decodablePart } from '../../../renderer/player/sound-source.ts';

const LYRICS_LINES = [{ start_ms: 1_000 }, { start_ms: 5_000 }, { start_ms: 5_000 }, { start_ms: 9_000 }];

test.each([
  [0, -1],
  [799, -1],
  [800, 0],
  [1_000, 0],
  [4_700, 0],
  [5_000, 2],
  [8_000, 2],
  [60_000, 3],
])('at %i ms the current line is %i', (positionMs, line) => {
  expect(lineAt(LYRICS_LINES, positionMs)).toBe(line);
});

test('without lines there is no current line', () => expect(lineAt([], 5_000)).toBe(-1));

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPhone',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36 EdgA/140.0.0.0',
    'Edge on Android',
  ],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Chrome on ChromeOS',
  ],
  ['curl/8.5.0 with more', 'curl/8.5.0'],
  [null, undefined],
])('a client has a readable name: %s', (userAgent, name) => {
  expect(nameOf(userAgent)).toBe(name);
});

test('the suffix that distinguishes clients is not shown', () =>
  expect(shownName('Chrome on Linux #k3f9')).toBe('Chrome on Linux'));

test('an Ogg file is cut before its last page, others are unchanged', () => {
  const page = (...bytes: number[]) => [0x4f, 0x67, 0x67, 0x53, ...bytes];
  expect([...decodablePart(Uint8Array.from([...page(1, 2), ...page(3, 4), ...page(5)]))]).toEqual([
    ...page(1, 2),
    ...page(3, 4),
  ]);
  expect([...decodablePart(Uint8Array.from(page(1, 2)))]).toEqual(page(1, 2));
  expect([...decodablePart(Uint8Array.from([1, ...page(2)]))]).toEqual([1, ...page(2)]);
});

test('a waveform is an outline that is mirrored, with a line where it is silent', () => {
  const points = Buffer.from([0, 255, 100]).toString('base64');
  expect(outlineOf(points)).toEqual({ path: 'M0 255L0 249L1 0L2 155L2 355L1 510L0 261Z', width: 2 });
});

test('an analysis that has nothing left to do is done, whoever uses the server', () => {
  const findState = (state: AnalysisOut['state'], secondsLeft: number | null) =>
    stateOf({ state, seconds_left: secondsLeft });
  expect([findState('busy', 0), findState('busy', null), findState('busy', 60), findState('off', 0)]).toEqual([
    'done',
    'busy',
    'busy',
    'off',
  ]);
});
