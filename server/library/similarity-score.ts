// Scores how similar a track is to others, and picks a mix of the most similar ones. Pure.
import type { AlbumId, ArtistId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';

export interface Candidate extends RowAs<typeof tracks, 'id' | 'albumId' | 'year'> {
  artistIds: ArtistId[];
  genreIds: number[];
  plays: number;
  liked: number;
}

export interface Seed {
  artistIds: ReadonlySet<ArtistId>;
  genreIds: ReadonlySet<number>;
  /** The most used ones. */
  topGenres: number[];
  year: number | undefined;
}

/** Genres count most, then the artist, then the year; likes and plays add a little. */
function likeness(candidate: Candidate, seed: Seed): number {
  const shared = candidate.genreIds.filter((genre) => seed.genreIds.has(genre)).length;
  const genre = seed.genreIds.size === 0 ? 0 : (2 * shared) / Math.max(1, Math.min(seed.genreIds.size, 3));
  const artist = candidate.artistIds.some((id) => seed.artistIds.has(id)) ? 1.5 : 0;
  const apart = candidate.year === null || seed.year === undefined ? 20 : Math.abs(candidate.year - seed.year);
  const time = Math.max(0, 1 - apart / 20);
  return genre + artist + time + (candidate.liked ? 0.5 : 0) + Math.min(0.3, candidate.plays / 50);
}

interface Mix {
  count: number;
  random: () => number;
  /** Maximum share of tracks by the seed's own artists, 0 to 1, as long as there are others. */
  ownShare: number;
}

/** Most similar first, with some randomness and limits per artist and album. */
export function pickSimilar(
  candidates: readonly Candidate[],
  seed: Seed,
  { count, random, ownShare }: Mix,
): Candidate[] {
  const weighed = candidates
    .map((candidate) => ({ candidate, score: likeness(candidate, seed) + random() }))
    .sort((a, b) => b.score - a.score || a.candidate.id - b.candidate.id);
  const picked: Candidate[] = [];
  const rest: Candidate[] = [];
  const perAlbum = new Map<AlbumId | null, number>();
  let own = 0;
  for (const { candidate } of weighed) {
    const isOwn = candidate.artistIds.some((id) => seed.artistIds.has(id));
    const ofAlbum = perAlbum.get(candidate.albumId) ?? 0;
    const fits =
      (!isOwn || own < Math.ceil(count * ownShare)) &&
      (candidate.albumId === null || ofAlbum < Math.max(2, Math.ceil(count / 10)));
    if (!fits || picked.length >= count) {
      rest.push(candidate);
      continue;
    }
    picked.push(candidate);
    perAlbum.set(candidate.albumId, ofAlbum + 1);
    if (isOwn) own++;
  }
  return [...picked, ...rest].slice(0, count);
}
