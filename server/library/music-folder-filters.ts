// What is in a music folder: its tracks, albums with one of them, and artists with one of them or such an album.
import { sourceIdBounds } from '../storage/music-roots.ts';
import type { Filter } from './filters.ts';
import type { SearchKind } from './search-names.ts';
import type { Params } from './statement-cache.ts';

/** Its key. In the first, '', is all that is in no other: also what was uploaded, or came from a catalogue. */
export interface MusicFolderScope {
  key: string;
  /** Of all music folders. */
  keys: readonly string[];
}

const OF_OTHER = "t.source = 'local_folder' AND t.source_id >= @folderFrom AND t.source_id < @folderBelow";
// `0` follows `/`
const IN_AN_OTHER = `t.source = 'local_folder' AND EXISTS (SELECT 1 FROM json_each(@otherFolders) k
  WHERE t.source_id >= k.value || ':/' AND t.source_id < k.value || ':0')`;

/** How tracks `t` belong to the item `i`. */
const HAS: Record<SearchKind, (test: string) => string> = {
  track: (test) => `EXISTS (SELECT 1 FROM tracks t WHERE t.id = i.id AND ${test})`,
  album: (test) => `EXISTS (SELECT 1 FROM tracks t WHERE t.album_id = i.id AND ${test})`,
  artist: (test) => `(EXISTS (SELECT 1 FROM track_artists ta CROSS JOIN tracks t ON t.id = ta.track_id
      WHERE ta.artist_id = i.id AND ${test})
    OR EXISTS (SELECT 1 FROM albums a CROSS JOIN tracks t ON t.album_id = a.id WHERE a.artist_id = i.id AND ${test}))`,
};
const COST: Record<SearchKind, number> = { track: 2, album: 5, artist: 15 };

/** No filter where there is one folder only. */
export function musicFolderFilter(kind: SearchKind, scope: MusicFolderScope | undefined): Filter | false {
  if (scope === undefined) return false;
  const { each, params } = test(kind, scope);
  return each !== undefined && { each, params, cost: COST[kind] };
}

/** Which of the items, by their ids, are in the folder; in the same order. */
export function inMusicFolder(kind: SearchKind, scope: MusicFolderScope): { sql: string; params: Params } {
  const { each = 'true', params } = test(kind, scope);
  return {
    sql: `SELECT i.id FROM (SELECT value AS id, key FROM json_each(@ids)) i WHERE ${each} ORDER BY i.key`,
    params,
  };
}

function test(kind: SearchKind, { key, keys }: MusicFolderScope): { each: string | undefined; params: Params } {
  if (key !== '') {
    const [folderFrom, folderBelow] = sourceIdBounds(key);
    return { each: HAS[kind](OF_OTHER), params: { folderFrom, folderBelow } };
  }
  const others = keys.filter((other) => other !== '');
  if (others.length === 0) return { each: undefined, params: {} };
  return { each: HAS[kind](`NOT (${IN_AN_OTHER})`), params: { otherFolders: JSON.stringify(others) } };
}
