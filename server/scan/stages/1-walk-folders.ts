// Walk stage: the files that have to be looked at, in groups, and the music folders whose first copy does not fit.
import { hasHeldMusic } from '../../files/music-folder.ts';
import { rootKeysOf } from '../../storage/music-roots.ts';
import { changesRows, type ListedFile } from '../walk/compare-folder.ts';
import { refuseFirstCopies } from '../copies/first-copies.ts';
import { createProgress } from '../progress.ts';
import { LOCAL_FOLDER, type Scan } from '../scan-context.ts';
import { createScanRecord, recordBatch } from '../scan-record.ts';

const GROUP_FILES = 64;

/**
 * Finds the music folders that are not scanned, because their first copy does not fit. A whole folder is measured, also
 * if only a part of it is scanned.
 */
export function findRefusedFolders(scan: Scan): ReturnType<typeof refuseFirstCopies> {
  const { db, root, musicFolders, closedKeys, onProgress, copyQuota } = scan;
  const keys = rootKeysOf(root);
  const isFirstCopy = ({ key, mode }: Scan['musicFolders'][number]): boolean =>
    mode === 'copy' && !closedKeys.includes(key) && !hasHeldMusic(db, key, keys);
  const newFolders = scan.copies ? musicFolders.filter(isFirstCopy) : [];
  const otherKeys = keys.filter((key) => !newFolders.some((folder) => folder.key === key));
  const record = createScanRecord();
  const progress = createProgress(record, musicFolders, onProgress);
  const walkNewFolders = () =>
    walk({ ...scan, folders: [''], closedKeys: otherKeys, record, progress, rows: { push: () => undefined } });
  return refuseFirstCopies({ folders: newFolders, root, walk: walkNewFolders, room: copyQuota });
}

/** Returns the same part of the music folders without the folders of these keys. */
export const withoutFolders = (
  { folders, closedKeys, keyAt }: Pick<Scan, 'folders' | 'closedKeys' | 'keyAt'>,
  keys: readonly string[],
): Pick<Scan, 'folders' | 'closedKeys'> => ({
  folders: folders.includes('') ? folders : folders.filter((path) => !keys.includes(keyAt(path))),
  closedKeys: [...closedKeys, ...keys],
});

type Walk = Omit<Scan, 'rows'> & { rows: Pick<Scan['rows'], 'push'> };

/** Yields the files that have to be looked at, in groups. Changes of a folder's own row are written right away. */
export async function* walk({
  walkFolders,
  record,
  rows,
  progress,
  signal,
  ...scan
}: Walk): AsyncGenerator<ListedFile[]> {
  const { root, folders, closedKeys, restore, reread = false, canSplit, databasePath } = scan;
  const order = { root, folders, closedKeys, restore, reread, canSplit, databasePath, source: LOCAL_FOLDER };
  for await (const { batches } of walkFolders(order, signal)) {
    let group: ListedFile[] = [];
    for (const folderBatch of batches) {
      recordBatch(record, folderBatch, scan.keyAt(folderBatch.path));
      const { candidates, ...batch } = folderBatch;
      if (changesRows(folderBatch)) rows.push([{ kind: 'folder', batch, files: candidates.length }]);
      for (const candidate of candidates) {
        group.push({ path: batch.path, candidate });
        if (group.length < GROUP_FILES) continue;
        yield group;
        group = [];
      }
    }
    if (group.length > 0) yield group; // what was found so far is read while the walk goes on
    progress.report(batches.at(-1)?.path ?? '');
  }
  signal.throwIfAborted();
  progress.finishWalk();
}
