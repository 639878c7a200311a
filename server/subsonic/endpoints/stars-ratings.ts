// Endpoints of stars (likes) and ratings.
import type { Item } from '../../likes/queries.ts';
import type { LikeService } from '../../likes/service.ts';
import { notFound } from '../../errors.ts';
import { NOTHING, user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missing } from '../errors.ts';
import { anyId, idOf } from '../ids.ts';
import type { Params } from '../params.ts';

export interface RatingDeps {
  likes: Pick<LikeService, 'add' | 'states'>;
}

export function ratingEndpoints({ likes }: RatingDeps): Endpoints {
  /** Skips items that are in that state already. */
  function like({ params, user: { id } }: Call, liked: boolean): typeof NOTHING {
    const items = itemsOf(params);
    if (items.length === 0) throw missing('id');
    for (const item of items) {
      if (likes.states(id, item.itemType, [item.itemId])[0]?.liked !== liked)
        likes.add(id, item, { liked, rating: null });
    }
    return NOTHING;
  }

  return {
    star: user((call) => like(call, true)),
    unstar: user((call) => like(call, false)),

    setRating: user(({ params, user: { id } }) => {
      const item = itemOf(params.required('id'));
      const rating = params.requiredInt('rating');
      if (rating < 0 || rating > 5) throw new Fault(0, 'A rating is a number from 0 to 5.');
      likes.add(id, item, { liked: likes.states(id, item.itemType, [item.itemId])[0]?.liked ?? false, rating });
      return NOTHING;
    }),
  };
}

const itemsOf = (params: Params): Item[] => [
  ...params.all('id').map(itemOf),
  ...params.all('albumId').map((id): Item => ({ itemType: 'album', itemId: idOf('album', id) })),
  ...params.all('artistId').map((id): Item => ({ itemType: 'artist', itemId: idOf('artist', id) })),
];

/** `id` may be of any kind: clients also send the ids of albums and artists that they show as folders. */
function itemOf(text: string): Item {
  const item = anyId(text);
  if (item.kind === 'track' || item.kind === 'album' || item.kind === 'artist')
    return { itemType: item.kind, itemId: item.id };
  throw notFound('song, album or artist', text);
}
