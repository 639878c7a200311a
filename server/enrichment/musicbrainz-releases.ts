// Releases at MusicBrainz that may be an album: a search for candidates, and the tracks of one of them.
import { z } from 'zod';
import { mbid } from './acoustid-wire.ts';
import { Credit, genreNames, Genres, items, text, yearOf, type MusicBrainz } from './musicbrainz.ts';

const MAX_CANDIDATES = 15;

const count = z.int().min(0).max(9_999).nullish().catch(undefined);
const ReleaseGroup = z.object({
  id: mbid.nullish().catch(undefined),
  'primary-type': text,
  'secondary-types': items(z.string().max(100)),
  'first-release-date': text,
  genres: Genres,
});
const Label = z.object({
  'catalog-number': text,
  label: z.object({ name: text }).nullish().catch(undefined),
});
const Release = z.object({
  id: mbid,
  title: z.string().trim().min(1).max(2_000),
  status: text,
  date: text,
  country: text,
  barcode: text,
  disambiguation: text,
  'artist-credit': Credit,
  'label-info': items(Label),
  'release-group': ReleaseGroup.nullish().catch(undefined),
  media: items(
    z.object({
      position: count,
      format: text,
      'track-count': count,
      tracks: items(
        z.object({
          position: count,
          title: text,
          length: z.number().positive().nullish().catch(undefined),
          'artist-credit': Credit,
        }),
      ),
    }),
  ),
});
const Found = z.object({ releases: items(Release) });

/** A track of a release. */
export interface ReleaseTrack {
  disc: number;
  number: number;
  title: string;
  artist: string;
  artists: string[];
  lengthMs: number | null;
}

export interface Release {
  mbid: string;
  title: string;
  artists: string[];
  year: number | null;
  originalYear: number | null;
  country: string | null;
  label: string | null;
  catalogNumber: string | null;
  barcode: string | null;
  edition: string | null;
  /** In lower case, the primary type first. */
  types: string[];
  genres: string[];
  formats: string[];
  trackCount: number;
  /** Empty for the releases of a search. */
  tracks: ReleaseTrack[];
}

/** What is searched for. */
export interface ReleaseWords {
  title: string;
  artist: string;
}

/** Returns the candidates for an album, the best first. Throws a ServiceError or the reason of `signal`. */
export async function findReleases(
  musicBrainz: Pick<MusicBrainz, 'find'>,
  { title, artist }: ReleaseWords,
  signal: AbortSignal,
): Promise<Release[]> {
  const words = [`release:(${quoted(title)})`, ...(artist === '' ? [] : [`artist:(${quoted(artist)})`])].join(' AND ');
  const query = new URLSearchParams({ query: words, fmt: 'json', limit: String(MAX_CANDIDATES) });
  const answer = await musicBrainz.find(`/ws/2/release?${query.toString()}`, Found, signal);
  return (answer?.releases ?? []).map(toRelease);
}

/** Returns a release with its tracks; undefined for an unknown id. Throws like `findReleases`. */
export async function findRelease(
  musicBrainz: Pick<MusicBrainz, 'find'>,
  id: string,
  signal: AbortSignal,
): Promise<Release | undefined> {
  const parts = 'recordings+artist-credits+labels+release-groups+genres';
  const path = `/ws/2/release/${encodeURIComponent(id)}?fmt=json&inc=${parts}`;
  const release = await musicBrainz.find(path, Release, signal);
  return release && toRelease(release);
}

/** Returns the text as a phrase of the search, in which only quotation marks and backslashes have a meaning. */
const quoted = (words: string): string => `"${words.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`;

const creditOf = (credit: z.output<typeof Credit>): string =>
  credit.map(({ name, joinphrase }) => `${name}${joinphrase ?? ''}`).join('');

function toRelease(release: z.output<typeof Release>): Release {
  const group = release['release-group'];
  const [label] = release['label-info'];
  return {
    mbid: release.id,
    title: release.title,
    artists: release['artist-credit'].map(({ name }) => name),
    year: yearOf(release.date) ?? null,
    originalYear: yearOf(group?.['first-release-date']) ?? null,
    country: release.country ?? null,
    label: label?.label?.name ?? null,
    catalogNumber: label?.['catalog-number'] ?? null,
    barcode: release.barcode ?? null,
    edition: release.disambiguation ?? null,
    types: [group?.['primary-type'] ?? [], group?.['secondary-types'] ?? []].flat().map((type) => type.toLowerCase()),
    genres: genreNames(group?.genres ?? []),
    formats: [...new Set(release.media.flatMap(({ format }) => format ?? []))],
    trackCount: release.media.reduce((sum, medium) => sum + (medium['track-count'] ?? medium.tracks.length), 0),
    tracks: release.media.flatMap((medium, n) =>
      medium.tracks.map((track, i) => ({
        disc: medium.position ?? n + 1,
        number: track.position ?? i + 1,
        title: track.title ?? '',
        artist: creditOf(track['artist-credit']),
        artists: track['artist-credit'].map(({ name }) => name),
        lengthMs: track.length ?? null,
      })),
    ),
  };
}
