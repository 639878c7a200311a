// Marks files whose copy in the storage is missing, so that the scan reads them again as if they had changed, although
// they are the same.
import type { MainDb } from '../../db/client.ts';
import { FILE_SCHEME } from '../../storage/uri.ts';

/** A modification time that no file can have. */
const IMPOSSIBLE_MTIME_US = -1;

export function markLostCopiesChanged({ $client: client }: MainDb, source: string): void {
  const lostTracks = `SELECT id FROM tracks WHERE source = ? AND availability <> 'available'
    AND availability = 'missing'
    AND storage_uri IS NOT NULL AND storage_uri NOT LIKE '${FILE_SCHEME}:%'`;
  client
    .transaction(() => {
      client
        .prepare(
          `UPDATE source_folders SET signature = NULL WHERE id IN
             (SELECT folder_id FROM source_files WHERE state = 'track' AND track_id IN (${lostTracks}))`,
        )
        .run(source);
      client
        .prepare(`UPDATE source_files SET mtime_us = ? WHERE state = 'track' AND track_id IN (${lostTracks})`)
        .run(IMPOSSIBLE_MTIME_US, source);
    })
    .immediate();
}
