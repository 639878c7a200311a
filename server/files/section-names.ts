// How the tracks of one file are called: `Album.flac//003` is the third of Album.flac. No file can be called that,
// since no name contains a slash. Pure.

export const SHEET_EXTENSION = 'cue';
/** Why a file with a sheet stays one track. */
export const NEEDS_FFMPEG = 'its cue sheet is not used, because that takes ffmpeg, which is not installed';

const SEPARATOR = '//';
const DIGITS = 3;

/** Takes the name of a file, or its source id. */
export const sectionName = (file: string, number: number): string =>
  `${file}${SEPARATOR}${String(number).padStart(DIGITS, '0')}`;

/** The file that a section belongs to; undefined for the name of a file. */
export function fileOfSection(name: string): string | undefined {
  const at = name.lastIndexOf(SEPARATOR);
  return at < 0 ? undefined : name.slice(0, at);
}

export const numberOfSection = (name: string): number => Number(name.slice(name.lastIndexOf(SEPARATOR) + 2));
