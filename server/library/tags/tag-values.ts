// The values of a track that lists filter by, from its stored tags: every tagged mood and grouping, and custom tags.
import { isCustomTag, nameOfCustomTag } from '../../db/custom-tags.ts';
import type { MoreTags } from '../../db/more-tags.ts';
import { separateValues } from '../tracks/separate-values.ts';
import { sortKey } from '../tracks/sort-and-identity-keys.ts';
import { FILTERED_TAGS } from './tag-names.ts';

export interface TagValue {
  tag: string;
  value: string;
  /** The value folded, by which it is compared. */
  valueKey: string;
}

/** Longer values are cut, so that the index stays small; `more_tags` has them whole. */
const MAX_VALUE_CHARACTERS = 500;
/** Maximum number of values of one track. */
const MAX_VALUES = 300;

/** Returns the values of moods, groupings and custom tags, each once. */
export function tagValuesOf(moreTags: MoreTags): TagValue[] {
  const values = new Map<string, TagValue>();
  const add = (tag: string, texts: readonly string[] | undefined): void => {
    if (!texts) return;
    for (const text of separateValues(texts)) {
      const value = text.slice(0, MAX_VALUE_CHARACTERS);
      const valueKey = sortKey(value);
      const key = `${tag}\0${valueKey}`;
      if (valueKey !== '' && !values.has(key) && values.size < MAX_VALUES) values.set(key, { tag, value, valueKey });
    }
  };
  for (const tag of FILTERED_TAGS) add(tag, moreTags[tag]);
  for (const tag in moreTags) if (isCustomTag(tag)) add(nameOfCustomTag(tag), moreTags[tag]);
  return [...values.values()];
}
