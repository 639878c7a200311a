// Backups, restores and exports in the API.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { isoTime } from '../http/times.ts';
import { Arrival } from './arrival-wire.ts';
import { SnapshotId } from './manifest.ts';
import { BACKUP_BACKEND_NAMES } from '../storage/backends.ts';

const PLACE = `a folder of the server, or ${BACKUP_BACKEND_NAMES.join(' or ')}; by default the configured one`;
const ACCEPT =
  'takes what the backup has about accounts, programs, folders, addresses and secrets; without it, those of this ' +
  'server stay, and the defaults in an empty folder';
const folder = z.string().trim().min(1).max(4_096);
const place = folder
  .refine((text) => BACKUP_BACKEND_NAMES.includes(text) || isAbsolute(text), {
    error: `must be the absolute path of a folder, or ${BACKUP_BACKEND_NAMES.join(' or ')}`,
  })
  .optional()
  .meta({ description: PLACE });

export const BackupIn = z
  .strictObject({
    to: place,
  })
  .meta({ id: 'BackupIn' });
export const ExportIn = z
  .strictObject({ folder: folder.meta({ description: 'an existing folder of the server' }) })
  .meta({ id: 'ExportIn' });
export const BackupTestIn = z
  .strictObject({
    to: place,
  })
  .meta({ id: 'BackupTestIn' });
export const RestoreIn = z
  .strictObject({
    folder: folder.optional().meta({
      description:
        'an empty or new folder of the server, which becomes a data folder; by default the library of this ' +
        'server is replaced',
    }),
    replace: z.boolean().default(false).meta({
      description: 'required without a folder: the library is moved aside at the next start, not deleted',
    }),
    accept_settings: z.boolean().default(false).meta({ description: ACCEPT }),
  })
  .meta({ id: 'RestoreIn' });
export const RestoreDecisionIn = z
  .strictObject({ accept_settings: z.boolean().meta({ description: ACCEPT }) })
  .meta({ id: 'RestoreDecisionIn' });
export const ImportIn = z
  .strictObject({
    folder: folder.meta({ description: 'the folder of an export, on the server' }),
    replace: z.boolean().default(false).meta({
      description: 'required: the library of this server is moved aside at the next start, not deleted',
    }),
  })
  .meta({ id: 'ImportIn' });
export const SnapshotParam = z.object({ id: SnapshotId });

export const BackupResult = z
  .object({
    target: z.string(),
    backup_id: z.string(),
    snapshot: z.string(),
    tracks: z.int(),
    files: z.int().meta({ description: 'audio objects of the library' }),
    covers: z.int(),
    referenced: z.int().meta({ description: 'files that are only indexed' }),
    absent: z.int().meta({ description: 'could not be read and are not in the backup' }),
    mended: z.int().default(0).meta({
      description: 'damaged or missing parts of the backup; what the library has of them was stored again',
    }),
    mended_items: z.array(z.string()).default([]).meta({ description: 'the first of them' }),
    bytes: z.int(),
    added: z.int().meta({ description: 'files that this run copied' }),
    bytes_added: z.int(),
    problems: z.array(z.string()),
    snapshots_deleted: z.int(),
    objects_deleted: z.int(),
    tidy_problem: z
      .string()
      .nullable()
      .meta({ description: 'why old snapshots were not deleted; the backup itself is complete' }),
  })
  .meta({ id: 'BackupResult' });
export type BackupResult = z.output<typeof BackupResult>;

/** Result of a `check_backup` job. */
export const BackupCheckResult = z
  .object({
    target: z.string(),
    snapshots: z.int(),
    packs: z.int(),
    bytes: z.int().meta({ description: 'size of all contents' }),
    packs_read: z.int(),
    bytes_read: z.int(),
    faults: z.int().meta({ description: 'what was damaged or missing' }),
    problems: z.array(z.string()).meta({ description: 'the first of the faults' }),
    lost: z.int().meta({ description: 'what cannot be restored, because the library does not have it either' }),
    lost_items: z.array(z.string()).meta({ description: 'the first of them' }),
    foreign: z.int().default(0).meta({ description: 'files that are none of the backup’s, and were left alone' }),
    foreign_items: z.array(z.string()).default([]).meta({ description: 'the first of them' }),
  })
  .meta({ id: 'BackupCheckResult' });
export type BackupCheckResult = z.output<typeof BackupCheckResult>;

export const BackupCheckIn = z
  .strictObject({
    percent: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .meta({ description: 'part of the contents to read; by default as in BACKUP_CHECK_PERCENT' }),
  })
  .meta({ id: 'BackupCheckIn' });

export const SnapshotOut = z
  .object({
    id: z.string(),
    created_at: isoTime,
    tracks: z.int(),
    files: z.int(),
    covers: z.int(),
    absent: z.int(),
    mended: z.int().meta({ description: 'parts of the backup that were damaged or missing, and were stored again' }),
    bytes: z.int(),
    has_keys: z.boolean().meta({ description: 'app passwords and sign-ins keep working after a restore' }),
    problem: z.string().nullable().meta({ description: 'why the snapshot cannot be read; all numbers are 0 then' }),
  })
  .meta({ id: 'SnapshotOut' });
export type SnapshotOut = z.output<typeof SnapshotOut>;

/** Result of a test of a place for backups. */
export const BackupTestOut = z
  .object({
    target: z.string(),
    problem: z.string().nullable().meta({ description: 'why no backup can be made there; the rest is null then' }),
    is_new: z.boolean().nullable().meta({ description: 'it has no backup yet' }),
    is_encrypted: z.boolean().nullable().meta({ description: 'of a new backup: whether it will be' }),
    snapshots: z.int().nullable(),
    free_bytes: z.int().nullable().meta({ description: 'null for a bucket' }),
  })
  .meta({ id: 'BackupTestOut' });
export type BackupTestOut = z.output<typeof BackupTestOut>;

/** Result of a `restore_task` job. */
export const RestoreResult = z
  .object({
    snapshot: z.string(),
    folder: z.string(),
    is_restart_needed: z.boolean().meta({ description: 'the next start replaces the library of this server' }),
    tracks: z.int(),
    files: z.int(),
    covers: z.int(),
    has_keys: z.boolean().meta({
      description: 'app passwords and sign-ins keep working: the keys were in the backup, or this server keeps its own',
    }),
    absent: z.int().meta({ description: 'files that are not in the backup; their tracks are missing' }),
    unnamed: z
      .int()
      .default(0)
      .meta({ description: 'listed files that nothing in the library names; they were left out' }),
    unlisted_packs: z
      .int()
      .default(0)
      .meta({ description: 'packs that no index of the backup lists; they were found by themselves' }),
    is_list_lost: z.boolean().default(false).meta({
      description: 'the list of files is damaged: audio and covers were found by what the database names',
    }),
  })
  .meta({ id: 'RestoreResult' });
export type RestoreResult = z.output<typeof RestoreResult>;

export const BackupsOut = z
  .object({
    target: z.string().nullable(),
    is_encrypted: z.boolean().nullable(),
    next_at: isoTime.nullable().meta({ description: 'when the next one is scheduled' }),
    problem: z.string().nullable().meta({ description: 'why the backup cannot be read' }),
    restore: z
      .object({
        snapshot: z.string(),
        is_ready: z.boolean(),
        is_import: z.boolean(),
        is_accepted: z.boolean().meta({ description: 'what the arrival lists will be taken' }),
        arrival: Arrival.nullable().meta({ description: 'what it changes about people, settings and folders here' }),
      })
      .nullable()
      .meta({ description: 'a restore over this library; when it is ready, the next start completes it' }),
    check: z
      .object({
        at: isoTime,
        bytes_read: z.int(),
        bytes: z.int().meta({ description: 'size of all contents' }),
        share: z.number().meta({ description: 'part of the contents that was read in the last three months, 0 to 1' }),
        faults: z.int(),
        lost: z.int().meta({ description: 'what cannot be restored' }),
      })
      .nullable()
      .meta({ description: 'the last check' }),
    check_percent: z
      .number()
      .nullable()
      .meta({ description: 'part of the contents that is read every week; null without a target' }),
    is_reading_free: z.boolean().nullable().meta({ description: 'false for an object store' }),
    items: z.array(SnapshotOut).meta({ description: 'newest first' }),
  })
  .meta({ id: 'BackupsOut' });
export type BackupsOut = z.output<typeof BackupsOut>;

export const ExportResult = z
  .object({
    folder: z.string(),
    tracks: z.int(),
    written: z.int().meta({ description: 'files that this run copied; the others were there' }),
    bytes_written: z.int(),
    playlists: z.int(),
    without_audio: z.int(),
    problems: z.array(z.string()),
  })
  .meta({ id: 'ExportResult' });
export type ExportResult = z.output<typeof ExportResult>;
