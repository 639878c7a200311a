// Checks whether there is space for more: on the disk for everybody, and within the quota of the account that adds
// files.
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import { ACCOUNT_LIMITS } from '../db/rights.ts';
import { AppError } from '../errors.ts';
import { diskUsage } from '../storage/local.ts';
import type { Trash } from '../library/trash/trash.ts';
import { createArrivingSpace, type ArrivingFile } from '../storage/arriving-space.ts';
import type { DiskUsage, Storage } from '../storage/storage.ts';

interface QuotaDeps {
  db: MainDb;
  settings: LiveSettings;
  storage: Pick<Storage, 'diskUsage'>;
  trash: Pick<Trash, 'purgeOldest'>;
  /** The folder into which files are written while they arrive. */
  tmpDir: string;
}

export type Quota = ReturnType<typeof createQuota>;

export function createQuota({ db, settings, storage, trash, tmpDir }: QuotaDeps) {
  const findUsage = db.$client.prepare<[UserId], { quota: number | null; used: number }>(
    `SELECT quota_bytes AS quota, (SELECT coalesce(sum(size_bytes), 0) FROM tracks WHERE uploaded_by = users.id)
      + (SELECT coalesce(sum(size_bytes), 0) FROM trashed_tracks WHERE uploaded_by = users.id AND is_hidden = 0) AS used
    FROM users WHERE id = ?`,
  );

  /**
   * Sums up the account's missing and trashed files. They count although they use no space in the library now, because
   * they may come back.
   */
  const sumReturning = db.$client
    .prepare<[UserId, UserId], number>(
      `SELECT (SELECT coalesce(sum(size_bytes), 0) FROM tracks WHERE uploaded_by = ? AND availability = 'missing')
        + (SELECT coalesce(sum(size_bytes), 0) FROM trashed_tracks WHERE uploaded_by = ? AND is_hidden = 0)`,
    )
    .pluck();
  const sumTrashed = db.$client
    .prepare<[], number>("SELECT coalesce(sum(size_bytes), 0) FROM trashed_tracks WHERE storage_uri NOT LIKE 'file:%'")
    .pluck();
  /** Bytes that have been announced or are arriving, by account. */
  const arrivingBytes = new Map<UserId, number>();

  const isShort = (disk: DiskUsage | null, bytes: number): boolean =>
    disk !== null && disk.freeBytes - bytes < settings.get('MIN_FREE_BYTES');

  /** Deletes the oldest tracks in the trash until MIN_FREE_BYTES would stay free where the audio is stored. */
  async function reclaimSpace(bytes: number): Promise<void> {
    while (isShort(await storage.diskUsage(), bytes) && (await trash.purgeOldest()));
  }

  /** Returns the quota of the account and what remains of it; null without a quota. */
  function quotaOf(userId: UserId): { bytes: number; remainingBytes: number } | null {
    const row = findUsage.get(userId);
    return row?.quota == null ? null : { bytes: row.quota, remainingBytes: Math.max(0, row.quota - row.used) };
  }

  const remainingBytes = (userId: UserId): number | null => quotaOf(userId)?.remainingBytes ?? null;

  const diskFullError = (): AppError =>
    new AppError(
      'storage_full',
      `The disk is nearly full: ${settings.get('MIN_FREE_BYTES')} bytes are kept free (MIN_FREE_BYTES). ` +
        'Free some space and try again.',
    );
  const disks = (): Promise<(DiskUsage | null)[]> => Promise.all([storage.diskUsage(), diskUsage(tmpDir)]);
  const space = createArrivingSpace({
    disks,
    minFreeBytes: () => settings.get('MIN_FREE_BYTES'),
    reclaimableBytes: () => sumTrashed.get() ?? 0,
    reclaim: reclaimSpace,
    createFullError: diskFullError,
  });

  function addArriving(userId: UserId, bytes: number): void {
    const accountBytes = (arrivingBytes.get(userId) ?? 0) + bytes;
    if (accountBytes > 0) arrivingBytes.set(userId, accountBytes);
    else arrivingBytes.delete(userId);
  }

  /** Returns the bytes that the account may send in addition to those that are arriving. */
  const acceptableBytes = (userId: UserId): number => {
    const quotaBytes = remainingBytes(userId);
    return quotaBytes === null
      ? Infinity
      : quotaBytes + (sumReturning.get(userId, userId) ?? 0) - (arrivingBytes.get(userId) ?? 0);
  };

  return {
    reclaimSpace,
    quotaOf,

    /**
     * Reserves space and quota for a file that an account sends. `take` returns false for bytes that exceed the quota.
     * Whether the file counts towards it is known only when the whole file has arrived.
     */
    async reserve(userId: UserId, announcedBytes?: number): Promise<ArrivingFile> {
      const maxBytes = Math.max(0, acceptableBytes(userId));
      const file = await space.reserve(announcedBytes && Math.min(announcedBytes, maxBytes));
      let heldBytes = Math.min(announcedBytes ?? 0, maxBytes);
      let writtenBytes = 0;
      addArriving(userId, heldBytes);
      return {
        async take(bytes) {
          const extraBytes = writtenBytes + bytes - heldBytes;
          if (extraBytes > 0 && extraBytes > acceptableBytes(userId)) return false;
          if (extraBytes > 0) {
            addArriving(userId, extraBytes);
            heldBytes += extraBytes;
          }
          writtenBytes += bytes;
          await file.countWritten(bytes);
          return true;
        },
        release() {
          file.release();
          addArriving(userId, -heldBytes);
          heldBytes = 0;
        },
      };
    },

    /** Empties the trash as far as needed. Throws `storage_full` when that does not free enough space. */
    async assertFree(bytes: number): Promise<void> {
      await reclaimSpace(bytes);
      if ((await disks()).some((disk) => isShort(disk, bytes))) throw diskFullError();
    },

    /** Throws `storage_full` when the bytes exceed the remaining quota of the account. */
    assertQuota,
  };

  function assertQuota(userId: UserId, bytes: number): void {
    const quotaBytes = remainingBytes(userId);
    if (quotaBytes !== null && bytes > quotaBytes) throw overQuotaError(quotaBytes);
  }
}

export const isOverQuota = ({ code, fields }: AppError): boolean =>
  code === 'storage_full' && fields?.[0]?.field === ACCOUNT_LIMITS.quotaBytes.name;

const overQuotaError = (remainingBytes: number): AppError =>
  new AppError(
    'storage_full',
    `Your account may add ${remainingBytes} more bytes (${ACCOUNT_LIMITS.quotaBytes.name}). ` +
      'Delete something of yours, also from the trash, or ask an administrator for more.',
    { fields: [{ field: ACCOUNT_LIMITS.quotaBytes.name, message: `has ${remainingBytes} bytes left` }] },
  );
