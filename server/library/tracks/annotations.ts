// Annotations of albums and artists (likes, ratings, chosen covers and pictures, radio exclusions) follow the tracks. A
// track that gets another album or artist leaves a departure. When the last track has left, the annotations move to the
// album or artist that most of the departed tracks are in, however many edits that took. They move on, or back, when
// those tracks are retagged again or an edit is undone. Everything runs inside the caller's write transaction.
import type { Sqlite } from '../../db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { annotationMoves, NamedItem, trackDepartures } from '../../db/schema.ts';
import { isNamed, isNamedArtist } from '../../db/unknown-names.ts';
import type { Renumbered } from '../trash/track-snapshot.ts';
import { bindContext } from '../../runtime/bind-context.ts';

/** Moves the annotations of item `from` to item `to`. */
export interface AnnotationMove {
  type: NamedItem;
  /** An item without tracks, whose row may be gone. The same as `to` when its tracks are back. */
  from: number;
  to: number;
  /** The item that has the annotations now: `from`, or the item they moved to before. */
  holder: number;
  /** What `move` returned when the annotations moved to `holder`; undefined if `holder` is `from`. */
  memory: unknown;
}

/** One kind of annotation, registered by the module that owns it. */
export interface AnnotationPart {
  name: string;
  /**
   * Adds the annotations to those of `to`; where both differ, those of `to` stay. Returns, as JSON, the data needed to
   * move the annotations on or back.
   */
  move(move: AnnotationMove): unknown;
  /** Removes from `holder` the annotations that came from `from` and were not changed since. Called after `move`. */
  takeBack?(move: AnnotationMove): void;
}

/** A departure `d` does not count while the file of its track contains other music, or if that music had the names. */
const IS_COUNTED_DEPARTURE = `d.is_other_music = 0
  AND NOT EXISTS (SELECT 1 FROM former_audio h WHERE h.track_id = d.track_id)`;

/** Makes the search for a track that stayed quick: scans retag in the order of ids, so the highest ids change last. */
const LATEST_TRACK_FIRST = 'ORDER BY d.track_id DESC';

/** The album and artists of a track, before or after a change. */
export interface TrackNames {
  album: AlbumId | null;
  /** The artist under which the album is filed, then the others that the tags name. */
  albumArtists: readonly ArtistId[];
  /** The credited artists, in the order of the credits. */
  artists: readonly ArtistId[];
}

export type Annotations = ReturnType<typeof createAnnotations>;

export function createAnnotations(deps: { client: Sqlite; parts: readonly AnnotationPart[]; now: () => Date }) {
  const context = createContext(deps);

  return bindContext(context, { trackRenamed, trackMerged, trackReturned, musicDivided, purgeOld });
}

type Context = ReturnType<typeof createContext>;

function createContext({ client, parts, now }: { client: Sqlite; parts: readonly AnnotationPart[]; now: () => Date }) {
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
  // departures from items that still have tracks are kept longer: they may be the first of many
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
          WHERE d.item_type = 'album' AND d.from_id = ? AND ${IS_COUNTED_DEPARTURE}
          GROUP BY t.album_id ORDER BY count(*) DESC, t.album_id LIMIT 1`,
        )
        .pluck(),
      hasDeparted: client.prepare<{ from: number; to: number }>(
        `SELECT 1 FROM track_departures d JOIN tracks t ON t.id = d.track_id AND t.album_id = @to
          WHERE d.item_type = 'album' AND d.from_id = @from ${LATEST_TRACK_FIRST} LIMIT 1`,
      ),
    },
    artist: {
      isNamed: client.prepare<[number]>(`SELECT 1 FROM artists x WHERE x.id = ? AND ${isNamedArtist('x')}`),
      hasTracks: client.prepare<{ id: number; except: number }>(`SELECT 1 WHERE EXISTS
          (SELECT 1 FROM track_artists WHERE artist_id = @id AND track_id <> @except)
        OR EXISTS (SELECT 1 FROM track_album_artists WHERE artist_id = @id AND track_id <> @except)
        OR EXISTS (SELECT 1 FROM albums a JOIN tracks t ON t.album_id = a.id WHERE a.artist_id = @id
          AND t.id <> @except)`),
      // the artist that replaced another one, if the track still names the replacement
      mostDepartedTo: client
        .prepare<[number], number>(
          `SELECT x.id FROM track_departures d JOIN tracks t ON t.id = d.track_id
            LEFT JOIN albums a ON a.id = t.album_id
            JOIN artists x ON ${isNamedArtist('x')} AND x.id = CASE WHEN a.artist_id = d.to_id
              OR EXISTS (SELECT 1 FROM track_artists c WHERE c.track_id = t.id AND c.artist_id = d.to_id)
              OR EXISTS (SELECT 1 FROM track_album_artists r WHERE r.track_id = t.id AND r.artist_id = d.to_id)
              THEN d.to_id ELSE t.artist_id END
          WHERE d.item_type = 'artist' AND d.from_id = ? AND ${IS_COUNTED_DEPARTURE}
          GROUP BY x.id ORDER BY count(*) DESC, x.id LIMIT 1`,
        )
        .pluck(),
      hasDeparted: client.prepare<{ from: number; to: number }>(
        `SELECT 1 FROM track_departures d JOIN tracks t ON t.id = d.track_id LEFT JOIN albums a ON a.id = t.album_id
          WHERE d.item_type = 'artist' AND d.from_id = @from AND (a.artist_id = @to
            OR EXISTS (SELECT 1 FROM track_artists c WHERE c.track_id = t.id AND c.artist_id = @to)
            OR EXISTS (SELECT 1 FROM track_album_artists r WHERE r.track_id = t.id AND r.artist_id = @to))
          ${LATEST_TRACK_FIRST} LIMIT 1`,
      ),
    },
  };
  return {
    parts,
    now,
    addDeparture,
    listOfOtherMusic,
    giveToOther,
    deleteReturned,
    replaceDestination,
    listDepartures,
    findMove,
    putMove,
    deleteMove,
    deleteOldMoves,
    deleteOldDepartures,
    statements,
  };
}

/** Returns whether the item has tracks; `except` is a track whose row is about to be deleted. */
const hasTracks = ({ statements }: Context, type: NamedItem, id: number, exceptTrackId = 0): boolean =>
  statements[type].hasTracks.get({ id, except: exceptTrackId }) !== undefined;

function noteDeparture(
  context: Context,
  type: NamedItem,
  track: TrackId,
  from: number,
  to: number,
  isOtherMusic = false,
): void {
  context.replaceDestination.run(to, track, type, from);
  context.deleteReturned.run(track, type, to);
  if (context.statements[type].isNamed.get(from) !== undefined)
    context.addDeparture.run(type, from, track, to, context.now().getTime(), Number(isOtherMusic));
}

/**
 * Moves the annotations of an item to where its tracks are. The annotations stay in place as long as one track stays
 * there.
 */
function moveToTracks(context: Context, type: NamedItem, from: number, exceptTrackId?: TrackId): void {
  const previousMove = context.findMove.get(type, from);
  const holder = previousMove?.toId ?? from;
  const isBack = hasTracks(context, type, from, exceptTrackId);
  if (!isBack && previousMove && context.statements[type].hasDeparted.get({ from, to: holder })) return;
  const to = isBack ? from : context.statements[type].mostDepartedTo.get(from);
  if (to === undefined || to === holder) return;
  const memories = previousMove && (JSON.parse(previousMove.memory) as Record<string, unknown>);
  const newMemories = context.parts.map((part) => {
    const move = { type, from, to, holder, memory: memories?.[part.name] };
    const newMemory = part.move(move);
    if (previousMove) part.takeBack?.(move);
    return [part.name, newMemory] as const;
  });
  if (to === from) context.deleteMove.run(type, from);
  else context.putMove.run(type, from, to, JSON.stringify(Object.fromEntries(newMemories)), context.now().getTime());
}

/** Notes that a track got other names. To be called before albums and artists without tracks are deleted. */
function trackRenamed(
  context: Context,
  track: TrackId,
  previousNames: TrackNames,
  newNames: TrackNames,
  hadOtherMusic: boolean,
): void {
  const departures = context.listDepartures.all(track);
  const albums =
    previousNames.album === null || newNames.album === null ? [] : [[previousNames.album, newNames.album] as const];
  for (const [from, to] of albums) if (from !== to) noteDeparture(context, 'album', track, from, to, hadOtherMusic);
  for (const [from, to] of successorsOf(previousNames, newNames))
    noteDeparture(context, 'artist', track, from, to, hadOtherMusic);
  for (const { itemType, fromId } of departures) moveToTracks(context, itemType, fromId);
  for (const id of new Set(albums.flat())) moveToTracks(context, 'album', id);
  for (const id of new Set([...artistsOf(previousNames), ...artistsOf(newNames)])) moveToTracks(context, 'artist', id);
}

/** Notes a merge. To be called before a track is merged into another one and its row is deleted. */
function trackMerged(
  context: Context,
  keptId: TrackId,
  emptiedId: TrackId,
  keptNames: TrackNames,
  emptiedNames: TrackNames,
): void {
  if (emptiedNames.album !== null && keptNames.album !== null && emptiedNames.album !== keptNames.album)
    noteDeparture(context, 'album', keptId, emptiedNames.album, keptNames.album);
  for (const [from, to] of successorsOf(emptiedNames, keptNames)) noteDeparture(context, 'artist', keptId, from, to);
  if (emptiedNames.album !== null) moveToTracks(context, 'album', emptiedNames.album, emptiedId);
  for (const id of artistsOf(emptiedNames)) moveToTracks(context, 'artist', id, emptiedId);
}

/**
 * Notes that the row of a track was restored. To be called afterwards; `renumbered` are its albums and artists with
 * new ids.
 */
function trackReturned(context: Context, track: TrackId, names: TrackNames, renumbered: readonly Renumbered[]): void {
  for (const { type, from, to } of renumbered) {
    if (context.statements[type].isNamed.get(to) !== undefined)
      context.addDeparture.run(type, from, track, to, context.now().getTime(), 0);
    moveToTracks(context, type, from);
  }
  if (names.album !== null) moveToTracks(context, 'album', names.album);
  for (const id of artistsOf(names)) moveToTracks(context, 'artist', id);
}

/** Gives the names of other music that took a track's place to the new track of that music. */
function musicDivided(context: Context, track: TrackId, otherTrack: TrackId): void {
  const names = context.listOfOtherMusic.all(track);
  context.giveToOther.run(otherTrack, track);
  for (const { itemType, fromId } of names) moveToTracks(context, itemType, fromId);
}

/** Deletes what was noted before that moment about albums and artists that are gone. */
function purgeOld({ deleteOldMoves, deleteOldDepartures }: Context, cutoff: Date): void {
  deleteOldMoves.run(cutoff.getTime());
  deleteOldDepartures.run(cutoff.getTime());
}

/** Returns the artists of the credits, and the album artists that are not among them. */
const artistsOf = ({ artists, albumArtists }: TrackNames): ArtistId[] => [...new Set([...artists, ...albumArtists])];

/**
 * Returns, for each artist that a track no longer names, the artist that took its place. The new artists are paired in
 * their order, and the last one replaces all that remain. Without new artists, the artist at the same place in the
 * credits counts, or in the album artists: that is how `Alpha, Beta` becomes Alpha when it becomes Alpha and Beta.
 */
export function successorsOf(previousNames: TrackNames, newNames: TrackNames): [ArtistId, ArtistId][] {
  const [previousArtists, newArtists] = [artistsOf(previousNames), artistsOf(newNames)];
  const addedArtists = newArtists.filter((id) => !previousArtists.includes(id));
  return previousArtists
    .filter((id) => !newArtists.includes(id))
    .flatMap((id, i): [ArtistId, ArtistId][] => {
      const inCredits = previousNames.artists.indexOf(id);
      const inAlbumArtists = previousNames.albumArtists.indexOf(id);
      const to =
        addedArtists[Math.min(i, addedArtists.length - 1)] ??
        (inCredits < 0 ? newNames.albumArtists[inAlbumArtists] : newNames.artists[inCredits]);
      return to === undefined ? [] : [[id, to]];
    });
}
