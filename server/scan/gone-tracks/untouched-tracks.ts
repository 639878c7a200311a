// Tracks that scans may merge into others, because no person has used or edited them.

/**
 * SQL condition on a track `t`: nobody has played, liked, bookmarked, shared or edited it, added it to a playlist,
 * written its lyrics or excluded it from radio.
 */
export const IS_UNTOUCHED = `t.metadata_status <> 'manual' AND coalesce(t.provenance, '') NOT LIKE '%"manual"%'
  AND NOT EXISTS (SELECT 1 FROM found_lyrics l WHERE l.track_id = t.id AND l.is_manual = 1)
  AND NOT EXISTS (SELECT 1 FROM users u CROSS JOIN like_states s
    ON s.user_id = u.id AND s.item_type = 'track' AND s.item_id = t.id)
  ${['plays', 'playlist_entries', 'playlist_past_entries', 'bookmarks', 'share_tracks', 'track_edits', 'radio_nevers']
    .map((table) => `AND NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.track_id = t.id)`)
    .join(' ')}`;
