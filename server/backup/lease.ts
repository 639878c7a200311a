// Allows one writer at a time: the process that backs up, checks, deletes or restores holds a lease at the backup
// target and renews it. Stores with conditional writes decide who gets it; in other stores the lease is written and
// read again after a while. Other processes are refused. A lease that is not renewed for ten minutes expires, by the
// clock of the store.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { isRunning } from '../storage/sweep-temp.ts';
import type { BackupTarget } from './target.ts';

/** Key of the lease file. A person can end a lease by deleting this file. */
const LEASE_KEY = 'lease';
const CLOCK_KEY = 'lease.now';
const EXPIRES_MS = 600_000;
const RENEW_MS = 120_000;
/**
 * Wait before a written lease is read again, in stores without conditional writes. It is longer than another process's
 * write takes to appear.
 */
const SETTLE_MS = 2_000;
const MAX_CLAIM_BYTES = 4_096;

const Claim = z.object({
  token: z.string(),
  host: z.string(),
  folder: z.string(),
  pid: z.int(),
  since: z.iso.datetime(),
  /** Whether the holder of the lease only reads, and deletes nothing. */
  onlyReads: z.boolean().default(false),
});
export type Claim = z.output<typeof Claim>;

export interface Lease {
  /** Aborted when another process has taken over the lease. */
  signal: AbortSignal;
  /** Reads the lease from the store. Throws `unavailable` when another process holds it. */
  assertHeld(): Promise<void>;
}

export interface LeaseOptions {
  /** The data folder of this process, which no other process uses. */
  folder: string;
  now: () => Date;
  limits?: Partial<{ expiresMs: number; renewMs: number; settleMs: number }>;
  onlyReads?: boolean;
}

type Limits = Required<NonNullable<LeaseOptions['limits']>>;
const DEFAULT_LIMITS: Limits = { expiresMs: EXPIRES_MS, renewMs: RENEW_MS, settleMs: SETTLE_MS };

/** Tokens of the leases of this process. */
const ownTokens = new Set<string>();

/** Runs `work` while holding the lease. Throws `unavailable` when another process holds it, naming that process. */
export async function withLease<T>(
  target: BackupTarget,
  { folder, now, limits, onlyReads = false }: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const allLimits = { ...DEFAULT_LIMITS, ...limits };
  const token = randomBytes(16).toString('hex');
  const claim = { token, host: hostname(), folder, pid: process.pid, since: now().toISOString(), onlyReads };
  ownTokens.add(token);
  const loss = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    await takeLease(target, claim, allLimits);
    const assertHeld = async (): Promise<void> => {
      if ((await readClaim(target))?.token === token) return;
      const error = new AppError('unavailable', `Another server has taken over the backup in ${target.name}.`);
      loss.abort(error);
      throw error;
    };
    // A failed renewal is repeated at the next interval, and `assertHeld` reads the lease before anything is deleted.
    const renew = (): void =>
      void assertHeld()
        .then(() => target.put(LEASE_KEY, toBytes(claim)))
        .catch(() => undefined);
    timer = setInterval(renew, allLimits.renewMs).unref();
    return await work({ signal: loss.signal, assertHeld });
  } finally {
    clearInterval(timer);
    ownTokens.delete(token);
    if (!loss.signal.aborted) await releaseLease(target, token);
  }
}

/**
 * Runs `work`, which only reads, while nothing is deleted from the backup. Three kinds of targets are read without a
 * lease: those that cannot be written, such as a copy on a read-only disk; those whose holder only reads; and those
 * whose holder was a process on this machine that no longer runs, because the restored library may be that server's
 * own. `signal` of `work` is aborted when another process takes the lease.
 */
export async function withReadLease<T>(
  target: BackupTarget,
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let isLeased = false;
  try {
    return await withLease(target, { ...options, onlyReads: true }, ({ signal }) => {
      isLeased = true;
      return work(signal);
    });
  } catch (error) {
    if (isLeased || !(error instanceof AppError && error.code === 'unavailable')) throw error;
    const currentClaim = await readClaim(target);
    const isDead =
      currentClaim?.host === hostname() && !ownTokens.has(currentClaim.token) && !isRunning(currentClaim.pid);
    if (currentClaim && !currentClaim.onlyReads && !isDead) throw error;
    return work(new AbortController().signal);
  }
}

/** Ends the lease of a process that no longer runs; returns the deleted claim. */
export async function breakLease(target: BackupTarget): Promise<Claim | 'unknown' | undefined> {
  const claim = await readClaim(target);
  return (await target.delete(LEASE_KEY)) ? (claim ?? 'unknown') : undefined;
}

async function takeLease(target: BackupTarget, claim: Claim, limits: Limits): Promise<void> {
  // the lease is read before it is written, because a store without conditional writes would replace another's lease
  const currentClaim =
    (await readClaim(target)) ?? ((await tryTake(target, claim, limits)) ? claim : await readClaim(target));
  if (currentClaim?.token === claim.token) return; // the write may have succeeded even if its response was lost
  if (!isOfDeadProcess(currentClaim, claim) && (await readLeaseAge(target)) < limits.expiresMs)
    throw inUseError(target, currentClaim);
  await target.delete(LEASE_KEY);
  if (!(await tryTake(target, claim, limits))) throw inUseError(target, await readClaim(target));
  // another process may have found the same expired lease, and may now delete this new one
  await sleep(limits.settleMs);
  if ((await readClaim(target))?.token !== claim.token) throw inUseError(target, await readClaim(target));
}

/** Writes the lease; returns false when another lease exists. */
async function tryTake(target: BackupTarget, claim: Claim, { settleMs }: Limits): Promise<boolean> {
  if (!(await putIfAbsent(target, claim))) return false;
  // the store has refused a second write, so its conditional writes work, and the first one is ours
  if (!(await putIfAbsent(target, claim))) return true;
  await sleep(settleMs);
  return (await readClaim(target))?.token === claim.token;
}

/**
 * Writes the lease if none exists; returns whether it was written. Stores without conditional writes fail, or write in
 * any case.
 */
async function putIfAbsent(target: BackupTarget, claim: Claim): Promise<boolean> {
  try {
    await target.put(LEASE_KEY, toBytes(claim), { ifAbsent: true });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return false;
    if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
    const currentClaim = await readClaim(target);
    if (currentClaim && currentClaim.token !== claim.token) return false;
    await target.put(LEASE_KEY, toBytes(claim));
    return true;
  }
}

async function releaseLease(target: BackupTarget, token: string): Promise<void> {
  try {
    if ((await readClaim(target))?.token === token) await target.delete(LEASE_KEY);
  } catch (error) {
    if (!(error instanceof AppError)) throw error; // a lease that cannot be deleted expires anyway
  }
}

/** Returns undefined when there is no lease or when it is unreadable. */
async function readClaim(target: BackupTarget): Promise<Claim | undefined> {
  try {
    return Claim.safeParse(JSON.parse((await target.read(LEASE_KEY, MAX_CLAIM_BYTES)).toString('utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof AppError && error.code === 'not_found')) return undefined;
    throw error;
  }
}

/** Returns the age of the lease by the store's own clock, independent of the clocks of the servers. */
async function readLeaseAge(target: BackupTarget): Promise<number> {
  await target.put(CLOCK_KEY, Buffer.from('\n'));
  const [clockStat, leaseStat] = [await target.stat(CLOCK_KEY), await target.stat(LEASE_KEY)];
  await target.delete(CLOCK_KEY);
  return clockStat && leaseStat ? clockStat.modifiedAt.getTime() - leaseStat.modifiedAt.getTime() : Infinity;
}

/**
 * Whether the lease is from an earlier process on this machine, in the same data folder. The folder is compared, too,
 * because another container may have the same host name and its own process ids. For a lease that only reads, the host
 * name is enough: the worst that happens to a reader is a missing file.
 */
function isOfDeadProcess(otherClaim: Claim | undefined, ownClaim: Claim): boolean {
  if (otherClaim?.host !== ownClaim.host || ownTokens.has(otherClaim.token)) return false;
  if (otherClaim.folder !== ownClaim.folder && !otherClaim.onlyReads) return false;
  return otherClaim.pid === ownClaim.pid || !isRunning(otherClaim.pid);
}

const toBytes = (claim: Claim): Buffer => Buffer.from(`${JSON.stringify(claim)}\n`);

const inUseError = ({ name }: BackupTarget, otherClaim: Claim | undefined): AppError =>
  new AppError(
    'unavailable',
    `The backup in ${name} is in use` +
      `${otherClaim ? ` by ${otherClaim.host} (${otherClaim.folder}) since ${otherClaim.since}` : ''}. ` +
      'Wait until that is done. If that server no longer exists, run: tonearm backup unlock',
  );
