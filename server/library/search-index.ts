// Keeps search_trigrams equal to the names of tracks, albums and artists; called in the transaction that writes the row.
// rowid = id * 4 + kind. The index keeps no text of its own, so a change is a delete and an insert.
import type { Sqlite } from '../db/client.ts';
import { searchFold } from './fold.ts';

export const SEARCH_KINDS = { track: 0, album: 1, artist: 2 } as const;
export type SearchKind = keyof typeof SEARCH_KINDS;

export const searchRowid = (kind: SearchKind, id: number): number => id * 4 + SEARCH_KINDS[kind];

export type SearchIndex = ReturnType<typeof createSearchIndex>;

export function createSearchIndex(client: Sqlite) {
  const insert = client.prepare('INSERT INTO search_trigrams (rowid, text) VALUES (?, ?)');
  const remove = client.prepare('DELETE FROM search_trigrams WHERE rowid = ?');
  return {
    /** For a row that was just made. */
    add(kind: SearchKind, id: number, ...texts: (string | null | undefined)[]): void {
      insert.run(searchRowid(kind, id), toText(texts));
    },
    set(kind: SearchKind, id: number, ...texts: (string | null | undefined)[]): void {
      remove.run(searchRowid(kind, id));
      insert.run(searchRowid(kind, id), toText(texts));
    },
    delete(kind: SearchKind, id: number): void {
      remove.run(searchRowid(kind, id));
    },
  };
}

const toText = (texts: (string | null | undefined)[]): string => texts.filter(Boolean).map((t) => searchFold(t as string)).join('\n');
