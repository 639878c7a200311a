import { z } from 'zod';
import { event } from '../events/event.ts';
import { pageQuery, pagedOf, queryInt } from '../http/paging.ts';
import { isoTime, toIso, toIsoOrNull } from '../http/times.ts';
import type { LikeEventRow } from './queries.ts';
import type { LikeSummary } from './service.ts';

const ItemTypeIn = z.enum(['track', 'album', 'artist']);
const rating = z.number().min(0).max(5).multipleOf(0.5, 'must be a whole or a half number');
const itemId = z.int().positive();

export const LikeEvent = z
  .strictObject({
    item_type: ItemTypeIn,
    item_id: itemId,
    liked: z.boolean(),
    rating: rating.optional().meta({ description: '0 removes the rating; absent leaves it unchanged' }),
  })
  .meta({ id: 'LikeEvent' });
export type LikeEvent = z.output<typeof LikeEvent>;

export const LikeState = z
  .object({
    item_type: ItemTypeIn,
    item_id: z.int(),
    liked: z.boolean(),
    rating: z.number().meta({ description: '0 is no rating; may be a half' }),
    rating_origin: z.enum(['person', 'tag']).nullable().meta({
      description: 'tag: from the tags of the file, until you rate the track; null for an item that was never rated',
    }),
    since: isoTime
      .nullable()
      .meta({ description: 'when `liked` last changed; null for an item that was never liked, unliked or rated' }),
  })
  .meta({ id: 'LikeState' });
export type LikeState = z.output<typeof LikeState>;
export const LikeStates = z.array(LikeState);

export const likeEvent = event(
  'like',
  LikeState,
  'A track, album or artist was liked, unliked or rated. Sent to that user.',
);

export const LikeEventOut = z
  .object({
    id: z.int(),
    item_type: ItemTypeIn,
    item_id: z.int(),
    liked: z.boolean(),
    rating: z.number().nullable(),
    created_at: isoTime,
  })
  .meta({ id: 'LikeEventOut' });
export type LikeEventOut = z.output<typeof LikeEventOut>;
export const LikeEventPage = pagedOf(LikeEventOut).meta({ id: 'PagedLikeEvents' });

export const LikeQuery = z.object({ item_type: ItemTypeIn.optional(), ...pageQuery });

const MAX_IDS = 1_000;

/** Query of `GET /likes/state`; `item_id` may be repeated. */
export const LikeStateQuery = z
  .object({
    item_type: ItemTypeIn.optional(),
    item_id: z
      .union([z.string().transform((id) => [id]), z.array(z.string())])
      .pipe(z.array(queryInt.pipe(itemId)).max(MAX_IDS))
      .optional()
      .meta({
        description: `repeat it for several items, up to ${MAX_IDS}; without it, all that you liked or rated, paged`,
      }),
    ...pageQuery,
  })
  .refine(({ item_type, item_id }) => item_id === undefined || item_type !== undefined, {
    path: ['item_type'],
    message: 'is required with item_id: track, album or artist',
  });

export const toLikeState = ({ itemType, itemId, liked, rating, ratingOrigin, since }: LikeSummary): LikeState => ({
  item_type: itemType,
  item_id: itemId,
  liked,
  rating,
  rating_origin: ratingOrigin,
  since: toIsoOrNull(since),
});

export const toLikeEventOut = ({ id, itemType, itemId, liked, rating, createdAt }: LikeEventRow): LikeEventOut => ({
  id,
  item_type: itemType,
  item_id: itemId,
  liked,
  rating,
  created_at: toIso(createdAt),
});
