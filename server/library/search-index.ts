// Keeps the search tables equal to the names of tracks, albums and artists, in the transaction that writes the row. Two
// FTS5 tables share their rowids: search_trigrams finds words of three characters and more, search_grams those of one
// and two, which no trigram can. Both keep no text of their own, so a change is a delete and an insert. Within a batch
// the rows are noted, and written at its end in the order of their rowids: FTS5 gathers what comes in that order, and
// writes out what it has whenever the order breaks.
import type { Sqlite } from '../db/client.ts';
import { gramsOf } from './search-grams.ts';
import { NAMES_OF_ALBUM, namesOf, textOf, type SearchKind } from './search-names.ts';

/**
 * In the order of rowids. Albums and artists come before the many tracks, so that they are found without passing them.
 */
export const SEARCH_KINDS: Record<SearchKind, number> = { artist: 0, album: 1, track: 2 };
const KINDS = Object.keys(SEARCH_KINDS) as SearchKind[];

const SPAN = 2 ** 40;
/** The rowid of id 0 of the kind; all of a kind lie between its base and the next. */
export const searchBase = (kind: SearchKind): number => SEARCH_KINDS[kind] * SPAN;
/** The rowid behind all of the kind. */
export const searchEnd = (kind: SearchKind): number => searchBase(kind) + SPAN;
/** SQL that is true for rows of the kind. */
export const ofKind = (kind: SearchKind, rowid = 'rowid'): string =>
  `${rowid} > ${searchBase(kind)} AND ${rowid} < ${searchBase(kind) + SPAN}`;

/** What a new track is called, for its album's names to be added: quicker than to read it back. */
export interface TrackNames {
  own: readonly (string | null)[];
  albumId: number | undefined;
}

interface Noted {
  /** It has no text yet. */
  isNew: boolean;
  names?: TrackNames | undefined;
}

export type SearchIndex = ReturnType<typeof createSearchIndex>;

export function createSearchIndex(client: Sqlite) {
  const insertTrigrams = client.prepare('INSERT INTO search_trigrams (rowid, text) VALUES (CAST(? AS INTEGER), ?)');
  const insertGrams = client.prepare('INSERT INTO search_grams (rowid, grams) VALUES (CAST(? AS INTEGER), ?)');
  const deleteTrigrams = client.prepare('DELETE FROM search_trigrams WHERE rowid = CAST(? AS INTEGER)');
  const deleteGrams = client.prepare('DELETE FROM search_grams WHERE rowid = CAST(? AS INTEGER)');
  const tracksOf = client.prepare<[number], number>('SELECT id FROM tracks WHERE album_id = ?').pluck();
  const names = mapKinds((kind) => client.prepare<[number], string>(namesOf[kind]('?')).pluck());
  const namesOfAlbum = client.prepare<[number], string>(NAMES_OF_ALBUM).pluck();
  /** Of a batch: ids whose text is to be written. */
  let noted: Record<SearchKind, Map<number, Noted>> | undefined;
  const albumNames = new Map<number, string>(); // of the batch

  function write(kind: SearchKind, id: number, { isNew, names: given }: Noted): void {
    const rowid = searchBase(kind) + id;
    if (!isNew) remove(rowid);
    const found = given ? joined(given) : names[kind].get(id);
    if (found === undefined) return;
    const text = textOf(found);
    insertTrigrams.run(rowid, text);
    insertGrams.run(rowid, gramsOf(text));
  }

  function joined({ own, albumId }: TrackNames): string {
    const album = albumId === undefined ? '' : (albumNames.get(albumId) ?? namesOfAlbum.get(albumId) ?? '');
    if (albumId !== undefined) albumNames.set(albumId, album);
    return [...own, album].filter((name) => name !== null && name !== '').join('\n');
  }

  function remove(rowid: number): void {
    deleteTrigrams.run(rowid);
    deleteGrams.run(rowid);
  }

  function put(kind: SearchKind, id: number, isNew: boolean, given?: TrackNames): void {
    if (!noted) return write(kind, id, { isNew });
    const before = noted[kind].get(id);
    noted[kind].set(id, { isNew: before?.isNew ?? isNew, names: before ? undefined : given });
  }

  return {
    /** For a row that was just made. */
    add: (kind: SearchKind, id: number, given?: TrackNames): void => put(kind, id, true, given),
    /** For a row whose names may be others now. */
    set: (kind: SearchKind, id: number): void => put(kind, id, false),
    /** For an album whose names may be others now, with its tracks. */
    setAlbum(id: number): void {
      put('album', id, false);
      for (const track of tracksOf.all(id)) put('track', track, false);
    },
    /** For a row that goes. */
    delete(kind: SearchKind, id: number): void {
      if (noted) put(kind, id, false); // it may stay after all, when a savepoint is rolled back
      else remove(searchBase(kind) + id);
    },
    /** From here on rows are noted; `writeBatch` must follow in the same transaction, and then `endBatch`. */
    startBatch(): void {
      noted = mapKinds(() => new Map());
    },
    writeBatch(): void {
      const batch = noted;
      noted = undefined;
      if (!batch) return;
      for (const kind of KINDS) {
        for (const [id, one] of [...batch[kind]].sort(([a], [b]) => a - b)) write(kind, id, one);
      }
    },
    /** After a batch, written or not. */
    endBatch(): void {
      noted = undefined;
      albumNames.clear();
    },
    /** A savepoint was rolled back: what was said of the rows may not be so. */
    readAgain(): void {
      for (const one of noted?.track.values() ?? []) one.names = undefined;
    },
  };
}

const mapKinds = <T>(make: (kind: SearchKind) => T): Record<SearchKind, T> => ({
  artist: make('artist'),
  album: make('album'),
  track: make('track'),
});
