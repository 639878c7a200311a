// What a playlist file comes down to, whatever format it is in.

/** What a line says: where the track was, and what the file says of it. `line` counts from 1. */
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

/** Whoever reads refuses a file with more; the parser gives one more than that. */
export const MOST_ENTRIES = 50_000;
