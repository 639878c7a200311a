// The tracks and artists that a listener has excluded from radios and mixes.
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import type { ArtistId, TrackId, UserId } from '../db/ids.ts';
import type { AnnotationPart } from '../library/tracks/annotations.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';
import type { NeverOut } from './wire.ts';

const UserIds = z.array(z.int()).default([]); // absent in merges of an older version
const MovedUserIds = z.array(z.int()).catch([]); // the value may be from a backup

type ExcludedItem = { trackId: TrackId } | { artistId: ArtistId };

export function createRadioExclusions({ db: { $client: client }, now }: { db: MainDb; now: () => Date }) {
  const add = client.prepare(
    'INSERT INTO radio_nevers (user_id, track_id, artist_id, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = client.prepare('DELETE FROM radio_nevers WHERE user_id = ? AND track_id IS ? AND artist_id IS ?');
  const tracks = client.prepare<[UserId], NeverOut['tracks'][number]>(
    `SELECT t.id, t.title FROM radio_nevers n JOIN tracks t ON t.id = n.track_id WHERE n.user_id = ?
      ORDER BY n.created_at DESC LIMIT 1000`,
  );
  const artists = client.prepare<[UserId], NeverOut['artists'][number]>(
    `SELECT a.id, a.name FROM radio_nevers n JOIN artists a ON a.id = n.artist_id WHERE n.user_id = ?
      ORDER BY n.created_at DESC LIMIT 1000`,
  );
  const move = client.prepare<[TrackId, TrackId]>('UPDATE OR IGNORE radio_nevers SET track_id = ? WHERE track_id = ?');
  const moveSince = client.prepare<[TrackId, TrackId, number]>(
    'UPDATE OR IGNORE radio_nevers SET track_id = ? WHERE track_id = ? AND created_at >= ?',
  );
  const usersOf = client.prepare<[TrackId], UserId>('SELECT user_id FROM radio_nevers WHERE track_id = ?').pluck();
  const takeBack = client.prepare<[TrackId, string, TrackId]>(
    `DELETE FROM radio_nevers WHERE track_id = ? AND user_id NOT IN (SELECT value FROM json_each(?))
      AND (user_id, created_at) IN (SELECT user_id, created_at FROM radio_nevers WHERE track_id = ?)`,
  );
  const usersOfArtist = client
    .prepare<[number], UserId>('SELECT user_id FROM radio_nevers WHERE artist_id = ?')
    .pluck();
  const addArtist = client.prepare<[number, number, number, string]>(
    `INSERT OR IGNORE INTO radio_nevers (user_id, artist_id, created_at)
    SELECT n.user_id, a.id, n.created_at FROM radio_nevers n JOIN artists a ON a.id = ?
    WHERE n.artist_id = ? AND (? = 1 OR n.user_id IN (SELECT value FROM json_each(?)))`,
  );
  const removeArtist = client.prepare<[number, string]>(
    'DELETE FROM radio_nevers WHERE artist_id = ? AND user_id IN (SELECT value FROM json_each(?))',
  );
  const idsOf = (item: ExcludedItem) => ('trackId' in item ? [item.trackId, null] : [null, item.artistId]);

  return {
    add: (userId: UserId, item: ExcludedItem): void => void add.run(userId, ...idsOf(item), now().getTime()),
    remove: (userId: UserId, item: ExcludedItem): void => void remove.run(userId, ...idsOf(item)),
    list: (userId: UserId): NeverOut => ({ tracks: tracks.all(userId), artists: artists.all(userId) }),
    merge: {
      moveSince: (from, to, since) => moveSince.run(to, from, since.getTime()).changes > 0,
      move: (from, to) => void move.run(to, from),
      remembers: { name: 'nevers', stateOf: (_, to) => usersOf.all(to) },
      /**
       * Removes from the kept track the exclusions that it got from the merged track, whose own exclusions are in its
       * snapshot.
       */
      bringBack: (from, to, { remembered }) => void takeBack.run(to, JSON.stringify(UserIds.parse(remembered)), from),
    } satisfies TrackMergePart,
    annotations: {
      name: 'nevers',
      move({ type, from, to, holder, memory }): number[] | undefined {
        if (type !== 'artist') return undefined;
        const movedUserIds = MovedUserIds.parse(memory);
        const ownUserIds = usersOfArtist.all(to);
        addArtist.run(to, holder, Number(holder === from), JSON.stringify(movedUserIds));
        return usersOfArtist.all(to).filter((userId) => !ownUserIds.includes(userId));
      },
      takeBack: ({ type, holder, memory }) =>
        void (type === 'artist' && removeArtist.run(holder, JSON.stringify(MovedUserIds.parse(memory)))),
    } satisfies AnnotationPart,
  };
}
