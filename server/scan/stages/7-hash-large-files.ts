// In reference mode a scan reads only the tags of a large file. This stage hashes the audio at the end, when the
// library already shows the track. The hash identifies a file that was moved and retagged at once. A file that cannot
// be read is left to the next scan.
import type { MainDb } from '../../db/client.ts';
import type { RowOf } from '../../db/rows.ts';
import type { tracks } from '../../db/schema.ts';
import type { ReaderPool } from '../../files/reader-pool.ts';
import type { MusicRoots } from '../../storage/music-roots.ts';
import { filePathOf } from '../../storage/uri.ts';

const GROUP_FILES = 64;

interface HashLargeFilesDeps {
  db: MainDb;
  reader: Pick<ReaderPool, 'read'>;
  root: MusicRoots;
  source: string;
  signal: AbortSignal;
}

export async function hashLargeFiles({ db, reader, root, source, signal }: HashLargeFilesDeps): Promise<void> {
  const client = db.$client;
  const listUnhashed = client.prepare<
    [string, number, number],
    RowOf<typeof tracks, 'id' | 'storageUri'> & { storage_uri: string }
  >(
    `SELECT id, storage_uri FROM tracks WHERE source = ? AND id > ? AND audio_hash IS NULL
      AND storage_uri IS NOT NULL AND availability = 'available' ORDER BY id LIMIT ?`,
  );
  const setAudioHash = client.prepare('UPDATE tracks SET audio_hash = ? WHERE id = ? AND storage_uri = ?');
  for (let lastId = 0; ;) {
    const rows = listUnhashed.all(source, lastId, GROUP_FILES);
    const lastRow = rows.at(-1);
    if (!lastRow) return;
    signal.throwIfAborted();
    lastId = lastRow.id;
    const files = rows.flatMap(({ id, storage_uri }) => {
      const path = filePathOf(storage_uri);
      return path === undefined ? [] : [{ id, storage_uri, path }];
    });
    const results = await reader.read({
      root,
      paths: files.map(({ path }) => path),
      copyTo: null,
      hashLarge: true,
    });
    client
      .transaction(() => {
        for (const [i, row] of files.entries()) {
          const result = results[i];
          if (result?.ok && result.audioHash !== null) setAudioHash.run(result.audioHash, row.id, row.storage_uri);
        }
      })
      .immediate();
  }
}
