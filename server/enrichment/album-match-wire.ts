// Releases that may be an album, in the API.
import { z } from 'zod';
import type { Release } from './musicbrainz-releases.ts';

const words = z.string().trim().max(300);
export const AlbumMatchQuery = z.object({
  title: words.min(1).optional().meta({ description: 'searched for instead of the title of the album' }),
  artist: words.optional().meta({ description: 'searched for instead of the album artist; empty for any' }),
});

const RELEASE_FIELDS = {
  mbid: z.string(),
  title: z.string(),
  artists: z.array(z.string()),
  year: z.int().nullable(),
  original_year: z.int().nullable(),
  country: z.string().nullable(),
  label: z.string().nullable(),
  catalog_number: z.string().nullable(),
  barcode: z.string().nullable(),
  edition: z.string().nullable(),
  release_types: z.array(z.string()),
  genres: z.array(z.string()),
  formats: z.array(z.string()).meta({ description: 'such as `CD`' }),
  track_count: z.int(),
};
export const AlbumMatchOut = z.object(RELEASE_FIELDS).meta({ id: 'AlbumMatchOut' });
export const AlbumMatchList = z.array(AlbumMatchOut);

export const AlbumMatchDetails = z
  .object({
    ...RELEASE_FIELDS,
    tracks: z.array(
      z.object({
        disc_number: z.int(),
        track_number: z.int(),
        title: z.string(),
        artist_name: z.string(),
        artists: z.array(z.string()),
        length_ms: z.number().nullable(),
        track_id: z.int().nullable().meta({ description: 'the track of the album that it is; null if none is' }),
      }),
    ),
  })
  .meta({ id: 'AlbumMatchDetails' });

export const toAlbumMatchOut = (release: Release): z.output<typeof AlbumMatchOut> => ({
  mbid: release.mbid,
  title: release.title,
  artists: release.artists,
  year: release.year,
  original_year: release.originalYear,
  country: release.country,
  label: release.label,
  catalog_number: release.catalogNumber,
  barcode: release.barcode,
  edition: release.edition,
  release_types: release.types,
  genres: release.genres,
  formats: release.formats,
  track_count: release.trackCount,
});

export const toAlbumMatchDetails = (
  release: Release,
  trackIds: readonly (number | null)[],
): z.output<typeof AlbumMatchDetails> => ({
  ...toAlbumMatchOut(release),
  tracks: release.tracks.map((track, n) => ({
    disc_number: track.disc,
    track_number: track.number,
    title: track.title,
    artist_name: track.artist,
    artists: track.artists,
    length_ms: track.lengthMs,
    track_id: trackIds[n] ?? null,
  })),
});
