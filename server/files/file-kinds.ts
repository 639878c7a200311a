// Determines the kind of a file by its name alone, for scans and the watch. Hidden files are skipped; so are folders
// with an ignore mark and everything below them.
import { AUDIO_EXTENSIONS } from '../media/audio-formats.ts';
import { LYRICS_EXTENSIONS } from './lyrics-files.ts';
import { SHEET_EXTENSION } from './section-names.ts';

export const IGNORE_MARKS = ['.ignore', '.nomedia'];
const PICTURE_EXTENSIONS = new Set(['jpg', 'jpeg', 'png', 'webp', 'gif']);

/** `lyrics` and `sheet` count only in a folder with audio. `other` may be a folder, or a file that scans ignore. */
type NameKind = 'mark' | 'hidden' | 'audio' | 'picture' | 'lyrics' | 'sheet' | 'other';

export function kindOf(name: string): NameKind {
  if (name.startsWith('.')) return IGNORE_MARKS.includes(name) ? 'mark' : 'hidden';
  const extension = extensionOf(name);
  if (AUDIO_EXTENSIONS.has(extension)) return 'audio';
  if (PICTURE_EXTENSIONS.has(extension)) return 'picture';
  if (LYRICS_EXTENSIONS.includes(extension)) return 'lyrics';
  return extension === SHEET_EXTENSION ? 'sheet' : 'other';
}

/** Returns the extension in lower case, without the dot; '' for a name without an extension. */
export const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
};
