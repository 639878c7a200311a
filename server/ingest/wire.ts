// Upload and scan on the wire (decisions 5, 6).
import { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { queryBool } from '../http/paging.ts';
import { TrackOut } from '../library/wire.ts';

export const UploadOut = z.object({
  items: z.array(TrackOut),
  errors: z.array(z.object({ filename: z.string(), detail: z.string() })),
}).meta({ id: 'UploadOut' });
export type UploadOut = z.output<typeof UploadOut>;

export const ScanQuery = z.object({ restore: queryBool.optional().meta({ description: 'also bring back tracks that were deleted' }) });

const fileReason = z.object({ source_id: z.string(), reason: z.string() });

/** `result` of a `scan_local_folder` job. Lists hold at most 10,000 lines; the counts are whole. */
export const ScanResult = z.object({
  path: z.string().meta({ description: 'the folder that was scanned' }),
  files: z.int().meta({ description: 'audio files seen' }),
  added: z.int(),
  updated: z.int(),
  moved: z.int().meta({ description: 'files found again in another place; their tracks kept everything' }),
  unchanged: z.int(),
  missing: z.int(),
  restored: z.int(),
  failed: z.array(fileReason),
  failed_count: z.int(),
  skipped: z.array(fileReason).meta({ description: 'things passed over on purpose: links that loop, hidden files, pipes, no audio' }),
  skipped_count: z.int(),
  duration_ms: z.int(),
}).meta({ id: 'ScanResult' });
export type ScanResult = z.output<typeof ScanResult>;

/** Data of the `scan` event. */
export const ScanProgress = z.object({
  job_id: z.int(),
  phase: z.enum(['walking', 'reading', 'hashing', 'done']).meta({ description: 'hashing: everything is shown already; audio is read once more, to be known again wherever it goes' }),
  files_seen: z.int(),
  files_done: z.int().meta({ description: 'unchanged, added, updated and failed' }),
  files_total: z.int().nullable().meta({ description: 'null while the walk still runs' }),
  added: z.int(),
  updated: z.int(),
  failed: z.int(),
  files_per_second: z.number(),
  eta_ms: z.int().nullable(),
  current: z.string().nullable().meta({ description: 'folder being read' }),
}).meta({ id: 'ScanProgress' });
export type ScanProgress = z.output<typeof ScanProgress>;

/** A track that may be a missing one. `same_name`: title and artist folded, and the length within 2 s. */
export const ReplacementOut = z.object({ track: TrackOut, why: z.enum(['same_audio', 'same_recording', 'same_name']) }).meta({ id: 'ReplacementOut' });
export type ReplacementOut = z.output<typeof ReplacementOut>;
export const Replacements = z.array(ReplacementOut);

/** Body of `POST /tracks/{id}/relocate`: the track whose file it is. */
export const RelocateIn = z.strictObject({ track_id: TrackIdIn }).meta({ id: 'RelocateIn' });
