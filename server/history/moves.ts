// What people played of a track goes over to another one that turned out to be the same music. Inside the caller's transaction.
// Plays of albums and artists are those of their tracks, so where the two tracks differ in these the counts go along.
import type { MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId, TrackId, UserId } from '../db/ids.ts';
import type { ItemType } from '../db/schema.ts';
import type { TrackMover } from '../library/merge.ts';

interface Count { userId: UserId; plays: number; lastPlayedAt: number }
interface Place { itemType: ItemType; itemId: number }

// The table is in the order of its users, so every look-up by an item goes by them.
const OF_ITEM = 'user_id IN (SELECT id FROM users) AND item_type = ? AND item_id = ?';
const PLAYED = 'SELECT max(p.played_at) FROM plays p JOIN tracks t ON t.id = p.track_id';
const LAST: Record<Exclude<ItemType, 'track'>, string> = {
  album: `${PLAYED} WHERE p.user_id = @userId AND t.album_id = @itemId`,
  artist: `${PLAYED} JOIN track_artists ta ON ta.track_id = t.id WHERE p.user_id = @userId AND ta.artist_id = @itemId`,
};

export function createHistoryMoves({ db }: { db: MainDb }): TrackMover {
  const client = db.$client;
  const movePlays = client.prepare<[TrackId, TrackId]>('UPDATE plays SET track_id = ? WHERE track_id = ?');
  const countsOf = client.prepare<[ItemType, number], Count>(`SELECT user_id AS userId, plays, last_played_at AS lastPlayedAt FROM play_counts WHERE ${OF_ITEM}`);
  const deleteCounts = client.prepare<[ItemType, number]>(`DELETE FROM play_counts WHERE ${OF_ITEM}`);
  const addCount = client.prepare<[UserId, ItemType, number, number, number]>(`INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (user_id, item_type, item_id) DO UPDATE SET plays = plays + excluded.plays, last_played_at = max(last_played_at, excluded.last_played_at)`);
  const subtract = (itemType: Exclude<ItemType, 'track'>) => client.prepare<{ userId: UserId; itemId: number; plays: number }>(
    `UPDATE play_counts SET plays = plays - @plays, last_played_at = coalesce((${LAST[itemType]}), last_played_at)
     WHERE user_id = @userId AND item_type = '${itemType}' AND item_id = @itemId`);
  const takeCount = { album: subtract('album'), artist: subtract('artist') };
  const deleteUnplayed = client.prepare<[UserId, ItemType, number]>('DELETE FROM play_counts WHERE user_id = ? AND item_type = ? AND item_id = ? AND plays <= 0');
  const albumOf = client.prepare<[TrackId], AlbumId | null>('SELECT album_id FROM tracks WHERE id = ?').pluck();
  const artistsOf = client.prepare<[TrackId], ArtistId>('SELECT DISTINCT artist_id FROM track_artists WHERE track_id = ?').pluck();

  function placesOf(id: TrackId): Place[] {
    const albumId = albumOf.get(id) ?? null;
    const artistIds = artistsOf.all(id);
    return [...(albumId === null ? [] : [{ itemType: 'album' as const, itemId: albumId }]), ...artistIds.map((itemId) => ({ itemType: 'artist' as const, itemId }))];
  }

  const without = (places: Place[], others: Place[]): Place[] =>
    places.filter(({ itemType, itemId }) => !others.some((other) => other.itemType === itemType && other.itemId === itemId));

  return {
    move(from: TrackId, to: TrackId): void {
      const [left, kept] = [placesOf(from), placesOf(to)];
      const counts = countsOf.all('track', from);
      movePlays.run(to, from); // first: what is counted below is already where it belongs
      deleteCounts.run('track', from);
      for (const { userId, plays, lastPlayedAt } of counts) {
        for (const { itemType, itemId } of [{ itemType: 'track' as const, itemId: to }, ...without(kept, left)]) addCount.run(userId, itemType, itemId, plays, lastPlayedAt);
        for (const { itemType, itemId } of without(left, kept)) {
          if (itemType !== 'track') takeCount[itemType].run({ userId, itemId, plays });
          deleteUnplayed.run(userId, itemType, itemId);
        }
      }
    },
  };
}
