// Extracts the needed elements of an XSPF playlist by their names. Deliberately no XML parser is used: no entities are
// expanded, which rules out entity attacks, and the start of a damaged file can still be read.
import { unescapeXml } from '../media/xml-text.ts';
import { limitError, TEXT_LIMITS } from '../runtime/text-limits.ts';
import { MAX_FILE_ENTRIES, type FileEntry, type PlaylistFile } from './file-entry.ts';

const { textChars: MAX_TEXT_CHARACTERS, lineChars: MAX_TRACK_CHARACTERS } = TEXT_LIMITS.playlist;
/** Patterns for the start of each element that is read. */
const ELEMENTS = {
  location: /<location[\s>]/i,
  duration: /<duration[\s>]/i,
  title: /<title[\s>]/i,
  creator: /<creator[\s>]/i,
  album: /<album[\s>]/i,
};

export function* parseXspf(text: string): Generator<void, PlaylistFile> {
  const [head = ''] = text.split(/<trackList\b/i, 1);
  const entries: FileEntry[] = [];
  let line = 1;
  let countedUpTo = 0;
  for (let start = text.search(/<track[\s>]/i); start >= 0 && entries.length <= MAX_FILE_ENTRIES;) {
    yield;
    const end = indexOrEnd(text, '</track>', start);
    line += countLines(text, countedUpTo, start);
    countedUpTo = start;
    const track = text.slice(start, end);
    if (track.length > MAX_TRACK_CHARACTERS)
      throw limitError({ line }, `a track has more than ${MAX_TRACK_CHARACTERS} characters.`);
    const location = element(track, 'location');
    const durationMs = Number(element(track, 'duration'));
    const title = element(track, 'title');
    if (location !== undefined || title !== undefined) {
      entries.push({
        line,
        location: location ?? '',
        title,
        artist: element(track, 'creator'),
        album: element(track, 'album'),
        durationMs: durationMs > 0 ? durationMs : undefined,
      });
    }
    const nextOffset = text.slice(end).search(/<track[\s>]/i);
    start = nextOffset < 0 ? -1 : end + nextOffset;
  }
  return { name: element(head, 'title'), entries };
}

/** Returns the text of the first element with that name. */
function element(xml: string, name: keyof typeof ELEMENTS): string | undefined {
  const tagStart = ELEMENTS[name].exec(xml)?.index;
  if (tagStart === undefined) return undefined;
  const from = xml.indexOf('>', tagStart) + 1;
  const raw = xml.slice(from, Math.min(indexOrEnd(xml, '<', from), from + MAX_TEXT_CHARACTERS)).trim();
  return unescapeXml(raw) || undefined;
}

function indexOrEnd(text: string, searchedText: string, from: number): number {
  const index = text.indexOf(searchedText, from);
  return index < 0 ? text.length : index;
}

const countLines = (text: string, from: number, to: number): number => text.slice(from, to).split('\n').length - 1;
