// Accepts other forms of the playlists API and converts them to the documented forms.
import type { Accepts } from '../http/accepts.ts';

export const PLAYLIST_FORMS: Accepts = { body: { title: 'name', public: 'is_public', tracks: 'track_ids' } };

/** Accepts `{track_id}` for a list of one track. */
export const TRACKS_FORMS: Accepts = {
  extraForms: ['track_id for track_ids with one'],
  bodyAs: ({ track_id: id, ...rest }) =>
    id === undefined || rest['track_ids'] !== undefined ? rest : { ...rest, track_ids: [toNumber(id)] },
};

/**
 * Accepts more names for the ids of tracks to add. For removing, `ids` would be ambiguous, since these can also be
 * entries.
 */
export const ADD_FORMS: Accepts = {
  ...TRACKS_FORMS,
  body: { tracks: 'track_ids', ids: 'track_ids', trackIds: 'track_ids', id: 'track_id', trackId: 'track_id' },
};

/** Converts an id in a string to a number, which a list of ids requires. */
const toNumber = (id: unknown): unknown => (typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id);
