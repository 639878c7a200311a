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
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return (/^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed) as number;
};

/**
 * Returns the request body. Artists are separated by `;`. If only the credit of a single artist changed, the credit
 * becomes the artist.
 */
export function toTrackPut(typed: EditValues, initialValues: EditValues): TrackPut {
  const names = typed.artists
    .split(';')
    .map((name) => name.trim())
    .filter(Boolean);
  const isFollowing =
    typed.artists === initialValues.artists && typed.artist !== initialValues.artist && names.length < 2;
  return {
    title: typed.title,
    artist: typed.artist,
    ...(names.length > 0 && !isFollowing && { artists: names }),
    album: textOrNull(typed.album),
    ...(typed.album_artist !== initialValues.album_artist && { album_artist: textOrNull(typed.album_artist) }),
    ...(typed.genre !== initialValues.genre && { genre: textOrNull(typed.genre) }),
    ...Object.fromEntries(
      FIELD_NAMES.filter((name) => typed[name] !== initialValues[name]).map((name) => [
        name,
        viewOf(name).input === 'number' ? numberOrNull(typed[name]) : textOrNull(typed[name]),
      ]),
    ),
  };
}
