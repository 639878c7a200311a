import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../server/config/settings.ts';
import { CUSTOM_TAG_SEPARATORS } from '../../../server/config/tag-separators.ts';
import {
  parseSeparators,
  separateValues,
  splitKnownGenres,
  splitValues,
} from '../../../server/media/tag-separators.ts';
import type { Tags } from '../../../server/media/types.ts';

const defaultOf = (name: 'GENRE_SEPARATORS' | 'MOOD_SEPARATORS' | 'CREDIT_SEPARATORS'): string[] =>
  parseSeparators(SETTINGS[name].schema.parse(undefined));

describe('the default separators of genres', () => {
  it.each([
    ['Rock; Pop', ['Rock', 'Pop']],
    ['Rock;Pop;', ['Rock', 'Pop']],
    ['Rock / Pop', ['Rock', 'Pop']],
    ['Rock\\\\Pop', ['Rock', 'Pop']],
    ['Rock/Pop', ['Rock/Pop']],
    ['Drum & Bass', ['Drum & Bass']],
    ['Folk, World, & Country', ['Folk, World, & Country']],
    [';', [';']],
  ])('%j is %j', (value, genres) => expect(splitValues([value], defaultOf('GENRE_SEPARATORS'))).toEqual(genres));

  it('are used for each of several values, and repeated genres count once', () => {
    expect(splitValues(['Rock; Pop', 'Pop', 'Jazz'], defaultOf('GENRE_SEPARATORS'))).toEqual(['Rock', 'Pop', 'Jazz']);
  });
});

it('an empty setting separates nothing', () => {
  expect(splitValues(['Rock; Pop'], parseSeparators(''))).toEqual(['Rock; Pop']);
});

it('genres, moods and people have separators of their own, and artists none', () => {
  const tags: Tags = {
    artists: ['A; B'],
    albumArtists: ['A; B'],
    genres: ['a, b; c'],
    mood: ['calm, dark'],
    composer: ['Lennon; McCartney'],
    performer: ['Ann (bass, vocals); Bob (drums)'],
  };
  const separators = {
    genres: defaultOf('GENRE_SEPARATORS'),
    custom: CUSTOM_TAG_SEPARATORS,
    moods: defaultOf('MOOD_SEPARATORS'),
    credits: defaultOf('CREDIT_SEPARATORS'),
  };
  separateValues({ tags }, separators);
  expect(tags).toEqual({
    artists: ['A; B'],
    albumArtists: ['A; B'],
    genres: ['a, b', 'c'],
    mood: ['calm', 'dark'],
    composer: ['Lennon', 'McCartney'],
    performer: ['Ann (bass, vocals)', 'Bob (drums)'],
  });
});

it.each([
  ['Rock/Pop', ['Rock', 'Pop']],
  ['rock/Hip-Hop', ['rock', 'Hip-Hop']],
  ['Pop/Funk', ['Pop/Funk']],
  ['R&B/Soulful', ['R&B/Soulful']],
])('in ID3v2.3, %j is %j', (value, genres) => expect(splitKnownGenres(value)).toEqual(genres));
