// Before the first copy of a music folder, the sizes of its files are added up in a separate walk: a folder that does
// not fit into the storage is refused before any of it is copied. Later scans check their files group by group.
import { keyOfPath, rootKeysOf, type MusicRoots } from '../../storage/music-roots.ts';
import type { ListedFile } from '../walk/compare-folder.ts';
import type { CopyQuota } from './copy-quota.ts';
import type { Refusal } from './refusal.ts';

interface FirstCopiesDeps {
  /** Music folders that are copied for the first time. */
  folders: { key: string; name: string }[];
  root: MusicRoots;
  /** Yields all files of these folders, in groups. */
  walk: () => AsyncIterable<ListedFile[]>;
  quota: Pick<CopyQuota, 'available' | 'costOf' | 'tryClone' | 'storedSizeCounts'>;
}

interface CopyNeed {
  files: number;
  bytes: number;
}

/** Returns the folders that do not fit, by key. */
export async function refuseFirstCopies(deps: FirstCopiesDeps): Promise<Map<string, Refusal>> {
  if (deps.folders.length === 0) return new Map();
  const availableBytes = await deps.quota.available();
  if (availableBytes === Infinity) return new Map();
  const refusals = refusalsOf(deps, await measureNeeds(deps, new Map()), availableBytes);
  if (refusals.size === 0) return refusals;
  const storedSizeCounts = await deps.quota.storedSizeCounts();
  return storedSizeCounts.size === 0
    ? refusals
    : refusalsOf(deps, await measureNeeds(deps, storedSizeCounts), availableBytes);
}

/**
 * Measures how much space the folders need. A file of the same size as a stored file counts as stored; reading the file
 * later shows whether it is.
 */
async function measureNeeds(
  { root, walk, quota }: FirstCopiesDeps,
  storedSizeCounts: Map<number, number>,
): Promise<Map<string, CopyNeed>> {
  const keys = rootKeysOf(root);
  const remainingCounts = new Map(storedSizeCounts);
  const needs = new Map<string, CopyNeed>();
  for await (const files of walk())
    for (const file of files) {
      const { sizeBytes } = file.candidate;
      const storedCount = remainingCounts.get(sizeBytes) ?? 0;
      if (storedCount > 0) remainingCounts.set(sizeBytes, storedCount - 1);
      if (storedCount > 0) continue;
      await quota.tryClone(file);
      const key = keyOfPath(keys, file.path);
      const need = needs.get(key) ?? { files: 0, bytes: 0 };
      needs.set(key, { files: need.files + 1, bytes: need.bytes + quota.costOf(file) });
    }
  return needs;
}

function refusalsOf(
  { folders }: FirstCopiesDeps,
  needs: Map<string, CopyNeed>,
  availableBytes: number,
): Map<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  let remainingBytes = availableBytes;
  for (const { key, name } of folders) {
    const need = needs.get(key);
    if (!need) continue;
    if (need.bytes > remainingBytes) refusals.set(key, { ...need, folder: name, availableBytes: remainingBytes });
    else remainingBytes -= need.bytes;
  }
  return refusals;
}
