// The names that scans and the watch look at: audio, images, lyrics and cue sheets. Hidden files are skipped, and
// folders with an ignore mark, including everything below.
import { AUDIO_EXTENSIONS } from '../media/audio-formats.ts';
import { LYRICS_EXTENSIONS } from './lyrics-files.ts';
import { SHEET_EXTENSION } from './section-names.ts';

export const IGNORE_MARKS = ['.ignore', '.nomedia'];
export const PICTURE_EXTENSIONS = new Set(['jpg', 'jpeg', 'png', 'webp', 'gif']);

/** `other` may be a folder, or a file that scans ignore. */
type NameKind = 'mark' | 'hidden' | 'music' | 'other';

export function kindOf(name: string): NameKind {
  if (name.startsWith('.')) return IGNORE_MARKS.includes(name) ? 'mark' : 'hidden';
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return AUDIO_EXTENSIONS.has(extension) ||
    PICTURE_EXTENSIONS.has(extension) ||
    LYRICS_EXTENSIONS.includes(extension) ||
    extension === SHEET_EXTENSION
    ? 'music'
    : 'other';
}
