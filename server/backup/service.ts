// Backups of this server: the schedule, the job, listing and testing.
import type { Config } from '../config/config.ts';
import { readJsonFile } from '../config/json-file.ts';
import type { LiveSettings } from '../config/live-settings.ts';
import type { MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import { libraryId } from '../db/library-identity.ts';
import type { SecretStore } from '../config/secret-store.ts';
import { readStoredSettings, type Secrets } from '../config/secrets.ts';
import { SETTINGS } from '../config/settings.ts';
import { AppError, conflict, messageOf, notFound } from '../errors.ts';
import type { EnqueuedJob, Jobs } from '../jobs/service.ts';
import { permanent, type Handler } from '../jobs/tasks.ts';
import type { Log } from '../log/log.ts';
import type { StoreLimits } from '../storage/backend.ts';
import { findBackupBackend, openStorage } from '../storage/backends.ts';
import type { Storage } from '../storage/storage.ts';
import { checkBackup, readCheckState, type CheckState } from './check.ts';
import { breakLease, withLease, type Claim } from './lease.ts';
import { createRepairer } from './repair.ts';
import { snapshotTime, type Keys } from './manifest.ts';
import { assertAllowedFolder } from './allowed-folders.ts';
import { openRepository, type Repository } from './repository.ts';
import { createSlots } from '../runtime/concurrency.ts';
import { backUp, type BackupSource } from './back-up.ts';
import { isDue, nextDue } from './schedule.ts';
import { hasBackup, openTarget, type TargetDeps } from './target.ts';
import { BackupResult } from './wire.ts';
import { BACKUP_TASK, CHECK_TASK } from './tasks.ts';
import { bindContext } from '../runtime/bind-context.ts';

const NO_TARGET_MESSAGE = 'No backup location is set.';
const SCHEDULE_CHECK_MS = 30_000;
const MAX_LISTED_SNAPSHOTS = 100;
const MAX_CONCURRENT_SNAPSHOTS = 4;
const CHECK_INTERVAL_MS = 7 * 86_400_000;
/**
 * Part of the contents that is read every week where reading is free, so that everything is read once in a quarter of a
 * year.
 */
const DEFAULT_CHECK_PERCENT = 8;

export interface BackupDeps extends Pick<
  BackupSource,
  'storage' | 'leases' | 'workerUrl' | 'blobWorkerUrl' | 'version' | 'now'
> {
  db: MainDb;
  config: Config;
  settings: LiveSettings;
  musicFolders: MusicFolders;
  secrets: Secrets;
  secretStore: SecretStore;
  jobs: Pick<Jobs, 'enqueue' | 'tryEnqueue' | 'list'>;
  /** Returns the folders in which no backup may be, because it would be lost together with the library. */
  ownFolders: () => string[];
  log: Log;
  /** Time limits of requests to the object store, for tests. */
  storeLimits?: Partial<StoreLimits>;
}

export interface SnapshotState {
  id: string;
  createdAt: Date;
  counts: { tracks: number; files: number; covers: number; absent: number; mended: number; bytes: number };
  hasKeys: boolean;
  problem: string | null;
}

interface BackupState {
  target: string | null;
  isEncrypted: boolean | null;
  nextAt: Date | null;
  problem: string | null;
  check: CheckState | null;
  checkPercent: number | null;
  isReadingFree: boolean | null;
  snapshots: SnapshotState[];
}

interface TargetTest {
  target: string;
  problem: string | null;
  isNew: boolean | null;
  isEncrypted: boolean | null;
  snapshots: number | null;
  freeBytes: number | null;
}

export type BackupService = ReturnType<typeof createBackupService>;

export function createBackupService(deps: BackupDeps) {
  const context = createContext(deps);
  const task: Handler<typeof BACKUP_TASK> = async ({ to }, { attempt, signal, progress }) =>
    runBackupWork(context, async () => {
      if (context.settings.get('BACKUP_INCLUDE_KEYS') && context.settings.get('BACKUP_PASSPHRASE') === undefined)
        throw conflict(
          'Keys are only written to encrypted backups. Set BACKUP_PASSPHRASE, or set BACKUP_INCLUDE_KEYS to false.',
        );
      return backUp(await open(context, to, true), await createSource(context), {
        signal,
        progress,
        isLastTry: attempt >= BACKUP_TASK.attempts,
      });
    });
  const checkTask: Handler<typeof CHECK_TASK> = async ({ to, percent }, { signal, progress }) =>
    runBackupWork(context, async () =>
      checkBackup(
        await open(context, to),
        { source: await createSource(context), share: (percent ?? checkPercent(context, to)) / 100 },
        { signal, progress },
      ),
    );
  return {
    ...bindContext(context, {
      startSchedule,
      close,
      start,
      startCheck,
      unlock,
      test,
      state,
      deleteSnapshot,
      open,
      checkSchedule,
    }),
    task,
    checkTask,
    withSlot: context.withSlot,
    ...createRepairer({
      storage: context.storage,
      open: () => open(context),
      now: context.now,
      minFreeBytes: () => context.settings.get('MIN_FREE_BYTES'),
    }),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({
  db,
  config,
  settings,
  musicFolders,
  secrets,
  secretStore,
  jobs,
  storage,
  leases,
  workerUrl,
  blobWorkerUrl,
  version,
  now,
  ownFolders,
  log,
  storeLimits,
}: BackupDeps) {
  const targets = targetDeps(config, now, storeLimits);
  /** Makes backups, checks and restores of this server wait for each other. Those of another server are refused. */
  const withSlot = createSlots(1);
  /** Limits the snapshots that are read at the same time, because a foreign one may take some megabytes. */
  const withReadSlot = createSlots(MAX_CONCURRENT_SNAPSHOTS);
  return {
    db,
    config,
    settings,
    musicFolders,
    secrets,
    secretStore,
    jobs,
    storage,
    leases,
    workerUrl,
    blobWorkerUrl,
    version,
    now,
    ownFolders,
    log,
    targets,
    withSlot,
    withReadSlot,
    timer: undefined as NodeJS.Timeout | undefined,
    scheduledSince: { schedule: settings.get('BACKUP_SCHEDULE'), at: now() },
  };
}

/** Opens the backup at a place, by default at the configured one. */
async function open(
  context: Context,
  place = context.settings.get('BACKUP_TARGET'),
  isNew = false,
): Promise<Repository> {
  if (place === undefined) throw conflict(NO_TARGET_MESSAGE);
  if (isNew && !findBackupBackend(place)) assertAllowedFolder(place, context.ownFolders());
  const target = await openTarget(place, context.targets);
  // If a backup was made here before, an empty folder means that its disk is not connected, so no new backup is
  // begun.
  const previousBackupId = isNew ? findBackupId(context, target.name) : undefined;
  const repo = await openRepository({
    target,
    passphrase: context.settings.get('BACKUP_PASSPHRASE'),
    isNew: isNew && previousBackupId === undefined,
    library: isNew ? libraryId(context.db.$client) : undefined,
  }).catch((cause: unknown) => {
    if (previousBackupId !== undefined && cause instanceof AppError && cause.code === 'not_found')
      throw new AppError(
        'unavailable',
        `The backup in ${target.name} is missing. Is its disk connected? For a new backup, choose another folder.`,
        { cause },
      );
    throw cause;
  });
  if (previousBackupId !== undefined && repo.id !== previousBackupId)
    context.log.warn({ target: target.name }, 'the backup target contains a different backup than last time');
  return repo;
}

const findBackupId = ({ jobs }: Context, target: string): string | undefined =>
  jobs
    .list({ task: BACKUP_TASK.name, status: 'succeeded' }, { limit: 50, offset: 0 })
    .items.map(({ result }) => BackupResult.safeParse(result).data)
    .find((result) => result?.target === target)?.backup_id;

async function createSource(context: Context): Promise<BackupSource> {
  const file = readJsonFile(context.config.paths.settingsFile);
  const isSecret = (key: string): boolean =>
    (SETTINGS as Record<string, { secret?: boolean } | undefined>)[key.toUpperCase()]?.secret === true;
  const entries = Object.entries(file);
  const keys: Keys = {
    jwt_secret: context.secrets.jwtSecret,
    compat_secret_key: context.secrets.compatSecretKey,
    settings: {
      ...(Object.fromEntries(entries.filter(([key, value]) => isSecret(key) && typeof value === 'string')) as Record<
        string,
        string
      >),
      ...inLowerCase(await readStoredSettings(context.secretStore)),
    },
  };
  return {
    storage: context.storage,
    leases: context.leases,
    workerUrl: context.workerUrl,
    blobWorkerUrl: context.blobWorkerUrl,
    version: context.version,
    now: context.now,
    databasePath: context.config.paths.database,
    tmpDir: context.config.paths.tmp,
    ownFiles: context.settings.get('BACKUP_INCLUDE_REFERENCED') ? context.musicFolders.roots() : undefined,
    settings: Object.fromEntries(entries.filter(([key]) => !isSecret(key))),
    keys: context.settings.get('BACKUP_INCLUDE_KEYS') ? keys : null,
    retention: { daily: context.settings.get('BACKUP_KEEP_DAILY'), weekly: context.settings.get('BACKUP_KEEP_WEEKLY') },
  };
}

const isReadingFree = ({ settings }: Context, targetName = settings.get('BACKUP_TARGET')): boolean =>
  (findBackupBackend(targetName)?.verifyDays ?? 1) > 0;

const checkPercent = (context: Context, place?: string): number =>
  context.settings.get('BACKUP_CHECK_PERCENT') ?? (isReadingFree(context, place) ? DEFAULT_CHECK_PERCENT : 0);

async function runBackupWork<T>(context: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.withSlot(work);
  } catch (error) {
    throw error instanceof AppError && ['conflict', 'forbidden', 'invalid', 'not_found'].includes(error.code)
      ? permanent(error)
      : error;
  }
}

async function readSnapshotState(repo: Repository, id: string): Promise<SnapshotState> {
  const createdAt = snapshotTime(id);
  try {
    const { counts, keys } = await repo.readSnapshot(id);
    return { id, createdAt, counts, hasKeys: keys !== null, problem: null };
  } catch (error) {
    return {
      id,
      createdAt,
      counts: { tracks: 0, files: 0, covers: 0, absent: 0, mended: 0, bytes: 0 },
      hasKeys: false,
      problem: messageOf(error),
    };
  }
}

function checkSchedule(context: Context): void {
  const schedule = context.settings.get('BACKUP_SCHEDULE');
  if (schedule !== context.scheduledSince.schedule) context.scheduledSince = { schedule, at: context.now() };
  if (context.settings.get('BACKUP_TARGET') === undefined) return;
  try {
    const [lastJob] = context.jobs.list({ task: BACKUP_TASK.name }, { limit: 1, offset: 0 }).items;
    if (schedule !== undefined && isDue(schedule, lastJob?.createdAt ?? context.scheduledSince.at, context.now()))
      void context.jobs.tryEnqueue(BACKUP_TASK, {});
    if (isCheckDue(context)) void context.jobs.tryEnqueue(CHECK_TASK, {});
  } catch (err) {
    context.log.warn({ err }, 'cannot check the backup schedule');
  }
}

function isCheckDue(context: Context): boolean {
  const [lastCheck] = context.jobs.list({ task: CHECK_TASK.name }, { limit: 1, offset: 0 }).items;
  const lastJob =
    lastCheck ??
    context.jobs.list({ task: BACKUP_TASK.name, status: 'succeeded' }, { limit: 50, offset: 0 }).items.at(-1);
  return lastJob !== undefined && context.now().getTime() - lastJob.createdAt.getTime() >= CHECK_INTERVAL_MS;
}

/** Checks now and every 30 seconds whether a backup is due. */
function startSchedule(context: Context): void {
  checkSchedule(context);
  context.timer ??= setInterval(() => checkSchedule(context), SCHEDULE_CHECK_MS).unref();
}

const close = (context: Context): void => clearInterval(context.timer);

/** Starts a backup to `to` or to the configured place. Throws `conflict` if no place is configured either. */
function start({ settings, jobs }: Context, to: string | undefined): Promise<EnqueuedJob> {
  if (to === undefined && settings.get('BACKUP_TARGET') === undefined) throw conflict(NO_TARGET_MESSAGE);
  return jobs.enqueue(BACKUP_TASK, to === undefined ? {} : { to });
}

/**
 * Starts a check of the backup in `to` or in the configured place. Throws `conflict` if no place is configured
 * either.
 */
function startCheck(
  { settings, jobs }: Context,
  { to, percent }: { to?: string | undefined; percent?: number | undefined },
): Promise<EnqueuedJob> {
  if (to === undefined && settings.get('BACKUP_TARGET') === undefined) throw conflict(NO_TARGET_MESSAGE);
  return jobs.enqueue(CHECK_TASK, { ...(to !== undefined && { to }), ...(percent !== undefined && { percent }) });
}

/** Ends the lease of a server that no longer runs; returns the deleted claim. */
async function unlock(
  { settings, targets }: Context,
  place = settings.get('BACKUP_TARGET'),
): Promise<Claim | 'unknown' | undefined> {
  if (place === undefined) throw conflict(NO_TARGET_MESSAGE);
  return breakLease(await openTarget(place, targets));
}

/** Tests a place for backups, by default the configured one. An AppError is returned as `problem`, not thrown. */
async function test(
  { settings, ownFolders, targets, db }: Context,
  place = settings.get('BACKUP_TARGET'),
): Promise<TargetTest> {
  if (place === undefined) throw conflict(NO_TARGET_MESSAGE);
  const passphrase = settings.get('BACKUP_PASSPHRASE');
  try {
    if (!findBackupBackend(place)) assertAllowedFolder(place, ownFolders());
    const target = await openTarget(place, targets);
    const [isNew, freeBytes] = [!(await hasBackup(target)), await target.freeBytes()];
    await target.probe();
    if (isNew)
      return {
        target: target.name,
        problem: null,
        isNew,
        isEncrypted: passphrase !== undefined,
        snapshots: 0,
        freeBytes,
      };
    const repo = await openRepository({ target, passphrase, library: libraryId(db.$client) });
    return {
      target: target.name,
      problem: null,
      isNew,
      isEncrypted: repo.isEncrypted,
      snapshots: (await repo.snapshotIds()).length,
      freeBytes,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      target: place,
      problem: error.message,
      isNew: null,
      isEncrypted: null,
      snapshots: null,
      freeBytes: null,
    };
  }
}

/** Returns the configured backup and its snapshots. An AppError is returned as `problem`, not thrown. */
async function state(context: Context): Promise<BackupState> {
  const [target = null, schedule] = [context.settings.get('BACKUP_TARGET'), context.settings.get('BACKUP_SCHEDULE')];
  const emptyState: BackupState = {
    target,
    isEncrypted: null,
    nextAt: target !== null && schedule !== undefined ? nextDue(schedule, context.now()) : null,
    problem: null,
    check: null,
    checkPercent: target === null ? null : checkPercent(context),
    isReadingFree: target === null ? null : isReadingFree(context),
    snapshots: [],
  };
  if (target === null) return emptyState;
  try {
    const repo = await open(context);
    const ids = (await repo.snapshotIds()).slice(0, MAX_LISTED_SNAPSHOTS);
    return {
      ...emptyState,
      isEncrypted: repo.isEncrypted,
      check: (await readCheckState(repo, context.now())) ?? null,
      snapshots: await Promise.all(ids.map((id) => context.withReadSlot(() => readSnapshotState(repo, id)))),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...emptyState, problem: error.code === 'not_found' ? null : error.message };
  }
}

/**
 * Deletes a snapshot; the next backup deletes the objects that only this snapshot needed. Throws `not_found`, and
 * `unavailable` while another backup, check or restore runs.
 */
async function deleteSnapshot(context: Context, id: string): Promise<void> {
  const repo = await open(context);
  const isDeleted = await withLease(repo.target, { folder: context.config.paths.data, now: context.now }, async () =>
    repo.deleteSnapshot(id, { isNow: true }),
  );
  if (!isDeleted) throw notFound('snapshot', id);
}

const inLowerCase = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));

export function targetDeps(config: Config, now: () => Date, storeLimits: Partial<StoreLimits> = {}): TargetDeps {
  const storagesByName = new Map<string, Promise<Storage>>();
  return {
    openStore({ name }, backupConfig) {
      const storage = storagesByName.get(name) ?? openStorage(backupConfig, { now, storeLimits }, name);
      storagesByName.set(name, storage);
      return storage;
    },
    config,
    now,
  };
}
