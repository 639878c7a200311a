// Filters of lists by values of tags: moods, groupings, and the tags that a person named.
import { sortKey } from '../tracks/sort-and-identity-keys.ts';
import type { Filter } from './filters.ts';
import type { Params } from './statement-cache.ts';

/** A tag by its stored name, and a whole value in any case. */
export interface TagFilter {
  tag: string;
  value: string;
}

interface TagTest {
  condition: string;
  params: Params;
}

const testOf = ({ tag, value }: TagFilter, i: number): TagTest => ({
  condition: `tt.tag = @tag${i} AND tt.value_key = @tagValue${i}`,
  params: { [`tag${i}`]: tag, [`tagValue${i}`]: sortKey(value) },
});

export const trackTagFilters = (tags: readonly TagFilter[] = []): Filter[] =>
  tags.map(testOf).map(({ condition, params }) => ({
    condition: `EXISTS (SELECT 1 FROM track_tags tt WHERE tt.track_id = i.id AND ${condition})`,
    idQuery: `SELECT tt.track_id FROM track_tags tt WHERE ${condition}`,
    count: `SELECT count(*) FROM track_tags tt WHERE ${condition}`,
    params,
  }));

/** Returns filters for albums with a track that has the value. */
export const albumTagFilters = (tags: readonly TagFilter[] = []): Filter[] =>
  tags.map(testOf).map(({ condition, params }) => ({
    condition: `EXISTS (SELECT 1 FROM tracks t CROSS JOIN track_tags tt ON tt.track_id = t.id
      WHERE t.album_id = i.id AND ${condition})`,
    idQuery: `SELECT t.album_id FROM track_tags tt CROSS JOIN tracks t ON t.id = tt.track_id WHERE ${condition}`,
    params,
  }));
