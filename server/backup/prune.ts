// Deletes old snapshots, and from time to time the objects that no snapshot needs any more.
import { messageOf } from '../errors.ts';
import type { Lease } from './lease.ts';
import { hashInBackup, type Manifest } from './manifest.ts';
import { isDamage, PACK_BYTES, type Pack } from './packs.ts';
import type { Repository } from './repository.ts';
import { snapshotsToKeep } from './retention.ts';
import type { BackupResult } from './wire.ts';

/** Unused objects are searched for only this often, because the search reads all lists. */
const MIN_UNUSED_MS = 3 * 86_400_000;
/** Packs with a larger share of unused bytes are rewritten. */
const MAX_UNUSED_SHARE = 0.3;
/** If there are this many small packs, they are joined. */
const MIN_SMALL_PACKS = 12;
const SMALL_PACK_BYTES = PACK_BYTES >> 2;
/** After this many deletions it is checked again that the lease is held. */
const DELETIONS_PER_CHECK = 200;

interface PruneOptions {
  retention: { daily: number; weekly: number };
  now: () => Date;
  /** Id of the snapshot that was just written, which a store may not list yet. */
  newestId: string;
}

export type PruneResult = Pick<BackupResult, 'snapshots_deleted' | 'objects_deleted' | 'tidy_problem'>;

/**
 * Deletes old snapshots and unused objects of a prepared repository. An error is returned in the result and does not
 * fail the backup.
 */
export async function prune(
  repo: Repository,
  { retention, now, newestId }: PruneOptions,
  { signal, lease }: { signal: AbortSignal; lease: Lease },
): Promise<PruneResult> {
  const result: PruneResult = { snapshots_deleted: 0, objects_deleted: 0, tidy_problem: null };
  try {
    const ids = [...new Set([newestId, ...(await repo.snapshotIds())])];
    const keptIds = new Set(snapshotsToKeep(ids, retention));
    for (const id of ids)
      if (!keptIds.has(id) && (await repo.deleteSnapshot(id, { isNow: false }))) result.snapshots_deleted++;
    const unusedMark = await repo.readUnused();
    if (unusedMark && (unusedMark.now || now().getTime() - unusedMark.markedAt.getTime() >= MIN_UNUSED_MS)) {
      result.objects_deleted = await deleteUnused(repo, keptIds, { signal, lease });
      await repo.deleteUnusedMarks();
    }
  } catch (error) {
    result.tidy_problem = isDamage(error)
      ? `The backup is damaged (${messageOf(error)}), so what is unused was not deleted. Check the backup to repair it.`
      : messageOf(error);
  }
  return result;
}

/**
 * Deletes the objects that no snapshot needs. Returns the number of deleted packs and other objects. Throws when a
 * snapshot or a list of pieces cannot be read, because it may need any object.
 */
async function deleteUnused(
  repo: Repository,
  snapshots: Iterable<string>,
  { signal, lease }: { signal: AbortSignal; lease: Lease },
): Promise<number> {
  const { objects } = repo;
  const neededNames = new Map<string, boolean>();
  const readLists = new Set<string>();
  for (const id of snapshots) {
    const manifest = await repo.readSnapshot(id);
    for (const hash of listSnapshotObjects(manifest)) await objects.isComplete(hash, neededNames, true);
    for (const { sha256 } of manifest.lists) {
      if (readLists.has(sha256)) continue;
      readLists.add(sha256);
      for await (const line of repo.readList(sha256)) {
        signal.throwIfAborted();
        const hash = hashInBackup(line);
        if (hash !== undefined) await objects.isComplete(hash, neededNames, true);
      }
    }
  }
  const wastefulPacks: string[] = [];
  const smallPacks: Record<'data' | 'meta', string[]> = { data: [], meta: [] };
  for (const pack of objects.index.packs.values()) {
    const usedSize = usedBytes(pack);
    if (usedSize < pack.size * (1 - MAX_UNUSED_SHARE)) wastefulPacks.push(pack.id);
    else if (pack.size < SMALL_PACK_BYTES)
      smallPacks[pack.blobs.some(({ isList }) => isList) ? 'meta' : 'data'].push(pack.id);
  }
  const packsToJoin = Object.values(smallPacks).flatMap((ids) => (ids.length >= MIN_SMALL_PACKS ? ids : []));
  const assertHeld = async (): Promise<void> => {
    signal.throwIfAborted();
    await lease.assertHeld();
  };
  let deletedCount = await objects.rewrite([...wastefulPacks, ...packsToJoin], {
    isNeeded: ({ name }) => neededNames.has(name),
    assertHeld,
  });
  const unneededNames = [...objects.looseObjects.sizes.keys()].filter(
    (name) => !neededNames.has(name) || objects.index.find(name),
  );
  for (const [index, name] of unneededNames.entries()) {
    if (index % DELETIONS_PER_CHECK === 0) await assertHeld();
    await objects.looseObjects.delete(name);
    objects.looseObjects.forget(name);
    deletedCount++;
  }
  return deletedCount;

  function usedBytes({ blobs }: Pack): number {
    return blobs.reduce(
      (sum, blob) => (neededNames.has(blob.name) && objects.index.find(blob.name) === blob ? sum + blob.length : sum),
      0,
    );
  }
}

/** Returns the hashes of the objects of a snapshot, apart from those of its files. */
export const listSnapshotObjects = ({ database, lists }: Manifest): string[] => [
  ...(database.pieces ?? [database.sha256]),
  ...lists.map(({ sha256 }) => sha256),
];
