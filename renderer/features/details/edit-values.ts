// Converts form values to the API's format. The server validates, so text that is not a number is sent as typed. Pure.
import type { TrackFieldName } from '../../../server/library/wire.ts';
import type { TrackPut } from '../../api/routes.ts';
import { FIELD_NAMES, viewOf } from '../../music/track-fields.ts';

export type EditValues = Record<
  'title' | 'artist' | 'artists' | 'album' | 'album_artist' | 'genre' | TrackFieldName,
  string
>;

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
const numberOrNull = (text: string): number | null => {
  const trimmedText = text.trim();
  if (trimmedText === '') return null;
  return (/^-?\d+(\.\d+)?$/.test(trimmedText) ? Number(trimmedText) : trimmedText) as number;
};

/**
 * Returns the request body. Artists are separated by `;`. If only the credit of a single artist changed, the credit
 * becomes the artist.
 */
export function toTrackPut(typedValues: EditValues, initialValues: EditValues): TrackPut {
  const names = typedValues.artists
    .split(';')
    .map((name) => name.trim())
    .filter(Boolean);
  const isFollowing =
    typedValues.artists === initialValues.artists && typedValues.artist !== initialValues.artist && names.length < 2;
  return {
    title: typedValues.title,
    artist: typedValues.artist,
    ...(names.length > 0 && !isFollowing && { artists: names }),
    album: textOrNull(typedValues.album),
    ...(typedValues.album_artist !== initialValues.album_artist && {
      album_artist: textOrNull(typedValues.album_artist),
    }),
    ...(typedValues.genre !== initialValues.genre && { genre: textOrNull(typedValues.genre) }),
    ...Object.fromEntries(
      FIELD_NAMES.filter((name) => typedValues[name] !== initialValues[name]).map((name) => [
        name,
        viewOf(name).input === 'number' ? numberOrNull(typedValues[name]) : textOrNull(typedValues[name]),
      ]),
    ),
  };
}
