// The table of folders that scans have seen, with their signatures. When all files of a folder are tracks, its
// signature is stored, and the next scan skips the folder as long as its listing stays the same.
import type { Sqlite } from '../../db/client.ts';
import type { RowOf } from '../../db/rows.ts';
import type { sourceFolders } from '../../db/schema.ts';
import type { FolderBatch } from '../walk/compare-folder.ts';

/** Maximum number of cached ids; the files of a folder are written close together. */
const MAX_CACHED_IDS = 5_000;

/** A signature to store when the folder's remaining files are written. */
interface PendingSignature {
  filesToWrite: number;
  signature: string;
}

export function createFolderRows(client: Sqlite, source: string, now: () => Date) {
  const upsert = client.prepare<[string, string, string | null, string | null], RowOf<typeof sourceFolders, 'id'>>(
    `INSERT INTO source_folders (source, path, image_name, artist_image) VALUES (?, ?, ?, ?)
      ON CONFLICT (source, path) DO UPDATE SET image_name = excluded.image_name, artist_image = excluded.artist_image
      RETURNING id`,
  );
  const findFolder = client.prepare<[string, string], RowOf<typeof sourceFolders, 'id'>>(
    'SELECT id FROM source_folders WHERE source = ? AND path = ?',
  );
  const updateSignature = client.prepare<[string | null, number]>(
    'UPDATE source_folders SET signature = ? WHERE id = ?',
  );
  const updateLinkTarget = client.prepare<[string | null, number]>(
    'UPDATE source_folders SET link_target = ? WHERE id = ?',
  );
  const findPath = client.prepare<[number], string>('SELECT path FROM source_folders WHERE id = ?').pluck();
  const touchAlbums = client.prepare<[number, number]>(
    `UPDATE albums SET updated_at = ? WHERE id IN
      (SELECT t.album_id FROM source_files f JOIN tracks t ON t.id = f.track_id WHERE f.folder_id = ?)`,
  );
  const ids = new Map<string, number>();
  const pendingSignatures = new Map<string, PendingSignature>();
  /** The pending signatures at the time of `beginUndo`, of folders that changed since. */
  let previousSignatures = new Map<string, PendingSignature | undefined>();

  function setPending(path: string, pending: PendingSignature | undefined): void {
    if (!previousSignatures.has(path)) previousSignatures.set(path, pendingSignatures.get(path));
    if (pending) pendingSignatures.set(path, pending);
    else pendingSignatures.delete(path);
  }

  /** Returns the id of a folder, and inserts its row if there is none. */
  function findOrInsertId(path: string): number {
    const id = ids.get(path) ?? findFolder.get(source, path)?.id ?? upsert.all(source, path, null, null)[0]?.id;
    if (id === undefined) throw new Error('the folder was not written');
    if (ids.size > MAX_CACHED_IDS) ids.clear();
    ids.set(path, id);
    return id;
  }

  return {
    idOf: findOrInsertId,
    /** Clears the cached ids. To be called when a savepoint was rolled back, because a row may be gone with it. */
    forgetIds: (): void => ids.clear(),

    /** Returns a function that undoes changes from here on, for when the transaction is rolled back. */
    beginUndo(): () => void {
      const changedFolders = (previousSignatures = new Map());
      return () => {
        ids.clear();
        for (const [path, pending] of changedFolders) setPending(path, pending);
      };
    },

    /** Stores the pictures of a folder, and marks its albums as changed, since they may have another cover. */
    setImages(path: string, { imageName, artistImage }: Pick<FolderBatch, 'imageName' | 'artistImage'>): void {
      const id = upsert.all(source, path, imageName, artistImage)[0]?.id;
      if (id !== undefined) touchAlbums.run(now().getTime(), id);
    },

    /** Stores to which folder the path leads as a link; null for an ordinary folder. */
    setLinkTarget: (path: string, target: string | null): void =>
      void updateLinkTarget.run(target, findOrInsertId(path)),

    /** Stores the signature, or waits for `files` calls of `countWrittenFile` before it is stored. */
    setSignature(path: string, signature: string | null, files: number): void {
      if (signature !== null && files > 0) setPending(path, { filesToWrite: files, signature });
      else updateSignature.run(signature, findOrInsertId(path));
    },

    /** Counts a file of the folder that was written. If the file is not a track, no signature is stored. */
    countWrittenFile(path: string, isTrack: boolean): void {
      const pending = pendingSignatures.get(path);
      if (!pending) return;
      const filesToWrite = pending.filesToWrite - 1;
      if (isTrack && filesToWrite > 0) return setPending(path, { ...pending, filesToWrite });
      setPending(path, undefined);
      if (isTrack) updateSignature.run(pending.signature, findOrInsertId(path));
    },

    /** Removes the signature of a folder in which a file lost its row, whatever happens to the other files. */
    clearSignature(id: number): void {
      const path = findPath.get(id);
      if (path !== undefined) setPending(path, undefined);
      updateSignature.run(null, id);
    },
  };
}
