// Credits from the tags of a track.
import { describe, expect, test } from 'vitest';
import { creditsOf, splitPerformer } from '../../../server/library/credits/track-credits.ts';

describe('performers', () => {
  test.each([
    ['Anna', 'Anna', null],
    ['Anna (violin)', 'Anna', 'violin'],
    [' Anna  ( violin and vocals ) ', 'Anna', 'violin and vocals'],
    ['Anna (drums (drum set))', 'Anna', 'drums (drum set)'],
    ['Anna (of Town) (bass)', 'Anna (of Town)', 'bass'],
    ['Anna (2)', 'Anna (2)', null],
    ['(violin)', '(violin)', null],
    ['Anna ()', 'Anna ()', null],
    ['Anna )', 'Anna )', null],
    ['Anna (violin', 'Anna (violin', null],
    ['', '', null],
  ])('%j', (value, name, instrument) => {
    expect(splitPerformer(value)).toEqual({ name, instrument });
  });
});

const names = (...parameters: Parameters<typeof creditsOf>): string[] =>
  creditsOf(...parameters).map(({ role, name, instrument }) => [role, name, instrument].filter(Boolean).join(' / '));

test('a person is named once for each role, whatever the spelling, with all instruments', () => {
  expect(
    names('Anna; ANNA; Ben', {
      producer: ['anna'],
      performer: ['Anna (piano)', 'anna (voice)', 'Anna (piano)', 'Ben', 'Ben (harp)'],
    }),
  ).toEqual([
    'composer / Anna',
    'composer / Ben',
    'producer / anna',
    'performer / Anna / piano, voice',
    'performer / Ben / harp',
  ]);
});

test('sort names count only if each composer has one', () => {
  const sortNames = (composerSort: string[]): string[] =>
    creditsOf('Clara Hale; Ben Orth', { composerSort }).map(({ sortName }) => sortName);
  expect(sortNames(['Hale, Clara', 'Orth, Ben'])).toEqual(['Hale, Clara', 'Orth, Ben']);
  expect(sortNames(['Hale, Clara; Orth, Ben'])).toEqual(['Hale, Clara', 'Orth, Ben']);
  expect(sortNames(['Hale, Clara'])).toEqual(['Clara Hale', 'Ben Orth']);
});

test('blank names are no credits, and a hostile list is cut', () => {
  expect(names(' ; ', { conductor: ['', '\u200b', '  '] })).toEqual([]);
  expect(names(null, null)).toEqual([]);
  const performer = Array.from({ length: 5_000 }, (_, i) => `Person ${i} ${'('.repeat(200)}${')'.repeat(200)}`);
  expect(names(undefined, { performer })).toHaveLength(300);
  const instruments = Array.from({ length: 500 }, (_, i) => `Anna (instrument ${i})`);
  expect(creditsOf(null, { performer: instruments })[0]?.instrument?.length).toBeLessThanOrEqual(300);
});
