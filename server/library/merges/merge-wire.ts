import { z } from 'zod';
import { pagedOf } from '../../http/paging.ts';
import { isoTime } from '../../http/times.ts';
import { MergeReasonOut, TrackOut } from '../wire.ts';

export const MergeOut = z
  .object({
    id: z.int().meta({ description: 'of the track that is no more, or was replaced, before and after the undo' }),
    title: z.string(),
    artist_name: z.string().nullable(),
    album_title: z.string().nullable(),
    source: z.string(),
    source_id: z.string(),
    into: TrackOut.nullable().meta({ description: 'the track that it became; null when that is deleted' }),
    reason: MergeReasonOut,
    merged_at: isoTime,
    merged_by_name: z.string().nullable().meta({ description: 'null for a scan' }),
    expires_at: isoTime.meta({ description: 'until when it can be undone' }),
  })
  .meta({ id: 'MergeOut' });
export type MergeOut = z.output<typeof MergeOut>;
export const MergePage = pagedOf(MergeOut).meta({ id: 'PagedMerges' });
export type MergePage = z.output<typeof MergePage>;
