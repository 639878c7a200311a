// API of backups, restores and exports. For superusers only, because they contain the data of all users.
import { Reply, route, type Route } from '../http/route.ts';
import { toIso, toIsoOrNull } from '../http/times.ts';
import { JobOut, toJobOut } from '../jobs/wire.ts';
import type { ExportService } from './export.ts';
import type { BackupService, SnapshotState } from './service.ts';
import type { PendingRestore, RestoreService } from './restore-service.ts';
import {
  BackupCheckIn,
  BackupIn,
  BackupsOut,
  BackupTestIn,
  BackupTestOut,
  ExportIn,
  ImportIn,
  RestoreDecisionIn,
  RestoreIn,
  SnapshotParam,
  type SnapshotOut,
} from './wire.ts';

interface BackupRoutesDeps {
  backups: BackupService;
  restores: RestoreService;
  exports: ExportService;
}

export const backupRoutes = ({ backups, restores, exports }: BackupRoutesDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/backups',
      access: 'superuser',
      summary: 'The configured backup and its snapshots',
      reply: BackupsOut,
    },
    async () => {
      const { target, isEncrypted, nextAt, problem, check, checkPercent, isReadingFree, snapshots } =
        await backups.state();
      const restore = restores.state();
      return {
        target,
        is_encrypted: isEncrypted,
        next_at: toIsoOrNull(nextAt),
        problem,
        restore: restore && toRestoreOut(restore),
        check: check && { ...check.last, share: check.share },
        check_percent: checkPercent,
        is_reading_free: isReadingFree,
        items: snapshots.map(toSnapshotOut),
      };
    },
  ),

  route(
    {
      method: 'post',
      path: '/backups',
      access: 'superuser',
      summary: 'Start a backup; returns the unfinished job for the same place if there is one',
      body: BackupIn,
      strict: true,
      reply: JobOut,
      status: [202],
    },
    async ({ body }) => new Reply(202, toJobOut(await backups.start(body.to))),
  ),

  route(
    {
      method: 'post',
      path: '/backups/test',
      access: 'superuser',
      summary: 'Test a place for backups: writes, reads and deletes a small file',
      body: BackupTestIn,
      strict: true,
      reply: BackupTestOut,
    },
    async ({ body }) => {
      const { target, problem, isNew, isEncrypted, snapshots, freeBytes } = await backups.test(body.to);
      return { target, problem, is_new: isNew, is_encrypted: isEncrypted, snapshots, free_bytes: freeBytes };
    },
  ),

  route(
    {
      method: 'post',
      path: '/backups/check',
      access: 'superuser',
      summary: 'Check the backup, and repair it from the library; reads a part of its contents',
      body: BackupCheckIn,
      strict: true,
      reply: JobOut,
      status: [202],
    },
    async ({ body }) => new Reply(202, toJobOut(await backups.startCheck(body))),
  ),

  route(
    {
      method: 'delete',
      path: '/backups/lock',
      access: 'superuser',
      summary: 'End the claim of another server that is gone',
    },
    async () => void (await backups.unlock()),
  ),

  route(
    {
      method: 'post',
      path: '/backups/:id/restore',
      access: 'superuser',
      summary: 'Restore a snapshot into an empty folder, or over this library at the next start',
      params: SnapshotParam,
      body: RestoreIn,
      strict: true,
      reply: JobOut,
      status: [202],
    },
    async ({ params, body }) =>
      new Reply(
        202,
        toJobOut(
          await restores.start({
            snapshot: params.id,
            folder: body.folder,
            replace: body.replace,
            isAccepted: body.accept_settings,
          }),
        ),
      ),
  ),

  route(
    {
      method: 'patch',
      path: '/backups/restore',
      access: 'superuser',
      summary: 'Decide whether a restore that waits for the next start takes accounts, settings and folders',
      body: RestoreDecisionIn,
      strict: true,
      problems: ['conflict'],
    },
    ({ body }) => restores.decide(body.accept_settings),
  ),

  route(
    {
      method: 'delete',
      path: '/backups/restore',
      access: 'superuser',
      summary: 'Discard a restore over this library that waits for the next start',
    },
    () => restores.forget(),
  ),

  route(
    {
      method: 'delete',
      path: '/backups/:id',
      access: 'superuser',
      summary: 'Delete a snapshot; the next backup frees its space',
      params: SnapshotParam,
    },
    ({ params }) => backups.deleteSnapshot(params.id),
  ),

  route(
    {
      method: 'post',
      path: '/exports',
      access: 'superuser',
      summary: 'Export the library in open formats into a folder of the server',
      body: ExportIn,
      strict: true,
      reply: JobOut,
      status: [202],
    },
    async ({ body }) => new Reply(202, toJobOut(await exports.start(body.folder))),
  ),

  route(
    {
      method: 'post',
      path: '/imports',
      access: 'superuser',
      summary: 'Replace this library by an export, at the next start; DELETE /backups/restore cancels it until then',
      body: ImportIn,
      strict: true,
      reply: JobOut,
      status: [202],
    },
    async ({ body }) => new Reply(202, toJobOut(await restores.startImport(body))),
  ),
];

const toRestoreOut = ({
  snapshot,
  isReady,
  isImport,
  isAccepted,
  arrival,
}: PendingRestore): NonNullable<BackupsOut['restore']> => ({
  snapshot,
  is_ready: isReady,
  is_import: isImport,
  is_accepted: isAccepted,
  arrival: arrival ?? null,
});

const toSnapshotOut = ({ id, createdAt, counts, hasKeys, problem }: SnapshotState): SnapshotOut => ({
  id,
  created_at: toIso(createdAt),
  tracks: counts.tracks,
  files: counts.files,
  covers: counts.covers,
  absent: counts.absent,
  mended: counts.mended,
  bytes: counts.bytes,
  has_keys: hasKeys,
  problem,
});
