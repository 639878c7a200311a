// A parsed playlist file of any format.
import { TEXT_LIMITS } from '../runtime/text-limits.ts';

/** A track of the file: its location, and its metadata if the file has any. `line` counts from 1. */
export interface FileEntry {
  line: number;
  location: string;
  title?: string | undefined;
  artist?: string | undefined;
  album?: string | undefined;
  durationMs?: number | undefined;
}
export interface PlaylistFile {
  name: string | undefined;
  entries: FileEntry[];
}

/** The maximum number of entries; a longer file is refused, so the parsers stop after one more entry. */
export const { entries: MAX_FILE_ENTRIES } = TEXT_LIMITS.playlist;
