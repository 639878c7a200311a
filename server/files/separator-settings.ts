// The settings that say what separates several values of a tag.
import { CUSTOM_TAG_SEPARATORS } from '../config/tag-separators.ts';
import type { Settings } from '../config/settings.ts';
import { parseSeparators, type Separators } from '../media/tag-separators.ts';

export const SEPARATOR_SETTINGS = ['GENRE_SEPARATORS', 'MOOD_SEPARATORS', 'CREDIT_SEPARATORS'] as const;

export const separatorsFrom = (get: (name: (typeof SEPARATOR_SETTINGS)[number]) => string): Separators => ({
  genres: parseSeparators(get('GENRE_SEPARATORS')),
  moods: parseSeparators(get('MOOD_SEPARATORS')),
  credits: parseSeparators(get('CREDIT_SEPARATORS')),
  custom: CUSTOM_TAG_SEPARATORS,
});

export const separatorsOf = (settings: Pick<Settings, (typeof SEPARATOR_SETTINGS)[number]>): Separators =>
  separatorsFrom((name) => settings[name]);
