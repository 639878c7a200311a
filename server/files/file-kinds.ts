// Determines the kind of a file by its name alone, for scans and the watch. Which names are left out: ignore-rules.ts.
import { AUDIO_EXTENSIONS } from '../media/audio-formats.ts';
import { IGNORE_FILES, isHiddenName } from './ignore-rules.ts';
import { LYRICS_EXTENSIONS } from './lyrics-names.ts';
import { PLAYLIST_EXTENSIONS } from '../playlists/playlist-formats.ts';
import { SHEET_EXTENSION } from './section-names.ts';

const PICTURE_EXTENSIONS = new Set(['jpg', 'jpeg', 'png', 'webp', 'gif', 'avif']);

/** `lyrics` and `sheet` count only in a folder with audio. `other` may be a folder, or a file that scans ignore. */
type NameKind = 'ignore file' | 'hidden' | 'audio' | 'picture' | 'lyrics' | 'sheet' | 'playlist' | 'other';

export function kindOf(name: string): NameKind {
  if (isHiddenName(name)) return IGNORE_FILES.includes(name) ? 'ignore file' : 'hidden';
  const extension = extensionOf(name);
  if (AUDIO_EXTENSIONS.has(extension)) return 'audio';
  if (PICTURE_EXTENSIONS.has(extension)) return 'picture';
  if (LYRICS_EXTENSIONS.includes(extension)) return 'lyrics';
  if (PLAYLIST_EXTENSIONS.has(extension)) return 'playlist';
  return extension === SHEET_EXTENSION ? 'sheet' : 'other';
}

/** Returns the extension in lower case, without the dot; '' for a name without an extension. */
export const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
};
