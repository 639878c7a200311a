// The most played tracks, albums, artists and genres. A play counts for each artist and each genre of its track. A play
// without a track counts for the artist with its artist's name, or for the name itself if there is none in the library.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sqlite } from '../db/client.ts';
import type { AlbumId, ArtistId, GenreId, PlayId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { albums, artists, genres, plays, tracks } from '../db/schema.ts';
import { identityKey } from '../library/tracks/sort-and-identity-keys.ts';
import { addTo, type PlayTotals, type UnmatchedSum, type Sum } from './play-totals.ts';
import { inNamedAlbum, namedAlbumOf } from '../db/unknown-names.ts';

export interface TopTrack extends Sum, RowAs<typeof tracks, 'title' | 'artistName' | 'albumId'> {
  trackId: TrackId | null;
  hasCover: boolean;
}
export interface TopAlbum extends Sum, RowAs<typeof albums, 'title'> {
  albumId: AlbumId | null;
  artistName: string | null;
  hasCover: boolean;
}
export interface TopArtist extends Sum, RowAs<typeof artists, 'name'> {
  artistId: ArtistId | null;
  hasCover: boolean;
}
export interface TopGenre extends Sum {
  genre: string;
}
export interface Tops {
  tracks: TopTrack[];
  albums: TopAlbum[];
  artists: TopArtist[];
  genres: TopGenre[];
}

const MAX_TOP = 20;
const IDS_PER_QUERY = 1_000;

/** A row of names, as SQLite returns it. */
type Names<T> = Omit<T, keyof Sum | 'hasCover'> & { hasCover: number };

type UnmatchedNames = RowAs<typeof plays, 'id' | 'title' | 'artistName' | 'albumTitle'>;
/** Returns the key of names that are not in the library; it starts with a letter, so that it never equals an id. */
const nameKey = (...names: (string | null)[]): string => `n${names.map((name) => identityKey(name ?? '')).join('\n')}`;

interface Counts {
  artists: Map<ArtistId | string, Sum>;
  albums: Map<AlbumId | string, Sum>;
  genres: Map<GenreId, Sum>;
}

export function createTops(client: Sqlite) {
  const artistsOf = client
    .prepare<[string], [TrackId, ArtistId]>(
      'SELECT a.track_id, a.artist_id FROM json_each(?) ids CROSS JOIN track_artists a ON a.track_id = ids.value',
    )
    .raw();
  const albumsOf = client
    .prepare<[string], [TrackId, AlbumId]>(
      'SELECT t.id, t.album_id FROM json_each(?) ids CROSS JOIN tracks t ON t.id = ids.value ' +
        `WHERE ${inNamedAlbum('t')}`,
    )
    .raw();
  const genresOf = client
    .prepare<[string], [TrackId, GenreId]>(
      'SELECT g.track_id, g.genre_id FROM json_each(?) ids CROSS JOIN track_genres g ON g.track_id = ids.value',
    )
    .raw();
  const unmatchedNames = client.prepare<[string], UnmatchedNames>(
    'SELECT p.id, p.title, p.artist_name AS artistName, p.album_title AS albumTitle FROM json_each(?) ids ' +
      'CROSS JOIN plays p ON p.id = ids.value',
  );
  const artistNamed = client.prepare<[string], ArtistId>('SELECT id FROM artists WHERE name_key = ?').pluck();
  const trackNames = client.prepare<[string], Names<TopTrack>>(
    `SELECT t.id AS trackId, t.title, t.artist_name AS artistName, ${namedAlbumOf('t')} AS albumId,
      c.key IS NOT NULL OR t.cover_url IS NOT NULL AS hasCover
      FROM json_each(?) ids CROSS JOIN tracks t ON t.id = ids.value
      LEFT JOIN album_covers c ON c.album_id = t.album_id`,
  );
  const albumNames = client.prepare<
    [string],
    Names<TopAlbum>
  >(`SELECT a.id AS albumId, a.title, x.name AS artistName, c.key IS NOT NULL AS hasCover
    FROM json_each(?) ids CROSS JOIN albums a ON a.id = ids.value LEFT JOIN artists x ON x.id = a.artist_id
    LEFT JOIN album_covers c ON c.album_id = a.id`);
  const artistNames = client.prepare<[string], Names<TopArtist>>(
    `SELECT x.id AS artistId, x.name, EXISTS (SELECT 1 FROM artist_pictures p WHERE p.artist_key = x.name_key
      AND p.is_current = 1 AND p.key IS NOT NULL) OR EXISTS (SELECT 1 FROM albums a
      JOIN album_covers c ON c.album_id = a.id WHERE a.artist_id = x.id AND c.key IS NOT NULL) AS hasCover
      FROM json_each(?) ids CROSS JOIN artists x ON x.id = ids.value`,
  );
  const genreNames = client.prepare<[string], RowAs<typeof genres, 'id' | 'name'>>(
    'SELECT g.id, g.name FROM json_each(?) ids CROSS JOIN genres g ON g.id = ids.value',
  );

  /** Sums plays by artist, album and genre. Adds names that are not in the library to `names`. */
  async function count(
    { tracks, unmatchedSongs }: Pick<PlayTotals, 'tracks' | 'unmatchedSongs'>,
    names = new Map<string, { title: string; artistName: string | null }>(),
  ): Promise<Counts> {
    const counts: Counts = { artists: new Map(), albums: new Map(), genres: new Map() };
    for (const ids of slices([...tracks.keys()])) {
      const json = JSON.stringify(ids);
      for (const [id, artistId] of artistsOf.all(json)) addTo(counts.artists, artistId, tracks.get(id) as Sum);
      for (const [id, albumId] of albumsOf.all(json)) addTo(counts.albums, albumId, tracks.get(id) as Sum);
      for (const [id, genreId] of genresOf.all(json)) addTo(counts.genres, genreId, tracks.get(id) as Sum);
      await nextTurn();
    }
    for (const chunk of slices([...unmatchedSongs.values()])) {
      const sums = new Map<PlayId, UnmatchedSum>(chunk.map((sum) => [sum.playId, sum]));
      for (const { id, artistName, albumTitle } of unmatchedNames.all(JSON.stringify([...sums.keys()]))) {
        const sum = sums.get(id) as Sum;
        if (artistName !== null) {
          const key = artistNamed.get(identityKey(artistName)) ?? nameKey(artistName);
          if (typeof key === 'string') names.set(key, { title: artistName, artistName: null });
          addTo(counts.artists, key, sum);
        }
        if (albumTitle !== null) {
          const key = nameKey(artistName, albumTitle);
          names.set(key, { title: albumTitle, artistName });
          addTo(counts.albums, key, sum);
        }
      }
      await nextTurn();
    }
    return counts;
  }

  function topTracks({ tracks, unmatchedSongs }: Pick<PlayTotals, 'tracks' | 'unmatchedSongs'>): TopTrack[] {
    const topEntries = listTop<number | string>([
      ...tracks,
      ...[...unmatchedSongs.values()].map((sum) => [`${sum.playId}`, sum] as const),
    ]);
    const namesById = new Map(
      trackNames.all(idsOf(topEntries)).map((names) => [names.trackId as number | string, names]),
    );
    const unmatchedById = new Map(
      unmatchedNames
        .all(JSON.stringify(topEntries.flatMap(([key]) => (typeof key === 'string' ? [Number(key)] : []))))
        .map(({ id, title, artistName }) => [
          `${id}` as number | string,
          { trackId: null, title, artistName, albumId: null, hasCover: 0 },
        ]),
    );
    return withNames<number | string, Names<TopTrack>>(
      topEntries,
      (key) => namesById.get(key) ?? unmatchedById.get(key),
    );
  }

  return {
    count,
    topTracks,

    async listAll(totals: Pick<PlayTotals, 'tracks' | 'unmatchedSongs'>): Promise<Tops> {
      const names = new Map<string, { title: string; artistName: string | null }>();
      const counts = await count(totals, names);
      const topAlbums = listTop(counts.albums);
      const topArtists = listTop(counts.artists);
      const topGenres = listTop(counts.genres);
      const albumById = new Map(
        albumNames.all(idsOf(topAlbums)).map((album) => [album.albumId as number | string, album]),
      );
      const artistById = new Map(
        artistNames.all(idsOf(topArtists)).map((artist) => [artist.artistId as number | string, artist]),
      );
      const genreById = new Map(
        genreNames.all(idsOf(topGenres)).map(({ id, name }) => [id as number, { genre: name, hasCover: 0 }]),
      );
      const namesOfUnmatched = (key: number | string) => (typeof key === 'string' ? names.get(key) : undefined);
      return {
        tracks: topTracks(totals),
        albums: withNames(topAlbums, (key) => albumById.get(key) ?? withoutAlbum(namesOfUnmatched(key))),
        artists: withNames(
          topArtists,
          (key) =>
            artistById.get(key) ??
            (namesOfUnmatched(key) && { artistId: null, name: namesOfUnmatched(key)?.title ?? '', hasCover: 0 }),
        ),
        genres: withNames(topGenres, (key) => genreById.get(key)),
      };
    },
  };
}

const withoutAlbum = (names: { title: string; artistName: string | null } | undefined) =>
  names && { albumId: null, ...names, hasCover: 0 };

function* slices<T>(values: T[]): Generator<T[]> {
  for (let i = 0; i < values.length; i += IDS_PER_QUERY) yield values.slice(i, i + IDS_PER_QUERY);
}

type Entry<K> = readonly [K, Sum];
const idsOf = (entries: readonly Entry<number | string>[]): string =>
  JSON.stringify(entries.flatMap(([key]) => (typeof key === 'number' ? [key] : [])));

/** Returns the most played entries, best first: by plays, then duration, then those in the library, then id. */
function listTop<K extends number | string>(sums: Iterable<Entry<K>>): Entry<K>[] {
  const topEntries: Entry<K>[] = [];
  for (const entry of sums) {
    const worstEntry = topEntries[MAX_TOP - 1];
    if (worstEntry && compare(entry, worstEntry) >= 0) continue;
    if (worstEntry) topEntries.pop();
    let index = topEntries.length;
    while (index > 0 && compare(entry, topEntries[index - 1] as Entry<K>) < 0) index--;
    topEntries.splice(index, 0, entry);
  }
  return topEntries;
}

const compare = ([a, x]: Entry<number | string>, [b, y]: Entry<number | string>): number =>
  y.plays - x.plays ||
  y.playedMs - x.playedMs ||
  Number(typeof a === 'string') - Number(typeof b === 'string') ||
  (a < b ? -1 : 1);

/** Adds names to entries, and leaves out entries that were deleted meanwhile. */
const withNames = <K extends number | string, T extends { hasCover: number }>(
  entries: readonly Entry<K>[],
  namesOf: (key: K) => T | undefined,
): (Omit<T, 'hasCover'> & Sum & { hasCover: boolean })[] =>
  entries.flatMap(([key, { plays, playedMs }]) => {
    const names = namesOf(key);
    return names ? [{ ...names, hasCover: names.hasCover === 1, plays, playedMs }] : [];
  });
