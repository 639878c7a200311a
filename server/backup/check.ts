// Verifies that a backup can be restored. Each check verifies that everything exists that the snapshots name, and reads
// a part of the contents to compare it with the hashes; the next check goes on with the next part. Damaged and missing
// objects are stored again from the library, by a backup that finds them missing.
import { AppError } from '../errors.ts';
import { z } from 'zod';
import { withLease, type Lease, type LeaseOptions } from './lease.ts';
import { hashInBackup } from './manifest.ts';
import { describeFaults } from './objects.ts';
import { isDamage, type Blob } from './packs.ts';
import { listSnapshotObjects } from './prune.ts';
import type { Repository } from './repository.ts';
import { backUpPrepared, leaseOptions, type BackupSource, type BackupRun } from './back-up.ts';
import type { BackupCheckResult } from './wire.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

const MAX_LISTED_ITEMS = 50;
const MAX_STORED_RUNS = 60;
const DAY_MS = 86_400_000;
/** Number of days in which all contents should be read once. */
const FULL_READ_DAYS = 92;

const CheckRun = z.object({
  at: z.iso.datetime(),
  bytes_read: z.int(),
  bytes: z.int(),
  faults: z.int(),
  lost: z.int(),
});
type CheckRun = z.output<typeof CheckRun>;
const Checks = z.object({
  /** Name of the last object that was read; the next check begins after it. */
  cursor: z.string(),
  /** The results of former checks, newest first. */
  runs: z.array(CheckRun),
});

export interface CheckState {
  last: CheckRun;
  /** Part of the contents that was read in the last three months, 0 to 1. */
  share: number;
}

interface CheckOptions {
  source: BackupSource;
  /** Part of the contents to read, 0 to 1. */
  share: number;
  limits?: LeaseOptions['limits'];
}

export const checkBackup = (
  repo: Repository,
  { source, share, limits }: CheckOptions,
  run: BackupRun,
): Promise<BackupCheckResult> =>
  withLease(repo.target, leaseOptions(source, limits), (lease) => checkLeased(repo, { source, share }, run, lease));

async function checkLeased(
  repo: Repository,
  { source, share }: CheckOptions,
  run: BackupRun,
  lease: Lease,
): Promise<BackupCheckResult> {
  const { objects } = repo;
  run.progress(0, null, 'Listing the backup');
  const faults = await repo.prepare();
  const copies = await repo.repairCopies();
  const previousChecks = Checks.safeParse(await repo.readChecks()).data ?? { cursor: '', runs: [] };
  const contents = await readContents(repo, { cursor: previousChecks.cursor, share }, run);
  objects.index.removeBlobs(contents.damaged);
  const damagedBlobs = new Set(contents.damaged);

  run.progress(0, null, 'Checking the snapshots');
  let lostItems = await findMissing(repo, run.signal);
  if (damagedBlobs.size + lostItems.length > 0)
    for (const blob of await objects.forgetIncompleteLists()) damagedBlobs.add(blob);
  const problems = [
    ...copies.mended.map((key) => `${key} was damaged or missing, and was rewritten`),
    ...describeFaults(faults),
    ...[...contents.damaged].map(({ name, pack }) => `object ${name} in pack ${pack} is damaged`),
    ...contents.directories.map((id) => `the directory of pack ${id}, or what nothing needs of it, was damaged`),
    ...contents.loose.map((name) => `object ${name} is damaged`),
  ];
  const foreignFiles = await repo.target.listForeignFiles();
  let isMendingDone = false;
  try {
    if (damagedBlobs.size + contents.loose.length + faults.packs.length + lostItems.length > 0)
      // old snapshots are not deleted now, so that the report can name what they lack
      await backUpPrepared(repo, { ...source, retention: null }, run, lease);
    const returnedBlobs = objects.index.restoreBlobs(damagedBlobs);
    for (const name of contents.loose) if (objects.index.find(name)) await objects.looseObjects.delete(name);
    // the intact blobs of damaged packs are copied into new packs
    const damagedPacks = new Set([...contents.directories, ...[...contents.damaged].map(({ pack }) => pack)]);
    await objects.rewrite([...damagedPacks], { isNeeded: () => true, assertHeld: lease.assertHeld });
    await objects.flush();
    objects.index.removeBlobs(new Set(returnedBlobs)); // these blobs are still damaged, so they count as lost below
    isMendingDone = true;
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    problems.push(`not repaired: ${error.message}`);
  }
  if (problems.length + lostItems.length > 0) {
    const previousLost = lostItems;
    lostItems = await findMissing(repo, run.signal);
    if (problems.length === 0)
      problems.push(
        ...previousLost.filter((item) => !lostItems.includes(item)).map((item) => `${item} lacked something`),
      );
  }
  lostItems.push(...copies.lost);

  const entry: CheckRun = {
    at: source.now().toISOString(),
    bytes_read: contents.bytes,
    bytes: contents.total,
    faults: problems.length,
    lost: lostItems.length,
  };
  // a failed check does not move the cursor, so the next check reads the same part again
  await repo.writeChecks({
    cursor: isMendingDone ? contents.cursor : previousChecks.cursor,
    runs: [entry, ...previousChecks.runs].slice(0, MAX_STORED_RUNS),
  });
  return {
    target: repo.name,
    snapshots: (await repo.snapshotIds()).length,
    packs: objects.index.packs.size,
    bytes: contents.total,
    packs_read: contents.packs,
    bytes_read: contents.bytes,
    faults: problems.length,
    problems: problems.slice(0, MAX_LISTED_ITEMS),
    lost: lostItems.length,
    lost_items: lostItems.slice(0, MAX_LISTED_ITEMS),
    foreign: foreignFiles.length,
    foreign_items: foreignFiles.slice(0, MAX_LISTED_ITEMS),
  };
}

interface Unit {
  id: string;
  size: number;
  isLoose: boolean;
}

async function readContents(
  { objects }: Repository,
  { cursor, share }: { cursor: string; share: number },
  { signal, progress }: BackupRun,
) {
  const units: Unit[] = [
    ...[...objects.index.packs.values()].map(({ id, size }) => ({ id, size, isLoose: false })),
    ...[...objects.looseObjects.sizes].map(([id, size]) => ({ id, size, isLoose: true })),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  const total = units.reduce((sum, { size }) => sum + size, 0);
  const startIndex = units.findIndex(({ id }) => id > cursor);
  const orderedUnits = startIndex < 0 ? units : [...units.slice(startIndex), ...units.slice(0, startIndex)];
  const reading = {
    total,
    bytes: 0,
    packs: 0,
    cursor,
    damaged: new Set<Blob>(),
    directories: [] as string[],
    loose: [] as string[],
  };
  for (const { id, size, isLoose } of orderedUnits) {
    signal.throwIfAborted();
    if (reading.bytes >= total * share) break;
    if (isLoose) await readLoose(id);
    else await readPack(id);
    reading.bytes += size;
    reading.packs++;
    reading.cursor = id;
    progress(reading.bytes, Math.max(reading.bytes, Math.round(total * share)), 'Reading the contents');
    await yieldIfDue();
  }
  return reading;

  async function readPack(id: string): Promise<void> {
    const pack = objects.index.packs.get(id);
    if (!pack) return;
    const { damaged, isRestDamaged } = await objects.verifyPack(pack);
    for (const blob of damaged) reading.damaged.add(blob);
    if (isRestDamaged) reading.directories.push(id);
  }

  async function readLoose(name: string): Promise<void> {
    if (await objects.looseObjects.verify(name)) return;
    objects.looseObjects.forget(name);
    reading.loose.push(name);
  }
}

/** Returns the items that cannot be restored, each with the newest snapshot that needs it. */
async function findMissing(repo: Repository, signal: AbortSignal): Promise<string[]> {
  const { objects } = repo;
  const reachability = new Map<string, boolean>();
  const checkedLists = new Set<string>();
  const missingItems = new Map<string, string>();
  const noteMissing = (item: string, id: string): void => {
    if (!missingItems.has(item)) missingItems.set(item, `${item} (snapshot ${id})`);
  };
  for (const id of await repo.snapshotIds()) {
    const manifest = await repo.readSnapshot(id).catch((error: unknown) => {
      if (error instanceof AppError && ['not_found', 'unavailable'].includes(error.code)) return undefined;
      throw error;
    });
    if (!manifest) continue; // a missing or damaged manifest is reported by repairCopies
    const { lists } = manifest;
    for (const hash of listSnapshotObjects({ ...manifest, lists: [] }))
      if (!(await objects.isComplete(hash, reachability))) noteMissing(`the database of ${id}`, id);
    for (const { sha256 } of lists) {
      if (checkedLists.has(sha256)) continue;
      checkedLists.add(sha256);
      if (!(await objects.isComplete(sha256, reachability))) noteMissing(`the list of files ${sha256}`, id);
      else await checkList(sha256, id);
    }
  }
  return [...missingItems.values()];

  async function checkList(sha256: string, id: string): Promise<void> {
    try {
      for await (const line of repo.readList(sha256)) {
        signal.throwIfAborted();
        const hash = hashInBackup(line);
        if (hash !== undefined && !(await objects.isComplete(hash, reachability)))
          noteMissing(line.kind === 'own' ? line.path : line.key, id);
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      noteMissing(`the list of files ${sha256}`, id);
    }
  }
}

/** Returns the state of the last check; undefined if the backup was never checked. */
export async function readCheckState(repo: Repository, now: Date): Promise<CheckState | undefined> {
  const { runs } = Checks.safeParse(await repo.readChecks()).data ?? { runs: [] };
  const [last] = runs;
  if (!last) return undefined;
  const recentRuns = runs.filter(({ at }) => now.getTime() - Date.parse(at) < FULL_READ_DAYS * DAY_MS);
  const share = recentRuns.reduce((sum, { bytes, bytes_read }) => sum + (bytes === 0 ? 1 : bytes_read / bytes), 0);
  return { last, share: Math.min(1, share) };
}
