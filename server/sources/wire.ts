// Zod schemas of the sources API.
import { z } from 'zod';
import { isoTime, toIso } from '../http/times.ts';
import { JobStatusOut } from '../jobs/wire.ts';
import type { EndedScan } from './ended-scans.ts';
import type { SourceInfo } from './registry.ts';

/**
 * Counts of a scan: files = added - extra_tracks + updated + moved + unchanged + changing_count + failed_count -
 * failed_folders.
 */
export const ScanCounts = z.object({
  files: z.int().meta({ description: 'audio files seen' }),
  added: z.int().meta({ description: 'tracks' }),
  extra_tracks: z
    .int()
    .default(0)
    .meta({ description: 'of the added ones, those beyond one for each file, as from a file with a cue sheet' }),
  updated: z.int(),
  moved: z.int().meta({ description: 'files found in another place; their tracks are kept' }),
  unchanged: z.int(),
  missing: z.int(),
  restored: z.int(),
  failed_count: z.int(),
  failed_folders: z.int().default(0).meta({ description: 'of the failed ones, folders that could not be listed' }),
  changing_count: z.int().meta({ description: 'files that were still being written' }),
  duration_ms: z.int(),
});
export type ScanCounts = z.output<typeof ScanCounts>;

const LastScanOut = z
  .object({
    job_id: z.int(),
    status: JobStatusOut,
    finished_at: isoTime,
    folders: z
      .array(z.string())
      .meta({ description: 'the scanned folders, relative to the music folder; an empty name is all of it' }),
    counts: ScanCounts.nullable().meta({ description: 'null if the scan failed or was cancelled' }),
  })
  .meta({ id: 'LastScanOut' });

export const SourceOut = z
  .object({
    name: z.string(),
    kind: z.string(),
    enabled: z.boolean(),
    reason: z.string().optional().meta({ description: 'why it is off, or does not respond although it is on' }),
    detail: z.string().optional().meta({ description: 'description, such as a program and its version' }),
    capabilities: z.array(z.enum(['scan', 'search', 'download'])),
    last_scan: LastScanOut.nullable().optional().meta({ description: 'the last one; null before the first' }),
  })
  .meta({ id: 'SourceOut' });
export type SourceOut = z.output<typeof SourceOut>;

export const toSourceOut = ({
  name,
  kind,
  enabled,
  reason,
  detail,
  capabilities,
  endedScan,
}: SourceInfo): SourceOut => ({
  name,
  kind,
  enabled,
  capabilities,
  ...(reason !== undefined && { reason }),
  ...(detail !== undefined && { detail }),
  ...(endedScan !== undefined && { last_scan: endedScan && toLastScanOut(endedScan) }),
});

const toLastScanOut = ({ jobId, status, finishedAt, folders, result }: EndedScan): z.output<typeof LastScanOut> => ({
  job_id: jobId,
  status,
  finished_at: toIso(finishedAt),
  folders,
  counts: ScanCounts.safeParse(result).data ?? null,
});
