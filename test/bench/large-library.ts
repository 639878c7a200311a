// A large library whose rows are inserted directly, the same for the same seed, including the counts that the server
// would have written. Words have the frequencies of a language (few are common, most are rare) and come in several
// scripts.
import type { Sqlite } from '../../server/db/client.ts';
import { identityKey, sortKey, sortName } from '../../server/library/tracks/sort-and-identity-keys.ts';
import { gramsOf } from '../../server/library/search-index/search-grams.ts';
import { createSearchIndex, searchBase, searchEnd } from '../../server/library/search-index/search-index.ts';
import { namesOf, searchTextOf, type SearchKind } from '../../server/library/search-index/search-names.ts';
import { seededRandom } from '../support/test-random.ts';

interface LargeLibrary {
  tracks: number;
  /** Number of albums; by default 72 per 1,000 tracks. */
  albums?: number;
  /** Id of the user with likes and plays. */
  userId: number;
  likeEvents: number;
  plays: number;
}

const NAME_SYLLABLES = [
  'ka',
  'lo',
  'ri',
  'sen',
  'tu',
  'vel',
  'mar',
  'dio',
  'an',
  'est',
  'or',
  'qui',
  'ber',
  'gh',
  'ny',
  'shi',
  'wald',
  'jör',
  'ça',
  'zum',
  'pé',
  'ix',
  'th',
  'fla',
  'o',
];
const COMMON_WORDS = [
  'the',
  'of',
  'love',
  'a',
  'in',
  'you',
  'night',
  'my',
  'blue',
  'time',
  'live',
  'remastered',
  'moon',
  'river',
  'heart',
  'song',
  'die',
  'la',
  'el',
  'no',
];
const SCRIPT_WORDS = [
  'ночь',
  'Москва',
  'любовь',
  '東京',
  '夜に',
  '駆ける',
  'サイレント',
  'ラブ',
  '봄날',
  '사랑',
  'ليل',
  'קמר',
  'νύχτα',
  'ใจ',
  'दिल',
];
const GENRE_NAMES = [
  'Rock',
  'Pop',
  'Jazz',
  'Électro',
  'Hip-Hop',
  'Blues',
  'Ambient',
  'Classical',
  'Folk',
  'Metal',
  'Soul',
  'Reggae',
];
const TRACK_FORMATS = ['mp3', 'mp3', 'mp3', 'flac', 'flac', 'ogg', 'opus', 'm4a'];
const EPOCH_MS = Date.UTC(2020, 0, 1);
const DAY_MS = 86_400_000;

/** Fills an empty database, which takes six minutes for a million tracks. */
export function fillLibrary(
  client: Sqlite,
  { tracks, albums: albumCount = Math.ceil(tracks * 0.072), userId, likeEvents, plays }: LargeLibrary,
  seed = 1,
): void {
  const random = seededRandom(seed);
  const randomBelow = (n: number): number => Math.floor(random() * n);
  const pick = <T>(values: readonly T[]): T => values[randomBelow(values.length)] as T;
  const rare = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 2 + randomBelow(3) }, () => pick(NAME_SYLLABLES)).join(''),
  );
  const word = (): string => {
    const r = random();
    if (r < 0.35) return pick(COMMON_WORDS);
    if (r < 0.42) return pick(SCRIPT_WORDS);
    return rare[Math.floor(rare.length * random() ** 3)] as string; // the first words are the most frequent
  };
  const phrase = (maxWords: number): string =>
    Array.from({ length: 1 + randomBelow(maxWords) }, word)
      .join(' ')
      .replace(/^./u, (firstLetter) => firstLetter.toUpperCase());

  const counts = { artists: Math.ceil(tracks * 0.044), albums: albumCount };
  const insert = inserts(client);
  const search = createSearchIndex(client);
  const write = (count: number, writeRow: (n: number) => void): void => {
    for (let from = 1; from <= count; from += 20_000)
      client.transaction(() => {
        for (let n = from; n <= Math.min(count, from + 19_999); n++) writeRow(n);
      })();
  };

  client.pragma('synchronous = OFF');
  client.pragma('temp_store = MEMORY'); // each statement on the search index writes a journal
  client.pragma('wal_autocheckpoint = 100000');
  client.pragma('cache_size = -262144');
  const genreIds = GENRE_NAMES.map((name) => insert.genre(name, identityKey(name)));
  const artists: { name: string; key: string }[] = [];
  write(counts.artists, (n) => {
    const name = `${phrase(2)} ${n.toString(36)}`;
    const key = sortKey(sortName(name));
    artists.push({ name, key });
    insert.artist(n, name, identityKey(name), sortName(name), key, EPOCH_MS + n, EPOCH_MS + n);
    search.add('artist', n);
  });
  const albums: { key: string; artist: number; year: number | null; genre: number }[] = [];
  write(counts.albums, (n) => {
    const [title, artist] = [phrase(3), 1 + Math.floor(counts.artists * random() ** 2)];
    const album = {
      key: sortKey(title),
      artist,
      year: random() < 0.9 ? 1955 + randomBelow(70) : null,
      genre: randomBelow(GENRE_NAMES.length),
    };
    albums.push(album);
    insert.album(
      n,
      title,
      album.key,
      artist,
      artists[artist - 1]?.key,
      album.year,
      GENRE_NAMES[album.genre],
      EPOCH_MS + n * 100,
      EPOCH_MS + n * 100,
    );
    if (n % 3 > 0) insert.cover(n, `covers/${n}.jpg`);
    search.add('album', n);
  });
  write(tracks, (n) => {
    const albumIndex = Math.floor(((n - 1) / tracks) * counts.albums); // album by album
    const album = albums[albumIndex] as (typeof albums)[number];
    const artist = random() < 0.9 ? album.artist : 1 + randomBelow(counts.artists);
    const trackArtist = artists[artist - 1] as (typeof artists)[number];
    const title = phrase(4);
    const remote = n % 50 === 0;
    insert.track(
      n,
      title,
      sortKey(title),
      artist,
      trackArtist.name,
      trackArtist.key,
      albumIndex + 1,
      album.key,
      GENRE_NAMES[album.genre],
      album.year,
      1 + (n % 20),
      1,
      remote ? null : 30_000 + randomBelow(400_000),
      remote ? null : 1_000_000 + randomBelow(9_000_000),
      remote ? null : pick(TRACK_FORMATS),
      remote ? 'streamsrc' : n % 10 === 0 ? 'upload' : 'local_folder',
      `Music/${trackArtist.name}/${albumIndex + 1}/${n}.mp3`,
      remote ? null : `file:Music/${trackArtist.name}/${albumIndex + 1}/${n}.mp3`,
      remote ? 'remote' : n % 500 === 1 ? 'missing' : 'available',
      n % 40 === 0 ? 'failed' : n % 25 === 0 ? 'pending' : 'enriched',
      EPOCH_MS + n * 7,
      EPOCH_MS + n * 7,
    );
    insert.credit(n, 0, artist, trackArtist.name);
    insert.trackGenre(n, 0, genreIds[album.genre]);
    if (n % 4 === 0) insert.trackGenre(n, 1, genreIds[(album.genre + 1) % GENRE_NAMES.length]);
    search.add('track', n);
  });
  write(likeEvents, (n) => {
    const type = n % 20 === 0 ? 'artist' : n % 10 === 0 ? 'album' : 'track';
    insert.like(
      userId,
      type,
      1 + Math.floor((type === 'track' ? tracks : counts[`${type}s`]) * random() ** 2),
      random() < 0.8 ? 1 : 0,
      random() < 0.3 ? randomBelow(6) : null,
      EPOCH_MS + n * 60_000,
    );
  });
  write(plays, (n) => {
    const id = 1 + Math.floor(tracks * random() ** 3);
    insert.play(
      userId,
      id,
      'a song',
      EPOCH_MS + Math.floor((n / plays) * 2_000 * DAY_MS),
      30_000 + randomBelow(200_000),
    );
  });
  client.exec(LIKE_STATES);
  client.exec(PLAY_COUNTS);
}

function inserts(client: Sqlite) {
  const prepareInsert = (table: string, columns: string) => {
    const statement = client.prepare(
      `INSERT INTO ${table} (${columns}) VALUES (${columns
        .split(',')
        .map(() => '?')
        .join(', ')})`,
    );
    return (...values: unknown[]): number => Number(statement.run(...values).lastInsertRowid);
  };
  return {
    genre: prepareInsert('genres', 'name, name_key'),
    artist: prepareInsert('artists', 'id, name, name_key, sort_name, sort_key, created_at, updated_at'),
    album: prepareInsert(
      'albums',
      'id, title, title_sort, artist_id, artist_sort, year, genre, created_at, updated_at',
    ),
    cover: (id: number, key: string) =>
      client.prepare('INSERT INTO album_covers (album_id, key, checked_at) VALUES (?, ?, 0)').run(id, key),
    track: prepareInsert(
      'tracks',
      `id, title, title_sort, artist_id, artist_name, artist_sort, album_id, album_sort, genre, year, track_number, disc_number, duration_ms,
      size_bytes, format, source, source_id, storage_uri, availability, metadata_status, created_at, updated_at`,
    ),
    credit: prepareInsert('track_artists', 'track_id, position, artist_id, credit'),
    trackGenre: prepareInsert('track_genres', 'track_id, position, genre_id'),
    like: prepareInsert('like_events', 'user_id, item_type, item_id, liked, rating, created_at'),
    play: prepareInsert('plays', 'user_id, track_id, title, played_at, played_ms'),
  };
}

const COPIED_TABLES = ['artists', 'albums', 'album_covers', 'tracks', 'track_artists', 'track_genres', 'album_genres'];

/**
 * Multiplies the size of a library by `times`: each artist, album and track is copied with the same names and higher
 * ids; likes and plays are not copied. Triggers are off, and indexes are created at the end, which takes a fifth of the
 * time.
 */
export function multiplyLibrary(client: Sqlite, times: number): void {
  const copiedTables = COPIED_TABLES.map((table) => `'${table}'`).join();
  const schemaObjects = client
    .prepare<[], { type: string; name: string; sql: string }>(
      `SELECT type, name, sql FROM sqlite_master
        WHERE type IN ('trigger', 'index') AND tbl_name IN (${copiedTables}) AND sql IS NOT NULL`,
    )
    .all();
  const highest = (table: string): number =>
    client.prepare<[], number>(`SELECT max(id) FROM ${table}`).pluck().get() as number;
  const step = { artist: highest('artists'), album: highest('albums'), track: highest('tracks') };

  client.pragma('synchronous = OFF');
  client.pragma('temp_store = MEMORY');
  client.pragma('cache_size = -2097152');
  client.pragma('threads = 2'); // threads that sort for the indexes
  client.pragma('foreign_keys = OFF');
  for (const { type, name } of schemaObjects) client.exec(`DROP ${type} "${name}"`);
  for (const table of COPIED_TABLES) {
    const columns = client.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    for (let copy = 1; copy < times; copy++) {
      const changedValues = changedColumns(table, copy, step);
      const values = columns.map((column) => changedValues[column] ?? `"${column}"`);
      client.exec(
        `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join()}) SELECT ${values.join()} FROM ${table}
          ${firstOnes(table, step)}`,
      );
    }
  }
  client.exec(`UPDATE genres SET track_count = track_count * ${times}`);
  client.exec(
    `UPDATE library_totals SET tracks = tracks * ${times}, size_bytes = size_bytes * ${times}, duration_ms = duration_ms * ${times}`,
  );
  client.exec('UPDATE counted_tracks SET up_to = (SELECT max(id) FROM tracks)');
  for (const { sql } of schemaObjects) client.exec(sql);
  for (const kind of ['artist', 'album', 'track'] as const) multiplySearch(client, kind, step[kind], times);
}

/** Returns the SQL of the columns that differ in a copied row. */
function changedColumns(table: string, copy: number, step: Record<SearchKind, number>): Record<string, string> {
  const [artist, album, track] = (['artist', 'album', 'track'] as const).map((kind) => step[kind] * copy);
  const [artistId, albumId, trackId] = [`artist_id + ${artist}`, `album_id + ${album}`, `track_id + ${track}`];
  const changedValuesByTable: Record<string, Record<string, string>> = {
    artists: { id: `id + ${artist}`, name_key: `name_key || ' ${copy}'` },
    albums: { id: `id + ${album}`, artist_id: artistId, created_at: `created_at + 100 * ${album}` },
    album_covers: { album_id: albumId },
    tracks: {
      id: `id + ${track}`,
      artist_id: artistId,
      album_id: albumId,
      source_id: `'${copy}/' || source_id`,
      created_at: `created_at + 7 * ${track}`,
    },
    track_artists: { track_id: trackId, artist_id: artistId },
    track_genres: { track_id: trackId },
    album_genres: { album_id: albumId },
  };
  return changedValuesByTable[table] as Record<string, string>;
}

/** Returns the SQL condition for the rows that existed before the first copy. */
function firstOnes(table: string, step: Record<SearchKind, number>): string {
  if (table === 'artists') return `WHERE id <= ${step.artist}`;
  if (table === 'albums') return `WHERE id <= ${step.album}`;
  if (table === 'tracks') return `WHERE id <= ${step.track}`;
  return table.startsWith('album_') ? `WHERE album_id <= ${step.album}` : `WHERE track_id <= ${step.track}`;
}

function multiplySearch(client: Sqlite, kind: SearchKind, count: number, times: number): void {
  const trigrams = client.prepare('INSERT INTO search_trigrams (rowid, text) VALUES (CAST(? AS INTEGER), ?)');
  const grams = client.prepare('INSERT INTO search_grams (rowid, grams) VALUES (CAST(? AS INTEGER), ?)');
  const names = client.prepare<[number], string>(namesOf[kind]('?')).pluck();
  const texts = Array.from({ length: count }, (_, n) => {
    const text = searchTextOf(names.get(n + 1) as string);
    return { text, grams: gramsOf(text) };
  });
  for (let copy = 1; copy < times; copy++)
    client.transaction(() => {
      for (const [n, text] of texts.entries()) {
        const rowid = searchBase(kind) + copy * count + n + 1;
        if (rowid >= searchEnd(kind)) throw new Error(`too many of ${kind}`);
        trigrams.run(rowid, text.text);
        grams.run(rowid, text.grams);
      }
      // leaves as many segments of the search index as the server would
      for (const table of ['search_trigrams', 'search_grams'])
        client.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', 1000000)`);
    })();
}

/**
 * SQL for the state after all like events; see likes/state.ts. `since`, the start of the last run of equal events, is
 * set to any value because nothing here depends on it.
 */
const LIKE_STATES = `INSERT OR REPLACE INTO like_states (user_id, item_type, item_id, liked, rating, since)
  SELECT e.user_id, e.item_type, e.item_id, e.liked,
    coalesce((SELECT r.rating FROM like_events r WHERE r.id = last.rated), 0), e.created_at
  FROM (SELECT max(id) AS id, max(iif(rating IS NULL, NULL, id)) AS rated FROM like_events GROUP BY user_id, item_type, item_id) last
  JOIN like_events e ON e.id = last.id`;

const PLAY_COUNTS = `INSERT OR REPLACE INTO play_counts (user_id, item_type, item_id, plays, last_played_at)
  SELECT user_id, 'track', track_id, count(*), max(played_at) FROM plays GROUP BY user_id, track_id
  UNION ALL SELECT p.user_id, 'album', t.album_id, count(*), max(p.played_at) FROM plays p JOIN tracks t ON t.id = p.track_id GROUP BY p.user_id, t.album_id
  UNION ALL SELECT p.user_id, 'artist', ta.artist_id, count(*), max(p.played_at) FROM plays p JOIN track_artists ta ON ta.track_id = p.track_id GROUP BY p.user_id, ta.artist_id`;
