// Proves that a backup can be restored: that everything its snapshots name is there, always, and that the contents are
// what was written, of a part that moves on with every check. What is damaged or missing is taken from the library
// again, by a backup that finds it missing.
import { AppError } from '../errors.ts';
import { z } from 'zod';
import { withLease, type Lease, type LeaseOptions } from './lease.ts';
import { hashInBackup } from './manifest.ts';
import { describeFaults } from './objects.ts';
import { isDamage, type Blob } from './packs.ts';
import { partsOf } from './prune.ts';
import type { Repository } from './repository.ts';
import { backUpPrepared, leaseOptions, type BackupSource, type Run } from './run.ts';
import type { BackupCheckResult } from './wire.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

const SHOWN = 50;
const RUNS_KEPT = 60;
const DAY_MS = 86_400_000;
/** In how many days everything should have been read once. */
const PROOF_DAYS = 92;

const CheckRun = z.object({
  at: z.iso.datetime(),
  bytes_read: z.int(),
  bytes: z.int(),
  faults: z.int(),
  lost: z.int(),
});
type CheckRun = z.output<typeof CheckRun>;
const Checks = z.object({
  /** The next check reads what comes after this name. */
  cursor: z.string(),
  /** Newest first. */
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
  run: Run,
): Promise<BackupCheckResult> =>
  withLease(repo.target, leaseOptions(source, limits), (lease) => checkLeased(repo, { source, share }, run, lease));

async function checkLeased(
  repo: Repository,
  { source, share }: CheckOptions,
  run: Run,
  lease: Lease,
): Promise<BackupCheckResult> {
  const { objects } = repo;
  run.progress(0, null, 'Listing the backup');
  const faults = await repo.prepare();
  const copies = await repo.mendCopies();
  const earlier = Checks.safeParse(await repo.readChecks()).data ?? { cursor: '', runs: [] };
  const read = await readContents(repo, { cursor: earlier.cursor, share }, run);
  objects.index.removeBlobs(read.damaged);
  const unusable = new Set(read.damaged);

  run.progress(0, null, 'Checking the snapshots');
  let lost = await missingIn(repo, run.signal);
  if (unusable.size + lost.length > 0) for (const blob of await objects.dropIncomplete()) unusable.add(blob);
  const problems = [
    ...copies.mended.map((key) => `${key} was damaged or missing, and was written again`),
    ...describeFaults(faults),
    ...[...read.damaged].map(({ name, pack }) => `object ${name} in pack ${pack} is damaged`),
    ...read.directories.map((id) => `the directory of pack ${id}, or what nothing needs of it, was damaged`),
    ...read.loose.map((name) => `object ${name} is damaged`),
  ];
  const foreign = await repo.target.foreign();
  let isMendingDone = false;
  try {
    if (unusable.size + read.loose.length + faults.packs.length + lost.length > 0)
      // the older snapshots stay, so that what they lack now is named
      await backUpPrepared(repo, { ...source, keep: null }, run, lease);
    const returned = objects.index.returnBlobs(unusable);
    for (const name of read.loose) if (objects.index.find(name)) await objects.loose.delete(name);
    // what is left of packs with damage moves into new ones
    const worn = new Set([...read.directories, ...[...read.damaged].map(({ pack }) => pack)]);
    await objects.rewrite([...worn], { isKept: () => true, assertHeld: lease.assertHeld });
    await objects.flush();
    objects.index.removeBlobs(new Set(returned)); // for what follows, they are lost
    isMendingDone = true;
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    problems.push(`not mended: ${error.message}`);
  }
  if (problems.length + lost.length > 0) {
    const before = lost;
    lost = await missingIn(repo, run.signal);
    if (problems.length === 0)
      problems.push(...before.filter((item) => !lost.includes(item)).map((item) => `${item} lacked something`));
  }
  lost.push(...copies.lost);

  const entry: CheckRun = {
    at: source.now().toISOString(),
    bytes_read: read.bytes,
    bytes: read.total,
    faults: problems.length,
    lost: lost.length,
  };
  // the next check has to find again what could not be mended
  await repo.writeChecks({
    cursor: isMendingDone ? read.cursor : earlier.cursor,
    runs: [entry, ...earlier.runs].slice(0, RUNS_KEPT),
  });
  return {
    target: repo.name,
    snapshots: (await repo.snapshotIds()).length,
    packs: objects.index.packs.size,
    bytes: read.total,
    packs_read: read.packs,
    bytes_read: read.bytes,
    faults: problems.length,
    problems: problems.slice(0, SHOWN),
    lost: lost.length,
    lost_items: lost.slice(0, SHOWN),
    foreign: foreign.length,
    foreign_items: foreign.slice(0, SHOWN),
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
  { signal, progress }: Run,
) {
  const units: Unit[] = [
    ...[...objects.index.packs.values()].map(({ id, size }) => ({ id, size, isLoose: false })),
    ...[...objects.loose.sizes].map(([id, size]) => ({ id, size, isLoose: true })),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  const total = units.reduce((sum, { size }) => sum + size, 0);
  const first = units.findIndex(({ id }) => id > cursor);
  const inTurn = first < 0 ? units : [...units.slice(first), ...units.slice(0, first)];
  const found = {
    total,
    bytes: 0,
    packs: 0,
    cursor,
    damaged: new Set<Blob>(),
    directories: [] as string[],
    loose: [] as string[],
  };
  for (const { id, size, isLoose } of inTurn) {
    signal.throwIfAborted();
    if (found.bytes >= total * share) break;
    if (isLoose) await readLoose(id);
    else await readPack(id);
    found.bytes += size;
    found.packs++;
    found.cursor = id;
    progress(found.bytes, Math.max(found.bytes, Math.round(total * share)), 'Reading the contents');
    await yieldIfDue();
  }
  return found;

  async function readPack(id: string): Promise<void> {
    const pack = objects.index.packs.get(id);
    if (!pack) return;
    const { damaged, isRestDamaged } = await objects.verifyPack(pack);
    for (const blob of damaged) found.damaged.add(blob);
    if (isRestDamaged) found.directories.push(id);
  }

  async function readLoose(name: string): Promise<void> {
    if (await objects.loose.verify(name)) return;
    objects.loose.forget(name);
    found.loose.push(name);
  }
}

/** What cannot be restored, with the newest snapshot that needs it. */
async function missingIn(repo: Repository, signal: AbortSignal): Promise<string[]> {
  const { objects } = repo;
  const seen = new Map<string, boolean>();
  const listed = new Set<string>();
  const missing = new Map<string, string>();
  const note = (what: string, id: string): void => {
    if (!missing.has(what)) missing.set(what, `${what} (snapshot ${id})`);
  };
  for (const id of await repo.snapshotIds()) {
    const manifest = await repo.readSnapshot(id).catch((error: unknown) => {
      if (error instanceof AppError && ['not_found', 'unavailable'].includes(error.code)) return undefined;
      throw error;
    });
    if (!manifest) continue; // mendCopies has named it
    const { lists } = manifest;
    for (const hash of partsOf({ ...manifest, lists: [] }))
      if (!(await objects.reach(hash, seen))) note(`the database of ${id}`, id);
    for (const { sha256 } of lists) {
      if (listed.has(sha256)) continue;
      listed.add(sha256);
      if (!(await objects.reach(sha256, seen))) note(`the list of files ${sha256}`, id);
      else await checkList(sha256, id);
    }
  }
  return [...missing.values()];

  async function checkList(sha256: string, id: string): Promise<void> {
    try {
      for await (const line of repo.readList(sha256)) {
        signal.throwIfAborted();
        const hash = hashInBackup(line);
        if (hash !== undefined && !(await objects.reach(hash, seen)))
          note(line.kind === 'own' ? line.path : line.key, id);
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      note(`the list of files ${sha256}`, id);
    }
  }
}

/** Of the last check; undefined without one. */
export async function checkState(repo: Repository, now: Date): Promise<CheckState | undefined> {
  const { runs } = Checks.safeParse(await repo.readChecks()).data ?? { runs: [] };
  const [last] = runs;
  if (!last) return undefined;
  const recent = runs.filter(({ at }) => now.getTime() - Date.parse(at) < PROOF_DAYS * DAY_MS);
  const share = recent.reduce((sum, { bytes, bytes_read }) => sum + (bytes === 0 ? 1 : bytes_read / bytes), 0);
  return { last, share: Math.min(1, share) };
}
