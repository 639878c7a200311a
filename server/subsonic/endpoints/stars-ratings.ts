// Endpoints of stars (likes) and ratings.
import type { Item } from '../../likes/queries.ts';
import type { LikeService } from '../../likes/service.ts';
import { notFound } from '../../errors.ts';
import { inSlices } from '../../runtime/turns.ts';
import { NOTHING, user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missing } from '../errors.ts';
import { anyId, idOf } from '../ids.ts';
import { listed, type Params } from '../params.ts';

export interface RatingDeps {
  likes: Pick<LikeService, 'add' | 'addMany' | 'findAbsent' | 'states'>;
}

export function ratingEndpoints({ likes }: RatingDeps): Endpoints {
  /** Skips items that are in that state already. An unknown item refuses the call before anything is written. */
  async function like({ params, user: { id } }: Call, liked: boolean): Promise<typeof NOTHING> {
    const items = await itemsOf(params);
    if (items.length === 0) throw missing('id');
    const absent = await likes.findAbsent(items);
    if (absent) throw notFound(absent.itemType, absent.itemId);
    await likes.addMany(id, items, { liked, rating: null }, { onlyNews: true });
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

/** Each once, in order. */
async function itemsOf(params: Params): Promise<Item[]> {
  const items = new Map<string, Item>();
  const add = (item: Item): void => void items.set(`${item.itemType} ${item.itemId}`, item);
  await inSlices(listed(params, 'id'), (id) => add(itemOf(id)));
  await inSlices(listed(params, 'albumId'), (id) => add({ itemType: 'album', itemId: idOf('album', id) }));
  await inSlices(listed(params, 'artistId'), (id) => add({ itemType: 'artist', itemId: idOf('artist', id) }));
  return [...items.values()];
}

/** `id` may be of any kind: clients also send the ids of albums and artists that they show as folders. */
function itemOf(text: string): Item {
  const item = anyId(text);
  if (item.kind === 'track' || item.kind === 'album' || item.kind === 'artist')
    return { itemType: item.kind, itemId: item.id };
  throw notFound('song, album or artist', text);
}
