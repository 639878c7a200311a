// Duplicates in the API.
import { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { pageQuery, pagedOf } from '../http/paging.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import { TrackOut } from '../library/wire.ts';
import { KEEP_REASONS } from './duplicate-keeper.ts';
import type { DuplicateGroup } from './duplicates.ts';

export const DuplicateQuery = z.object(pageQuery);

export const DuplicateGroupOut = z
  .object({
    id: z.int(),
    tracks: z.array(TrackOut),
    similarity: z.number().meta({ description: 'share of equal bits in the least similar pair, 0.85 to 1' }),
    keep_id: z.int().meta({ description: 'the track suggested to keep' }),
    keep_reason: z.enum(KEEP_REASONS).meta({
      description:
        'how it differs from the next best: has audio, is lossless, has a higher resolution or bit rate, more ' +
        'plays, or was added first',
    }),
    spare_bytes: z.int().meta({ description: 'total size of the others' }),
  })
  .meta({ id: 'DuplicateGroupOut' });
export type DuplicateGroupOut = z.output<typeof DuplicateGroupOut>;

export const DuplicatePage = pagedOf(DuplicateGroupOut).meta({ id: 'PagedDuplicates' });

const TrackIds = z.array(TrackIdIn).min(1).max(200);
/** Body of `POST /duplicates/merge`. */
export const MergeIn = z.strictObject({ keep: TrackIdIn, merge: TrackIds }).meta({ id: 'DuplicateMergeIn' });
/** Body of `POST /duplicates/dismiss`. */
export const DismissIn = z
  .strictObject({ track_id: TrackIdIn, other_ids: TrackIds })
  .meta({ id: 'DuplicateDismissIn' });

export const toDuplicateGroupOut = ({
  id,
  tracks,
  similarity,
  keep,
  spareBytes,
}: DuplicateGroup): DuplicateGroupOut => ({
  id,
  tracks: tracks.map(toTrackOut),
  similarity,
  keep_id: keep.id,
  keep_reason: keep.reason,
  spare_bytes: spareBytes,
});
