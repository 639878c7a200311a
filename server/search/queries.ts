// Finds names that start with the query, in the order of an index, so that the best results are found however many
// others match. (matching-ids.ts finds matches elsewhere in names.) The SQL is put together as text, because this runs
// with every key press.
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import { isOfYear, namesOf, searchTextOf, type SearchKind } from '../library/search-index/search-names.ts';
import type { Statements } from '../library/lists/statement-cache.ts';
import type { Candidate, PrefixMatch, TypoCandidate } from './rank.ts';

interface KindQuery {
  table: string;
  select: string;
  /** Columns to search, best first. With `isExact`, only values equal to the query match. */
  prefixes: { column: string; index: string; isExact?: boolean }[];
}

const KINDS: Record<SearchKind, KindQuery> = {
  track: {
    table: 'tracks',
    select: 'i.id, i.title_sort AS name, i.artist_sort AS artist',
    prefixes: [{ column: 'title_sort', index: 'tracks_title_sort' }],
  },
  album: {
    table: 'albums',
    select: 'i.id, i.title_sort AS name, i.artist_sort AS artist',
    prefixes: [{ column: 'title_sort', index: 'albums_title_sort' }],
  },
  // Artists are found as `The Quays` and `Quays, The`. name_key keeps accents, sort_key does not.
  artist: {
    table: 'artists',
    select: 'i.id, i.name, i.sort_key AS artist',
    prefixes: [
      { column: 'sort_key', index: 'artists_sort_key', isExact: true },
      { column: 'name_key', index: 'artists_name_key_unique' },
      { column: 'sort_key', index: 'artists_sort_key' },
    ],
  },
};

const LAST_CHARACTER = '\u{10ffff}';

/** Returns items whose names start with the query, in order. A larger `limit` only adds items at the end. */
export function findByPrefix(statements: Statements, kind: SearchKind, query: string, limit: number): PrefixMatch[] {
  const { table, prefixes } = KINDS[kind];
  const matches = new Map<number, PrefixMatch>();
  for (const { column, index, isExact } of prefixes)
    for (const match of statements.rows<PrefixMatch>(
      `SELECT i.id, i.${column} AS key FROM ${table} i INDEXED BY ${index} WHERE i.${column} >= @query
        AND i.${column} ${isExact ? '<=' : '<'} @end ORDER BY i.${column}, i.id LIMIT @limit`,
      { query, end: isExact ? query : query + LAST_CHARACTER, limit },
    ))
      if (!matches.has(match.id)) matches.set(match.id, match);
  return [...matches.values()].slice(0, limit);
}

export type Identifier = { mbid: string } | { isrc: string } | { barcode: string };

const MBID = /^(?:https?:\/\/(?:www\.)?musicbrainz\.org\/[a-z-]+\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;
const ISRC = /^(?:isrc:?\s*)?([a-z]{2})-?([a-z0-9]{3})-?(\d{2})-?(\d{5})$/i;

/** Matches an EAN or UPC, of 8, 12, 13 or 14 digits. */
const BARCODE = /^(?:\d{8}|\d{12,14})$/;

/** Parses a MusicBrainz id (or its address), an ISRC, or a barcode. */
export function identifierOf(text: string): Identifier | undefined {
  const mbid = MBID.exec(text.trim())?.[1];
  if (mbid !== undefined) return { mbid: mbid.toLowerCase() };
  const isrc = ISRC.exec(text.trim())?.slice(1).join('');
  if (isrc !== undefined) return { isrc: isrc.toUpperCase() };
  const digits = text.replace(/[\s-]/g, '');
  // a UPC is an EAN without its leading 0, so leading zeros are dropped
  return BARCODE.test(digits) ? { barcode: digits.replace(/^0+/, '') } : undefined;
}

const MBID_COLUMNS: Record<SearchKind, string> = {
  track: 'recording_mbid',
  album: 'release_group_mbid',
  artist: 'artist_mbid',
};

/**
 * Finds items by an identifier. A track may have several ISRCs, written with hyphens or without, so the whole index is
 * read.
 */
export function findByIdentifier(
  statements: Statements,
  kind: SearchKind,
  identifier: Identifier,
  limit: number,
): number[] {
  if ('mbid' in identifier) {
    const sql = `SELECT id FROM ${KINDS[kind].table} WHERE ${MBID_COLUMNS[kind]} = @mbid ORDER BY id LIMIT @limit`;
    return statements.column<number>(sql, { ...identifier, limit });
  }
  if ('barcode' in identifier) {
    if (kind === 'artist') return [];
    const id = kind === 'album' ? 'album_id' : 'id';
    return statements.column<number>(
      `SELECT DISTINCT ${id} FROM tracks INDEXED BY tracks_barcode
        WHERE ltrim(replace(replace(barcode, ' ', ''), '-', ''), '0') = @barcode AND barcode IS NOT NULL
          AND ${id} IS NOT NULL ORDER BY ${id} LIMIT @limit`,
      { ...identifier, limit },
    );
  }
  if (kind !== 'track') return [];
  return statements.column<number>(
    `SELECT id FROM tracks INDEXED BY tracks_isrc
      WHERE isrc IS NOT NULL AND instr(upper(replace(isrc, '-', '')), @isrc) > 0 LIMIT @limit`,
    { ...identifier, limit },
  );
}

/** Reads the names by which matches are ranked. */
export const readCandidates = (statements: Statements, kind: SearchKind, ids: readonly number[]): Candidate[] =>
  readNames<Candidate>(statements, kind, ids);

/** Reads the names by which matches are ranked, and the search texts. */
export const readTypoCandidates = (statements: Statements, kind: SearchKind, ids: readonly number[]): TypoCandidate[] =>
  readNames<TypoCandidate>(statements, kind, ids, `, (${namesOf[kind]('i.id')}) AS text`).map((row) => ({
    ...row,
    text: searchTextOf(row.text),
  }));

function readNames<T extends Candidate>(
  statements: Statements,
  kind: SearchKind,
  ids: readonly number[],
  more = '',
): T[] {
  const rows = statements.rows<T>(
    `SELECT ${KINDS[kind].select}${more}
      FROM json_each(@ids) c CROSS JOIN ${KINDS[kind].table} i ON i.id = c.value`,
    { ids: JSON.stringify(ids) },
  );
  // names of tracks and albums are stored folded
  return kind === 'artist' ? rows.map((row) => ({ ...row, name: sortKey(row.name) })) : rows;
}

/** Returns the albums of a year, by artist. */
export const findAlbumsOfYear = (statements: Statements, year: number, limit: number): number[] =>
  statements.column<number>(
    `SELECT i.id FROM albums i WHERE ${isOfYear.album('i')} ORDER BY i.artist_sort, i.title_sort, i.id LIMIT @limit`,
    { ofYear: year, limit },
  );
