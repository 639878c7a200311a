// Annotations of albums and artists (likes, ratings, chosen covers and pictures, what radios never play) follow the
// tracks. A track that gets another album or artist leaves a departure. When the last track has left, the annotations
// move to the album or artist that most of the departed tracks are in, however many sittings that took. They move on,
// or back, when those tracks are retagged again or an edit is undone. All of it runs inside the caller's write
// transaction.
import type { Sqlite } from '../db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { annotationMoves, NamedItem, trackDepartures } from '../db/schema.ts';
import { isNamed, isNamedArtist } from '../db/unnamed.ts';
import type { Renumbered } from './track-snapshot.ts';

/** The annotations of `from` move to `to`. */
export interface AnnotationMove {
  type: NamedItem;
  /** Has no tracks; its row may be gone. The same as `to` when its tracks are back. */
  from: number;
  to: number;
  /** Where they are until now: `from`, or the item they moved to before. */
  holder: number;
  /** What `move` returned when they moved to `holder`; undefined while that is `from`. */
  memory: unknown;
}

/** One kind of annotation, registered by the module that owns it. */
export interface AnnotationPart {
  name: string;
  /**
   * Adds the annotations to those of `to`, whose own ones count where they differ. Returns, as JSON, what it takes to
   * move them on or back.
   */
  move(move: AnnotationMove): unknown;
  /** Takes away from `holder` what came from `from` and was not changed since. Called after `move`. */
  takeBack?(move: AnnotationMove): void;
}

/** A departure `d` does not count while other music lies in the place of its track, or if that music had the names. */
const COUNTS = `d.is_other_music = 0
  AND NOT EXISTS (SELECT 1 FROM former_audio h WHERE h.track_id = d.track_id)`;

/** Finds a track that stayed quickly: scans retag in the order of ids, so the highest ids change last. */
const LAST_FIRST = 'ORDER BY d.track_id DESC';

/** Of a track, before or after a change. */
export interface TrackNames {
  album: AlbumId | null;
  albumArtist: ArtistId | null;
  /** The credited artists, in the order of the credits. */
  artists: readonly ArtistId[];
}

export type Annotations = ReturnType<typeof createAnnotations>;

export function createAnnotations({
  client,
  parts,
  now,
}: {
  client: Sqlite;
  parts: readonly AnnotationPart[];
  now: () => Date;
}) {
  const addDeparture = client.prepare<[NamedItem, number, TrackId, number, number, number]>(
    `INSERT OR REPLACE INTO track_departures (item_type, from_id, track_id, to_id, left_at, is_other_music)
      VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const listOfOtherMusic = client.prepare<[TrackId], RowAs<typeof trackDepartures, 'itemType' | 'fromId'>>(
    'SELECT item_type AS itemType, from_id AS fromId FROM track_departures WHERE track_id = ? AND is_other_music = 1',
  );
  const giveToOther = client.prepare<[TrackId, TrackId]>(
    'UPDATE OR REPLACE track_departures SET track_id = ?, is_other_music = 0 WHERE track_id = ? AND is_other_music = 1',
  );
  const deleteReturned = client.prepare<[TrackId, NamedItem, number]>(
    'DELETE FROM track_departures WHERE track_id = ? AND item_type = ? AND from_id = ?',
  );
  const replaceDestination = client.prepare<[number, TrackId, NamedItem, number]>(
    'UPDATE track_departures SET to_id = ? WHERE track_id = ? AND item_type = ? AND to_id = ?',
  );
  const listDepartures = client.prepare<[TrackId], RowAs<typeof trackDepartures, 'itemType' | 'fromId'>>(
    'SELECT item_type AS itemType, from_id AS fromId FROM track_departures WHERE track_id = ?',
  );
  const findMove = client.prepare<[NamedItem, number], RowAs<typeof annotationMoves, 'toId' | 'memory'>>(
    'SELECT to_id AS toId, memory FROM annotation_moves WHERE item_type = ? AND from_id = ?',
  );
  const putMove = client.prepare<[NamedItem, number, number, string, number]>(
    'INSERT OR REPLACE INTO annotation_moves (item_type, from_id, to_id, memory, moved_at) VALUES (?, ?, ?, ?, ?)',
  );
  const deleteMove = client.prepare<[NamedItem, number]>(
    'DELETE FROM annotation_moves WHERE item_type = ? AND from_id = ?',
  );
  const deleteOldMoves = client.prepare<[number]>('DELETE FROM annotation_moves WHERE moved_at < ?');
  // departures from what still has tracks may be the first sitting of many
  const deleteOldDepartures = client.prepare<[number]>(`DELETE FROM track_departures WHERE left_at < ? AND NOT (CASE
    item_type WHEN 'album' THEN EXISTS (SELECT 1 FROM albums WHERE id = from_id)
    ELSE EXISTS (SELECT 1 FROM artists WHERE id = from_id) END)`);
  const statements = {
    album: {
      isNamed: client.prepare<[number]>(`SELECT 1 FROM albums a WHERE a.id = ? AND ${isNamed('a')}`),
      hasTracks: client.prepare<{ id: number; except: number }>(
        'SELECT 1 FROM tracks WHERE album_id = @id AND id <> @except LIMIT 1',
      ),
      mostDepartedTo: client
        .prepare<[number], number>(
          `SELECT t.album_id FROM track_departures d JOIN tracks t ON t.id = d.track_id
            JOIN albums a ON a.id = t.album_id AND ${isNamed('a')}
          WHERE d.item_type = 'album' AND d.from_id = ? AND ${COUNTS}
          GROUP BY t.album_id ORDER BY count(*) DESC, t.album_id LIMIT 1`,
        )
        .pluck(),
      hasDeparted: client.prepare<{ from: number; to: number }>(
        `SELECT 1 FROM track_departures d JOIN tracks t ON t.id = d.track_id AND t.album_id = @to
          WHERE d.item_type = 'album' AND d.from_id = @from ${LAST_FIRST} LIMIT 1`,
      ),
    },
    artist: {
      isNamed: client.prepare<[number]>(`SELECT 1 FROM artists x WHERE x.id = ? AND ${isNamedArtist('x')}`),
      hasTracks: client.prepare<{ id: number; except: number }>(`SELECT 1 WHERE EXISTS
          (SELECT 1 FROM track_artists WHERE artist_id = @id AND track_id <> @except)
        OR EXISTS (SELECT 1 FROM albums a JOIN tracks t ON t.album_id = a.id WHERE a.artist_id = @id
          AND t.id <> @except)`),
      // the artist that took the place, as long as the track still names that one
      mostDepartedTo: client
        .prepare<[number], number>(
          `SELECT x.id FROM track_departures d JOIN tracks t ON t.id = d.track_id
            LEFT JOIN albums a ON a.id = t.album_id
            JOIN artists x ON ${isNamedArtist('x')} AND x.id = CASE WHEN a.artist_id = d.to_id
              OR EXISTS (SELECT 1 FROM track_artists c WHERE c.track_id = t.id AND c.artist_id = d.to_id)
              THEN d.to_id ELSE t.artist_id END
          WHERE d.item_type = 'artist' AND d.from_id = ? AND ${COUNTS}
          GROUP BY x.id ORDER BY count(*) DESC, x.id LIMIT 1`,
        )
        .pluck(),
      hasDeparted: client.prepare<{ from: number; to: number }>(
        `SELECT 1 FROM track_departures d JOIN tracks t ON t.id = d.track_id LEFT JOIN albums a ON a.id = t.album_id
          WHERE d.item_type = 'artist' AND d.from_id = @from AND (a.artist_id = @to
            OR EXISTS (SELECT 1 FROM track_artists c WHERE c.track_id = t.id AND c.artist_id = @to))
          ${LAST_FIRST} LIMIT 1`,
      ),
    },
  };
  /** Returns whether the item has tracks; `except` is a track whose row is about to be deleted. */
  const hasTracks = (type: NamedItem, id: number, except = 0): boolean =>
    statements[type].hasTracks.get({ id, except }) !== undefined;

  function noteDeparture(type: NamedItem, track: TrackId, from: number, to: number, isOtherMusic = false): void {
    replaceDestination.run(to, track, type, from);
    deleteReturned.run(track, type, to);
    if (statements[type].isNamed.get(from) !== undefined)
      addDeparture.run(type, from, track, to, now().getTime(), Number(isOtherMusic));
  }

  /** Moves the annotations of an item to where its tracks are. Where they are, they stay as long as one track does. */
  function follow(type: NamedItem, from: number, except?: TrackId): void {
    const moved = findMove.get(type, from);
    const holder = moved?.toId ?? from;
    const isBack = hasTracks(type, from, except);
    if (!isBack && moved && statements[type].hasDeparted.get({ from, to: holder })) return;
    const to = isBack ? from : statements[type].mostDepartedTo.get(from);
    if (to === undefined || to === holder) return;
    const memories = moved && (JSON.parse(moved.memory) as Record<string, unknown>);
    const remembered = parts.map((part) => {
      const move = { type, from, to, holder, memory: memories?.[part.name] };
      const memory = part.move(move);
      if (moved) part.takeBack?.(move);
      return [part.name, memory] as const;
    });
    if (to === from) deleteMove.run(type, from);
    else putMove.run(type, from, to, JSON.stringify(Object.fromEntries(remembered)), now().getTime());
  }

  return {
    /** After a track got other names, and before albums and artists without tracks are deleted. */
    trackRenamed(track: TrackId, before: TrackNames, after: TrackNames, hadOtherMusic: boolean): void {
      const earlier = listDepartures.all(track);
      const albums = before.album === null || after.album === null ? [] : [[before.album, after.album] as const];
      for (const [from, to] of albums) if (from !== to) noteDeparture('album', track, from, to, hadOtherMusic);
      for (const [from, to] of successorsOf(before, after)) noteDeparture('artist', track, from, to, hadOtherMusic);
      for (const { itemType, fromId } of earlier) follow(itemType, fromId);
      for (const id of new Set(albums.flat())) follow('album', id);
      for (const id of new Set([...artistsOf(before), ...artistsOf(after)])) follow('artist', id);
    },
    /** Before a track becomes another one and its row is deleted. */
    trackMerged(kept: TrackId, emptied: TrackId, after: TrackNames, before: TrackNames): void {
      if (before.album !== null && after.album !== null && before.album !== after.album)
        noteDeparture('album', kept, before.album, after.album);
      for (const [from, to] of successorsOf(before, after)) noteDeparture('artist', kept, from, to);
      if (before.album !== null) follow('album', before.album, emptied);
      for (const id of artistsOf(before)) follow('artist', id, emptied);
    },
    /** After the row of a track came back. `renumbered`: of its albums and artists. */
    trackReturned(track: TrackId, names: TrackNames, renumbered: readonly Renumbered[]): void {
      for (const { type, from, to } of renumbered) {
        if (statements[type].isNamed.get(to) !== undefined) addDeparture.run(type, from, track, to, now().getTime(), 0);
        follow(type, from);
      }
      if (names.album !== null) follow('album', names.album);
      for (const id of artistsOf(names)) follow('artist', id);
    },
    /** Other music lay in the place of a track, and is a track of its own now: names that it had are its own. */
    musicDivided(track: TrackId, other: TrackId): void {
      const names = listOfOtherMusic.all(track);
      giveToOther.run(other, track);
      for (const { itemType, fromId } of names) follow(itemType, fromId);
    },
    /** Forgets what happened before that moment to albums and artists that are gone. */
    purgeOld(before: Date): void {
      deleteOldMoves.run(before.getTime());
      deleteOldDepartures.run(before.getTime());
    },
  };
}

/** The artists of the credits, and the album's where that is another one. */
const artistsOf = ({ artists, albumArtist }: TrackNames): ArtistId[] => [
  ...new Set([...artists, ...(albumArtist === null ? [] : [albumArtist])]),
];

/**
 * Returns, for each artist that a track names no more, the one that took its place: the new names in their order, the
 * last one for all that are left over; without new names the one at its place in the credits.
 */
export function successorsOf(before: TrackNames, after: TrackNames): [ArtistId, ArtistId][] {
  const [earlier, later] = [artistsOf(before), artistsOf(after)];
  const added = later.filter((id) => !earlier.includes(id));
  return earlier
    .filter((id) => !later.includes(id))
    .flatMap((id, i): [ArtistId, ArtistId][] => {
      const inCredits = before.artists.indexOf(id);
      const to = added[Math.min(i, added.length - 1)] ?? (inCredits < 0 ? undefined : after.artists[inCredits]);
      return to === undefined ? [] : [[id, to]];
    });
}
