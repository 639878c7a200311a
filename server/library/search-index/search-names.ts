// The names that find an item, and the search text made from them. The search text of a track includes its album and
// album artist, so that `dark side time` finds it.
import type { Sqlite } from '../../db/client.ts';
import { searchFold } from '../tracks/sort-and-identity-keys.ts';
import { inNamedAlbum, isNamed, isNamedArtist } from '../../db/unknown-names.ts';
import { formsOf, signsOf } from './search-forms.ts';

// The kinds of items in the search index. Albums and artists without a name have no search text.
export type SearchKind = 'artist' | 'album' | 'track';

/** SQL for the names of the artists of album `a`, if it has several. */
const ALBUM_ARTISTS = `(SELECT group_concat(y.name, char(10)) FROM album_artists r JOIN artists y ON y.id = r.artist_id
      WHERE r.album_id = a.id)`;
/** SQL for the names that a track gets from its album, one per line. */
export const NAMES_OF_ALBUM = `SELECT concat_ws(char(10), a.title, x.name, ${ALBUM_ARTISTS})
    FROM albums a LEFT JOIN artists x ON x.id = a.artist_id
    WHERE a.id = ? AND ${isNamed('a')}`;

/** SQL for the sort names of an album, one per line: its tracks have them. */
const SORT_NAMES_OF_ALBUM = `(SELECT group_concat(sort_name, char(10)) FROM (
    SELECT DISTINCT m.tags ->> '$.albumSort' AS sort_name
    FROM tracks s JOIN more_tags m ON m.track_id = s.id WHERE s.album_id = a.id AND json_valid(m.tags)))`;

/** SQL for the names of the item with this id, one per line. */
export const namesOf: Record<SearchKind, (id: string) => string> = {
  artist: (id) =>
    `SELECT concat_ws(char(10), x.name, x.sort_name) FROM artists x WHERE x.id = ${id} AND ${isNamedArtist('x')}`,
  album: (id) =>
    `SELECT concat_ws(char(10), a.title, x.name, x.sort_name, ${ALBUM_ARTISTS}, ${SORT_NAMES_OF_ALBUM})
      FROM albums a LEFT JOIN artists x ON x.id = a.artist_id WHERE a.id = ${id} AND ${isNamed('a')}`,
  track: (id) => `SELECT concat_ws(char(10), t.title, t.artist_name, a.title, x.name, ${ALBUM_ARTISTS},
      (SELECT group_concat(c.name, char(10)) FROM track_artists ta JOIN artists c ON c.id = ta.artist_id
      WHERE ta.track_id = t.id), t.composer, m.tags ->> '$.titleSort',
      iif(t.provenance ->> '$.composer' = 'manual', NULL,
        (SELECT group_concat(value, char(10)) FROM json_each(m.tags, '$.composerSort'))))
    FROM tracks t LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')}
      LEFT JOIN artists x ON x.id = a.artist_id
      LEFT JOIN more_tags m ON m.track_id = t.id AND json_valid(m.tags) WHERE t.id = ${id}`,
};

/** SQL for whether an item is of the year `@ofYear`, apart from its names. */
export const isOfYear: Record<Exclude<SearchKind, 'artist'>, (alias: string) => string> = {
  album: (alias) => `${alias}.year = @ofYear`,
  track: (alias) => `(${alias}.year = @ofYear OR ${alias}.original_year = @ofYear)`,
};

/** Returns the forms of the names by which they are found, one per line, without those contained in an earlier one. */
export function searchTextOf(names: string): string {
  let text = '';
  const add = (form: string): void => {
    if (!text.includes(form)) text += text === '' ? form : `\n${form}`;
  };
  for (const name of names.split('\n')) {
    const foldedName = searchFold(name);
    for (const form of formsOf(foldedName)) if (!isReordered(foldedName, form, text)) add(form);
    for (const signs of signsOf(foldedName)) add(signs);
  }
  return text;
}

/** Returns whether the name is a sort name, such as `Quays, The`, whose words the text has already. */
const isReordered = (name: string, form: string, text: string): boolean =>
  name.includes(', ') && form.split(' ').every((word) => hasWord(text, word));

function hasWord(text: string, word: string): boolean {
  for (let i = text.indexOf(word); i >= 0; i = text.indexOf(word, i + 1)) {
    if (isBoundary(text[i - 1]) && isBoundary(text[i + word.length])) return true;
  }
  return false;
}

/** Returns whether a character of a search text, or its end, is beside a word. */
const isBoundary = (character: string | undefined): boolean =>
  character === undefined || character === ' ' || character === '\n';

/**
 * Connections on which the SQL function is defined. SQLite compiles every statement of a connection again when a
 * function is defined.
 */
const connectionsWithNamesHold = new WeakSet<Sqlite>();

/**
 * Defines the SQL function `names_hold(names, terms)`, once per connection: it returns whether the names contain all
 * terms of a JSON list (`termsJson`). It takes a few µs, where FTS5 takes about 100 µs to test one rowid against a
 * common word.
 */
export function defineNamesHold(client: Sqlite): void {
  if (connectionsWithNamesHold.has(client)) return;
  connectionsWithNamesHold.add(client);
  let cachedJson = '';
  let terms: string[][] = [];
  client.function('names_hold', (names: string | null, json: string) => {
    if (json !== cachedJson) [cachedJson, terms] = [json, JSON.parse(json) as string[][]];
    const text = searchTextOf(names ?? '');
    return terms.every((forms) => forms.some((form) => text.includes(form))) ? 1 : 0;
  });
}
