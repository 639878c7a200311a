// Compares the playlist files of listed folders with what the last scan saw of them: one stat for each.
import fs from 'node:fs';
import { isSameStamp, stampOf } from '../../files/file-stamp.ts';
import { extensionOf } from '../../files/file-kinds.ts';
import { join } from '../../files/relative-path.ts';
import { whyNotRead } from '../../media/audio-formats.ts';
import type { FolderBatch } from './compare-folder.ts';
import type { KnownPlaylist } from './known-files.ts';
import { codeOf, pathIn, type Listing } from './list-folder.ts';

/** `knownPlaylists` is undefined if playlist files are not read. */
export function createPlaylistComparison(knownPlaylists: readonly KnownPlaylist[] | undefined) {
  const unseenByPath = new Map(knownPlaylists?.map((playlist) => [playlist.path, playlist]));

  function compareFile({ path: folder, prefix }: Listing, name: string, batch: FolderBatch): void {
    const path = join(folder, name);
    const knownPlaylist = unseenByPath.get(path);
    unseenByPath.delete(path);
    try {
      const stat = fs.statSync(pathIn(prefix, name));
      const stamp = { ...stampOf(stat), dev: stat.dev, ino: stat.ino };
      if (!knownPlaylist || !isSameStamp(knownPlaylist, stamp))
        batch.playlistChanges.push({ path, kind: 'changed', stamp });
    } catch (error) {
      batch.skippedFiles.push({ name, reason: `the playlist cannot be looked at (${codeOf(error)})` });
    }
  }

  return {
    /** Adds the changes of a folder to its batch. */
    compare(listing: Listing, batch: FolderBatch): void {
      for (const name of listing.playlistNames)
        if (knownPlaylists) compareFile(listing, name, batch);
        else batch.skippedFiles.push({ name, reason: whyNotRead(extensionOf(name)) });
    },
    /** Returns the paths of stored files that were in none of the folders. */
    listUnseen: (): string[] => [...unseenByPath.keys()],
  };
}
