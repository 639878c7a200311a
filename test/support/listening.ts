// Plays inserted as rows, the same for the same seed, over several years and at realistic hours: some tracks are played
// far more than others, some plays have no track. Also a recount for comparison with the statistics: one pass over the
// tables, without indexes or slices.
import type { MainDb } from '../../server/db/client.ts';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { identityKey } from '../../server/library/tracks/sort-and-identity-keys.ts';
import { seededRandom } from './test-random.ts';

interface Listens {
  userId: UserId;
  trackIds: readonly TrackId[];
  plays: number;
  seed?: number;
}

export const FIRST_PLAY_MS = Date.UTC(2022, 5, 1);
const LAST_PLAY_MS = Date.UTC(2025, 11, 31, 23);

export function insertListening(db: MainDb, { userId, trackIds, plays, seed = 1 }: Listens): void {
  const random = seededRandom(seed);
  const insert = db.$client
    .prepare(`INSERT INTO plays (user_id, track_id, title, artist_name, album_title, played_at, played_ms, duration_ms, song_key, client)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'seed')`);
  db.$client.transaction(() => {
    for (let n = 0; n < plays; n++) {
      const playedAtMs = FIRST_PLAY_MS + Math.floor(((n + random()) / plays) * (LAST_PLAY_MS - FIRST_PLAY_MS));
      const track = random() < 0.95 ? (trackIds[Math.floor(trackIds.length * random() ** 3)] as TrackId) : null;
      const song = Math.floor(random() * 40);
      insert.run(
        userId,
        track,
        `Loose ${song}`,
        `Loose artist ${song % 7}`,
        song % 3 === 0 ? null : `Loose album ${song % 5}`,
        playedAtMs,
        random() < 0.8 ? 1_000 * Math.floor(random() * 300) : null,
        random() < 0.9 ? 180_000 + song : null,
        track === null ? song : null,
      );
    }
  })();
}

export interface Recount {
  plays: number;
  played_ms: number;
  days: Record<string, [plays: number, ms: number]>;
  hours: Record<string, [plays: number, ms: number]>;
  week: Record<string, [plays: number, ms: number]>;
  tracks: Record<string, [plays: number, ms: number]>;
  albums: Record<string, [plays: number, ms: number]>;
  artists: Record<string, [plays: number, ms: number]>;
  genres: Record<string, [plays: number, ms: number]>;
}

interface Row {
  id: number;
  track_id: number | null;
  title: string;
  artist_name: string | null;
  album_title: string | null;
  played_at: number;
  ms: number;
  song_key: number | null;
}

/** Sums up all rows, by library id if there is one, otherwise by name. */
export function recount(db: MainDb, userId: UserId, { from = 0, to = Infinity, tz = 'UTC' } = {}): Recount {
  const client = db.$client;
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
  const texts = new Map<number, string>(); // cached per quarter of an hour, within which no clock changes
  const localText = (timeMs: number): string => {
    const quarter = Math.floor(timeMs / 900_000);
    const text = texts.get(quarter) ?? clock.format(quarter * 900_000);
    texts.set(quarter, text);
    return text;
  };
  const group = (sql: string): Map<number, number[]> => {
    const relatedIds = new Map<number, number[]>();
    for (const [track, relatedId] of client.prepare(sql).raw().all() as [number, number][])
      relatedIds.set(track, [...(relatedIds.get(track) ?? []), relatedId]);
    return relatedIds;
  };
  const artists = group('SELECT track_id, artist_id FROM track_artists');
  const genres = group('SELECT track_id, genre_id FROM track_genres');
  const albums = group('SELECT id, album_id FROM tracks WHERE album_id IS NOT NULL');
  const genreNames = new Map(client.prepare('SELECT id, name FROM genres').raw().all() as [number, string][]);
  const artistIds = new Map(
    (client.prepare('SELECT name, id FROM artists').raw().all() as [string, number][]).map(([name, id]) => [
      identityKey(name),
      id,
    ]),
  );
  const result: Recount = {
    plays: 0,
    played_ms: 0,
    days: {},
    hours: {},
    week: {},
    tracks: {},
    albums: {},
    artists: {},
    genres: {},
  };
  const add = (sums: Record<string, [number, number]>, key: string, ms: number): void => {
    const [plays, sum] = sums[key] ?? [0, 0];
    sums[key] = [plays + 1, sum + ms];
  };
  for (const row of client
    .prepare(
      'SELECT *, coalesce(played_ms, duration_ms, 0) AS ms FROM plays WHERE user_id = ? AND withdrawn_at IS NULL',
    )
    .all(userId) as Row[]) {
    if (row.played_at < from || row.played_at >= to) continue;
    const local = localText(row.played_at);
    result.plays++;
    result.played_ms += row.ms;
    add(result.days, local.slice(0, 10), row.ms);
    add(result.hours, `${Number(local.slice(11, 13))}`, row.ms);
    add(result.week, `${new Date(local.slice(0, 10)).getUTCDay() || 7} ${Number(local.slice(11, 13))}`, row.ms);
    if (row.track_id === null) {
      add(result.tracks, `${row.title} – ${row.artist_name} (${row.song_key === null ? row.id : 'song'})`, row.ms);
      if (row.artist_name !== null)
        add(result.artists, `${artistIds.get(identityKey(row.artist_name)) ?? identityKey(row.artist_name)}`, row.ms);
      if (row.album_title !== null) add(result.albums, identityKey(`${row.album_title} – ${row.artist_name}`), row.ms);
      continue;
    }
    add(result.tracks, `${row.track_id}`, row.ms);
    for (const id of albums.get(row.track_id) ?? []) add(result.albums, `${id}`, row.ms);
    for (const id of artists.get(row.track_id) ?? []) add(result.artists, `${id}`, row.ms);
    for (const id of genres.get(row.track_id) ?? []) add(result.genres, genreNames.get(id) ?? '', row.ms);
  }
  return result;
}

/** Returns plays and duration of the top items, without their names. */
export const rankSums = (sums: Record<string, [number, number]>, maxRows = 20): [plays: number, ms: number][] =>
  Object.values(sums)
    .sort((a, b) => b[0] - a[0] || b[1] - a[1])
    .slice(0, maxRows);

/** Returns the expected response of GET /storage, from the rows. */
export function recountStorage({ $client: client }: MainDb): Record<string, unknown> {
  const groupBy = (column: string): unknown[] =>
    client
      .prepare(
        `SELECT coalesce(${column}, 'unknown') AS key, count(*) AS tracks, coalesce(sum(size_bytes), 0) AS size_bytes FROM tracks GROUP BY 1 ORDER BY 2 DESC, 1`,
      )
      .all();
  const longestPlay = client
    .prepare(`SELECT count(*) AS tracks, (SELECT count(*) FROM artists) AS artists, (SELECT count(*) FROM albums) AS albums, coalesce(sum(size_bytes), 0) AS size_bytes,
    coalesce(sum(duration_ms), 0) AS duration_ms FROM tracks`)
    .get() as object;
  return {
    ...longestPlay,
    by_format: groupBy('format'),
    by_source: groupBy('source'),
    by_metadata_status: groupBy('metadata_status'),
    albums_by_year: client
      .prepare('SELECT year, count(*) AS albums FROM albums WHERE year IS NOT NULL GROUP BY 1 ORDER BY 1')
      .all(),
    top_genres: client
      .prepare(
        'SELECT g.name AS genre, count(*) AS tracks FROM track_genres t JOIN genres g ON g.id = t.genre_id GROUP BY g.id ORDER BY 2 DESC, g.name_key LIMIT 20',
      )
      .all(),
  };
}
