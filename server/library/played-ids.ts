// What a person played, most or last first, without what they never played. Read from the counts kept for them
// (history/ writes them).
import type { UserId } from '../db/ids.ts';
import type { ItemType } from '../db/schema.ts';
import type { Page } from '../http/paging.ts';
import type { Statements } from './statements.ts';

export type PlayedOrder = 'plays' | 'last_played_at';

/** Ids of a page. An item that left the library is passed over. */
export const playedIds = (
  statements: Statements,
  userId: UserId,
  itemType: ItemType,
  by: PlayedOrder,
  { limit, offset }: Page,
): number[] =>
  statements.column<number>(
    `SELECT p.item_id FROM play_counts p CROSS JOIN ${itemType}s i ON i.id = p.item_id
     WHERE p.user_id = @userId AND p.item_type = @itemType ORDER BY p.${by} DESC, p.item_id DESC
     LIMIT @limit OFFSET @offset`,
    { userId, itemType, limit, offset },
  );
