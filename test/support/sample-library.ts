// A library of directly inserted rows, the same for the same seed: for tests that recount lists, and for benchmarks.
// Names are in several scripts and contain what may break SQL: quotes, percent signs, underscores, backslashes.
import type { MainDb } from '../../server/db/client.ts';
import type { AlbumId, ArtistId, TrackId, UserId } from '../../server/db/ids.ts';
import type { Availability, MetadataStatus } from '../../server/db/schema.ts';
import {
  FIELD_LIST,
  fieldsFrom,
  LISTED_TEXTS,
  TRACK_FIELDS,
  type FieldKind,
  type FieldValues,
} from '../../server/db/track-fields.ts';
import { foldedText, identityKey, sortKey, sortName } from '../../server/library/tracks/sort-and-identity-keys.ts';
import { createSearchIndex } from '../../server/library/search-index/search-index.ts';
import { seededRandom } from './test-random.ts';

export type SampleFields = Omit<FieldValues, 'year' | 'trackNumber' | 'discNumber'>;
const SAMPLE_FIELDS = FIELD_LIST.filter(
  (field): field is keyof SampleFields => !['year', 'trackNumber', 'discNumber'].includes(field),
);

export interface SampleTrack {
  id: TrackId;
  title: string;
  artists: number[];
  credit: string;
  album: number | null;
  genres: string[];
  year: number | null;
  disc: number | null;
  number: number | null;
  /** The fields of the table, except year and numbers. */
  fields: SampleFields;
  durationMs: number | null;
  sizeBytes: number | null;
  format: string | null;
  source: string;
  availability: Availability;
  status: MetadataStatus;
  storageUri: string | null;
  createdAt: number;
}
export interface SampleAlbum {
  id: AlbumId;
  title: string;
  artist: number | null;
  year: number | null;
  hasCover: boolean;
  createdAt: number;
}
export interface SampleArtist {
  id: ArtistId;
  name: string;
  createdAt: number;
}

/** The inserted rows. Artists and albums of a track or album are indexes in these lists. */
export interface SampleLibrary {
  users: UserId[];
  artists: SampleArtist[];
  albums: SampleAlbum[];
  tracks: SampleTrack[];
  /** Liked items of each user, as item type and id; these are ids, not indexes. */
  likes: Map<UserId, Set<string>>;
  /** Ratings of each user over 0, by `type id`. */
  ratings: Map<UserId, Map<string, number>>;
  plays: Map<UserId, Map<string, { plays: number; last: number }>>;
}

interface SampleSize {
  artists: number;
  albums: number;
  tracks: number;
}

const TITLE_WORDS = [
  'the',
  'of',
  'love',
  'night',
  'Björk',
  'ÄRZTE',
  'ärzte',
  'blue',
  'a',
  'No',
  '100%',
  'snake_case',
  'back\\slash',
  "don't",
  '"quoted"',
  'Dark',
  'side',
  'moon',
  'Москва',
  'ночь',
  '東京',
  'サイレント',
  '夜',
  'ｆｕｌｌ',
  'half',
  'Ωmega',
  'señor',
  'it',
  '(live)',
  'AC/DC',
  'x',
  '한글',
  'סוף',
  'قمر',
  'river',
  'ria',
  'OR',
  'NOT',
  'NEAR(a',
  '*',
];
const GENRES = ['Rock', 'Jazz', 'Électro', 'Hip-Hop', 'Blues & Soul', 'Ambient'];
const FORMATS = ['mp3', 'flac', 'ogg', 'opus', 'm4a'];
const EPOCH = Date.UTC(2024, 0, 1);

export function makeSampleLibrary(db: MainDb, size: SampleSize, seed = 1): SampleLibrary {
  const random = seededRandom(seed);
  const randomBelow = (n: number) => Math.floor(random() * n);
  const pick = <T>(values: readonly T[]): T => values[randomBelow(values.length)] as T;
  const maybe = <T>(share: number, value: () => T): T | null => (random() < share ? value() : null);
  const phrase = (maxWords: number) =>
    Array.from({ length: 1 + randomBelow(maxWords) }, () => pick(TITLE_WORDS)).join(' ');
  const fieldRandom = seededRandom(seed + 1);
  const ofKind: Record<FieldKind, (n: number) => string | number> = {
    year: (n) => 1950 + Math.floor(n * 70),
    position: (n) => 1 + Math.floor(n * 20),
    tempo: (n) => 60 + Math.floor(n * 240) / 2,
    level: (n) => 1 + Math.floor(n * 10),
    text: (n) =>
      TITLE_WORDS.slice(Math.floor(n * TITLE_WORDS.length), Math.floor(n * TITLE_WORDS.length) + 2).join('; '),
    note: (n) => `${TITLE_WORDS[Math.floor(n * TITLE_WORDS.length)]}\nsecond line`,
  };
  const sampleFields = (): SampleFields => {
    const {
      year: _,
      trackNumber: _track,
      discNumber: _disc,
      ...fields
    } = fieldsFrom((field) => (fieldRandom() < 0.4 ? ofKind[TRACK_FIELDS[field].kind](fieldRandom()) : null));
    return fields as SampleFields;
  };
  const moment = () => EPOCH + randomBelow(2_000) * 1_000; // few values, so that some tracks have equal values

  const library: SampleLibrary = {
    users: [],
    artists: [],
    albums: [],
    tracks: [],
    likes: new Map(),
    ratings: new Map(),
    plays: new Map(),
  };
  const insert = inserts(db);
  db.$client.transaction(() => {
    library.users = ['ann', 'bob'].map((name) => insert.user(name));
    for (let n = 0; n < size.artists; n++) {
      const artist = { name: `${n % 7 === 0 ? 'The ' : ''}${phrase(2)} ${n}`, createdAt: moment() };
      library.artists.push({ ...artist, id: insert.artist(artist) });
    }
    for (let n = 0; n < size.albums; n++) {
      const album = {
        title: phrase(3),
        artist: maybe(0.95, () => randomBelow(size.artists)),
        year: maybe(0.85, () => 1960 + randomBelow(65)),
        hasCover: random() < 0.5,
        createdAt: moment(),
      };
      library.albums.push({ ...album, id: insert.album(album, library) });
    }
    for (let n = 0; n < size.tracks; n++) {
      const artists = [...new Set(Array.from({ length: random() < 0.2 ? 2 : 1 }, () => randomBelow(size.artists)))];
      const remote = random() < 0.1;
      const source = remote ? 'streamsrc' : pick(['upload', 'local_folder', 'local_folder']);
      const track = {
        title: phrase(4),
        artists,
        credit: artists.map((artistIndex) => library.artists[artistIndex]?.name).join(' feat. '),
        album: maybe(0.9, () => randomBelow(size.albums)),
        genres: [...new Set(Array.from({ length: randomBelow(3) }, () => pick(GENRES)))],
        year: maybe(0.8, () => 1960 + randomBelow(65)),
        disc: maybe(0.7, () => 1 + randomBelow(2)),
        number: maybe(0.9, () => 1 + randomBelow(20)),
        fields: sampleFields(),
        durationMs: remote ? null : 1_000 * (30 + randomBelow(400)),
        sizeBytes: remote ? null : randomBelow(9_000_000),
        format: remote ? null : pick(FORMATS),
        source,
        availability: remote
          ? pick(['remote', 'fetching'] as const)
          : pick(['available', 'available', 'available', 'missing'] as const),
        status: pick(['pending', 'enriched', 'failed', 'manual'] as const),
        storageUri: remote ? null : `local:audio/${n}`,
        createdAt: moment(),
      };
      library.tracks.push({ ...track, id: insert.track(track, n, library) });
    }
    for (const user of library.users) addListening(user);
  })();
  return library;

  function addListening(user: UserId): void {
    const likes = new Set<string>();
    const ratings = new Map<string, number>();
    const plays = new Map<string, { plays: number; last: number }>();
    for (const [type, items] of [
      ['track', library.tracks],
      ['album', library.albums],
      ['artist', library.artists],
    ] as const) {
      for (const { id } of items) {
        if (random() < 0.2) {
          const liked = random() < 0.7;
          const rating = id % 3 === 0 ? 0 : (id % 11) / 2;
          insert.like(user, type, id, liked, rating);
          if (rating > 0) ratings.set(`${type} ${id}`, rating);
          if (liked) likes.add(`${type} ${id}`);
        }
        if (random() < 0.3) {
          const playsAndLast = { plays: 1 + randomBelow(5), last: moment() };
          insert.plays(user, type, id, playsAndLast);
          plays.set(`${type} ${id}`, playsAndLast);
        }
      }
    }
    library.likes.set(user, likes);
    library.ratings.set(user, ratings);
    library.plays.set(user, plays);
  }
}

function inserts(db: MainDb) {
  const client = db.$client;
  const search = createSearchIndex(client);
  const idOf = (insertion: { lastInsertRowid: number | bigint }): number => Number(insertion.lastInsertRowid);
  const user = client.prepare(
    "INSERT INTO users (username, username_key, password_hash, is_superuser, created_at) VALUES (?, ?, 'x', 0, ?)",
  );
  const artist = client.prepare(
    'INSERT INTO artists (name, name_key, sort_name, sort_key, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const album = client.prepare(
    'INSERT INTO albums (title, title_sort, artist_id, artist_sort, year, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const cover = client.prepare('INSERT INTO album_covers (album_id, key, checked_at) VALUES (?, ?, 0)');
  const genre = client.prepare<[string, string], { id: number }>(
    'INSERT INTO genres (name, name_key) VALUES (?, ?) ON CONFLICT (name_key) DO UPDATE SET name = name RETURNING id',
  );
  const fieldColumns = SAMPLE_FIELDS.map((field) => TRACK_FIELDS[field].name);
  const sortColumns = LISTED_TEXTS.map((field) => `${TRACK_FIELDS[field].name}_sort`);
  const columns = [
    ...'title title_sort artist_id artist_name artist_sort album_id album_sort genre year disc_number track_number'.split(
      ' ',
    ),
    ...'duration_ms size_bytes format source source_id storage_uri availability metadata_status'.split(' '),
    'created_at',
    'updated_at',
    ...fieldColumns,
    ...sortColumns,
  ];
  const track = client.prepare(
    `INSERT INTO tracks (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  const credit = client.prepare(
    'INSERT INTO track_artists (track_id, position, artist_id, credit) VALUES (?, ?, ?, ?)',
  );
  const trackGenre = client.prepare('INSERT INTO track_genres (track_id, position, genre_id) VALUES (?, ?, ?)');
  const like = client.prepare(
    'INSERT INTO like_states (user_id, item_type, item_id, liked, rating, since) VALUES (?, ?, ?, ?, ?, 0)',
  );
  const plays = client.prepare(
    'INSERT INTO play_counts (user_id, item_type, item_id, plays, last_played_at) VALUES (?, ?, ?, ?, ?)',
  );
  const genreIds = new Map<string, number>();

  return {
    user: (name: string) => idOf(user.run(name, name, EPOCH)) as UserId,
    artist({ name, createdAt }: Omit<SampleArtist, 'id'>): ArtistId {
      const id = idOf(
        artist.run(name, identityKey(name), sortName(name), sortKey(sortName(name)), createdAt, createdAt),
      );
      search.add('artist', id);
      return id as ArtistId;
    },
    album({ title, artist, year, hasCover, createdAt }: Omit<SampleAlbum, 'id'>, { artists }: SampleLibrary): AlbumId {
      const albumArtist = artist === null ? undefined : artists[artist];
      const id = idOf(
        album.run(
          title,
          sortKey(title),
          albumArtist?.id ?? null,
          albumArtist ? sortKey(sortName(albumArtist.name)) : '',
          year,
          createdAt,
          createdAt,
        ),
      );
      cover.run(id, hasCover ? `covers/${id}.jpg` : null);
      search.add('album', id);
      return id as AlbumId;
    },
    track(sampleTrack: Omit<SampleTrack, 'id'>, n: number, { artists, albums }: SampleLibrary): TrackId {
      const [first] = sampleTrack.artists.map((a) => artists[a] as SampleArtist);
      const inAlbum = sampleTrack.album === null ? undefined : albums[sampleTrack.album];
      const id = idOf(
        track.run(
          sampleTrack.title,
          sortKey(sampleTrack.title),
          first?.id ?? null,
          sampleTrack.credit,
          first ? sortKey(sortName(first.name)) : '',
          inAlbum?.id ?? null,
          inAlbum ? sortKey(inAlbum.title) : '',
          sampleTrack.genres[0] ?? null,
          sampleTrack.year,
          sampleTrack.disc,
          sampleTrack.number,
          sampleTrack.durationMs,
          sampleTrack.sizeBytes,
          sampleTrack.format,
          sampleTrack.source,
          `${n}`,
          sampleTrack.storageUri,
          sampleTrack.availability,
          sampleTrack.status,
          sampleTrack.createdAt,
          sampleTrack.createdAt,
          ...SAMPLE_FIELDS.map((field) => sampleTrack.fields[field]),
          ...LISTED_TEXTS.map((field) => foldedText(sampleTrack.fields[field])),
        ),
      );
      sampleTrack.artists.forEach((artistIndex, position) =>
        credit.run(id, position, artists[artistIndex]?.id, artists[artistIndex]?.name),
      );
      sampleTrack.genres.forEach((name, position) => {
        const genreId = genreIds.get(name) ?? genre.get(name, identityKey(name))?.id ?? 0;
        genreIds.set(name, genreId);
        trackGenre.run(id, position, genreId);
      });
      search.add('track', id);
      return id as TrackId;
    },
    like: (userId: UserId, type: string, id: number, liked: boolean, rating: number) =>
      void like.run(userId, type, id, liked ? 1 : 0, rating),
    plays: (userId: UserId, type: string, id: number, played: { plays: number; last: number }) =>
      void plays.run(userId, type, id, played.plays, played.last),
  };
}

/**
 * Returns the sort key of a track in its album: absent numbers are last; a numbered track without a disc is on disc 1.
 */
export const placeInAlbum = ({ disc, number }: SampleTrack): number =>
  (disc ?? (number === null ? 10_000 : 1)) * 10_000 + (number ?? 9_999);
