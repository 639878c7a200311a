// One form for several tracks: an absent field stays unchanged, an empty field is cleared for all tracks. Pure.
import type { TrackChange } from '../../../api/edits.ts';
import type { TrackOut, TrackPatch } from '../../../api/routes.ts';
import { FIELD_NAMES, viewOf } from '../../../music/track-fields.ts';

export const BATCH_FIELDS = ['artist', 'album', 'album_artist', 'genre', ...FIELD_NAMES] as const;
export type BatchField = (typeof BATCH_FIELDS)[number];
export type BatchForm = Partial<Record<BatchField, string>>;

/** Returns whether a field may be cleared; every track needs an artist. */
export const canClear = (field: BatchField): boolean => field !== 'artist';

const NAME_FIELDS = { artist: 'artist_name', album: 'album_title', album_artist: 'album_artist_name' } as const;
const valueOf = (track: TrackOut, field: BatchField): string | number | null =>
  track[
    field in NAME_FIELDS
      ? NAME_FIELDS[field as keyof typeof NAME_FIELDS]
      : (field as Exclude<BatchField, keyof typeof NAME_FIELDS>)
  ];

/** Returns the common value of all tracks; undefined if their values differ. */
export function commonValue(tracks: readonly TrackOut[], field: BatchField): string | undefined {
  const values = new Set(tracks.map((track) => String(valueOf(track, field) ?? '')));
  return values.size === 1 ? [...values][0] : undefined;
}

/**
 * Returns the request that changes one track, or undefined if the form is empty. Artist and album can only be sent
 * together with the title.
 */
export function changeOf(track: TrackOut, form: BatchForm): TrackChange | undefined {
  /** Returns undefined to keep the value, null to clear it. */
  const changedValue = (field: BatchField): string | null | undefined =>
    form[field] === undefined ? undefined : form[field].trim() || null;
  const loose = Object.fromEntries(
    (['genre', ...FIELD_NAMES] as const).flatMap((field) => {
      const text = changedValue(field);
      if (text === undefined) return [];
      const isNumber = field !== 'genre' && viewOf(field).input === 'number';
      return [[field, isNumber && text !== null ? Number(text.replace(',', '.')) : text]];
    }),
  ) as Omit<TrackPatch, 'title'>;
  const artist = changedValue('artist') ?? undefined;
  const album = changedValue('album');
  const albumArtist = changedValue('album_artist');
  if (artist === undefined && album === undefined && albumArtist === undefined) {
    return Object.keys(loose).length === 0 ? undefined : { route: 'PATCH /tracks/{id}', id: track.id, body: loose };
  }
  const names = track.artists.map(({ name }) => name);
  const credit = artist ?? track.artist_name ?? names[0];
  if (credit === undefined) return undefined; // the API requires an artist, and the track has none
  return {
    route: 'PUT /tracks/{id}/metadata',
    id: track.id,
    body: {
      title: track.title,
      artist: credit,
      ...(artist === undefined && names.length > 0 && { artists: names }),
      album: album === undefined ? track.album_title : album,
      ...(albumArtist !== undefined && { album_artist: albumArtist }),
      ...loose,
    },
  };
}
