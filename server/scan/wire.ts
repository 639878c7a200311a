// Zod schemas of the scan API.
import { z } from 'zod';
import { event } from '../events/event.ts';
import { queryBool } from '../http/paging.ts';
import { ScanCounts } from '../sources/wire.ts';
import { MAX_FOLDERS } from '../files/folder-set.ts';

const folderPath = z.string().max(4_096);
export const ScanQuery = z.object({
  path: z
    .union([folderPath.transform((path) => [path]), z.array(folderPath).max(MAX_FOLDERS)])
    .default([])
    .meta({
      description:
        'folder to scan with everything below, as in `source_id`; can be repeated; `:` is the first music folder ' +
        'without the others; without one all music folders are scanned',
    }),
  restore: queryBool.default(false).meta({ description: 'also bring back tracks that were deleted' }),
  reread: queryBool.default(false).meta({
    description: 'also read files that look as they did, for tags that were changed with size and time kept',
  }),
  dry_run: queryBool.default(false).meta({
    description:
      'only list what would change, in `changes` of the job result; nothing is written to the library, ' +
      'and what can be recognized only when all is read, by fingerprint or tags, counts as new and missing',
  }),
});

const fileReason = z.object({ source_id: z.string(), reason: z.string() });

/** Changes that a scan would make: source ids, the first 100 of each kind; the counts beside them are complete. */
export const ScanChanges = z
  .object({
    added: z.array(z.string()),
    updated: z.array(z.string()),
    moved: z.array(z.object({ from: z.string(), to: z.string() })),
    missing: z.array(z.string()),
    restored: z.array(z.string()),
  })
  .meta({ id: 'ScanChanges' });
export type ScanChanges = z.output<typeof ScanChanges>;

/** `result` of a `scan_local_folder` job. Lists have at most 10,000 lines; the counts are complete. */
export const ScanResult = z
  .object({
    path: z.string().meta({ description: 'the first music folder' }),
    folders: z.array(z.string()).meta({
      description:
        'folders that were scanned, with everything below; an empty name is the first music folder, and the others ' +
        'too unless they were left out',
    }),
    offline: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .meta({ description: 'music folders that were not there; all that is known of them stays as it is' }),
    dry_run: z.boolean(),
    changes: ScanChanges.nullable().meta({ description: 'of a dry run' }),
    ...ScanCounts.shape,
    failed: z.array(fileReason).meta({ description: 'a folder that could not be listed ends with a slash' }),
    changing: z
      .array(z.string())
      .meta({ description: 'source ids of files that were still being written; left to the next scan' }),
    skipped: z.array(fileReason).meta({
      description:
        'names skipped on purpose: hidden and ignored ones, pipes, links that loop, what is not audio; ' +
        'and playlist files that could not be used',
    }),
    skipped_count: z.int(),
    playlists: z.int().meta({ description: 'playlists that were made or changed by their file' }),
  })
  .meta({ id: 'ScanResult' });
export type ScanResult = z.output<typeof ScanResult>;

export const ScanProgress = z
  .object({
    job_id: z.int(),
    phase: z.enum(['walking', 'reading', 'hashing', 'comparing', 'done']).meta({
      description:
        'hashing: the library is complete; large files are hashed, to recognize them when they are moved. ' +
        'comparing: new tracks are compared with missing ones, by their sound',
    }),
    files_seen: z.int(),
    files_done: z.int().meta({ description: 'unchanged, added, updated and failed' }),
    files_total: z.int().nullable().meta({ description: 'null while the walk still runs' }),
    added: z.int(),
    updated: z.int(),
    failed: z.int(),
    files_per_second: z.number(),
    eta_ms: z.int().nullable(),
    current: z.string().nullable().meta({ description: 'folder being read' }),
    music_folders: z
      .array(z.object({ name: z.string(), files_seen: z.int(), files_done: z.int() }))
      .meta({ description: 'those that are scanned, where there are several; else empty' }),
  })
  .meta({ id: 'ScanProgress' });
export type ScanProgress = z.output<typeof ScanProgress>;
export const scanEvent = event('scan', ScanProgress, 'How far a scan is; to superusers.');
