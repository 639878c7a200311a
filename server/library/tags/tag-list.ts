// Lists the tags that tracks are filtered by, and their values with counts.
import { notFound } from '../../errors.ts';
import type { Page, Paged } from '../../http/paging.ts';
import type { ReadAside } from '../lists/list-pages.ts';
import { createResultCache } from '../lists/result-cache.ts';
import type { Statements } from '../lists/statement-cache.ts';
import { sortKey } from '../tracks/sort-and-identity-keys.ts';
import { FILTERED_TAGS } from './tag-names.ts';

export interface TagSummary {
  name: string;
  isCustom: boolean;
  valueCount: number;
  trackCount: number;
}

export interface TagValueCount {
  value: string;
  valueKey: string;
  trackCount: number;
}

/**
 * The first column of the one row is a list as JSON, which the thread of long lists can return: counting the values of
 * 1,000,000 tracks takes 0.1 s. The spelling is that of the oldest track.
 */
const VALUES = `SELECT json_group_array(json_array(v.value_key, v.track_count,
    (SELECT tt.value FROM track_tags tt WHERE tt.track_id = v.first_id AND tt.tag = @tag
      AND tt.value_key = v.value_key)) ORDER BY v.value_key)
  FROM (SELECT value_key, count(*) AS track_count, min(track_id) AS first_id FROM track_tags
    WHERE tag = @tag GROUP BY value_key) v`;
const TRACK_COUNT = 'SELECT count(DISTINCT track_id) FROM track_tags WHERE tag = @tag';

const MAX_CACHED_TAGS = 30;

export type TagLists = ReturnType<typeof createTagLists>;

interface TagListDeps {
  statements: Statements;
  /** Returns the names in the setting CUSTOM_TAGS. */
  customTags: () => readonly string[];
  readAside?: ReadAside | undefined;
}

export function createTagLists({
  statements,
  customTags,
  readAside = async (sql, params) => statements.column(sql, params),
}: TagListDeps) {
  const valueCache = createResultCache<TagValueCount[]>(statements, MAX_CACHED_TAGS);
  const countCache = createResultCache<number>(statements, MAX_CACHED_TAGS);
  const listNames = (): string[] => [...FILTERED_TAGS, ...customTags()];

  /** Returns the values of a tag in the order of their folded forms. */
  async function valuesOf(tag: string): Promise<TagValueCount[]> {
    const cachedValues = valueCache.find(['library'], tag);
    if (cachedValues) return cachedValues;
    const version = statements.version(['library']);
    const [json = '[]'] = await readAside<string>(VALUES, { tag });
    const values = (JSON.parse(json) as [string, number, string][]).map(([valueKey, trackCount, value]) => ({
      value,
      valueKey,
      trackCount,
    }));
    valueCache.put(tag, version, values);
    return values;
  }

  async function countTracks(tag: string): Promise<number> {
    const cachedCount = countCache.find(['library'], tag);
    if (cachedCount !== undefined) return cachedCount;
    const version = statements.version(['library']);
    const [count = 0] = await readAside(TRACK_COUNT, { tag });
    countCache.put(tag, version, count);
    return count;
  }

  return {
    /** Returns moods, groupings, and the tags that a person named, also without values. */
    list: (): Promise<TagSummary[]> =>
      Promise.all(
        listNames().map(async (name) => ({
          name,
          isCustom: !FILTERED_TAGS.some((tag) => tag === name),
          valueCount: (await valuesOf(name)).length,
          trackCount: await countTracks(name),
        })),
      ),

    /** Returns a page of the values of a tag. Throws `not_found` for a tag that is not read. */
    async listValues(tag: string, q: string | undefined, { limit, offset }: Page): Promise<Paged<TagValueCount>> {
      if (!listNames().includes(tag)) throw notFound('tag', tag);
      const key = q === undefined ? '' : sortKey(q);
      const values = await valuesOf(tag);
      const items = key === '' ? values : values.filter(({ valueKey }) => valueKey.includes(key));
      return { items: items.slice(offset, offset + limit), total: items.length };
    },
  };
}
