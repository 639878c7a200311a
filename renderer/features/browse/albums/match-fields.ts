// The fields in which an album differs from a release at MusicBrainz, and the request that takes some of them over.
// Pure.
import type { AlbumMatchDetails, AlbumOut, AlbumPatch, TrackOut } from '../../../api/routes.ts';

export type ReleaseTrack = AlbumMatchDetails['tracks'][number];

/** A field with the value of the album and that of the release; for fields of tracks, how many tracks differ. */
export interface FieldMatch {
  field: MatchField;
  own: string;
  other: string;
  differingTracks?: number;
}

const ALBUM_FIELDS = [
  'title',
  'artists',
  'year',
  'original_year',
  'genres',
  'release_types',
  'edition',
  'label',
  'catalog_number',
  'barcode',
] as const;
const TRACK_FIELDS = ['titles', 'numbers', 'track_artists'] as const;
export type MatchField = (typeof ALBUM_FIELDS)[number] | (typeof TRACK_FIELDS)[number];

/** A track of the release and the own track that it is. */
export interface TrackPair {
  own: TrackOut | undefined;
  other: ReleaseTrack;
}

export const pairsOf = (release: AlbumMatchDetails, tracks: readonly TrackOut[]): TrackPair[] =>
  release.tracks.map((other) => ({ own: tracks.find(({ id }) => id === other.track_id), other }));

const joined = (values: readonly (string | number | null)[]): string =>
  [...new Set(values.filter((value) => value !== null && value !== ''))].join('; ');

const ownTexts = (album: AlbumOut, tracks: readonly TrackOut[]): Record<(typeof ALBUM_FIELDS)[number], string> => ({
  title: album.title,
  artists: joined(album.artists.map(({ name }) => name)),
  year: joined(tracks.map(({ year }) => year)),
  original_year: joined(tracks.map(({ original_year }) => original_year)),
  genres: joined(tracks.flatMap(({ genres }) => genres)),
  release_types: joined(album.release_types),
  edition: album.edition ?? '',
  label: joined(tracks.map(({ label }) => label)),
  catalog_number: joined(tracks.map(({ catalog_number }) => catalog_number)),
  barcode: joined(tracks.map(({ barcode }) => barcode)),
});

const otherTexts = (release: AlbumMatchDetails): Record<(typeof ALBUM_FIELDS)[number], string> => ({
  title: release.title,
  artists: joined(release.artists),
  year: joined([release.year]),
  original_year: joined([release.original_year]),
  genres: joined(release.genres),
  release_types: joined(release.release_types),
  edition: release.edition ?? '',
  label: release.label ?? '',
  catalog_number: release.catalog_number ?? '',
  barcode: release.barcode ?? '',
});

const differsIn: Record<(typeof TRACK_FIELDS)[number], (own: TrackOut, other: ReleaseTrack) => boolean> = {
  titles: (own, other) => own.title !== other.title,
  numbers: (own, other) => own.track_number !== other.track_number || (own.disc_number ?? 1) !== other.disc_number,
  track_artists: (own, other) => other.artist_name !== '' && own.artist_name !== other.artist_name,
};

/** Returns the fields in which the release says something else. */
export function differences(album: AlbumOut, tracks: readonly TrackOut[], release: AlbumMatchDetails): FieldMatch[] {
  const [own, other] = [ownTexts(album, tracks), otherTexts(release)];
  const pairs = pairsOf(release, tracks);
  return [
    ...ALBUM_FIELDS.filter((field) => other[field] !== '' && own[field] !== other[field]).map((field) => ({
      field,
      own: own[field],
      other: other[field],
    })),
    ...TRACK_FIELDS.flatMap((field) => {
      const differingTracks = pairs.filter(
        ({ own: track, other: pair }) => track && differsIn[field](track, pair),
      ).length;
      return differingTracks === 0 ? [] : [{ field, own: '', other: '', differingTracks }];
    }),
  ];
}

/** Returns the request that takes these fields of the release over. */
export function patchOfMatch(
  fields: ReadonlySet<MatchField>,
  tracks: readonly TrackOut[],
  release: AlbumMatchDetails,
): AlbumPatch {
  const changedTracks = pairsOf(release, tracks).flatMap(({ own, other }) => {
    if (!own) return [];
    const takes = (field: (typeof TRACK_FIELDS)[number]): boolean => fields.has(field) && differsIn[field](own, other);
    const changes = {
      ...(takes('titles') && { title: other.title }),
      ...(takes('numbers') && { track_number: other.track_number, disc_number: other.disc_number }),
      ...(takes('track_artists') && { artist: other.artist_name, artists: other.artists }),
    };
    return Object.keys(changes).length === 0 ? [] : [{ id: own.id, ...changes }];
  });
  return {
    ...(Object.fromEntries(
      ALBUM_FIELDS.filter((field) => fields.has(field)).map((field) => [field, release[field]]),
    ) as AlbumPatch),
    ...(changedTracks.length > 0 && { tracks: changedTracks }),
  };
}
