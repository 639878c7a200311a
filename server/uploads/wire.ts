import { z } from 'zod';
import { TrackOut } from '../library/wire.ts';

export const UploadOut = z
  .object({
    items: z.array(TrackOut),
    errors: z.array(z.object({ filename: z.string(), detail: z.string() })),
  })
  .meta({ id: 'UploadOut' });
export type UploadOut = z.output<typeof UploadOut>;
/**
 * The reply is `TrackOut` for a single file that was sent in the field `file` or as the body, otherwise `UploadOut`.
 */
export const UploadReply = z.union([TrackOut, UploadOut]);
export const UploadQuery = z.object({
  filename: z.string().max(1_000).optional().meta({ description: 'of a body that is one file' }),
});
/** What the account may add. `quota` is null for an account without a quota. */
export const UploadLimitsOut = z
  .object({
    max_file_bytes: z.int(),
    quota: z.object({ bytes: z.int(), remaining_bytes: z.int() }).nullable(),
  })
  .meta({ id: 'UploadLimitsOut' });
export type UploadLimitsOut = z.output<typeof UploadLimitsOut>;
