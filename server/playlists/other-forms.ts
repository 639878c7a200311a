// Other forms of the playlists API, turned into the documented ones.
import type { Accepts } from '../http/accepts.ts';

export const PLAYLIST_FORMS: Accepts = { body: { title: 'name', public: 'is_public', tracks: 'track_ids' } };

/** `{track_id}` is a list of one track. */
export const TRACKS_FORMS: Accepts = {
  extraForms: ['track_id for track_ids with one'],
  bodyAs: ({ track_id: id, ...rest }) =>
    id === undefined || rest['track_ids'] !== undefined ? rest : { ...rest, track_ids: [toNumber(id)] },
};

/** What is added can only be tracks; what is taken out may be entries. */
export const ADD_FORMS: Accepts = {
  ...TRACKS_FORMS,
  body: { tracks: 'track_ids', ids: 'track_ids', trackIds: 'track_ids', id: 'track_id', trackId: 'track_id' },
};

/** A list of ids takes no numbers in strings. */
const toNumber = (id: unknown): unknown => (typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id);
