// Accepts other forms of an edited track and converts them to the documented form.
import type { Accepts } from '../../http/accepts.ts';

/** Also accepts the field names of TrackOut. */
export const EDIT_FORMS: Accepts = {
  body: {
    artist_name: 'artist',
    album_title: 'album',
    album_name: 'album',
    album_artist_name: 'album_artist',
    track: 'track_number',
  },
  extraForms: ['artists as TrackOut has them'],
  bodyAs: (body) =>
    Array.isArray(body['artists'])
      ? {
          ...body,
          artists: (body['artists'] as unknown[]).map((artist) =>
            typeof artist === 'object' && artist !== null && 'name' in artist ? artist.name : artist,
          ),
        }
      : body,
};
