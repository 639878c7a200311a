// Names of the tracks in one file: `Album.flac//003` is the third track of Album.flac. No file can have such a name,
// since file names do not contain slashes. Pure.

export const SHEET_EXTENSION = 'cue';
/** The reason why a file with a CUE sheet stays one track. */
export const NEEDS_FFMPEG_REASON = 'its cue sheet is not used, because that takes ffmpeg, which is not installed';

const SEPARATOR = '//';
const NUMBER_DIGITS = 3;

/** Returns the name of a section. `file` is the name of the file, or its source id. */
export const sectionName = (file: string, number: number): string =>
  `${file}${SEPARATOR}${String(number).padStart(NUMBER_DIGITS, '0')}`;

/** Returns the file to which a section belongs; undefined if `name` is the name of a file. */
export function fileOfSection(name: string): string | undefined {
  const index = name.lastIndexOf(SEPARATOR);
  return index < 0 ? undefined : name.slice(0, index);
}

export const numberOfSection = (name: string): number => Number(name.slice(name.lastIndexOf(SEPARATOR) + 2));
