// Finds the audio of missing tracks that is back at its former place.
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { tracks } from '../../db/schema.ts';
import type { AudioStore } from '../../storage/audio-store.ts';
import { FILE_SCHEME, filePathOf } from '../../storage/uri.ts';

interface ReturnedAudioDeps {
  db: MainDb;
  audioStore: AudioStore;
  /** Returns whether that file of a music folder is in a folder that scans ignore. */
  isIgnored: (path: string) => Promise<boolean>;
}

export function createReturnedAudio({ db, audioStore, isIgnored }: ReturnedAudioDeps) {
  const findMissing = db.$client.prepare<
    [TrackId],
    RowAs<typeof tracks, 'sizeBytes' | 'sectionStart'> & { uri: string }
  >(
    `SELECT storage_uri AS uri, size_bytes AS sizeBytes, section_start AS sectionStart FROM tracks
      WHERE id = ? AND availability = 'missing' AND storage_uri IS NOT NULL`,
  );
  // a file's row is still `deleted` if its track was restored from the trash and no scan has run since
  const hasFile = db.$client.prepare<{ id: TrackId; size: number; mtimeUs: number }>(
    `SELECT 1 FROM source_files WHERE track_id = @id AND state IN ('track', 'gone', 'deleted') AND size_bytes = @size
      AND abs(mtime_us - @mtimeUs) <= 1000`, // tolerates that a Date is rounded to milliseconds
  );
  const listMissing = db.$client
    .prepare<[], TrackId>("SELECT id FROM tracks WHERE availability <> 'available' AND availability = 'missing'")
    .pluck();

  return {
    listMissing: (): TrackId[] => listMissing.all(),

    /**
     * Returns the storage URI of a missing track whose audio exists again; else undefined. A file of a music folder has
     * to be the same file that the track had, by size and time. Sections of a file, and files that changed, are left to
     * the scan.
     */
    async findUri(id: TrackId): Promise<string | undefined> {
      const track = findMissing.get(id);
      if (!track) return undefined;
      const { uri, sizeBytes, sectionStart } = track;
      const stat = await audioStore
        .resolve(uri)
        .then((file) => file.stat())
        .catch(() => undefined);
      if (!stat) return undefined;
      const isSameFile = uri.startsWith(`${FILE_SCHEME}:`)
        ? sectionStart === null && hasFile.get({ id, size: stat.size, mtimeUs: stat.modifiedAt.getTime() * 1_000 })
        : sectionStart !== null || stat.size === sizeBytes;
      if (!isSameFile) return undefined;
      const path = filePathOf(uri);
      return path !== undefined && (await isIgnored(path)) ? undefined : uri;
    },
  };
}
