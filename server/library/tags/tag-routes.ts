// REST API of the tags that tracks are filtered by.
import { z } from 'zod';
import { toPaged } from '../../http/paging.ts';
import { route, type Route } from '../../http/route.ts';
import type { TagLists, TagSummary, TagValueCount } from './tag-list.ts';
import { TagNameParam, TagOut, TagValuePage, TagValueQuery, type TagValueOut } from './tag-wire.ts';

export const tagRoutes = (tags: TagLists): Route[] => [
  route(
    {
      method: 'get',
      path: '/tags',
      access: 'user',
      summary: 'Tags that `/tracks` and `/albums` are filtered by: moods, groupings and custom tags',
      reply: z.array(TagOut),
      hasEtag: true,
    },
    async () => (await tags.list()).map(toTagOut),
  ),

  route(
    {
      method: 'get',
      path: '/tags/:name',
      access: 'user',
      summary: 'Values of a tag, with the number of tracks that have them',
      params: TagNameParam,
      query: TagValueQuery,
      reply: TagValuePage,
      hasEtag: true,
    },
    async ({ params, query }) => toPaged(await tags.listValues(params.name, query.q, query), query, toTagValueOut),
  ),
];

const toTagOut = ({ name, isCustom, valueCount, trackCount }: TagSummary): TagOut => ({
  name,
  is_custom: isCustom,
  value_count: valueCount,
  track_count: trackCount,
});

const toTagValueOut = ({ value, trackCount }: TagValueCount): TagValueOut => ({ value, track_count: trackCount });
