// The names that find an item, and the search text made from them. The search text of a track includes its album and
// album artist, so that `dark side time` finds it.
import type { Sqlite } from '../../db/client.ts';
import { searchFold } from '../tracks/sort-and-identity-keys.ts';
import { inNamedAlbum, isNamed, isNamedArtist } from '../../db/unknown-names.ts';

// The kinds of items in the search index. Albums and artists without a name have no search text.
export type SearchKind = 'artist' | 'album' | 'track';

/** SQL for the names that a track gets from its album, one per line. */
export const NAMES_OF_ALBUM = `SELECT concat_ws(char(10), a.title, x.name)
    FROM albums a LEFT JOIN artists x ON x.id = a.artist_id
    WHERE a.id = ? AND ${isNamed('a')}`;

/** SQL for the names of the item with this id, one per line. */
export const namesOf: Record<SearchKind, (id: string) => string> = {
  artist: (id) =>
    `SELECT concat_ws(char(10), x.name, x.sort_name) FROM artists x WHERE x.id = ${id} AND ${isNamedArtist('x')}`,
  album: (id) =>
    `SELECT concat_ws(char(10), a.title, x.name, x.sort_name) FROM albums a LEFT JOIN artists x ON x.id = a.artist_id
      WHERE a.id = ${id} AND ${isNamed('a')}`,
  track: (id) => `SELECT concat_ws(char(10), t.title, t.artist_name, a.title, x.name,
      (SELECT group_concat(c.name, char(10)) FROM track_artists ta JOIN artists c ON c.id = ta.artist_id
      WHERE ta.track_id = t.id))
    FROM tracks t LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')}
      LEFT JOIN artists x ON x.id = a.artist_id WHERE t.id = ${id}`,
};

/** Returns the folded names, without those contained in an earlier name. */
export function searchTextOf(names: string): string {
  let text = '';
  for (const name of names.split('\n')) {
    const foldedName = searchFold(name);
    if (!text.includes(foldedName)) text += text === '' ? foldedName : `\n${foldedName}`;
  }
  return text;
}

/**
 * Connections on which the SQL function is defined. SQLite compiles every statement of a connection again when a
 * function is defined.
 */
const connectionsWithNamesHold = new WeakSet<Sqlite>();

/**
 * Defines the SQL function `names_hold(names, words)`, once per connection: it returns whether the names contain all
 * words of a JSON list. It takes a few µs, where FTS5 takes about 100 µs to test one rowid against a common word.
 */
export function defineNamesHold(client: Sqlite): void {
  if (connectionsWithNamesHold.has(client)) return;
  connectionsWithNamesHold.add(client);
  let cachedJson = '';
  let words: string[] = [];
  client.function('names_hold', (names: string | null, json: string) => {
    if (json !== cachedJson) [cachedJson, words] = [json, JSON.parse(json) as string[]];
    const text = searchTextOf(names ?? '');
    return words.every((word) => text.includes(word)) ? 1 : 0;
  });
}
