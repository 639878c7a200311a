// Parses playlist files: M3U and its extensions, PLS and XSPF. Opens and fetches nothing. Throws `too_large` for a line
// or an element without an end.
import { MOST_ENTRIES, type FileEntry, type PlaylistFile } from './file-entry.ts';
import { decodePlaylistText } from './playlist-text.ts';
import { overLimit, TEXT_LIMITS } from '../runtime/text-limits.ts';
import { parseXspf } from './xspf.ts';

type Facts = Omit<FileEntry, 'line' | 'location'>;

const { lineChars: MOST_LINE_CHARS } = TEXT_LIMITS.playlist;
const MOST_CHARACTERS = 200;
const MOST_IN_LINE = 4_096;
const EMPTY_AT_ONCE = 1_000;

/** In steps, because a file may be large. */
export function* parsePlaylistFile(bytes: Uint8Array): Generator<void, PlaylistFile> {
  const text = decodePlaylistText(bytes);
  yield;
  if (/^\s*\[playlist\]/i.test(text)) return yield* parsePls(text);
  if (/^\s*<(?:\?xml|!--|playlist)/i.test(text)) return yield* parseXspf(text);
  return yield* parseM3u(text);
}

/** A generator, so that a file of empty lines does not become millions of strings; of those it gives one in a while. */
function* linesOf(text: string): Generator<{ line: string; at: number }> {
  let [at, start] = [0, 0];
  while (start <= text.length) {
    at++;
    const end = endOfLine(text, start);
    if (end - start > MOST_LINE_CHARS) throw overLimit({ line: at }, `it has more than ${MOST_LINE_CHARS} characters.`);
    const plain = text.slice(start, end).trim();
    if (plain !== '' || at % EMPTY_AT_ONCE === 0) yield { line: plain.slice(0, MOST_IN_LINE), at };
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
  let facts: Facts = {};
  for (const { line, at } of linesOf(text)) {
    yield;
    if (file.entries.length > MOST_ENTRIES) break;
    if (line === '') continue;
    if (!line.startsWith('#')) {
      file.entries.push({ line: at, location: line, ...facts });
      facts = {};
      continue;
    }
    const [, tag = '', value = ''] = /^#([A-Za-z-]+)\s*:(.*)$/s.exec(line) ?? [];
    switch (tag.toUpperCase()) {
      case 'EXTINF':
        facts = { ...facts, ...extinf(value) };
        break;
      case 'EXTART':
        facts = { ...facts, artist: facts.artist ?? short(value) };
        break;
      case 'EXTALB':
        facts = { ...facts, album: short(value) };
        break;
      case 'PLAYLIST':
        file.name ??= short(value);
        break;
      default: // a comment
    }
  }
  return file;
}

/** `123,Artist - Title`; seconds may be -1 or have decimals, and attributes (`tvg-id="a,b"`) may follow. */
function extinf(value: string): Facts {
  const [, seconds] = /^\s*(-?\d+(?:\.\d+)?)/.exec(value) ?? [];
  const plain = value.replace(/="[^"]*"/g, (quoted) => '='.padEnd(quoted.length, '_'));
  const comma = plain.indexOf(',');
  const named = comma < 0 ? '' : value.slice(comma + 1);
  return { ...artistAndTitle(named), durationMs: toMs(Number(seconds) * 1_000) };
}

/** `Artist - Title`, separated by a hyphen or dash with spaces around it; without one, all of it is the title. */
export function artistAndTitle(text: string): Facts {
  const [, artist, title] = /^(.+?)\s[-–—]\s(.+)$/su.exec(text.trim().slice(0, 2 * MOST_CHARACTERS)) ?? [];
  return artist === undefined ? { title: short(text) } : { artist: short(artist), title: short(title) };
}

function* parsePls(text: string): Generator<void, PlaylistFile> {
  const found = new Map<number, FileEntry>();
  const later: { n: number; facts: Facts }[] = [];
  for (const { line, at } of linesOf(text)) {
    yield;
    if (found.size > MOST_ENTRIES) break;
    const [, key = '', number = '', value = ''] = /^(File|Title|Length)(\d{1,7})\s*=(.*)$/is.exec(line) ?? [];
    const n = Number(number);
    switch (key.toLowerCase()) {
      case 'file':
        found.set(n, { line: at, location: value.trim() });
        break;
      case 'title':
        later.push({ n, facts: artistAndTitle(value) });
        break;
      case 'length':
        later.push({ n, facts: { durationMs: toMs(Number(value) * 1_000) } });
        break;
      default: // [playlist], NumberOfEntries, Version
    }
  }
  for (const { n, facts } of later) {
    const entry = found.get(n);
    if (entry) Object.assign(entry, facts);
  }
  return {
    name: undefined,
    entries: [...found]
      .sort(([a], [b]) => a - b)
      .map(([, entry]) => entry)
      .filter(({ location }) => location !== ''),
  };
}

const short = (text = ''): string | undefined => [...text.trim()].slice(0, MOST_CHARACTERS).join('') || undefined;
const toMs = (ms: number): number | undefined => (ms > 0 && Number.isFinite(ms) ? Math.round(ms) : undefined);
