// Filters by music folder: tracks in it, albums with a track in it, and artists with such a track or such an album.
import { sourceIdBounds } from '../../storage/music-roots.ts';
import type { Filter } from './filters.ts';
import type { SearchKind } from '../search-index/search-names.ts';
import type { Params } from './statement-cache.ts';

/**
 * Key of the folder. The first folder, '', has all tracks that are in no other folder, including uploads and catalogue
 * tracks.
 */
export interface MusicFolderScope {
  key: string;
  /** Keys of all music folders. */
  keys: readonly string[];
}

const IS_IN_FOLDER = "t.source = 'local_folder' AND t.source_id >= @folderFrom AND t.source_id < @folderBelow";
// `0` is the character after `/`, so the range is every path below the folder
const IS_IN_OTHER_FOLDER = `t.source = 'local_folder' AND EXISTS (SELECT 1 FROM json_each(@otherFolders) k
  WHERE t.source_id >= k.value || ':/' AND t.source_id < k.value || ':0')`;

/** Returns the condition that item `i` has a track `t` that passes the test. */
const ITEM_HAS_TRACK: Record<SearchKind, (test: string) => string> = {
  track: (test) => `EXISTS (SELECT 1 FROM tracks t WHERE t.id = i.id AND ${test})`,
  album: (test) => `EXISTS (SELECT 1 FROM tracks t WHERE t.album_id = i.id AND ${test})`,
  artist: (test) => `(EXISTS (SELECT 1 FROM track_artists ta CROSS JOIN tracks t ON t.id = ta.track_id
      WHERE ta.artist_id = i.id AND ${test})
    OR EXISTS (SELECT 1 FROM albums a CROSS JOIN tracks t ON t.album_id = a.id WHERE a.artist_id = i.id AND ${test})
    OR EXISTS (SELECT 1 FROM track_album_artists ta CROSS JOIN tracks t ON t.id = ta.track_id
      WHERE ta.artist_id = i.id AND ${test}))`,
};
const COST: Record<SearchKind, number> = { track: 2, album: 5, artist: 15 };

/** Returns the filter of a music folder; false if there is only one folder. */
export function musicFolderFilter(kind: SearchKind, scope: MusicFolderScope | undefined): Filter | false {
  if (scope === undefined) return false;
  const { condition, params } = membershipTest(kind, scope);
  return condition !== undefined && { condition, params, cost: COST[kind] };
}

/** Returns a query for those of the items, by their ids, that are in the folder; in the same order. */
export function inMusicFolder(kind: SearchKind, scope: MusicFolderScope): { sql: string; params: Params } {
  const { condition = 'true', params } = membershipTest(kind, scope);
  return {
    sql: `SELECT i.id FROM (SELECT value AS id, key FROM json_each(@ids)) i WHERE ${condition} ORDER BY i.key`,
    params,
  };
}

function membershipTest(
  kind: SearchKind,
  { key, keys }: MusicFolderScope,
): { condition: string | undefined; params: Params } {
  if (key !== '') {
    const [folderFrom, folderBelow] = sourceIdBounds(key);
    return { condition: ITEM_HAS_TRACK[kind](IS_IN_FOLDER), params: { folderFrom, folderBelow } };
  }
  const otherKeys = keys.filter((otherKey) => otherKey !== '');
  if (otherKeys.length === 0) return { condition: undefined, params: {} };
  return {
    condition: ITEM_HAS_TRACK[kind](`NOT (${IS_IN_OTHER_FOLDER})`),
    params: { otherFolders: JSON.stringify(otherKeys) },
  };
}
