// Accepts other forms of the likes API and converts them to the documented forms.
import { invalid } from '../errors.ts';
import type { Accepts, Fields, QueryText } from '../http/accepts.ts';

const TYPES = ['track', 'album', 'artist'] as const;

const NAMES = { type: 'item_type', id: 'item_id' };
const ACTIONS: Readonly<Record<string, boolean>> = { like: true, liked: true, unlike: false, unliked: false };
/** If only these fields are sent, `liked` is taken to be true. Any other field may say the opposite. */
const SILENT_FIELDS: ReadonlySet<string> = new Set(['item_type', 'item_id', 'rating']);

/** Accepts `{track_id}` for a like of the track, and `action` with `like` or `unlike`. */
export const LIKE_FORMS: Accepts = {
  body: {
    ...NAMES,
    like: 'liked',
    is_liked: 'liked',
    value: 'liked',
    event: 'action',
    event_type: 'action',
    state: 'action',
  },
  extraForms: ['track_id, album_id or artist_id for item_type and item_id', 'action (like, unlike) for liked'],
  bodyAs(body: Fields): Fields {
    const { action, track_id, album_id, artist_id, ...rest } = body;
    const idsByType: Fields = { track: track_id, album: album_id, artist: artist_id };
    const type = TYPES.find((candidate) => idsByType[candidate] !== undefined);
    const item = type && rest['item_id'] === undefined ? { item_type: type, item_id: idsByType[type] } : {};
    const liked = ACTIONS[String(action)];
    if (action !== undefined && liked === undefined)
      throw invalid([{ field: 'action', message: 'must be like or unlike' }]);
    // a request with only a rating does not change the like
    const isSilent = rest['rating'] === undefined && Object.keys(rest).every((name) => SILENT_FIELDS.has(name));
    const isLike = isSilent && ('item_id' in rest || 'item_id' in item);
    return { ...(liked !== undefined ? { liked } : isLike ? { liked: true } : {}), ...item, ...rest };
  },
};

/** Accepts ids separated by commas, in `item_ids`, `track_id`, `track_ids` and so on. */
export const STATE_FORMS: Accepts = {
  query: { ...NAMES, item_ids: 'item_id', ids: 'item_id' },
  extraForms: ['ids after commas', 'track_id, album_id or artist_id for item_type and item_id'],
  queryAs(query: QueryText): QueryText {
    const type = TYPES.find((candidate) => `${candidate}_id` in query || `${candidate}_ids` in query);
    const item =
      type && query['item_id'] === undefined
        ? { item_type: type, item_id: query[`${type}_id`] ?? query[`${type}_ids`] ?? [] }
        : {};
    const { item_id: ids, ...rest } = { ...query, ...item } as QueryText;
    return ids === undefined ? rest : { ...rest, item_id: [ids].flat().flatMap((text) => text.split(',')) };
  },
};
