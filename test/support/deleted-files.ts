// Checks deleted tracks: wherever their files are, they stay deleted until a user restores them or changes the file.
import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { TrackId } from '../../server/db/ids.ts';
import { stampOf } from '../../server/files/file-stamp.ts';

/** Returns a key of a file with its current content. */
const keyOf = ({ ino, mtimeUs }: { ino: number; mtimeUs: number }): string => `${ino}/${mtimeUs}`;

export function createDeletedFiles(client: Database) {
  /** Keys of the files of each deleted track. */
  const files = new Map<TrackId, string[]>();
  const listFiles = client.prepare<[TrackId], { ino: number; mtimeUs: number }>(
    'SELECT ino, mtime_us AS mtimeUs FROM source_files WHERE track_id = ?',
  );
  const listDeleted = client
    .prepare<[], TrackId>('SELECT id FROM trashed_tracks WHERE merged_into IS NULL AND is_hidden = 0 ORDER BY id')
    .pluck();
  const findTrack = client.prepare<[string], TrackId>('SELECT id FROM tracks WHERE source_id = ?').pluck();

  return {
    tracks: (): TrackId[] => listDeleted.all(),
    /** Notes the files of a track before it is deleted. */
    note: (id: TrackId): void => void files.set(id, listFiles.all(id).map(keyOf)),
    /** Forgets all files, because a file that is moved now cannot be recognized any more. */
    forget: (): void => files.clear(),
    reset: (): void => files.clear(),

    /** Returns the faults. `paths` are all files on disk. */
    faults(paths: readonly string[], sourceIdAt: (path: string) => string): string[] {
      const keys = new Set(listDeleted.all().flatMap((id) => files.get(id) ?? []));
      return paths
        .filter((path) => {
          const stat = statSync(path);
          return keys.has(keyOf({ ino: stat.ino, ...stampOf(stat) }));
        })
        .filter((path) => findTrack.get(sourceIdAt(path)) !== undefined)
        .map((path) => `${sourceIdAt(path)} was deleted, and is a track again`);
    },
  };
}
