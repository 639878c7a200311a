// Makes data folders of earlier versions by SQL, with albums that the rule in server/library/albums/releases.ts would
// group differently, and with likes, plays and playlists.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { hashPassword } from '../../server/auth/passwords.ts';
import { databaseAtLevel } from '../../server/db/migrate.ts';
import { paths } from './product.ts';
import { seededRandom } from './seeded-random.ts';
import { ADMIN } from './server.ts';

/** Number of migrations of each version. `0.2.0-pre` is the last version in which a release group was an album. */
const MIGRATIONS = { '0.1.0': 12, '0.2.0-pre': 42 } as const;
export type EarlierVersion = keyof typeof MIGRATIONS;
export const EARLIER_VERSIONS = Object.keys(MIGRATIONS) as EarlierVersion[];

const START_MS = Date.parse('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;
const USERS = [1, 2];
const GENRES = ['Rock', 'Jazz', 'Folk'];

interface MadeTrack {
  /** Number of the track's album in the earlier version, among those with the same name. */
  earlierAlbum: number;
  /** Number of the track's album according to the rule: tracks with the same number form one album. */
  newAlbum: number;
  /** Folder of the file; undefined for uploads. */
  folder?: string;
  /** A subfolder of `folder` for the disc. */
  discFolder?: string;
  disc?: number;
  number: number;
  title: string;
  durationMs: number;
  year: number;
  isTyped?: boolean;
}

/** Makes tracks numbered from `first`. Tracks of another version have the same titles, but are other recordings. */
function songs(
  count: number,
  {
    first: firstNumber = 1,
    version = 0,
    ...rest
  }: { first?: number; version?: number } & Omit<MadeTrack, 'number' | 'title' | 'durationMs'>,
): MadeTrack[] {
  return Array.from({ length: count }, (_, n) => ({
    ...rest,
    number: firstNumber + n,
    title: `Song ${firstNumber + n}`,
    durationMs: 180_000 + (firstNumber + n) * 1_000 + version * 20_000,
  }));
}

type Kind = () => MadeTrack[];
const makePlainAlbum: Kind = () => songs(8, { earlierAlbum: 0, newAlbum: 0, folder: 'Album', year: 1999 });
const twoEditions: Kind = () => [
  ...songs(7, { earlierAlbum: 0, newAlbum: 0, folder: 'Album', year: 1999 }),
  ...songs(10, { earlierAlbum: 0, newAlbum: 1, folder: 'Album (Deluxe)', year: 2009, version: 1 }),
];
const threeEditions: Kind = () => [
  ...songs(6, { earlierAlbum: 0, newAlbum: 0, folder: 'Album', year: 1989 }),
  ...songs(9, { earlierAlbum: 0, newAlbum: 1, folder: 'Album (Remaster)', year: 1999, version: 1 }),
  ...songs(5, { earlierAlbum: 0, newAlbum: 2, folder: 'Album (Japan)', year: 2009, version: 2 }),
];
const discsOfTwoYears: Kind = () => [
  ...songs(7, { earlierAlbum: 0, newAlbum: 0, folder: 'Album', discFolder: 'CD1', disc: 1, year: 1990 }),
  ...songs(8, { earlierAlbum: 1, newAlbum: 0, folder: 'Album', discFolder: 'CD2', disc: 2, year: 1991 }),
];
/** Returns two albums of which the second is split, and all tracks of the first join one part of it. */
const crossed: Kind = () => [
  ...songs(6, { earlierAlbum: 1, newAlbum: 0, folder: 'Album', year: 2001 }),
  ...songs(5, { earlierAlbum: 0, newAlbum: 0, folder: 'Album', year: 1999, first: 7 }),
  ...songs(5, { earlierAlbum: 1, newAlbum: 1, folder: 'Other', year: 2001, version: 1 }),
];
const uploads: Kind = () => [
  ...songs(7, { earlierAlbum: 0, newAlbum: 0, year: 1999 }),
  ...songs(9, { earlierAlbum: 0, newAlbum: 1, year: 2009, version: 1 }),
];
const typedTogether: Kind = () => [
  ...songs(8, { earlierAlbum: 0, newAlbum: 0, folder: 'Album', year: 1999, isTyped: true }),
  ...songs(8, { earlierAlbum: 0, newAlbum: 0, folder: 'Rest', year: 1999, first: 9, isTyped: true }),
];
/** Frequency of each kind; most albums stay the same. */
const KINDS: [Kind, number][] = [
  [makePlainAlbum, 13],
  [twoEditions, 2],
  [threeEditions, 1],
  [discsOfTwoYears, 1],
  [crossed, 1],
  [uploads, 1],
  [typedTogether, 1],
];
const CYCLE = KINDS.flatMap(([kind, share]) => Array<Kind>(share).fill(kind));

export interface EarlierAlbums {
  tracks: number;
  albums: number;
  /** Number of names whose albums the rule groups differently. */
  changedNames: number;
  /** Ids of the tracks in each album according to the rule. */
  becomes: number[][];
}

/** Makes a library of at least `tracks` tracks, the same for the same seed. */
export async function makeEarlierAlbums(
  dir: string,
  version: EarlierVersion,
  { tracks, seed }: { tracks: number; seed: number },
): Promise<EarlierAlbums> {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, 'tonearm.db');
  writeFileSync(path, databaseAtLevel(paths.migrations, MIGRATIONS[version]));
  const db = new Database(path);
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = OFF');
    const password = await hashPassword(ADMIN.password);
    return db.transaction(() => fill(db, dir, { tracks, seed, password })).immediate();
  } finally {
    db.close();
  }
}

type Values = Record<string, string | number | null>;

function fill(
  db: Database.Database,
  dir: string,
  { tracks, seed, password }: { tracks: number; seed: number; password: string },
): EarlierAlbums {
  const random = seededRandom(seed);
  const statements = new Map<string, Database.Statement>();
  function insert(table: string, values: Values): number {
    const columns = Object.keys(values);
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`;
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return Number(statement.run(values).lastInsertRowid);
  }
  const times = { created_at: START_MS, updated_at: START_MS };
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

  for (const id of USERS) {
    const name = id === 1 ? ADMIN.username : 'listener';
    const account = { username: name, username_key: name, password_hash: password, is_superuser: Number(id === 1) };
    insert('users', { id, ...account, created_at: START_MS });
  }
  for (const name of GENRES) insert('genres', { name, name_key: name.toLowerCase() });

  const result: EarlierAlbums = { tracks: 0, albums: 0, changedNames: 0, becomes: [] };
  const albumIds: number[] = [];
  const artistIds: number[] = [];
  const trackIds: number[] = [];
  for (let name = 0; result.tracks < tracks; name++) {
    const kind = CYCLE[name % CYCLE.length] as Kind;
    const artist = Math.floor(name / 5) + 1;
    const artistKey = `artist ${artist}`;
    if (name % 5 === 0) {
      const names = {
        name: `Artist ${artist}`,
        name_key: artistKey,
        sort_name: `Artist ${artist}`,
        sort_key: artistKey,
      };
      artistIds.push(insert('artists', { ...names, ...times }));
    }
    result.tracks += fillName(name, kind(), { artist, artistKey });
    const isChanged = kind !== makePlainAlbum && kind !== typedTogether;
    if (isChanged) result.changedNames++;
  }
  fillActions();
  result.albums = albumIds.length;
  return result;

  function fillName(
    name: number,
    madeTracks: MadeTrack[],
    { artist, artistKey }: { artist: number; artistKey: string },
  ): number {
    const title = `Album ${name}`;
    const stem = `t:${artist}:album ${name}\n`;
    const ofAlbum = new Map<number, number>();
    const ofFolder = new Map<string, number>();
    const becomes: number[][] = [];
    for (const { earlierAlbum, newAlbum, folder, discFolder, disc = null, year, isTyped, ...track } of madeTracks) {
      const firstTrack = madeTracks.find((madeTrack) => madeTrack.earlierAlbum === earlierAlbum);
      if (!ofAlbum.has(earlierAlbum)) {
        const group = earlierAlbum === 0 && !isTyped ? `group-${name}` : null;
        const names = { title: earlierAlbum === 0 ? title : title.toUpperCase(), title_sort: `album ${name}` };
        const id = insert('albums', {
          ...names,
          artist_id: artist,
          artist_sort: artistKey,
          year: firstTrack?.year ?? null,
          genre: GENRES[name % GENRES.length] ?? null,
          release_group_mbid: group,
          created_at: START_MS + trackIds.length + 1,
          updated_at: START_MS,
        });
        albumIds.push(id);
        ofAlbum.set(earlierAlbum, id);
        insert('album_keys', { key: `${stem}${firstTrack?.year ?? ''}`, album_id: id });
        if (group) insert('album_keys', { key: `rg:${group}`, album_id: id });
      }
      const album = ofAlbum.get(earlierAlbum) as number;
      const path =
        folder === undefined
          ? undefined
          : [`Artist ${artist}`, `${folder} ${name}`, ...(discFolder ? [discFolder] : [])].join('/');
      if (path !== undefined && !ofFolder.has(path)) {
        const id = insert('source_folders', { source: 'local_folder', path });
        ofFolder.set(path, id);
        insert('album_keys', { key: `f:${id}:${stem}`, album_id: album });
        insert('album_keys', { key: `g:${id}:album ${name}`, album_id: album });
      }
      const file = `${disc ?? 1}-${track.number} ${year}.mp3`;
      const next = trackIds.length + 1;
      const id = insert('tracks', {
        title: track.title,
        title_sort: track.title.toLowerCase(),
        artist_id: artist,
        artist_name: `Artist ${artist}`,
        artist_sort: artistKey,
        album_id: album,
        album_sort: `album ${name}`,
        genre: GENRES[name % GENRES.length] ?? null,
        year,
        track_number: track.number,
        disc_number: disc,
        duration_ms: track.durationMs,
        size_bytes: 4_000 + next,
        format: 'mp3',
        codec: 'mp3',
        source: path === undefined ? 'upload' : 'local_folder',
        source_id: path === undefined ? `upload-${next}` : `${path}/${file}`,
        storage_uri: path === undefined ? `local:audio/${next}.mp3` : `file:${path}/${file}`,
        audio_hash: `v1:${next}`,
        availability: 'available',
        metadata_status: isTyped ? 'manual' : 'enriched',
        provenance: isTyped ? '{"album":"manual"}' : null,
        created_at: START_MS + next,
        updated_at: START_MS,
      });
      trackIds.push(id);
      (becomes[newAlbum] ??= []).push(id);
      insert('track_artists', { track_id: id, position: 0, artist_id: artist, credit: `Artist ${artist}` });
      insert('track_genres', { track_id: id, position: 0, genre_id: 1 + (name % GENRES.length) });
      if (path !== undefined)
        insert('source_files', {
          folder_id: ofFolder.get(path) as number,
          name: file,
          size_bytes: 4_000 + next,
          mtime_us: START_MS,
          dev: 1,
          ino: next,
          state: 'track',
          track_id: id,
        });
    }
    result.becomes.push(...becomes);
    return madeTracks.length;
  }

  /** Inserts likes, ratings, plays, chosen covers, playlists and bookmarks. */
  function fillActions(): void {
    let timeMs = START_MS - 300 * DAY_MS;
    for (const [type, ids, share] of [
      ['track', trackIds, 0.1],
      ['album', albumIds, 0.4],
      ['artist', artistIds, 0.3],
    ] as const)
      for (const id of ids)
        for (const user of USERS) {
          if (random() >= share) continue;
          const item = { user_id: user, item_type: type, item_id: id };
          const likeAndRating = {
            liked: Number(random() < 0.8),
            rating: random() < 0.5 ? 1 + Math.floor(random() * 5) : 0,
          };
          if (likeAndRating.liked === 0 && likeAndRating.rating === 0) continue;
          timeMs += 1_000;
          insert('like_events', { ...item, ...likeAndRating, created_at: timeMs });
          insert('like_states', { ...item, ...likeAndRating, since: timeMs });
        }
    for (let n = 0; n < 1.5 * trackIds.length; n++) {
      const playFields = { title: 'Song', artist_name: 'Artist', played_ms: 1_000, client: 'web', song_key: n };
      insert('plays', {
        user_id: pick(USERS),
        track_id: trackIds[Math.floor(trackIds.length * random() ** 2)] ?? null,
        ...playFields,
        played_at: START_MS - n * 60_000,
      });
    }
    for (const id of albumIds) {
      if (random() >= 0.4) continue;
      const bytes = Buffer.concat([PICTURE, Buffer.from(`picture of album ${id}`)]);
      const key = `covers/${id}.png`;
      const file = join(dir, 'library', key);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
      const etag = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
      insert('album_covers', {
        album_id: id,
        key,
        etag,
        origin: random() < 0.7 ? 'manual' : 'embedded',
        checked_at: START_MS,
      });
    }
    for (let list = 1; list <= 20; list++) {
      insert('playlists', { owner_id: pick(USERS), name: `Mix ${list}`, ...times });
      const version = { playlist_id: list, version: 1, change: 'create', user_id: 1, created_at: START_MS };
      insert('playlist_versions', { ...version, added: 0, removed: 0, moved: 0, track_count: 0 });
      for (let n = 1; n <= 60; n++)
        insert('playlist_entries', {
          playlist_id: list,
          position: n * 1_000,
          track_id: pick(trackIds),
          added_at: START_MS,
        });
    }
    for (const id of trackIds.filter(() => random() < 0.02))
      insert('bookmarks', { user_id: pick(USERS), track_id: id, position_ms: 5, comment: `note of ${id}`, ...times });
    const hasNevers = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'radio_nevers'").get() !== undefined;
    if (!hasNevers) return;
    for (const id of trackIds.filter(() => random() < 0.02))
      insert('radio_nevers', { user_id: pick(USERS), track_id: id, created_at: START_MS });
    for (const id of artistIds.filter(() => random() < 0.1))
      insert('radio_nevers', { user_id: pick(USERS), artist_id: id, created_at: START_MS });
  }
}

/** An image of one grey pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);
