import { z } from 'zod';
import { TrackOut } from '../library/wire.ts';

export const UploadOut = z
  .object({
    items: z.array(TrackOut),
    errors: z.array(z.object({ filename: z.string(), detail: z.string() })),
  })
  .meta({ id: 'UploadOut' });
export type UploadOut = z.output<typeof UploadOut>;
