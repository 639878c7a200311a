// One writer at a time: the process that backs up, checks, deletes or restores holds a lease in the backup place, and
// renews it. Stores with conditional writes decide who gets it; elsewhere it is written and read again after a while,
// and the others are refused. A lease that is not renewed for ten minutes expires, by the clock of the store.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { isRunning } from '../storage/sweep-temp.ts';
import type { BackupTarget } from './target.ts';

/** Also that of a person who ends it. */
const LEASE = 'lease';
const CLOCK = 'lease.now';
const EXPIRES_MS = 600_000;
const RENEW_MS = 120_000;
/** Longer than a write of another takes to appear, where writes are not conditional. */
const SETTLE_MS = 2_000;
const MAX_BYTES = 4_096;

const Claim = z.object({
  token: z.string(),
  host: z.string(),
  folder: z.string(),
  pid: z.int(),
  since: z.iso.datetime(),
  /** It deletes nothing. */
  onlyReads: z.boolean().default(false),
});
export type Claim = z.output<typeof Claim>;

export interface Lease {
  /** Aborted when another process has it. */
  signal: AbortSignal;
  /** Asks the store. Throws `unavailable` when another process has it. */
  assertHeld(): Promise<void>;
}

export interface LeaseOptions {
  /** The data folder, which only one process uses. */
  folder: string;
  now: () => Date;
  limits?: Partial<{ expiresMs: number; renewMs: number; settleMs: number }>;
  onlyReads?: boolean;
}

type Limits = Required<NonNullable<LeaseOptions['limits']>>;
const LIMITS: Limits = { expiresMs: EXPIRES_MS, renewMs: RENEW_MS, settleMs: SETTLE_MS };

/** Of this process. */
const held = new Set<string>();

/** Throws `unavailable` when another process has it, naming it. */
export async function withLease<T>(
  target: BackupTarget,
  { folder, now, limits, onlyReads = false }: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const all = { ...LIMITS, ...limits };
  const token = randomBytes(16).toString('hex');
  const claim = { token, host: hostname(), folder, pid: process.pid, since: now().toISOString(), onlyReads };
  held.add(token);
  const lost = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    await take(target, claim, all);
    const assertHeld = async (): Promise<void> => {
      if ((await readClaim(target))?.token === token) return;
      const error = new AppError('unavailable', `Another server has taken the backup in ${target.name} over.`);
      lost.abort(error);
      throw error;
    };
    // a renewal that fails is tried again by the next, and `assertHeld` asks before anything is deleted
    const renew = (): void =>
      void assertHeld()
        .then(() => target.put(LEASE, toBytes(claim)))
        .catch(() => undefined);
    timer = setInterval(renew, all.renewMs).unref();
    return await work({ signal: lost.signal, assertHeld });
  } finally {
    clearInterval(timer);
    held.delete(token);
    if (!lost.signal.aborted) await giveBack(target, token);
  }
}

/**
 * For work that only reads: nothing is deleted meanwhile. A place that cannot be written, such as a copy on a read-only
 * disk, is read without. So is one that somebody else only reads, and one whose writer on this machine is gone: what is
 * restored may be that very server.
 * `lost` is aborted when another process takes the lease over.
 */
export async function leasedForReading<T>(
  target: BackupTarget,
  options: LeaseOptions,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  let isTaken = false;
  try {
    return await withLease(target, { ...options, onlyReads: true }, ({ signal }) => {
      isTaken = true;
      return work(signal);
    });
  } catch (error) {
    if (isTaken || !(error instanceof AppError && error.code === 'unavailable')) throw error;
    const other = await readClaim(target);
    const isGone = other?.host === hostname() && !held.has(other.token) && !isRunning(other.pid);
    if (other && !other.onlyReads && !isGone) throw error;
    return work(new AbortController().signal);
  }
}

/** Ends the lease of a process that is gone; returns whose it was. */
export async function breakLease(target: BackupTarget): Promise<Claim | 'unknown' | undefined> {
  const claim = await readClaim(target);
  return (await target.delete(LEASE)) ? (claim ?? 'unknown') : undefined;
}

async function take(target: BackupTarget, claim: Claim, limits: Limits): Promise<void> {
  // read first: a store without conditional writes would replace it
  const other = (await readClaim(target)) ?? ((await tryTake(target, claim, limits)) ? claim : await readClaim(target));
  if (other?.token === claim.token) return; // also if only the answer was lost
  if (!isOfDeadProcess(other, claim) && (await ageOf(target)) < limits.expiresMs) throw inUse(target, other);
  await target.delete(LEASE);
  if (!(await tryTake(target, claim, limits))) throw inUse(target, await readClaim(target));
  // another process may have found the same expired lease, and delete this one
  await sleep(limits.settleMs);
  if ((await readClaim(target))?.token !== claim.token) throw inUse(target, await readClaim(target));
}

/** False when there is a lease. */
async function tryTake(target: BackupTarget, claim: Claim, { settleMs }: Limits): Promise<boolean> {
  if (!(await putIfAbsent(target, claim))) return false;
  if (!(await putIfAbsent(target, claim))) return true; // so the store does refuse a second one
  await sleep(settleMs);
  return (await readClaim(target))?.token === claim.token;
}

/** Stores that do not know conditional writes refuse them, or write. */
async function putIfAbsent(target: BackupTarget, claim: Claim): Promise<boolean> {
  try {
    await target.put(LEASE, toBytes(claim), { ifAbsent: true });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return false;
    if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
    const found = await readClaim(target);
    if (found && found.token !== claim.token) return false;
    await target.put(LEASE, toBytes(claim));
    return true;
  }
}

async function giveBack(target: BackupTarget, token: string): Promise<void> {
  try {
    if ((await readClaim(target))?.token === token) await target.delete(LEASE);
  } catch (error) {
    if (!(error instanceof AppError)) throw error; // it expires
  }
}

/** Undefined when there is none, or none that can be read. */
async function readClaim(target: BackupTarget): Promise<Claim | undefined> {
  try {
    return Claim.safeParse(JSON.parse((await target.read(LEASE, MAX_BYTES)).toString('utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof AppError && error.code === 'not_found')) return undefined;
    throw error;
  }
}

/** By the store's own clock, whatever the clocks of the two servers say. */
async function ageOf(target: BackupTarget): Promise<number> {
  await target.put(CLOCK, Buffer.from('\n'));
  const [now, lease] = [await target.stat(CLOCK), await target.stat(LEASE)];
  await target.delete(CLOCK);
  return now && lease ? now.modifiedAt.getTime() - lease.modifiedAt.getTime() : Infinity;
}

/**
 * Of an earlier process on this machine, in the same data folder: another container may have its name, and process ids
 * of its own. For a restore the name is enough, since it would only find that a file is gone.
 */
function isOfDeadProcess(other: Claim | undefined, own: Claim): boolean {
  if (other?.host !== own.host || held.has(other.token)) return false;
  if (other.folder !== own.folder && !other.onlyReads) return false;
  return other.pid === own.pid || !isRunning(other.pid);
}

const toBytes = (claim: Claim): Buffer => Buffer.from(`${JSON.stringify(claim)}\n`);

const inUse = ({ name }: BackupTarget, other: Claim | undefined): AppError =>
  new AppError(
    'unavailable',
    `The backup in ${name} is in use${other ? ` by ${other.host} (${other.folder}) since ${other.since}` : ''}. ` +
      'Wait until that is done. If that server is gone, run: tonearm backup unlock',
  );
