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

const NO_TARGET_MESSAGE = 'No backup location is set (BACKUP_TARGET).';
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

export function createBackupService({
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
  let timer: NodeJS.Timeout | undefined;
  let scheduledSince = { schedule: settings.get('BACKUP_SCHEDULE'), at: now() };

  /** Opens the backup at a place, by default at the configured one. */
  async function open(place = settings.get('BACKUP_TARGET'), isNew = false): Promise<Repository> {
    if (place === undefined) throw conflict(NO_TARGET_MESSAGE);
    if (isNew && !findBackupBackend(place)) assertAllowedFolder(place, ownFolders());
    const target = await openTarget(place, targets);
    // If a backup was made here before, an empty folder means that its disk is not connected, so no new backup is
    // begun.
    const previousBackupId = isNew ? findBackupId(target.name) : undefined;
    const repo = await openRepository({
      target,
      passphrase: settings.get('BACKUP_PASSPHRASE'),
      isNew: isNew && previousBackupId === undefined,
      library: isNew ? libraryId(db.$client) : undefined,
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
      log.warn({ target: target.name }, 'the backup target contains a different backup than last time');
    return repo;
  }

  const findBackupId = (target: string): string | undefined =>
    jobs
      .list({ task: BACKUP_TASK.name, status: 'succeeded' }, { limit: 50, offset: 0 })
      .items.map(({ result }) => BackupResult.safeParse(result).data)
      .find((result) => result?.target === target)?.backup_id;

  async function createSource(): Promise<BackupSource> {
    const file = readJsonFile(config.paths.settingsFile);
    const isSecret = (key: string): boolean =>
      (SETTINGS as Record<string, { secret?: boolean } | undefined>)[key.toUpperCase()]?.secret === true;
    const entries = Object.entries(file);
    const keys: Keys = {
      jwt_secret: secrets.jwtSecret,
      compat_secret_key: secrets.compatSecretKey,
      settings: {
        ...(Object.fromEntries(entries.filter(([key, value]) => isSecret(key) && typeof value === 'string')) as Record<
          string,
          string
        >),
        ...inLowerCase(await readStoredSettings(secretStore)),
      },
    };
    return {
      storage,
      leases,
      workerUrl,
      blobWorkerUrl,
      version,
      now,
      databasePath: config.paths.database,
      tmpDir: config.paths.tmp,
      ownFiles: settings.get('BACKUP_INCLUDE_REFERENCED') ? musicFolders.roots() : undefined,
      settings: Object.fromEntries(entries.filter(([key]) => !isSecret(key))),
      keys: settings.get('BACKUP_INCLUDE_KEYS') ? keys : null,
      retention: { daily: settings.get('BACKUP_KEEP_DAILY'), weekly: settings.get('BACKUP_KEEP_WEEKLY') },
    };
  }

  const isReadingFree = (place = settings.get('BACKUP_TARGET')): boolean =>
    (findBackupBackend(place)?.verifyDays ?? 1) > 0;
  const checkPercent = (place?: string): number =>
    settings.get('BACKUP_CHECK_PERCENT') ?? (isReadingFree(place) ? DEFAULT_CHECK_PERCENT : 0);

  const task: Handler<typeof BACKUP_TASK> = async ({ to }, { attempt, signal, progress }) =>
    runBackupWork(async () => {
      if (settings.get('BACKUP_INCLUDE_KEYS') && settings.get('BACKUP_PASSPHRASE') === undefined)
        throw conflict(
          'Keys are only written to encrypted backups. Set BACKUP_PASSPHRASE, or set BACKUP_INCLUDE_KEYS to false.',
        );
      return backUp(await open(to, true), await createSource(), {
        signal,
        progress,
        isLastTry: attempt >= BACKUP_TASK.attempts,
      });
    });

  const checkTask: Handler<typeof CHECK_TASK> = async ({ to, percent }, { signal, progress }) =>
    runBackupWork(async () =>
      checkBackup(
        await open(to),
        { source: await createSource(), share: (percent ?? checkPercent(to)) / 100 },
        { signal, progress },
      ),
    );

  async function runBackupWork<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await withSlot(work);
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

  function checkSchedule(): void {
    const schedule = settings.get('BACKUP_SCHEDULE');
    if (schedule !== scheduledSince.schedule) scheduledSince = { schedule, at: now() };
    if (settings.get('BACKUP_TARGET') === undefined) return;
    try {
      const [lastJob] = jobs.list({ task: BACKUP_TASK.name }, { limit: 1, offset: 0 }).items;
      if (schedule !== undefined && isDue(schedule, lastJob?.createdAt ?? scheduledSince.at, now()))
        void jobs.tryEnqueue(BACKUP_TASK, {});
      if (isCheckDue()) void jobs.tryEnqueue(CHECK_TASK, {});
    } catch (err) {
      log.warn({ err }, 'cannot check the backup schedule');
    }
  }

  function isCheckDue(): boolean {
    const [lastCheck] = jobs.list({ task: CHECK_TASK.name }, { limit: 1, offset: 0 }).items;
    const lastJob =
      lastCheck ?? jobs.list({ task: BACKUP_TASK.name, status: 'succeeded' }, { limit: 50, offset: 0 }).items.at(-1);
    return lastJob !== undefined && now().getTime() - lastJob.createdAt.getTime() >= CHECK_INTERVAL_MS;
  }

  return {
    task,
    checkTask,
    open,
    withSlot,
    ...createRepairer({ storage, open: () => open(), now, minFreeBytes: () => settings.get('MIN_FREE_BYTES') }),

    /** Checks now and every 30 seconds whether a backup is due. */
    startSchedule(): void {
      checkSchedule();
      timer ??= setInterval(checkSchedule, SCHEDULE_CHECK_MS).unref();
    },
    checkSchedule,
    close: (): void => clearInterval(timer),

    /** Starts a backup to `to` or to the configured place. Throws `conflict` if no place is configured either. */
    start(to: string | undefined): Promise<EnqueuedJob> {
      if (to === undefined && settings.get('BACKUP_TARGET') === undefined) throw conflict(NO_TARGET_MESSAGE);
      return jobs.enqueue(BACKUP_TASK, to === undefined ? {} : { to });
    },

    /**
     * Starts a check of the backup in `to` or in the configured place. Throws `conflict` if no place is configured
     * either.
     */
    startCheck({ to, percent }: { to?: string | undefined; percent?: number | undefined }): Promise<EnqueuedJob> {
      if (to === undefined && settings.get('BACKUP_TARGET') === undefined) throw conflict(NO_TARGET_MESSAGE);
      return jobs.enqueue(CHECK_TASK, { ...(to !== undefined && { to }), ...(percent !== undefined && { percent }) });
    },

    /** Ends the lease of a server that no longer runs; returns the deleted claim. */
    async unlock(place = settings.get('BACKUP_TARGET')): Promise<Claim | 'unknown' | undefined> {
      if (place === undefined) throw conflict(NO_TARGET_MESSAGE);
      return breakLease(await openTarget(place, targets));
    },

    /** Tests a place for backups, by default the configured one. An AppError is returned as `problem`, not thrown. */
    async test(place = settings.get('BACKUP_TARGET')): Promise<TargetTest> {
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
    },

    /** Returns the configured backup and its snapshots. An AppError is returned as `problem`, not thrown. */
    async state(): Promise<BackupState> {
      const [target = null, schedule] = [settings.get('BACKUP_TARGET'), settings.get('BACKUP_SCHEDULE')];
      const emptyState: BackupState = {
        target,
        isEncrypted: null,
        nextAt: target !== null && schedule !== undefined ? nextDue(schedule, now()) : null,
        problem: null,
        check: null,
        checkPercent: target === null ? null : checkPercent(),
        isReadingFree: target === null ? null : isReadingFree(),
        snapshots: [],
      };
      if (target === null) return emptyState;
      try {
        const repo = await open();
        const ids = (await repo.snapshotIds()).slice(0, MAX_LISTED_SNAPSHOTS);
        return {
          ...emptyState,
          isEncrypted: repo.isEncrypted,
          check: (await readCheckState(repo, now())) ?? null,
          snapshots: await Promise.all(ids.map((id) => withReadSlot(() => readSnapshotState(repo, id)))),
        };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { ...emptyState, problem: error.code === 'not_found' ? null : error.message };
      }
    },

    /**
     * Deletes a snapshot; the next backup deletes the objects that only this snapshot needed. Throws `not_found`, and
     * `unavailable` while another backup, check or restore runs.
     */
    async deleteSnapshot(id: string): Promise<void> {
      const repo = await open();
      const isDeleted = await withLease(repo.target, { folder: config.paths.data, now }, async () =>
        repo.deleteSnapshot(id, { isNow: true }),
      );
      if (!isDeleted) throw notFound('snapshot', id);
    },
  };
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
