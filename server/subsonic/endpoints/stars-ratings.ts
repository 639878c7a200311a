// Endpoints of stars (likes) and ratings.
import type { Item } from '../../likes/queries.ts';
import type { LikeService } from '../../likes/service.ts';
import { notFound } from '../../errors.ts';
import { inSlices } from '../../runtime/time-slices.ts';
import { EMPTY_PAYLOAD, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missingParameter } from '../errors.ts';
import type { Items } from '../items.ts';
import { readList, type Params } from '../params.ts';

export interface RatingDeps {
  likes: Pick<LikeService, 'add' | 'addMany' | 'findAbsent' | 'states'>;
  items: Pick<Items, 'likable' | 'idAs'>;
}

export function ratingEndpoints({ likes, items: { likable, idAs } }: RatingDeps): Endpoints {
  /**
   * Likes or unlikes items, skipping those that already have that state. An unknown item fails the call before any
   * write.
   */
  async function like({ params, user: { id } }: Call, liked: boolean): Promise<typeof EMPTY_PAYLOAD> {
    const items = await itemsOf(params);
    if (items.length === 0) throw missingParameter('id');
    const absentItem = await likes.findAbsent(items);
    if (absentItem) throw notFound(absentItem.itemType, absentItem.itemId);
    await likes.addMany(id, items, { liked, rating: null }, { onlyNews: true });
    return EMPTY_PAYLOAD;
  }

  /** Returns each item once, in order. `id` may be of any kind: clients also send the ids of folders. */
  async function itemsOf(params: Params): Promise<Item[]> {
    const items: Item[] = [];
    const idsByType = { track: new Set<number>(), album: new Set<number>(), artist: new Set<number>() };
    const add = (item: Item): void => {
      if (idsByType[item.itemType].has(item.itemId)) return;
      idsByType[item.itemType].add(item.itemId);
      items.push(item);
    };
    await inSlices(readList(params, 'id'), (id) => add(likable(id)));
    for (const itemType of ['album', 'artist'] as const)
      await inSlices(readList(params, `${itemType}Id`), (text) => add({ itemType, itemId: idAs(itemType, text) }));
    return items;
  }

  return {
    star: userEndpoint((call) => like(call, true)),
    unstar: userEndpoint((call) => like(call, false)),

    setRating: userEndpoint(({ params, user: { id } }) => {
      const item = likable(params.required('id'));
      const rating = params.requiredInt('rating');
      if (rating < 0 || rating > 5) throw new Fault(0, 'A rating is a number from 0 to 5.');
      likes.add(id, item, { liked: likes.states(id, item.itemType, [item.itemId])[0]?.liked ?? false, rating });
      return EMPTY_PAYLOAD;
    }),
  };
}
