// Finds similar music from artists, genres, years, plays and likes. Up to a few hundred candidates are collected
// through indexes, whatever the size of the library, and then scored (similarity-score.ts).
import type { AlbumId, ArtistId, TrackId, UserId } from '../../db/ids.ts';
import type { Statements } from './statement-cache.ts';
import { pickSimilar, type Candidate, type Seed } from './similarity-score.ts';
import { namedAlbumOf } from '../../db/unknown-names.ts';

const MAX_SEEDS = 200;
const MAX_TRACKS_OF_ARTIST = 300;
const MAX_TRACKS_OF_GENRE = 200;
const MAX_TRACKS_OF_YEAR = 100;

type Row = Omit<Candidate, 'artistIds' | 'genreIds'> & { artistIds: string; genreIds: string; isAvailable: number };

const SELECT = `SELECT t.id, ${namedAlbumOf('t')} AS albumId, t.year,
    (SELECT json_group_array(artist_id) FROM track_artists WHERE track_id = t.id) AS artistIds,
    (SELECT json_group_array(genre_id) FROM track_genres WHERE track_id = t.id) AS genreIds,
    coalesce((SELECT plays FROM play_counts WHERE user_id = @userId AND item_type = 'track'
    AND item_id = t.id), 0) AS plays,
    coalesce((SELECT liked FROM like_states WHERE user_id = @userId AND item_type = 'track'
    AND item_id = t.id), 0) AS liked,
    t.availability = 'available' AS isAvailable
  FROM json_each(@ids) ids CROSS JOIN tracks t ON t.id = ids.value`;

interface SimilarDeps {
  statements: Statements;
  /** Returns a number from 0 to 1. */
  random: () => number;
}

export function createSimilar({ statements, random }: SimilarDeps) {
  /** Reads the candidates with these ids. Without `includeUnavailable`, only tracks whose audio is available. */
  const readCandidates = (
    userId: UserId,
    ids: readonly number[],
    { all: includeUnavailable = false } = {},
  ): Candidate[] =>
    statements
      .rows<Row>(SELECT, { userId, ids: JSON.stringify(ids) })
      .filter((row) => includeUnavailable || row.isAvailable === 1)
      .map((row) => ({
        ...row,
        artistIds: JSON.parse(row.artistIds) as ArtistId[],
        genreIds: JSON.parse(row.genreIds) as number[],
      }));

  /** Reads rows of an index from a random position on, wrapping around at its end. */
  function readAround(sql: string, params: Record<string, number>, limit: number): number[] {
    const highestId = statements.value<number | null>('SELECT max(id) FROM tracks', {}) ?? 0;
    const from = Math.floor(random() * highestId);
    const idsAfter = statements.column<number>(`${sql} >= @from LIMIT @most`, { ...params, from, most: limit });
    return idsAfter.length === limit
      ? idsAfter
      : [
          ...idsAfter,
          ...statements.column<number>(`${sql} < @from LIMIT @most`, {
            ...params,
            from,
            most: limit - idsAfter.length,
          }),
        ];
  }

  const byArtist = (artistId: number): number[] =>
    readAround(
      'SELECT track_id FROM track_artists WHERE artist_id = @artistId AND track_id',
      { artistId },
      MAX_TRACKS_OF_ARTIST,
    );
  const byGenre = (genreId: number): number[] =>
    readAround(
      'SELECT track_id FROM track_genres WHERE genre_id = @genreId AND track_id',
      { genreId },
      MAX_TRACKS_OF_GENRE,
    );
  const byYear = (year: number): number[] =>
    readAround('SELECT id FROM tracks WHERE year = @year AND id', { year }, MAX_TRACKS_OF_YEAR);

  function similarTo(
    userId: UserId,
    seedIds: readonly TrackId[],
    count: number,
    options: { ownShare: number },
  ): TrackId[] {
    const seeds = readCandidates(userId, seedIds.slice(0, MAX_SEEDS), { all: true });
    const seed: Seed = seedOf(seeds);
    const ids = new Set<number>([
      ...[...seed.artistIds].slice(0, 10).flatMap(byArtist),
      ...seed.topGenres.flatMap(byGenre),
      ...(seed.year === undefined ? [] : byYear(seed.year)),
    ]);
    for (const id of seedIds) ids.delete(id);
    return pickSimilar(readCandidates(userId, [...ids]), seed, { count, random, ...options }).map(({ id }) => id);
  }

  return {
    toTrack: (userId: UserId, id: TrackId, count: number): TrackId[] =>
      similarTo(userId, [id], count, { ownShare: 0.3 }),
    toAlbum: (userId: UserId, id: AlbumId, count: number): TrackId[] =>
      similarTo(
        userId,
        statements.column<TrackId>('SELECT id FROM tracks WHERE album_id = @id LIMIT @most', { id, most: MAX_SEEDS }),
        count,
        { ownShare: 0.3 },
      ),
    toArtist: (userId: UserId, id: ArtistId, count: number): TrackId[] =>
      similarTo(userId, tracksOf(id), count, { ownShare: 0.3 }),

    /** Returns similar artists, most similar first. */
    artistsLike(userId: UserId, id: ArtistId, count: number): ArtistId[] {
      const seed = seedOf(readCandidates(userId, tracksOf(id), { all: true }));
      const candidates = readCandidates(userId, [...new Set(seed.topGenres.flatMap(byGenre))]);
      const score = new Map<ArtistId, number>();
      for (const candidate of candidates) {
        const sharedGenreCount = candidate.genreIds.filter((genre) => seed.genreIds.has(genre)).length;
        for (const artistId of candidate.artistIds)
          if (artistId !== id) score.set(artistId, (score.get(artistId) ?? 0) + sharedGenreCount);
      }
      return [...score]
        .sort((a, b) => b[1] - a[1] || a[0] - b[0])
        .slice(0, count)
        .map(([artistId]) => artistId);
    },
  };

  function tracksOf(id: ArtistId): TrackId[] {
    return statements.column<TrackId>('SELECT track_id FROM track_artists WHERE artist_id = @id LIMIT @most', {
      id,
      most: MAX_SEEDS,
    });
  }
}

/** Returns the artists, genres and median year of several tracks. */
function seedOf(tracks: readonly Candidate[]): Seed {
  const uses = new Map<number, number>();
  for (const genre of tracks.flatMap((track) => track.genreIds)) uses.set(genre, (uses.get(genre) ?? 0) + 1);
  const years = tracks
    .map((track) => track.year)
    .filter((year) => year !== null)
    .sort((a, b) => a - b);
  return {
    artistIds: new Set(tracks.flatMap((track) => track.artistIds)),
    genreIds: new Set(uses.keys()),
    topGenres: [...uses]
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, 3)
      .map(([genre]) => genre),
    year: years[years.length >> 1],
  };
}
