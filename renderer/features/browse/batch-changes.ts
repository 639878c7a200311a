// One form for several tracks: what is left empty stays as each of them has it. Pure.
import type { TrackOut, TrackPatch, TrackPut } from '../../../server/library/wire.ts';

export const BATCH_FIELDS = ['artist', 'album', 'album_artist', 'genre', 'year', 'disc_number'] as const;
export type BatchField = (typeof BATCH_FIELDS)[number];
export type BatchForm = Partial<Record<BatchField, string>>;

const VALUES: Record<BatchField, (track: TrackOut) => string | number | null> = {
  artist: (track) => track.artist_name,
  album: (track) => track.album_title,
  album_artist: (track) => track.album_artist_name,
  genre: (track) => track.genre,
  year: (track) => track.year,
  disc_number: (track) => track.disc_number,
};

/** What they all have; undefined when they differ. */
export function commonValue(tracks: readonly TrackOut[], field: BatchField): string | undefined {
  const values = new Set(tracks.map((track) => String(VALUES[field](track) ?? '')));
  return values.size === 1 ? [...values][0] : undefined;
}

export type TrackChange =
  | { method: 'PATCH'; path: string; body: TrackPatch }
  | { method: 'PUT'; path: string; body: TrackPut };

/**
 * The request that changes one track, or undefined when the form is empty. Artist and album can only be said together
 * with the title.
 */
export function changeOf(track: TrackOut, form: BatchForm): TrackChange | undefined {
  const given = (field: BatchField) => form[field]?.trim() || undefined;
  const number = (field: BatchField) => (given(field) === undefined ? undefined : Number(given(field)));
  const loose = Object.fromEntries(
    Object.entries({ genre: given('genre'), year: number('year'), disc_number: number('disc_number') }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as Omit<TrackPatch, 'title'>;
  const artist = given('artist');
  const album = given('album');
  const albumArtist = given('album_artist');
  if (artist === undefined && album === undefined && albumArtist === undefined) {
    return Object.keys(loose).length === 0 ? undefined : { method: 'PATCH', path: `/tracks/${track.id}`, body: loose };
  }
  const names = track.artists.map(({ name }) => name);
  const credit = artist ?? track.artist_name ?? names[0];
  if (credit === undefined) return undefined; // nobody can be named, and somebody has to
  return {
    method: 'PUT',
    path: `/tracks/${track.id}/metadata`,
    body: {
      title: track.title,
      artist: credit,
      ...(artist === undefined && names.length > 0 && { artists: names }),
      album: album ?? track.album_title,
      ...(albumArtist !== undefined && { album_artist: albumArtist }),
      ...loose,
    },
  };
}
