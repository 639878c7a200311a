// Lyrics files: `Song.ttml`, `Song.lrc` or `Song.txt` beside `Song.flac`, preferred in this order, and to lyrics in the
// tags, since somebody put them there on purpose; unless only those in the tags are synced.
import { parseLyrics } from '../media/lrc.ts';
import { decodeUtf16, decodeUtf8 } from '../media/text.ts';
import type { Lyrics } from '../media/types.ts';
import { readPlainFileSync } from '../runtime/plain-files.ts';
import { decodeAlone } from '../media/unmarked-text.ts';

/** Best first. */
export const LYRICS_EXTENSIONS = ['ttml', 'lrc', 'txt'];
/** Larger files are not lyrics. */
const MAX_BYTES = 1 << 20;

const stemOf = (name: string): string => name.slice(0, name.lastIndexOf('.')).toLowerCase();
const rankOf = (name: string): number => LYRICS_EXTENSIONS.indexOf(name.slice(name.lastIndexOf('.') + 1).toLowerCase());

/** The lyrics file for each audio file. */
export function lyricsOf(audio: readonly string[], texts: readonly string[]): (string | undefined)[] {
  const byStem = new Map<string, string>();
  for (const name of texts.toSorted((a, b) => rankOf(b) - rankOf(a))) byStem.set(stemOf(name), name);
  return audio.map((name) => byStem.get(stemOf(name)));
}

/** Name, size and time of a lyrics file as one text, to detect changes. */
export const lyricsMark = (name: string, { size, mtimeUs }: { size: number; mtimeUs: number }): string =>
  `${name}/${size}/${mtimeUs}`;
export const nameOfMark = (mark: string): string => mark.slice(0, mark.indexOf('/'));

/** Undefined when the file cannot be read or has no text; the track is added without lyrics. */
export function readLyricsFile(path: string | Buffer): Lyrics | undefined {
  try {
    const bytes = readPlainFileSync(path, MAX_BYTES);
    return bytes && parseLyrics(decode(bytes));
  } catch {
    return undefined;
  }
}

function decode(bytes: Buffer): string {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfeff || mark === 0xfffe) return decodeUtf16(bytes, 0, bytes.length, false);
  return decodeAlone(decodeUtf8(bytes, 0, bytes.length)).replace(/^\ufeff/, '');
}

export function preferred(inside: Lyrics | undefined, beside: Lyrics | undefined): Lyrics | undefined {
  if (!inside || !beside) return beside ?? inside;
  return inside.synced && !beside.synced ? inside : beside;
}
