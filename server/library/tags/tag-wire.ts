// Zod schemas of the API of tag values.
import { z } from 'zod';
import { pagedOf, pageQuery } from '../../http/paging.ts';
import type { TagFilter } from '../lists/tag-filters.ts';
import { storedTagName } from './tag-names.ts';

export const MAX_TAG_FILTERS = 20;

/** A tag and its value: `OCCASION:Party`. Names of tags contain no colon. */
export const TagValueIn = z
  .string()
  .max(600)
  .regex(/^[^:]+:\s*\S/, 'must be the name of a tag, a colon and a value, such as OCCASION:Party')
  .transform((text): TagFilter => {
    const colon = text.indexOf(':');
    return { tag: storedTagName(text.slice(0, colon)), value: text.slice(colon + 1) };
  });

export const TagOut = z
  .object({
    name: z.string().meta({ description: '`mood`, `grouping`, or a name in the setting CUSTOM_TAGS, in upper case' }),
    is_custom: z.boolean(),
    value_count: z.int(),
    track_count: z.int().meta({ description: 'tracks that have the tag' }),
  })
  .meta({ id: 'TagOut' });
export type TagOut = z.output<typeof TagOut>;

export const TagValueOut = z.object({ value: z.string(), track_count: z.int() }).meta({ id: 'TagValueOut' });
export type TagValueOut = z.output<typeof TagValueOut>;
export const TagValuePage = pagedOf(TagValueOut).meta({ id: 'PagedTagValues' });

export const TagNameParam = z.object({ name: z.string().max(100).transform(storedTagName) });
export const TagValueQuery = z.object({
  q: z.string().max(500).optional().meta({ description: 'a part of the value' }),
  ...pageQuery,
});
