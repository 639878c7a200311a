// Finds lyrics files beside the audio by their names: `Song.ttml`, `Song.lrc`, `Song.yaml`, `Song.srt`, `Song.vtt` or
// `Song.txt` beside `Song.flac`, preferred in this order, also with a language (`Song.en.lrc`). Apart from the reading
// of these files, so that the walking thread does not load the parsers.
import { languageInFileName } from '../media/lyrics-language.ts';

/** Extensions of lyrics files, beginning with the preferred one. */
export const LYRICS_EXTENSIONS = ['ttml', 'lrc', 'yaml', 'yml', 'srt', 'vtt', 'txt'];
const stemOf = (name: string): string => name.slice(0, name.lastIndexOf('.')).toLowerCase();
/** Returns the stem without the language at its end. */
const withoutLanguage = (stem: string): string =>
  languageInFileName(`${stem}.lrc`) === undefined ? stem : stem.slice(0, stem.lastIndexOf('.'));
const rankOf = (name: string): number => LYRICS_EXTENSIONS.indexOf(name.slice(name.lastIndexOf('.') + 1).toLowerCase());

/** Returns the name of the lyrics file for each audio file. */
export function findLyricsFiles(audioNames: readonly string[], textNames: readonly string[]): (string | undefined)[] {
  const byStem = new Map<string, string>();
  for (const name of textNames.toSorted((a, b) => rankOf(b) - rankOf(a))) byStem.set(stemOf(name), name);
  const byStemAndLanguage = new Map([...byStem].map(([stem, name]) => [withoutLanguage(stem), name]));
  return audioNames.map((name) => byStem.get(stemOf(name)) ?? byStemAndLanguage.get(stemOf(name)));
}

/** Returns name, size and time of a lyrics file as one text, by which changes are detected. */
export const lyricsStamp = (name: string, { size, mtimeUs }: { size: number; mtimeUs: number }): string =>
  `${name}/${size}/${mtimeUs}`;
export const nameInLyricsStamp = (stamp: string): string => stamp.slice(0, stamp.indexOf('/'));
