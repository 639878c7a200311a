// Before the first copy of a music folder, the sizes of its files are added up in a walk of its own: a folder that does
// not fit into the storage is refused before any of it is copied. Later scans judge their files group by group.
import { keyOfPath, keysOf, type MusicRoots } from '../storage/music-roots.ts';
import type { ListedFile } from './compare-folder.ts';
import type { CopyRoom } from './copy-room.ts';
import type { Refusal } from './refusal.ts';

interface FirstCopiesDeps {
  /** Music folders that are copied for the first time. */
  folders: { key: string; name: string }[];
  root: MusicRoots;
  /** Gives all files of these folders, in groups. */
  walk: () => AsyncIterable<ListedFile[]>;
  room: Pick<CopyRoom, 'available' | 'costOf' | 'tryClone' | 'storedSizes'>;
}

interface Need {
  files: number;
  bytes: number;
}

/** The folders that do not fit, by key. */
export async function refuseFirstCopies(deps: FirstCopiesDeps): Promise<Map<string, Refusal>> {
  if (deps.folders.length === 0) return new Map();
  const available = await deps.room.available();
  if (available === Infinity) return new Map();
  const refused = refusedOf(deps, await measure(deps, new Map()), available);
  if (refused.size === 0) return refused;
  const stored = await deps.room.storedSizes();
  return stored.size === 0 ? refused : refusedOf(deps, await measure(deps, stored), available);
}

/** A file as long as a stored one counts as stored; whether it is, is seen when it is read. */
async function measure({ root, walk, room }: FirstCopiesDeps, stored: Map<number, number>): Promise<Map<string, Need>> {
  const keys = keysOf(root);
  const left = new Map(stored);
  const needs = new Map<string, Need>();
  for await (const files of walk())
    for (const file of files) {
      const { sizeBytes } = file.candidate;
      const copies = left.get(sizeBytes) ?? 0;
      if (copies > 0) left.set(sizeBytes, copies - 1);
      if (copies > 0) continue;
      await room.tryClone(file);
      const key = keyOfPath(keys, file.path);
      const need = needs.get(key) ?? { files: 0, bytes: 0 };
      needs.set(key, { files: need.files + 1, bytes: need.bytes + room.costOf(file) });
    }
  return needs;
}

function refusedOf({ folders }: FirstCopiesDeps, needs: Map<string, Need>, available: number): Map<string, Refusal> {
  const refused = new Map<string, Refusal>();
  let left = available;
  for (const { key, name } of folders) {
    const need = needs.get(key);
    if (!need) continue;
    if (need.bytes > left) refused.set(key, { ...need, folder: name, availableBytes: left });
    else left -= need.bytes;
  }
  return refused;
}
