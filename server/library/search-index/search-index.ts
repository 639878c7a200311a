// Keeps the search tables in step with the names of tracks, albums and artists, in the transaction that writes the row.
// Two FTS5 tables share rowids: search_trigrams finds words of three or more characters, search_grams those of one or
// two. Both are contentless, so an update is a delete and an insert. A batch collects the rows and writes them at its
// end by ascending rowid, since FTS5 flushes its buffer whenever a smaller rowid comes. search_words has each word of
// their texts once, for the correction of typos; words that no text has any more stay there.
//
// Each transaction leaves a segment of the index. By itself FTS5 merges them all at once when sixteen of a size are
// there; migration 0041 turned that off, and each batch merges a few pages (docs/decisions/0096).
import type { Sqlite } from '../../db/client.ts';
import { gramsOf } from './search-grams.ts';
import { vocabularyOf } from './search-forms.ts';
import { NAMES_OF_ALBUM, namesOf, searchTextOf, type SearchKind } from './search-names.ts';

/**
 * Number of each kind, the high part of its rowids: artists and albums come first, so that a search finds them without
 * skipping the many tracks.
 */
export const KIND_NUMBERS: Record<SearchKind, number> = { artist: 0, album: 1, track: 2 };
const KINDS = Object.keys(KIND_NUMBERS) as SearchKind[];

/** Returns the number of pages to merge, so that there are never many more segments than sixteen of a size. */
const pagesFor = (rows: number): number => 4 + Math.ceil(rows / 5);
/** The number of rows that are written without a batch before segments are merged. */
const ROWS_BETWEEN_MERGES = 16;

const ROWIDS_PER_KIND = 2 ** 40;
/** Returns the rowid of id 0 of the kind. */
export const searchBase = (kind: SearchKind): number => KIND_NUMBERS[kind] * ROWIDS_PER_KIND;
/** Returns the rowid after all rowids of the kind. */
export const searchEnd = (kind: SearchKind): number => searchBase(kind) + ROWIDS_PER_KIND;
/** Returns an SQL condition for rows of the kind. */
export const ofKind = (kind: SearchKind, rowid = 'rowid'): string =>
  `${rowid} > ${searchBase(kind)} AND ${rowid} < ${searchBase(kind) + ROWIDS_PER_KIND}`;

/** Names of a new track, without those of its album: passing them is quicker than reading them back. */
interface TrackNames {
  ownNames: readonly (string | null)[];
  albumId: number | undefined;
}

interface PendingRow {
  /** True if the row has no search text yet. */
  isNew: boolean;
  names?: TrackNames | undefined;
}

export type SearchIndex = ReturnType<typeof createSearchIndex>;

export function createSearchIndex(client: Sqlite) {
  const insertTrigrams = client.prepare('INSERT INTO search_trigrams (rowid, text) VALUES (CAST(? AS INTEGER), ?)');
  const insertGrams = client.prepare('INSERT INTO search_grams (rowid, grams) VALUES (CAST(? AS INTEGER), ?)');
  const deleteTrigrams = client.prepare('DELETE FROM search_trigrams WHERE rowid = CAST(? AS INTEGER)');
  const deleteGrams = client.prepare('DELETE FROM search_grams WHERE rowid = CAST(? AS INTEGER)');
  const insertWord = client.prepare('INSERT OR IGNORE INTO search_words (word) VALUES (?)');
  const mergeSegments = ['search_trigrams', 'search_grams'].map((table) =>
    client.prepare<[number]>(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`),
  );
  const tracksOf = client.prepare<[number], number>('SELECT id FROM tracks WHERE album_id = ?').pluck();
  const names = mapKinds((kind) => client.prepare<[number], string>(namesOf[kind]('?')).pluck());
  const namesOfAlbum = client.prepare<[number], string>(NAMES_OF_ALBUM).pluck();
  /** The ids whose text has to be written at the end of the batch; undefined outside batches. */
  let pendingRows: Record<SearchKind, Map<number, PendingRow>> | undefined;
  const albumNames = new Map<number, string>(); // names by album id, cached within a batch
  const writtenWords = new Set<string>(); // words that the current batch has written
  let isWritingBatch = false;
  let rowsSinceMerge = 0;

  function merge(): void {
    for (const statement of mergeSegments) statement.run(pagesFor(rowsSinceMerge));
    rowsSinceMerge = 0;
  }

  function write(kind: SearchKind, id: number, { isNew, names: newNames }: PendingRow): void {
    const rowid = searchBase(kind) + id;
    if (!isNew) remove(rowid);
    const itemNames = newNames ? joinNames(newNames) : names[kind].get(id);
    if (itemNames === undefined) return;
    const text = searchTextOf(itemNames);
    insertTrigrams.run(rowid, text);
    insertGrams.run(rowid, gramsOf(text));
    for (const word of vocabularyOf(text)) {
      if (writtenWords.has(word)) continue;
      insertWord.run(word);
      if (isWritingBatch) writtenWords.add(word);
    }
    rowsSinceMerge++;
  }

  function joinNames({ ownNames, albumId }: TrackNames): string {
    const album = albumId === undefined ? '' : (albumNames.get(albumId) ?? namesOfAlbum.get(albumId) ?? '');
    if (albumId !== undefined) albumNames.set(albumId, album);
    return [...ownNames, album].filter((name) => name !== null && name !== '').join('\n');
  }

  function remove(rowid: number): void {
    deleteTrigrams.run(rowid);
    deleteGrams.run(rowid);
    rowsSinceMerge++;
  }

  function putRow(kind: SearchKind, id: number, isNew: boolean, newNames?: TrackNames): void {
    if (!pendingRows) {
      write(kind, id, { isNew });
      if (rowsSinceMerge >= ROWS_BETWEEN_MERGES) merge();
      return;
    }
    const pendingRow = pendingRows[kind].get(id);
    pendingRows[kind].set(id, { isNew: pendingRow?.isNew ?? isNew, names: pendingRow ? undefined : newNames });
  }

  return {
    /** Adds a new row. */
    add: (kind: SearchKind, id: number, newNames?: TrackNames): void => putRow(kind, id, true, newNames),
    /** Updates a row whose names may have changed. */
    set: (kind: SearchKind, id: number): void => putRow(kind, id, false),
    /** Updates an album whose names may have changed, and its tracks. */
    setAlbum(id: number): void {
      putRow('album', id, false);
      for (const track of tracksOf.all(id)) putRow('track', track, false);
    },
    /** Removes a row that is being deleted. */
    delete(kind: SearchKind, id: number): void {
      if (pendingRows) putRow(kind, id, false); // the row stays if a savepoint is rolled back
      else remove(searchBase(kind) + id);
    },
    /** Starts to collect rows. `writeBatch` must follow in the same transaction, and then `endBatch`. */
    startBatch(): void {
      pendingRows = mapKinds(() => new Map());
    },
    writeBatch(): void {
      const batch = pendingRows;
      pendingRows = undefined;
      if (!batch) return;
      isWritingBatch = true;
      for (const kind of KINDS) {
        for (const [id, row] of [...batch[kind]].sort(([a], [b]) => a - b)) write(kind, id, row);
      }
      if (rowsSinceMerge > 0) merge();
    },
    /** Ends a batch, whether or not it was written. */
    endBatch(): void {
      pendingRows = undefined;
      isWritingBatch = false;
      albumNames.clear();
      writtenWords.clear();
    },
    /** Forgets the names passed to `add`, which may be wrong after a savepoint was rolled back. */
    dropNewNames(): void {
      for (const row of pendingRows?.track.values() ?? []) row.names = undefined;
    },
  };
}

const mapKinds = <T>(valueOf: (kind: SearchKind) => T): Record<SearchKind, T> => ({
  artist: valueOf('artist'),
  album: valueOf('album'),
  track: valueOf('track'),
});
