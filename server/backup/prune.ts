// Deletes old snapshots, and now and then what no snapshot needs any more.
import { messageOf } from '../errors.ts';
import type { Lease } from './lease.ts';
import { hashInBackup, type Manifest } from './manifest.ts';
import { isDamage, PACK_BYTES, type Pack } from './packs.ts';
import type { Repository } from './repository.ts';
import { snapshotsToKeep } from './retention.ts';
import type { BackupResult } from './wire.ts';

/** Finding out what is unused reads all lists, so it is not done for every snapshot that goes. */
const UNUSED_FOR_MS = 3 * 86_400_000;
/** Packs with a larger part of unused bytes are written anew. */
const WASTE = 0.3;
/** Small packs are put together when there are so many. */
const MANY_SMALL = 12;
const SMALL_BYTES = PACK_BYTES >> 2;
/** Deleted before the store is asked again whether the lease is held. */
const LOOSE_PER_QUESTION = 200;

interface PruneOptions {
  keep: { daily: number; weekly: number };
  now: () => Date;
  /** Id of the snapshot that was just written, which a store may not list yet. */
  written: string;
}

export type Pruned = Pick<BackupResult, 'snapshots_deleted' | 'objects_deleted' | 'tidy_problem'>;

/** In a prepared repository. An error does not fail the backup. */
export async function prune(
  repo: Repository,
  { keep, now, written }: PruneOptions,
  { signal, lease }: { signal: AbortSignal; lease: Lease },
): Promise<Pruned> {
  const pruned: Pruned = { snapshots_deleted: 0, objects_deleted: 0, tidy_problem: null };
  try {
    const ids = [...new Set([written, ...(await repo.snapshotIds())])];
    const kept = new Set(snapshotsToKeep(ids, keep));
    for (const id of ids)
      if (!kept.has(id) && (await repo.deleteSnapshot(id, { isNow: false }))) pruned.snapshots_deleted++;
    const unused = await repo.unusedSince();
    if (unused && (unused.now || now().getTime() - unused.at.getTime() >= UNUSED_FOR_MS)) {
      pruned.objects_deleted = await deleteUnused(repo, kept, { signal, lease });
      await repo.forgetUnused();
    }
  } catch (error) {
    pruned.tidy_problem = isDamage(error)
      ? `The backup is damaged (${messageOf(error)}), so what is unused was not deleted. Check the backup to mend it.`
      : messageOf(error);
  }
  return pruned;
}

/**
 * Returns the number of packs and other objects deleted. Throws when a snapshot or a list of pieces cannot be read: it
 * may need them.
 */
async function deleteUnused(
  repo: Repository,
  snapshots: Iterable<string>,
  { signal, lease }: { signal: AbortSignal; lease: Lease },
): Promise<number> {
  const { objects } = repo;
  const needed = new Map<string, boolean>();
  const listed = new Set<string>();
  for (const id of snapshots) {
    const manifest = await repo.readSnapshot(id);
    for (const hash of partsOf(manifest)) await objects.reach(hash, needed, true);
    for (const { sha256 } of manifest.lists) {
      if (listed.has(sha256)) continue;
      listed.add(sha256);
      for await (const line of repo.readList(sha256)) {
        signal.throwIfAborted();
        const hash = hashInBackup(line);
        if (hash !== undefined) await objects.reach(hash, needed, true);
      }
    }
  }
  const wasteful: string[] = [];
  const small: Record<'data' | 'meta', string[]> = { data: [], meta: [] };
  for (const pack of objects.index.packs.values()) {
    const used = usedBytes(pack);
    if (used < pack.size * (1 - WASTE)) wasteful.push(pack.id);
    else if (pack.size < SMALL_BYTES) small[pack.blobs.some(({ isList }) => isList) ? 'meta' : 'data'].push(pack.id);
  }
  const joined = Object.values(small).flatMap((ids) => (ids.length >= MANY_SMALL ? ids : []));
  const assertHeld = async (): Promise<void> => {
    signal.throwIfAborted();
    await lease.assertHeld();
  };
  let deleted = await objects.rewrite([...wasteful, ...joined], {
    isKept: ({ name }) => needed.has(name),
    assertHeld,
  });
  const unneeded = [...objects.loose.sizes.keys()].filter((name) => !needed.has(name) || objects.index.find(name));
  for (const [n, name] of unneeded.entries()) {
    if (n % LOOSE_PER_QUESTION === 0) await assertHeld();
    await objects.loose.delete(name);
    objects.loose.forget(name);
    deleted++;
  }
  return deleted;

  function usedBytes({ blobs }: Pack): number {
    return blobs.reduce(
      (sum, blob) => (needed.has(blob.name) && objects.index.find(blob.name) === blob ? sum + blob.length : sum),
      0,
    );
  }
}

/** Hashes of the objects of a snapshot, without its files. */
export const partsOf = ({ database, lists }: Manifest): string[] => [
  ...(database.pieces ?? [database.sha256]),
  ...lists.map(({ sha256 }) => sha256),
];
