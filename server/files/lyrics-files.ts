// Finds and reads lyrics files beside the audio: `Song.ttml`, `Song.lrc`, `Song.yaml`, `Song.srt`, `Song.vtt` or
// `Song.txt` beside `Song.flac`, preferred in this order. They are preferred to lyrics in the tags, since somebody put
// them there on purpose, unless only those in the tags are synced.
import { parseLyrics } from '../media/lrc.ts';
import { decodeUtf16, decodeUtf8 } from '../media/text.ts';
import type { Lyrics } from '../media/types.ts';
import { readPlainFileSync } from '../runtime/plain-files.ts';
import { decodeAlone } from '../media/unmarked-text.ts';

/** Extensions of lyrics files, beginning with the preferred one. */
export const LYRICS_EXTENSIONS = ['ttml', 'lrc', 'yaml', 'yml', 'srt', 'vtt', 'txt'];
/** Larger files are not read as lyrics. */
const MAX_LYRICS_BYTES = 1 << 20;

const stemOf = (name: string): string => name.slice(0, name.lastIndexOf('.')).toLowerCase();
const rankOf = (name: string): number => LYRICS_EXTENSIONS.indexOf(name.slice(name.lastIndexOf('.') + 1).toLowerCase());

/** Returns the name of the lyrics file for each audio file. */
export function findLyricsFiles(audioNames: readonly string[], textNames: readonly string[]): (string | undefined)[] {
  const byStem = new Map<string, string>();
  for (const name of textNames.toSorted((a, b) => rankOf(b) - rankOf(a))) byStem.set(stemOf(name), name);
  return audioNames.map((name) => byStem.get(stemOf(name)));
}

/** Returns name, size and time of a lyrics file as one text, by which changes are detected. */
export const lyricsStamp = (name: string, { size, mtimeUs }: { size: number; mtimeUs: number }): string =>
  `${name}/${size}/${mtimeUs}`;
export const nameInLyricsStamp = (stamp: string): string => stamp.slice(0, stamp.indexOf('/'));

/**
 * Reads a lyrics file. Returns undefined when the file cannot be read or has no text; the track is then added without
 * lyrics.
 */
export function readLyricsFile(path: string | Buffer): Lyrics | undefined {
  try {
    const bytes = readPlainFileSync(path, MAX_LYRICS_BYTES);
    return bytes && parseLyrics(decode(bytes));
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
