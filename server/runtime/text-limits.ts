// Limits of text from outside: exports, playlists, feeds, lyrics, cue sheets and the answers of services. Every parser
// of such text takes its limits from here, and says in its error where a limit is exceeded.
import { AppError } from '../errors.ts';

const KIB = 1 << 10;
const MIB = 1 << 20;

export const TEXT_LIMITS = {
  /** Limits of exports of listening histories, which are read as streams. */
  history: {
    depth: 50,
    /** Maximum characters of a line or a row. A longer play in a JSON file is skipped. */
    entryChars: 256 * KIB,
    /** Maximum characters from the end of a play to the end of the next. */
    gapChars: MIB,
    cells: 500,
    entries: 2_000_000,
    /** Maximum characters of songs without a track that an import keeps in memory. */
    unmatchedChars: 4 * MIB,
  },
  playlist: { bytes: 10 * MIB, lineChars: 64 * KIB, entries: 50_000, textChars: 4_000 },
  feed: {
    bytes: 30 * MIB,
    depth: 100,
    /** Maximum attributes of one element, all of which the parser keeps in memory. */
    attributes: 200,
    episodes: 2_000,
    /** Maximum characters of one text. */
    textChars: 50_000,
    /** Maximum characters of all texts. */
    totalChars: 12 * MIB,
  },
  lyrics: { chars: 256 * KIB, lines: 5_000, timesPerLine: 100 },
  cueSheet: { bytes: MIB, tracks: 999, fields: 200 },
  /** Limits of JSON answers of other servers. */
  json: { depth: 100, values: 500_000 },
  /** Limits of backups and exports: a library of a million tracks has a manifest of 0.1 MB and indexes of 6 MB. */
  backup: {
    manifest: { bytes: 2 * MIB, depth: 20, values: 60_000 },
    /** Space for 50,000 blobs and the rest of the last pack; each blob has seven values. */
    index: { bytes: 32 * MIB, depth: 10, values: 2_000_000 },
    /** Limits of a line of a list of files, and of the whole list. */
    line: { bytes: 256 * KIB, depth: 5, values: 50 },
    list: { bytes: 16 * MIB },
  },
} as const;

/** Returns the error for text that exceeds a limit. `line` and `character` count from 1. */
export const limitError = (place: { line: number; character?: number }, message: string): AppError =>
  new AppError(
    'too_large',
    `Line ${place.line}${place.character === undefined ? '' : `, character ${place.character}`}: ${message}`,
  );

/** Counts the lines and characters of a text that arrives in chunks. */
export function createPlaceCounter() {
  let line = 1;
  let lineStart = 0;
  let chunkStart = 0;
  return {
    /** Notes a line break, by its index in the chunk. Must be called for each line break. */
    lineBreak(index: number): void {
      line++;
      lineStart = chunkStart + index + 1;
    },
    chunkEnd: (length: number): void => void (chunkStart += length),
    offsetOf: (index: number): number => chunkStart + index,
    placeAt: (index: number) => ({ line, character: chunkStart + index - lineStart + 1 }),
  };
}

interface JsonLimits {
  depth: number;
  values: number;
}

/**
 * Parses JSON from outside. Checks its depth and number of values before parsing, because the parser takes memory for
 * each bracket and value: up to a hundred times the size of the text. Throws SyntaxError.
 */
export function parseLimitedJson(text: string, limits: JsonLimits = TEXT_LIMITS.json): unknown {
  assertSmallJson(text, limits);
  return JSON.parse(text) as unknown;
}

function assertSmallJson(text: string, { depth: maxDepth, values: maxValues }: JsonLimits): void {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (char === '"') index = findStringEnd(text, index);
    else if (char === '{' || char === '[') {
      values++;
      if (++depth > maxDepth)
        throw new SyntaxError(`Character ${index + 1}: nested more than ${maxDepth} levels deep.`);
    } else if (char === '}' || char === ']') depth--;
    else if (char === ',') values++;
    if (values > maxValues) throw new SyntaxError(`Character ${index + 1}: more than ${maxValues} values.`);
  }
}

function findStringEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index;
  }
  return text.length;
}
