// Walk stage: yields the files that have to be examined, in groups, and finds music folders whose first copy does not
// fit.
import { hasHeldMusic } from '../../files/music-folder.ts';
import { rootKeysOf } from '../../storage/music-roots.ts';
import { changesRows, type ListedFile } from '../walk/compare-folder.ts';
import { refuseFirstCopies } from '../copies/first-copies.ts';
import { createProgress } from '../progress.ts';
import { LOCAL_FOLDER, type Scan, type ScannedFolders, type ScanOptions } from '../scan-context.ts';
import { createScanRecord, recordBatch } from '../scan-record.ts';

const GROUP_FILES = 64;

/**
 * Finds the music folders that are not scanned, because their first copy does not fit. The complete folder is measured,
 * even if only a part of it is scanned.
 */
export function findRefusedFolders(scan: Scan): ReturnType<typeof refuseFirstCopies> {
  const { roots, musicFolders, onProgress } = scan.options;
  const keys = rootKeysOf(roots);
  const isFirstCopy = ({ key, mode }: ScanOptions['musicFolders'][number]): boolean =>
    mode === 'copy' && !scan.scope.closedKeys.includes(key) && !hasHeldMusic(scan.deps.db, key, keys);
  const newFolders = scan.copies.isEnabled ? musicFolders.filter(isFirstCopy) : [];
  const closedKeys = keys.filter((key) => !newFolders.some((folder) => folder.key === key));
  const record = createScanRecord();
  const progress = createProgress(record, musicFolders, onProgress);
  const walkNewFolders = () =>
    walk({ ...scan, record, progress, rows: { push: () => undefined } }, { folders: [''], closedKeys });
  return refuseFirstCopies({ folders: newFolders, root: roots, walk: walkNewFolders, quota: scan.copies.quota });
}

/** Returns the scan without the music folders of these keys. */
export function withoutFolders(scan: Scan, keys: readonly string[]): Scan {
  const { folders, closedKeys, keyAt } = scan.scope;
  return {
    ...scan,
    scope: {
      ...scan.scope,
      folders: folders.includes('') ? folders : folders.filter((path) => !keys.includes(keyAt(path))),
      closedKeys: [...closedKeys, ...keys],
    },
  };
}

type Walk = Omit<Scan, 'rows'> & { rows: Pick<Scan['rows'], 'push'> };

/** Yields the files that have to be examined, in groups. Changes of a folder's own row are written right away. */
export async function* walk(
  { deps, options, scope, canSplit, record, rows, progress }: Walk,
  { folders, closedKeys }: ScannedFolders,
): AsyncGenerator<ListedFile[]> {
  const { roots: root, restore, reread = false, signal } = options;
  const { databasePath, ownFolders } = deps;
  const ignoredNames = deps.ignoredNames();
  const order = {
    root,
    folders,
    closedKeys,
    ignoredNames,
    ownFolders,
    restore,
    reread,
    canSplit,
    databasePath,
    readsPlaylists: deps.playlistFiles.isEnabled(),
    source: LOCAL_FOLDER,
  };
  for await (const { batches } of deps.walkFolders(order, signal)) {
    let group: ListedFile[] = [];
    for (const folderBatch of batches) {
      recordBatch(record, folderBatch, scope.keyAt(folderBatch.path));
      const { candidates, ...batch } = folderBatch;
      if (changesRows(folderBatch)) rows.push([{ kind: 'folder', batch, files: candidates.length }]);
      for (const candidate of candidates) {
        group.push({ path: batch.path, candidate });
        if (group.length < GROUP_FILES) continue;
        yield group;
        group = [];
      }
    }
    if (group.length > 0) yield group; // the last group is read while the walk continues, even if it is not full
    progress.report(batches.at(-1)?.path ?? '');
  }
  signal.throwIfAborted();
  progress.finishWalk();
}
