// Reads lyrics files beside the audio. They are preferred to lyrics in the tags, since somebody put them there on
// purpose, unless only those in the tags are synced.
import { parseLyrics } from '../media/lrc.ts';
import { languageInFileName } from '../media/lyrics-language.ts';
import { decodeUtf16, decodeUtf8 } from '../media/text.ts';
import type { Lyrics } from '../media/types.ts';
import { readPlainFileSync } from '../runtime/plain-files.ts';
import { decodeAlone } from '../media/unmarked-text.ts';

/** Larger files are not read as lyrics. */
const MAX_LYRICS_BYTES = 1 << 20;

/**
 * Reads a lyrics file. Returns undefined when the file cannot be read or has no text; the track is then added without
 * lyrics.
 */
export function readLyricsFile(path: string | Buffer): Lyrics | undefined {
  try {
    const bytes = readPlainFileSync(path, MAX_LYRICS_BYTES);
    const lyrics = bytes && parseLyrics(decode(bytes));
    const language = lyrics?.language ?? languageInFileName(path.toString());
    return lyrics && { ...lyrics, ...(language !== undefined && { language }) };
  } catch {
    return undefined;
  }
}

function decode(bytes: Buffer): string {
  const byteOrderMark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  if (byteOrderMark === 0xfeff || byteOrderMark === 0xfffe) return decodeUtf16(bytes, 0, bytes.length, false);
  return decodeAlone(decodeUtf8(bytes, 0, bytes.length)).replace(/^\ufeff/, '');
}

export function preferLyrics(embedded: Lyrics | undefined, external: Lyrics | undefined): Lyrics | undefined {
  if (!embedded || !external) return external ?? embedded;
  return embedded.synced && !external.synced ? embedded : external;
}
