// Parses playlist files: M3U and its extensions, PLS and XSPF. Opens and fetches nothing. Throws `too_large` for a line
// or an element without an end.
import { MAX_FILE_ENTRIES, type FileEntry, type PlaylistFile } from './file-entry.ts';
import { decodePlaylistText } from './playlist-text.ts';
import { limitError, TEXT_LIMITS } from '../runtime/text-limits.ts';
import { parseXspf } from './xspf.ts';

type EntryFacts = Omit<FileEntry, 'line' | 'location'>;

const { lineChars: MAX_LINE_CHARS } = TEXT_LIMITS.playlist;
const MAX_TEXT_CHARACTERS = 200;
const MAX_LINE_TEXT = 4_096;
const BLANK_LINES_PER_YIELD = 1_000;

/** Parses a file in steps, because it may be large. */
export function* parsePlaylistFile(bytes: Uint8Array): Generator<void, PlaylistFile> {
  const text = decodePlaylistText(bytes);
  yield;
  if (/^\s*\[playlist\]/i.test(text)) return yield* parsePls(text);
  if (/^\s*<(?:\?xml|!--|playlist)/i.test(text)) return yield* parseXspf(text);
  return yield* parseM3u(text);
}

/**
 * Yields the lines of a text. For a file of blank lines, only some of these are yielded, which avoids creating millions
 * of strings.
 */
function* linesOf(text: string): Generator<{ line: string; lineNumber: number }> {
  let [lineNumber, start] = [0, 0];
  while (start <= text.length) {
    lineNumber++;
    const end = endOfLine(text, start);
    if (end - start > MAX_LINE_CHARS)
      throw limitError({ line: lineNumber }, `it has more than ${MAX_LINE_CHARS} characters.`);
    const trimmedLine = text.slice(start, end).trim();
    if (trimmedLine !== '' || lineNumber % BLANK_LINES_PER_YIELD === 0)
      yield { line: trimmedLine.slice(0, MAX_LINE_TEXT), lineNumber };
    start = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
}

function endOfLine(text: string, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++;
  return end;
}

function* parseM3u(text: string): Generator<void, PlaylistFile> {
  const file: PlaylistFile = { name: undefined, entries: [] };
  let facts: EntryFacts = {};
  for (const { line, lineNumber } of linesOf(text)) {
    yield;
    if (file.entries.length > MAX_FILE_ENTRIES) break;
    if (line === '') continue;
    if (!line.startsWith('#')) {
      file.entries.push({ line: lineNumber, location: line, ...facts });
      facts = {};
      continue;
    }
    const [, tag = '', value = ''] = /^#([A-Za-z-]+)\s*:(.*)$/s.exec(line) ?? [];
    switch (tag.toUpperCase()) {
      case 'EXTINF':
        facts = { ...facts, ...parseExtinf(value) };
        break;
      case 'EXTART':
        facts = { ...facts, artist: facts.artist ?? shorten(value) };
        break;
      case 'EXTALB':
        facts = { ...facts, album: shorten(value) };
        break;
      case 'PLAYLIST':
        file.name ??= shorten(value);
        break;
      default: // a comment
    }
  }
  return file;
}

/** Parses `123,Artist - Title`; seconds may be -1 or have decimals, and attributes (`tvg-id="a,b"`) may follow. */
function parseExtinf(value: string): EntryFacts {
  const [, seconds] = /^\s*(-?\d+(?:\.\d+)?)/.exec(value) ?? [];
  const maskedValue = value.replace(/="[^"]*"/g, (quotedText) => '='.padEnd(quotedText.length, '_'));
  const comma = maskedValue.indexOf(',');
  const description = comma < 0 ? '' : value.slice(comma + 1);
  return { ...artistAndTitle(description), durationMs: toMs(Number(seconds) * 1_000) };
}

/**
 * Parses `Artist - Title`, separated by a hyphen or dash with spaces around it; without a separator, all of it is the
 * title.
 */
export function artistAndTitle(text: string): EntryFacts {
  const [, artist, title] = /^(.+?)\s[-–—]\s(.+)$/su.exec(text.trim().slice(0, 2 * MAX_TEXT_CHARACTERS)) ?? [];
  return artist === undefined ? { title: shorten(text) } : { artist: shorten(artist), title: shorten(title) };
}

function* parsePls(text: string): Generator<void, PlaylistFile> {
  const entriesByNumber = new Map<number, FileEntry>();
  const details: { n: number; facts: EntryFacts }[] = [];
  for (const { line, lineNumber } of linesOf(text)) {
    yield;
    if (entriesByNumber.size > MAX_FILE_ENTRIES) break;
    const [, key = '', number = '', value = ''] = /^(File|Title|Length)(\d{1,7})\s*=(.*)$/is.exec(line) ?? [];
    const n = Number(number);
    switch (key.toLowerCase()) {
      case 'file':
        entriesByNumber.set(n, { line: lineNumber, location: value.trim() });
        break;
      case 'title':
        details.push({ n, facts: artistAndTitle(value) });
        break;
      case 'length':
        details.push({ n, facts: { durationMs: toMs(Number(value) * 1_000) } });
        break;
      default: // skips [playlist], NumberOfEntries, Version
    }
  }
  for (const { n, facts } of details) {
    const entry = entriesByNumber.get(n);
    if (entry) Object.assign(entry, facts);
  }
  return {
    name: undefined,
    entries: [...entriesByNumber]
      .sort(([a], [b]) => a - b)
      .map(([, entry]) => entry)
      .filter(({ location }) => location !== ''),
  };
}

const shorten = (text = ''): string | undefined => [...text.trim()].slice(0, MAX_TEXT_CHARACTERS).join('') || undefined;
const toMs = (ms: number): number | undefined => (ms > 0 && Number.isFinite(ms) ? Math.round(ms) : undefined);
