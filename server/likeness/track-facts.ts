// Reads the facts by which tracks are chosen and the choice is explained.
import type { AlbumId, ArtistId, TrackId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import { namedAlbumOf } from '../db/unknown-names.ts';
import type { Statements } from '../library/lists/statement-cache.ts';
import { moodSql, wholeEnergiesSql, type Mood } from '../library/lists/moods.ts';
import { identityKey } from '../library/tracks/sort-and-identity-keys.ts';

type Row = RowAs<
  typeof tracks,
  'id' | 'title' | 'albumId' | 'durationMs' | 'bpm' | 'initialKey' | 'year' | 'storageUri' | 'availability'
> & {
  artists: string;
  genres: string;
  plays: number;
  lastPlayedAt: number | null;
  liked: number;
  isUnwanted: number;
};

export interface Facts extends Omit<
  Row,
  'artists' | 'genres' | 'liked' | 'storageUri' | 'availability' | 'isUnwanted'
> {
  artists: { id: ArtistId; name: string }[];
  genres: string[];
  isLoved: boolean;
  /** True if the track can be played and the listener has not excluded it. */
  isUsable: boolean;
}

/** SQL condition: the user @userId has excluded track `t`, or one of its artists. */
export const IS_UNWANTED = `(EXISTS (SELECT 1 FROM radio_nevers n WHERE n.user_id = @userId AND n.track_id = t.id)
  OR EXISTS (SELECT 1 FROM track_artists ta JOIN radio_nevers n ON n.artist_id = ta.artist_id
    WHERE ta.track_id = t.id AND n.user_id = @userId))`;

const SELECT = `SELECT t.id, t.title, ${namedAlbumOf('t')} AS albumId, t.duration_ms AS durationMs, t.bpm,
    t.initial_key AS initialKey, t.year, t.storage_uri AS storageUri, t.availability,
    (SELECT json_group_array(json_object('id', x.id, 'name', x.name)) FROM track_artists ta
      JOIN artists x ON x.id = ta.artist_id WHERE ta.track_id = t.id) AS artists,
    (SELECT json_group_array(g.name) FROM track_genres tg JOIN genres g ON g.id = tg.genre_id
      WHERE tg.track_id = t.id) AS genres,
    coalesce(p.plays, 0) AS plays, nullif(p.last_played_at, 0) AS lastPlayedAt, coalesce(l.liked, 0) AS liked,
    ${IS_UNWANTED} AS isUnwanted
  FROM json_each(@ids) ids CROSS JOIN tracks t ON t.id = ids.value
  LEFT JOIN play_counts p ON p.user_id = @userId AND p.item_type = 'track' AND p.item_id = t.id
  LEFT JOIN like_states l ON l.user_id = @userId AND l.item_type = 'track' AND l.item_id = t.id`;

/** The number of tracks that are read for a seed, from a random position of an index on. */
const MAX_TRACKS_READ = 400;
/** The number of rows that are searched for a mood; reading them takes a few milliseconds. */
const MOOD_WINDOW = 1_500;
/** A prime below 2^31: the remainders of multiples of ids, divided by it, give a random-looking order. */
const PRIME = 2_147_483_647;
const HOUR_MS = 3_600_000;
/** The number of latest plays from which it is computed what is heard at an hour. */
const LAST_PLAYS = 5_000;

const TRACKS_OF_ALBUM = 'SELECT id FROM tracks WHERE album_id = @id LIMIT @most';
const TRACKS_OF_ARTIST = 'SELECT track_id FROM track_artists WHERE artist_id = @id AND track_id';
const TRACKS_OF_GENRE = `SELECT track_id FROM track_genres
  WHERE genre_id = (SELECT id FROM genres WHERE name_key = @genre) AND track_id`;
const TRACKS_AT_HOUR = `SELECT p.track_id AS id, count(*) AS plays FROM (
    SELECT track_id, played_at FROM plays WHERE user_id = @userId AND withdrawn_at IS NULL
      ORDER BY played_at DESC LIMIT ${LAST_PLAYS}) p
  WHERE p.track_id IS NOT NULL AND (p.played_at + @offsetMs) / ${HOUR_MS} % 24 IN (@hour, @before, @after)
  GROUP BY p.track_id ORDER BY plays DESC, p.track_id LIMIT 200`;

const BUSIEST_HOUR = `SELECT (played_at + @offsetMs) / ${HOUR_MS} % 24 AS hour FROM (
    SELECT played_at FROM plays WHERE user_id = @userId AND withdrawn_at IS NULL AND track_id IS NOT NULL
      ORDER BY played_at DESC LIMIT ${LAST_PLAYS})
  GROUP BY hour ORDER BY count(*) DESC, hour LIMIT 1`;

interface FactsDeps {
  statements: Statements;
  isOffline: (storageUri: string | null) => boolean;
  /** Returns a number from 0 to 1. */
  random: () => number;
}

export type FactsReader = ReturnType<typeof createFacts>;

export function createFacts({ statements, isOffline, random }: FactsDeps) {
  /** Reads rows of an index from a random position on, wrapping around at its end. */
  function readAround(sql: string, params: Record<string, string | number>, condition = ''): TrackId[] {
    const highestId = statements.value<number | null>('SELECT max(id) FROM tracks', {}) ?? 0;
    const from = Math.floor(random() * highestId);
    const allParams = { ...params, from, most: MAX_TRACKS_READ };
    const idsAfter = statements.column<TrackId>(`${sql} >= @from ${condition} LIMIT @most`, allParams);
    return idsAfter.length === MAX_TRACKS_READ
      ? idsAfter
      : [...idsAfter, ...statements.column<TrackId>(`${sql} < @from ${condition} LIMIT @most`, allParams)];
  }

  return {
    /** Returns facts by id; tracks that do not exist are left out. */
    of(userId: UserId, ids: readonly number[]): Map<number, Facts> {
      const rows = statements.rows<Row>(SELECT, { userId, ids: JSON.stringify(ids) });
      return new Map(
        rows.map(({ artists, genres, liked, storageUri, availability, isUnwanted, ...row }) => [
          row.id,
          {
            ...row,
            artists: JSON.parse(artists) as Facts['artists'],
            genres: JSON.parse(genres) as string[],
            isLoved: liked === 1,
            isUsable: availability === 'available' && isUnwanted === 0 && !isOffline(storageUri),
          },
        ]),
      );
    },
    ofAlbum: (id: AlbumId): TrackId[] => statements.column<TrackId>(TRACKS_OF_ALBUM, { id, most: MAX_TRACKS_READ }),
    ofArtist: (id: ArtistId): TrackId[] => readAround(TRACKS_OF_ARTIST, { id }),
    ofGenre: (name: string): TrackId[] => readAround(TRACKS_OF_GENRE, { genre: identityKey(name) }),
    /** Picks tracks of the mood from some thousand tracks with its energies, from a random position on. */
    ofMood(mood: Mood): TrackId[] {
      const [{ lowest, highest } = { lowest: 1, highest: 10 }] = statements.rows<{ lowest: number; highest: number }>(
        wholeEnergiesSql(mood),
        {},
      );
      const energies = Array.from({ length: highest - lowest + 1 }, (_, i) => lowest + i);
      const windowSql = (energy: number, sign: string): string =>
        `SELECT * FROM (SELECT * FROM tracks WHERE energy = ${energy} AND id ${sign} @from ORDER BY id LIMIT @window)`;
      const from = Math.floor(random() * (statements.value<number | null>('SELECT max(id) FROM tracks', {}) ?? 0));
      const shuffle = Math.ceil(PRIME / 3 + random() * (PRIME / 3));
      const windows = energies.flatMap((energy) => [windowSql(energy, '>='), windowSql(energy, '<')]);
      return statements.column<TrackId>(
        `SELECT t.id FROM (${windows.join(' UNION ALL ')}) t
          WHERE t.availability = 'available' AND ${moodSql(mood, 't')} ORDER BY t.id * @shuffle % ${PRIME} LIMIT @most`,
        { from, shuffle, window: Math.ceil(MOOD_WINDOW / energies.length), most: MAX_TRACKS_READ },
      );
    },
    haveMood: (mood: Mood, ids: readonly number[]): Set<number> =>
      new Set(
        statements.column<number>(
          `SELECT t.id FROM json_each(@ids) ids CROSS JOIN tracks t ON t.id = ids.value WHERE ${moodSql(mood, 't')}`,
          { ids: JSON.stringify(ids) },
        ),
      ),
    /** Returns what the listener played most at an hour of the day and the hours next to it. */
    atHour: (userId: UserId, hour: number, offsetMinutes: number): { id: TrackId; plays: number }[] =>
      statements.rows(TRACKS_AT_HOUR, {
        userId,
        offsetMs: offsetMinutes * 60_000,
        hour,
        before: (hour + 23) % 24,
        after: (hour + 1) % 24,
      }),
    /** Returns the hour of the day, in the listener's time zone, at which the listener plays most. */
    busiestHour: (userId: UserId, offsetMinutes: number): number | undefined =>
      statements.column<number>(BUSIEST_HOUR, { userId, offsetMs: offsetMinutes * 60_000 })[0],
    any: (): TrackId[] => readAround("SELECT id FROM tracks WHERE availability = 'available' AND id", {}),
  };
}
