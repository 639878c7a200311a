// Checks the albums and artists that a user liked after their tracks were renamed: each like is on an album or artist
// that has the tracks now, and on no other.
import type { Database } from 'better-sqlite3';
import type { TrackId } from '../../server/db/ids.ts';
import { isNamed, isNamedArtist } from '../../server/db/unknown-names.ts';

const KINDS = {
  album: {
    list: `SELECT a.id FROM albums a WHERE ${isNamed('a')}`,
    tracks: 'SELECT album_id AS item, id AS track FROM tracks',
  },
  artist: {
    list: `SELECT x.id FROM artists x WHERE ${isNamedArtist('x')}`,
    tracks: `SELECT artist_id AS item, track_id AS track FROM track_artists
      UNION SELECT a.artist_id, t.id FROM tracks t JOIN albums a ON a.id = t.album_id`,
  },
} as const;
type Kind = keyof typeof KINDS;

export function createLikedNames() {
  /** Ids of all tracks that each liked album or artist ever had. */
  const everIn = new Map<string, { kind: Kind; tracks: Set<TrackId> }>();
  const placesOf = (client: Database, kind: Kind): { item: number; track: TrackId }[] =>
    client.prepare<[], { item: number; track: TrackId }>(KINDS[kind].tracks).all();
  const listNamedIds = (client: Database, kind: Kind): Set<number> =>
    new Set(client.prepare<[], number>(KINDS[kind].list).pluck().all());
  return {
    /** Likes all existing albums and artists. */
    likeAll(client: Database): void {
      const like = client.prepare(
        'INSERT INTO like_states (user_id, item_type, item_id, liked, rating, since) VALUES (1, ?, ?, 1, 4, 0)',
      );
      everIn.clear();
      for (const kind of ['album', 'artist'] as const)
        for (const id of listNamedIds(client, kind)) {
          like.run(kind, id);
          everIn.set(`${kind} ${id}`, { kind, tracks: new Set() });
        }
    },

    /** Updates the tracks of each liked item; must be called after each change. */
    noteTracks(client: Database): void {
      for (const kind of ['album', 'artist'] as const)
        for (const { item, track } of placesOf(client, kind)) everIn.get(`${kind} ${item}`)?.tracks.add(track);
    },

    faults(client: Database): string[] {
      const faults: string[] = [];
      const becameOf = client
        .prepare<[TrackId], TrackId>('SELECT merged_into FROM trashed_tracks WHERE id = ? AND merged_into IS NOT NULL')
        .pluck();
      const lastOf = (id: TrackId): TrackId => {
        const next = becameOf.get(id);
        return next === undefined ? id : lastOf(next);
      };
      for (const kind of ['album', 'artist'] as const) {
        const existingIds = listNamedIds(client, kind);
        const liked = client
          .prepare<[Kind], number>(
            'SELECT item_id FROM like_states WHERE item_type = ? AND liked = 1 AND rating = 4 ORDER BY item_id',
          )
          .pluck()
          .all(kind)
          .filter((id) => existingIds.has(id));
        const placesOfTracks = placesOf(client, kind);
        const expectedItems = [...everIn].filter(([, item]) => item.kind === kind);
        for (const [name, { tracks }] of expectedItems) {
          const currentItems = new Set([...tracks].map(lastOf));
          const homes = new Set(placesOfTracks.filter(({ track }) => currentItems.has(track)).map(({ item }) => item));
          if ([...homes].some((id) => existingIds.has(id)) && !liked.some((id) => homes.has(id)))
            faults.push(
              `the like of ${name} is lost: its tracks are in ${[...homes].join()}, liked is ${liked.join()}`,
            );
        }
        if (liked.length > expectedItems.length)
          faults.push(`${kind}s ${liked.join()} are liked, and not ${expectedItems.length}`);
      }
      return faults;
    },
  };
}
