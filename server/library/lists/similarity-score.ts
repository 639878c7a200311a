// Scores how similar a track is to others, and picks a mix of the most similar tracks. Pure functions.
import type { AlbumId, ArtistId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { tracks } from '../../db/schema.ts';

export interface Candidate extends RowAs<typeof tracks, 'id' | 'albumId' | 'year'> {
  artistIds: ArtistId[];
  genreIds: number[];
  plays: number;
  liked: number;
}

export interface Seed {
  artistIds: ReadonlySet<ArtistId>;
  genreIds: ReadonlySet<number>;
  /** The most frequent genres. */
  topGenres: number[];
  year: number | undefined;
}

/** Scores a candidate: genres count most, then the artist, then the year; likes and plays add a little. */
function scoreSimilarity(candidate: Candidate, seed: Seed): number {
  const sharedGenreCount = candidate.genreIds.filter((genre) => seed.genreIds.has(genre)).length;
  const genre = seed.genreIds.size === 0 ? 0 : (2 * sharedGenreCount) / Math.max(1, Math.min(seed.genreIds.size, 3));
  const artist = candidate.artistIds.some((id) => seed.artistIds.has(id)) ? 1.5 : 0;
  const yearsApart = candidate.year === null || seed.year === undefined ? 20 : Math.abs(candidate.year - seed.year);
  const time = Math.max(0, 1 - yearsApart / 20);
  return genre + artist + time + (candidate.liked ? 0.5 : 0) + Math.min(0.3, candidate.plays / 50);
}

interface Mix {
  count: number;
  random: () => number;
  /** Maximum share of tracks by the seed's own artists, 0 to 1, as long as there are others. */
  ownShare: number;
}

/** Picks similar tracks: the most similar first, with some randomness and limits per artist and album. */
export function pickSimilar(
  candidates: readonly Candidate[],
  seed: Seed,
  { count, random, ownShare }: Mix,
): Candidate[] {
  const rankedCandidates = candidates
    .map((candidate) => ({ candidate, score: scoreSimilarity(candidate, seed) + random() }))
    .sort((a, b) => b.score - a.score || a.candidate.id - b.candidate.id);
  const pickedTracks: Candidate[] = [];
  const otherTracks: Candidate[] = [];
  const perAlbum = new Map<AlbumId | null, number>();
  let ownCount = 0;
  for (const { candidate } of rankedCandidates) {
    const isByOwnArtist = candidate.artistIds.some((id) => seed.artistIds.has(id));
    const albumCount = perAlbum.get(candidate.albumId) ?? 0;
    const fits =
      (!isByOwnArtist || ownCount < Math.ceil(count * ownShare)) &&
      (candidate.albumId === null || albumCount < Math.max(2, Math.ceil(count / 10)));
    if (!fits || pickedTracks.length >= count) {
      otherTracks.push(candidate);
      continue;
    }
    pickedTracks.push(candidate);
    perAlbum.set(candidate.albumId, albumCount + 1);
    if (isByOwnArtist) ownCount++;
  }
  return [...pickedTracks, ...otherTracks].slice(0, count);
}
