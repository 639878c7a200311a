// Every name by which something is found, and the text that they are to a search. A track's names hold its album's and
// that one's artist, so that one look finds `dark side time`.
import type { Sqlite } from '../db/client.ts';
import { searchFold } from './fold.ts';

export type SearchKind = 'artist' | 'album' | 'track';

/** SQL of the names, a line each, that a track has from its album. */
export const NAMES_OF_ALBUM =
  'SELECT concat_ws(char(10), a.title, x.name) FROM albums a LEFT JOIN artists x ON x.id = a.artist_id WHERE a.id = ?';

/** SQL of the names, a line each, of the item with this id. */
export const namesOf: Record<SearchKind, (id: string) => string> = {
  artist: (id) => `SELECT concat_ws(char(10), name, sort_name) FROM artists WHERE id = ${id}`,
  album: (id) =>
    `SELECT concat_ws(char(10), a.title, x.name, x.sort_name) FROM albums a LEFT JOIN artists x ON x.id = a.artist_id
      WHERE a.id = ${id}`,
  track: (id) => `SELECT concat_ws(char(10), t.title, t.artist_name, a.title, x.name,
      (SELECT group_concat(c.name, char(10)) FROM track_artists ta JOIN artists c ON c.id = ta.artist_id
      WHERE ta.track_id = t.id))
    FROM tracks t LEFT JOIN albums a ON a.id = t.album_id LEFT JOIN artists x ON x.id = a.artist_id WHERE t.id = ${id}`,
};

/** The names folded; one that another holds adds nothing. */
export function textOf(names: string): string {
  let text = '';
  for (const name of names.split('\n')) {
    const folded = searchFold(name);
    if (!text.includes(folded)) text += text === '' ? folded : `\n${folded}`;
  }
  return text;
}

/**
 * Gives SQL a function that says whether names hold all words of a JSON list. It takes some microseconds, where FTS5
 * takes a hundred to say whether one rowid is among many.
 */
export function addNamesHold(client: Sqlite): void {
  let asked = '';
  let words: string[] = [];
  client.function('names_hold', (names: string | null, json: string) => {
    if (json !== asked) [asked, words] = [json, JSON.parse(json) as string[]];
    const text = textOf(names ?? '');
    return words.every((word) => text.includes(word)) ? 1 : 0;
  });
}
