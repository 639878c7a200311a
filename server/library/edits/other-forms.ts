// Other forms of an edited track, turned into the documented one.
import type { Accepts } from '../../http/accepts.ts';

/** Fields may have the names that TrackOut gives them. */
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
