// Counts what a folder of this computer contains, by the names that scans go by, so that people see how much music it
// has before they choose it, and why a scan finds none. Links are not followed; only names and sizes are read.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { extensionOf, kindOf } from '../files/file-kinds.ts';
import { readIgnoreFiles } from '../files/ignore-files.ts';
import { createIgnoreRules, findIgnoreReason, rulesInFolder, type IgnoreRules } from '../files/ignore-rules.ts';
import { isProtectedExtension } from '../media/audio-formats.ts';
import { diskUsage } from '../storage/local.ts';
import { resolveServerFolder, type OwnFolders } from './server-disk.ts';
import type { FolderContentsOut } from './wire.ts';

const MAX_KINDS = 3;

interface FolderOptions {
  ownFolders: OwnFolders;
  /** LOCAL_MEDIA_IGNORE. */
  ignoredNames: string;
  /** A folder with more names is counted in part. */
  maxEntries: number;
  /** Stops counting; the counts are then of a part. */
  signal: AbortSignal;
}

/** Counts the files of a folder and of all folders in it. Throws `invalid` like listServerFolder(). */
export async function countFolderContents(
  path: string,
  { ownFolders, ignoredNames, maxEntries, signal }: FolderOptions,
): Promise<FolderContentsOut> {
  const root = await resolveServerFolder(path, ownFolders);
  const counts = {
    audio_files: 0,
    audio_bytes: 0,
    folders: 0,
    protected_files: 0,
    other_files: 0,
    ignored: 0,
    unreadable_folders: 0,
  };
  const filesByExtension = new Map<string, number>();
  let entryCount = 0;
  const pendingFolders: { folder: string; rules: IgnoreRules }[] = [
    { folder: root, rules: createIgnoreRules(ignoredNames) },
  ];
  const isStopped = (): boolean => signal.aborted || entryCount > maxEntries;
  while (pendingFolders.length > 0 && !isStopped()) {
    const { folder, rules } = pendingFolders.pop()!;
    const listing = await listWithRules(folder, rules);
    if (!listing) {
      counts.unreadable_folders += 1;
      continue;
    }
    for (const entry of listing.entries) {
      entryCount += 1;
      if (isStopped()) break;
      const isFolder = entry.isDirectory();
      if (kindOf(entry.name) === 'ignore file' || (!isFolder && !entry.isFile())) continue;
      if (listing.rules.ignoredBy !== undefined || findIgnoreReason(listing.rules, entry.name, isFolder) !== undefined)
        counts.ignored += 1;
      else if (isFolder) {
        counts.folders += 1;
        pendingFolders.push({ folder: join(folder, entry.name), rules: rulesInFolder(listing.rules, entry.name) });
      } else if (kindOf(entry.name) === 'audio') {
        counts.audio_files += 1;
        counts.audio_bytes += await lstat(join(folder, entry.name)).then(
          ({ size }) => size,
          () => 0, // removed since its folder was listed
        );
      } else {
        counts.other_files += 1;
        const extension = extensionOf(entry.name);
        if (isProtectedExtension(extension)) counts.protected_files += 1;
        filesByExtension.set(extension, (filesByExtension.get(extension) ?? 0) + 1);
      }
    }
  }
  const otherKinds = [...filesByExtension].map(([extension, files]) => ({ extension, files }));
  return {
    path: root,
    ...counts,
    other_kinds: otherKinds.sort((a, b) => b.files - a.files).slice(0, MAX_KINDS),
    is_complete: !isStopped(),
    library_free_bytes: (await diskUsage(ownFolders.storageRoot)).freeBytes,
  };
}

/** Returns the names in a folder, and its rules with those of its ignore files; undefined if it cannot be read. */
async function listWithRules(folder: string, rules: IgnoreRules) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.map(({ name }) => name);
    return { entries, rules: readIgnoreFiles(rules, folder, names) };
  } catch {
    return undefined;
  }
}
