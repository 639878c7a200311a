// Endpoints of stars (likes) and ratings.
import type { Item } from '../../likes/queries.ts';
import type { LikeService } from '../../likes/service.ts';
import type { UserId } from '../../db/ids.ts';
import type { FolderLikes } from '../../likes/folder-likes.ts';
import { inSlices } from '../../runtime/time-slices.ts';
import { EMPTY_PAYLOAD, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, missingParameter, noneExists } from '../errors.ts';
import type { Items, Likable } from '../items.ts';
import { readList, type Params } from '../params.ts';

export interface RatingDeps {
  likes: Pick<LikeService, 'add' | 'addMany' | 'filterExisting' | 'states'> & {
    folders: Pick<FolderLikes, 'like' | 'rate'>;
  };
  items: Pick<Items, 'findLikable'>;
}

const ID_PARAMETERS = [
  ['id', undefined],
  ['albumId', 'album'],
  ['artistId', 'artist'],
] as const;

export function ratingEndpoints({ likes, items: { findLikable } }: RatingDeps): Endpoints {
  /**
   * Likes or unlikes the items that exist, skipping those that already have that state. Throws 70 if none of them
   * exists.
   */
  async function like({ params, user: { id } }: Call, liked: boolean): Promise<typeof EMPTY_PAYLOAD> {
    const { items, folderIds, texts } = await itemsOf(params);
    if (texts.length === 0) throw missingParameter('id');
    const existingItems = await likes.filterExisting(items);
    if (existingItems.length === 0 && folderIds.size === 0) throw noneExists('song, album, artist or folder', texts);
    await likes.addMany(id, existingItems, { liked, rating: null }, { onlyNews: true });
    for (const folderId of folderIds) likes.folders.like(id, folderId, liked);
    return EMPTY_PAYLOAD;
  }

  /** Returns each item once, in order. `id` may be of any kind: clients also send the ids of folders. */
  async function itemsOf(params: Params): Promise<{ items: Item[]; folderIds: Set<number>; texts: string[] }> {
    const items = new Map<string, Item>();
    const folderIds = new Set<number>();
    const texts: string[] = [];
    for (const [name, only] of ID_PARAMETERS)
      await inSlices(readList(params, name), (text) => {
        texts.push(text);
        const item = findLikable(text, only);
        if (item?.itemType === 'folder') folderIds.add(item.itemId);
        else if (item) items.set(`${item.itemType} ${item.itemId}`, { itemType: item.itemType, itemId: item.itemId });
      });
    return { items: [...items.values()], folderIds, texts };
  }

  function rate(userId: UserId, item: Likable, rating: number): void {
    const { itemType, itemId } = item;
    if (itemType === 'folder') likes.folders.rate(userId, itemId, rating);
    else {
      const { liked } = likes.states(userId, itemType, [itemId])[0] ?? { liked: false };
      likes.add(userId, { itemType, itemId }, { liked, rating });
    }
  }

  return {
    star: userEndpoint((call) => like(call, true)),
    unstar: userEndpoint((call) => like(call, false)),

    setRating: userEndpoint(({ params, user: { id } }) => {
      const text = params.required('id');
      const item = findLikable(text);
      if (!item) throw noneExists('song, album, artist or folder', [text]);
      const rating = params.requiredInt('rating');
      if (rating < 0 || rating > 5) throw new Fault(0, 'A rating is a number from 0 to 5.');
      rate(id, item, rating);
      return EMPTY_PAYLOAD;
    }),
  };
}
