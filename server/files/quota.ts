// Whether there is room for more: on the disk for all, and within the quota of the account that brings something in.
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import { ACCOUNT_LIMITS } from '../db/rights.ts';
import { AppError } from '../errors.ts';
import { diskUsage } from '../storage/local.ts';
import type { Trash } from '../library/trash.ts';
import { createArrivingSpace, type ArrivingFile } from '../storage/arriving-space.ts';
import type { DiskUsage, Storage } from '../storage/storage.ts';

interface RoomDeps {
  db: MainDb;
  settings: LiveSettings;
  storage: Pick<Storage, 'diskUsage'>;
  trash: Pick<Trash, 'purgeOldest'>;
  /** Where files are while they come in. */
  tmpDir: string;
}

export type Room = ReturnType<typeof createRoom>;

export function createRoom({ db, settings, storage, trash, tmpDir }: RoomDeps) {
  const find = db.$client.prepare<[UserId], { quota: number | null; used: number }>(
    `SELECT quota_bytes AS quota, (SELECT coalesce(sum(size_bytes), 0) FROM tracks WHERE uploaded_by = users.id)
      + (SELECT coalesce(sum(size_bytes), 0) FROM trashed_tracks WHERE uploaded_by = users.id AND is_hidden = 0) AS used
    FROM users WHERE id = ?`,
  );

  /** Files of the account that may come back, and count already. */
  const findReturning = db.$client
    .prepare<[UserId, UserId], number>(
      `SELECT (SELECT coalesce(sum(size_bytes), 0) FROM tracks WHERE uploaded_by = ? AND availability = 'missing')
        + (SELECT coalesce(sum(size_bytes), 0) FROM trashed_tracks WHERE uploaded_by = ? AND is_hidden = 0)`,
    )
    .pluck();
  const findTrashed = db.$client
    .prepare<[], number>("SELECT coalesce(sum(size_bytes), 0) FROM trashed_tracks WHERE storage_uri NOT LIKE 'file:%'")
    .pluck();
  /** Bytes of each account that are arriving or announced. */
  const arriving = new Map<UserId, number>();

  const isShort = (disk: DiskUsage | null, bytes: number): boolean =>
    disk !== null && disk.freeBytes - bytes < settings.get('MIN_FREE_BYTES');

  /** Empties the trash, oldest first, until MIN_FREE_BYTES would be left where the audio is stored. */
  async function keepFree(bytes: number): Promise<void> {
    while (isShort(await storage.diskUsage(), bytes) && (await trash.purgeOldest()));
  }

  /** Null: no limit. */
  function left(userId: UserId): number | null {
    const row = find.get(userId);
    return row?.quota == null ? null : Math.max(0, row.quota - row.used);
  }

  const full = (): AppError =>
    new AppError(
      'storage_full',
      `The disk is nearly full: ${settings.get('MIN_FREE_BYTES')} bytes are kept free (MIN_FREE_BYTES). ` +
        'Free some space and try again.',
    );
  const disks = (): Promise<(DiskUsage | null)[]> => Promise.all([storage.diskUsage(), diskUsage(tmpDir)]);
  const space = createArrivingSpace({
    disks,
    minFreeBytes: () => settings.get('MIN_FREE_BYTES'),
    reclaimableBytes: () => findTrashed.get() ?? 0,
    reclaim: keepFree,
    createFullError: full,
  });

  function hold(userId: UserId, bytes: number): void {
    const held = (arriving.get(userId) ?? 0) + bytes;
    if (held > 0) arriving.set(userId, held);
    else arriving.delete(userId);
  }

  /** Bytes that the account may send beside those that are arriving. */
  const mayArrive = (userId: UserId): number => {
    const most = left(userId);
    return most === null ? Infinity : most + (findReturning.get(userId, userId) ?? 0) - (arriving.get(userId) ?? 0);
  };

  return {
    keepFree,

    /**
     * Reserves space and quota for a file that an account sends. What the quota has no room for is not written, which
     * `take` says; whether the file counts is known when all of it has come.
     */
    async reserve(userId: UserId, announcedBytes?: number): Promise<ArrivingFile> {
      const most = Math.max(0, mayArrive(userId));
      const file = await space.reserve(announcedBytes && Math.min(announcedBytes, most));
      let held = Math.min(announcedBytes ?? 0, most);
      let writtenBytes = 0;
      hold(userId, held);
      return {
        async take(bytes) {
          const more = writtenBytes + bytes - held;
          if (more > 0 && more > mayArrive(userId)) return false;
          if (more > 0) {
            hold(userId, more);
            held += more;
          }
          writtenBytes += bytes;
          await file.countWritten(bytes);
          return true;
        },
        release() {
          file.release();
          hold(userId, -held);
          held = 0;
        },
      };
    },

    /** Empties the trash where that helps. Throws `storage_full` when that is not enough. */
    async assertFree(bytes: number): Promise<void> {
      await keepFree(bytes);
      if ((await disks()).some((disk) => isShort(disk, bytes))) throw full();
    },

    /** Throws `storage_full` when that is more than is left of the account's quota. */
    assertQuota,
  };

  function assertQuota(userId: UserId, bytes: number): void {
    const most = left(userId);
    if (most !== null && bytes > most) throw overQuota(most);
  }
}

export const isOverQuota = ({ code, fields }: AppError): boolean =>
  code === 'storage_full' && fields?.[0]?.field === ACCOUNT_LIMITS.quotaBytes.name;

const overQuota = (left: number): AppError =>
  new AppError(
    'storage_full',
    `Your account may bring in ${left} more bytes (${ACCOUNT_LIMITS.quotaBytes.name}). ` +
      'Delete something of yours, also from the trash, or ask an administrator for more.',
    { fields: [{ field: ACCOUNT_LIMITS.quotaBytes.name, message: `has ${left} bytes left` }] },
  );
